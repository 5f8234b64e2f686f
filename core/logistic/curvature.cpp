// The curvature of the likelihood: for every output its block, the products of columns over the rows weighed by p (1 -
// p); between two outputs, by p q.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "logistic/coefficient_vectors.hpp"
#include "logistic/path.hpp"

namespace venire {
namespace {

// Rows, or pairs of classes in a row, of a smaller share of the largest curvature are taken together.
constexpr double kNegligible = 1e-3;
constexpr double kNegligiblePair = 3e-4;  // pairs that are, if not too many are left
constexpr double kFew = 0.25;             // pairs, as a share of what a pass multiplies: as many are worth listing
constexpr std::size_t kStale = 4;         // penalties after which blocks that only precondition are computed anew

}  // namespace

void LogisticPath::gather_panels(const std::vector<std::uint32_t>& rows) {
  gathered_.count = (rows.size() + kPanel - 1) / kPanel;
  gathered_.x.resize(gathered_.count * width_ * kPanel);
  for (std::size_t first = 0; first < rows.size(); first += kPanel) {
    float* panel = gathered_.x.data() + first * width_;
    const std::size_t count = std::min(kPanel, rows.size() - first);
    if (count < kPanel) std::fill_n(panel, width_ * kPanel, 0.0f);
    const float* from[kPanel];
    for (std::size_t i = 0; i < count; ++i)
      from[i] = narrow_.x.data() + rows[first + i] / kPanel * width_ * kPanel + rows[first + i] % kPanel;
    for (std::size_t j = 0; j < width_; ++j) {
      for (std::size_t i = 0; i < count; ++i) panel[j * kPanel + i] = from[i][j * kPanel];
    }
  }
}

// The optimum under an infinite penalty: intercepts alone, from the frequencies of the classes.
void LogisticPath::start_at_intercepts(const LogisticTable& table) {
  // Of many classes, as if they were as frequent, on steps that add up to zero over them.
  start_curvature_ = outputs_ == 1 ? 0.25 : 1.0 / static_cast<double>(outputs_);
  std::vector<double> frequent(std::max<std::size_t>(outputs_, 2), 0.0);
  for (std::size_t i = 0; i < rows_; ++i) {
    frequent[static_cast<std::size_t>(table.labels[i])] += table.weights == nullptr ? 1.0 : table.weights[i];
  }
  // Of a class that has no weight there is no such optimum.
  if (!(*std::min_element(frequent.begin(), frequent.end()) > 0)) return;
  if (outputs_ == 1) {
    beta_[0] = std::log(frequent[1] / frequent[0]);
    start_curvature_ = frequent[0] * frequent[1] / (total_weight_ * total_weight_);
  } else {
    for (std::size_t k = 0; k < outputs_; ++k) beta_[k * stride_] = std::log(frequent[k] / total_weight_);
    centre(beta_.data(), outputs_, stride_);
  }
}

// The block of every output, at the base of differences.
void LogisticPath::compute_blocks() {
  curvature_age_ = 0;
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
  if (!gram_.empty()) {
    for (std::size_t k = 0; k < outputs_; ++k) compute_block(k);
    curvature_seen_ = true;
    return;
  }
  // The first time is where the path starts: there all rows count alike.
  gram_.assign(width_ * width_, 0.0);
  for (std::size_t i = 0; i < row_curvature_.size(); ++i)
    row_curvature_[i] = narrow_.weights.empty() ? 1.0f : std::sqrt(narrow_.weights[i]);
  loops_.add_gram(narrow_rows(narrow_), row_curvature_.data(), work_.data(), gram_.data());
  for (std::size_t i = 0; i < curvature_.size(); ++i) curvature_[i] = start_curvature_ * gram_[i % gram_.size()];
}

// By the pairs of classes that rows are between, where these are few. Under a weaker penalty curvature is less, but
// much of the same shape.
bool LogisticPath::use_pair_curvature(double penalty) {
  if (gram_.empty()) return false;
  float largest = 0;
  std::vector<double> sums(outputs_);
  for (std::size_t k = 0; k < outputs_; ++k) {
    const RowCurvature rows = compute_row_curvature(k);
    largest = std::max(largest, rows.largest);
    sums[k] = rows.sum;
  }
  const float* weights = narrow_.weights.empty() ? nullptr : narrow_.weights.data();
  const auto most = static_cast<std::size_t>(kFew * static_cast<double>(rows_ * (outputs_ - 1)));
  const auto few_above = [&](double threshold) {
    return pair_curvature_.collect(probabilities_.p.data(), weights, rows_, static_cast<float>(threshold) * largest,
                                   most);
  };
  if (!few_above(kNegligiblePair) && !few_above(kNegligible)) return false;
  if (row_major_.empty()) copy_rows();
  const bool new_blocks = !quasi_newton_.has_pair_curvature() || curvature_age_ >= kStale;
  if (new_blocks) curvature_age_ = 0;
  pair_curvature_.set_rows(row_major_.data(), std::move(sums), total_weight_);
  if (new_blocks) pair_curvature_.compute_blocks(gram_);
  return quasi_newton_.use_pairs(pair_curvature_, penalty, new_blocks);
}

void LogisticPath::copy_rows() {
  row_major_.assign(rows_ * stride_, 0.0f);
  for (std::size_t i = 0; i < rows_; ++i) {
    const float* from = narrow_.x.data() + i / kPanel * width_ * kPanel + i % kPanel;
    for (std::size_t j = 0; j < width_; ++j) row_major_[i * stride_ + j] = from[j * kPanel];
  }
}

// Of many classes, where few rows have any curvature, the others count alike on average.
void LogisticPath::compute_block(std::size_t output) {
  const RowCurvature rows = compute_row_curvature(output);
  double* out = curvature_.data() + output * gram_.size();
  const float threshold = static_cast<float>(kNegligible) * rows.largest;
  std::vector<std::uint32_t> heavy;
  if (outputs_ > 1) {
    heavy.resize(rows_);
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      heavy[count] = static_cast<std::uint32_t>(i);
      count += static_cast<std::size_t>(row_curvature_[i] > threshold);
    }
    heavy.resize(count);
  }
  const bool sparse = outputs_ > 1 && 2 * heavy.size() < rows_;
  if (sparse) {
    double listed = 0;
    for (const std::uint32_t row : heavy) listed += row_curvature_[row];
    for (std::size_t i = 0; i < gram_.size(); ++i) out[i] = std::max(0.0, rows.sum - listed) / total_weight_ * gram_[i];
    add_products(heavy, out);
  } else {
    for (float& root : row_curvature_) root = std::sqrt(root);
    loops_.add_gram(narrow_rows(narrow_), row_curvature_.data(), work_.data(), out);
  }
}

// Adds the products of columns over some rows, weighed by `row_curvature_`, which is written over.
void LogisticPath::add_products(const std::vector<std::uint32_t>& rows, double* out) {
  gather_panels(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) row_curvature_[i] = std::sqrt(row_curvature_[rows[i]]);
  std::fill_n(row_curvature_.begin() + static_cast<std::ptrdiff_t>(rows.size()), gathered_.count * kPanel - rows.size(),
              0.0f);
  loops_.add_gram(narrow_rows(gathered_), row_curvature_.data(), work_.data(), out);
}

// Between every two outputs: p q of each row, of those where it matters.
void LogisticPath::compute_cross_curvature() {
  cross_curvature_.assign(outputs_ * (outputs_ - 1) / 2 * gram_.size(), 0.0);
  float top = 0;
  for (std::size_t k = 0; k < outputs_; ++k) top = std::max(top, compute_row_curvature(k).largest);
  const float threshold = static_cast<float>(kNegligible) * top;
  double* out = cross_curvature_.data();
  std::vector<std::uint32_t> heavy;
  for (std::size_t a = 0; a < outputs_; ++a) {
    for (std::size_t b = a + 1; b < outputs_; ++b, out += gram_.size()) {
      heavy.resize(rows_);
      std::size_t count = 0;
      for (std::size_t i = 0; i < rows_; ++i) {
        const float* p = probabilities_.p.data() + i / kPanel * outputs_ * kPanel + i % kPanel;
        row_curvature_[i] = p[a * kPanel] * p[b * kPanel] * (narrow_.weights.empty() ? 1.0f : narrow_.weights[i]);
        heavy[count] = static_cast<std::uint32_t>(i);
        count += static_cast<std::size_t>(row_curvature_[i] > threshold);
      }
      heavy.resize(count);
      add_products(heavy, out);
    }
  }
}

// p (1 - p) of every row into `row_curvature_`, times its weight; rows that fill up the last panel have none that
// matters.
LogisticPath::RowCurvature LogisticPath::compute_row_curvature(std::size_t output) {
  float largest[kPanel] = {};
  double sum[kPanel] = {};
  for (std::size_t b = 0; b < narrow_.count; ++b) {
    const float* p = probabilities_.p.data() + (b * outputs_ + output) * kPanel;
    const float* one_minus_p = outputs_ == 1 ? probabilities_.one_minus_p.data() + b * kPanel : nullptr;
    const float* weight = narrow_.weights.empty() ? nullptr : narrow_.weights.data() + b * kPanel;
    float* to = row_curvature_.data() + b * kPanel;
    for (std::size_t i = 0; i < kPanel; ++i)
      to[i] = std::max(0.0f, p[i] * (one_minus_p != nullptr ? one_minus_p[i] : 1 - p[i]));
    for (std::size_t i = 0; weight != nullptr && i < kPanel; ++i) to[i] *= weight[i];
    for (std::size_t i = rows_ - std::min(rows_, b * kPanel); i < kPanel; ++i) to[i] = 0;
    for (std::size_t i = 0; i < kPanel; ++i) {
      largest[i] = std::max(largest[i], to[i]);
      sum[i] += to[i];
    }
  }
  return {*std::max_element(largest, largest + kPanel), std::accumulate(sum, sum + kPanel, 0.0)};
}

}  // namespace venire
