// A look at the curvature: for every output by itself, products of columns over the rows, weighed by p (1 - p).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "logistic/path.hpp"

namespace venire {
namespace {

constexpr double kFaint = 1e-3;       // rows, or doubts, whose curvature is a smaller share of the largest are taken together
constexpr double kFaintDoubt = 3e-4;  // doubts that are, if not too many are left
constexpr double kFew = 0.25;         // doubts, as a share of what a pass multiplies: as many are worth listing
constexpr std::size_t kStale = 4;     // penalties after which the curvature of outputs by themselves is taken anew, where doubts tell the rest

}  // namespace

void LogisticPath::gather(const std::vector<std::uint32_t>& rows) {
  chosen_.count = (rows.size() + kPanel - 1) / kPanel;
  chosen_.x.resize(chosen_.count * width_ * kPanel);
  for (std::size_t first = 0; first < rows.size(); first += kPanel) {
    float* panel = chosen_.x.data() + first * width_;
    const std::size_t count = std::min(kPanel, rows.size() - first);
    if (count < kPanel) std::fill_n(panel, width_ * kPanel, 0.0f);
    const float* from[kPanel];
    for (std::size_t i = 0; i < count; ++i) from[i] = narrow_.x.data() + rows[first + i] / kPanel * width_ * kPanel + rows[first + i] % kPanel;
    for (std::size_t j = 0; j < width_; ++j) {
      for (std::size_t i = 0; i < count; ++i) panel[j * kPanel + i] = from[i][j * kPanel];
    }
  }
}

// The optimum under a penalty without end: intercepts that tell how frequent classes are.
void LogisticPath::set_out(const LogisticTable& table) {
  // Of many classes, as if they were as frequent, on steps that add up to zero over them.
  outset_ = outputs_ == 1 ? 0.25 : 1.0 / static_cast<double>(outputs_);
  std::vector<double> frequent(std::max<std::size_t>(outputs_, 2), 0.0);
  for (std::size_t i = 0; i < rows_; ++i) {
    frequent[static_cast<std::size_t>(table.labels[i])] += table.weights == nullptr ? 1.0 : table.weights[i];
  }
  if (!(*std::min_element(frequent.begin(), frequent.end()) > 0)) return;  // of a class that has no weight there is no such optimum
  if (outputs_ == 1) {
    at_[0] = std::log(frequent[1] / frequent[0]);
    outset_ = frequent[0] * frequent[1] / (total_ * total_);
  } else {
    for (std::size_t k = 0; k < outputs_; ++k) at_[k * stride_] = std::log(frequent[k] / total_);
    centre(at_.data(), outputs_, stride_);
  }
}

// The curvature of every output by itself, where differences start from.
void LogisticPath::look() {
  age_ = 0;
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
  if (!gram_.empty()) {
    for (std::size_t k = 0; k < outputs_; ++k) look_at(k);
    looked_ = true;
    return;
  }
  // The first look is where the path sets out: there all rows count alike.
  gram_.assign(width_ * width_, 0.0);
  for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = narrow_.weights.empty() ? 1.0f : std::sqrt(narrow_.weights[i]);
  loops_.products(narrow_rows(narrow_), roots_.data(), work_.data(), gram_.data());
  for (std::size_t i = 0; i < curvature_.size(); ++i) curvature_[i] = outset_ * gram_[i % gram_.size()];
}

// By the rows in doubt between two classes, where these are few. Under a weaker penalty curvature is less, but much of the same shape.
bool LogisticPath::look_at_doubts(double penalty) {
  if (gram_.empty()) return false;
  float top = 0;
  std::vector<double> all(outputs_);
  for (std::size_t k = 0; k < outputs_; ++k) {
    const Spread spread = spread_of(k);
    top = std::max(top, spread.top);
    all[k] = spread.all;
  }
  const float* weights = narrow_.weights.empty() ? nullptr : narrow_.weights.data();
  const auto most = static_cast<std::size_t>(kFew * static_cast<double>(rows_ * (outputs_ - 1)));
  const auto few = [&](double faint) { return doubts_.list(said_.share.data(), weights, rows_, static_cast<float>(faint) * top, most); };
  if (!few(kFaintDoubt) && !few(kFaint)) return false;
  if (flat_.empty()) flatten();
  const bool anew = !steps_.doubted() || age_ >= kStale;
  if (anew) age_ = 0;
  doubts_.weigh(flat_.data(), std::move(all), total_);
  if (anew) doubts_.look(gram_);
  return steps_.doubt(doubts_, penalty, anew);
}

void LogisticPath::flatten() {
  flat_.assign(rows_ * stride_, 0.0f);
  for (std::size_t i = 0; i < rows_; ++i) {
    const float* from = narrow_.x.data() + i / kPanel * width_ * kPanel + i % kPanel;
    for (std::size_t j = 0; j < width_; ++j) flat_[i * stride_ + j] = from[j * kPanel];
  }
}

// Of many classes, where few rows are in doubt, the others count alike on average.
void LogisticPath::look_at(std::size_t output) {
  const Spread spread = spread_of(output);
  double* out = curvature_.data() + output * gram_.size();
  const float faint = static_cast<float>(kFaint) * spread.top;
  std::vector<std::uint32_t> telling;
  if (outputs_ > 1) {
    telling.resize(rows_);
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      telling[count] = static_cast<std::uint32_t>(i);
      count += static_cast<std::size_t>(roots_[i] > faint);
    }
    telling.resize(count);
  }
  const bool few = outputs_ > 1 && 2 * telling.size() < rows_;
  if (few) {
    double told = 0;
    for (const std::uint32_t row : telling) told += roots_[row];
    for (std::size_t i = 0; i < gram_.size(); ++i) out[i] = std::max(0.0, spread.all - told) / total_ * gram_[i];
    products_of(telling, out);
  } else {
    for (float& root : roots_) root = std::sqrt(root);
    loops_.products(narrow_rows(narrow_), roots_.data(), work_.data(), out);
  }
}

// Adds the products of columns over some rows, weighed by `roots_`, which is written over.
void LogisticPath::products_of(const std::vector<std::uint32_t>& rows, double* out) {
  gather(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) roots_[i] = std::sqrt(roots_[rows[i]]);
  std::fill_n(roots_.begin() + static_cast<std::ptrdiff_t>(rows.size()), chosen_.count * kPanel - rows.size(), 0.0f);
  loops_.products(narrow_rows(chosen_), roots_.data(), work_.data(), out);
}

// What every two outputs share: p q of each row, of those where it tells.
void LogisticPath::look_between() {
  shared_.assign(outputs_ * (outputs_ - 1) / 2 * gram_.size(), 0.0);
  float top = 0;
  for (std::size_t k = 0; k < outputs_; ++k) top = std::max(top, spread_of(k).top);
  const float faint = static_cast<float>(kFaint) * top;
  double* out = shared_.data();
  std::vector<std::uint32_t> telling;
  for (std::size_t a = 0; a < outputs_; ++a) {
    for (std::size_t b = a + 1; b < outputs_; ++b, out += gram_.size()) {
      telling.resize(rows_);
      std::size_t count = 0;
      for (std::size_t i = 0; i < rows_; ++i) {
        const float* share = said_.share.data() + i / kPanel * outputs_ * kPanel + i % kPanel;
        roots_[i] = share[a * kPanel] * share[b * kPanel] * (narrow_.weights.empty() ? 1.0f : narrow_.weights[i]);
        telling[count] = static_cast<std::uint32_t>(i);
        count += static_cast<std::size_t>(roots_[i] > faint);
      }
      telling.resize(count);
      products_of(telling, out);
    }
  }
}

// p (1 - p) of every row into `roots_`, times its weight; rows that fill up the last panel have none that matters.
LogisticPath::Spread LogisticPath::spread_of(std::size_t output) {
  float top[kPanel] = {};
  double all[kPanel] = {};
  for (std::size_t b = 0; b < narrow_.count; ++b) {
    const float* share = said_.share.data() + (b * outputs_ + output) * kPanel;
    const float* rest = outputs_ == 1 ? said_.rest.data() + b * kPanel : nullptr;
    const float* weight = narrow_.weights.empty() ? nullptr : narrow_.weights.data() + b * kPanel;
    float* to = roots_.data() + b * kPanel;
    for (std::size_t i = 0; i < kPanel; ++i) to[i] = std::max(0.0f, share[i] * (rest != nullptr ? rest[i] : 1 - share[i]));
    for (std::size_t i = 0; weight != nullptr && i < kPanel; ++i) to[i] *= weight[i];
    for (std::size_t i = rows_ - std::min(rows_, b * kPanel); i < kPanel; ++i) to[i] = 0;
    for (std::size_t i = 0; i < kPanel; ++i) {
      top[i] = std::max(top[i], to[i]);
      all[i] += to[i];
    }
  }
  return {*std::max_element(top, top + kPanel), std::accumulate(all, all + kPanel, 0.0)};
}

}  // namespace venire
