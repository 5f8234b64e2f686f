#include "logistic/path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace venire {
namespace {

constexpr double kTolerance = 1e-7;   // of the gradient, a row
constexpr double kClose = 1e-10;      // squared distance from the optimum as curvature measures it, at most
constexpr double kCloseRow = 1e-13;   // the same a row: as far as a gradient of kTolerance is where curvature is a tenth a row
constexpr double kSafe = 3;           // times the error seen when differences were last checked: a distance that is still relied on
constexpr float kFar = 30;            // a change of score beyond which differences are not relied on
constexpr double kSure = 7;           // times it: what an optimum may be off by
constexpr double kForgotten = 0.1;    // of it is remembered at a check that went better
constexpr double kError = 2e-7;       // of differences, as long as it was not seen, and as a share of the distance squared
constexpr double kErrorSquared = 1e-13;
constexpr std::size_t kSteps = 150;   // for one penalty; usually three to twenty
constexpr std::size_t kPatience = 3;  // steps in which the distance should halve
constexpr std::size_t kOld = 3;       // penalties after which many classes are looked at again: a look is as dear as twenty passes
constexpr double kWane = 0.85;        // of the curvature of many classes is left under the next penalty
constexpr std::size_t kMany = 15;     // steps after which they are, too, and perhaps at all classes together
constexpr std::size_t kLong = 40;     // steps of many classes after which one does not go on without a look at all of them together
constexpr double kSlow = 0.1;         // a step of two classes that leaves more of the gradient asks for the curvature where it led to

std::size_t padded(std::size_t length) { return (length + kPad - 1) / kPad * kPad; }

template <class T>
const T* data_or_null(const Lanes<T>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

LogisticPath::LogisticPath(const LogisticTable& table)
    : loops_(logistic_loops()), rows_(table.rows), columns_(table.columns), outputs_(table.outputs), kept_(columns_in_use(table)),
      width_(kept_.size() + 1), stride_(padded(width_)),
      total_(table.weights == nullptr ? static_cast<double>(rows_) : std::accumulate(table.weights, table.weights + rows_, 0.0)),
      trail_(loops_, outputs_, width_, stride_, total_), error_{kError, kErrorSquared}, doubts_(loops_, outputs_, width_, stride_),
      steps_(loops_, outputs_, width_, stride_) {
  fill_panels(table, kept_, wide_, narrow_);
  const std::size_t padded_rows = wide_.count * kPanel;
  labels_.assign(padded_rows, 0);
  std::copy_n(table.labels, rows_, labels_.begin());
  said_.share.resize(padded_rows * outputs_);
  said_.rest.resize(outputs_ == 1 ? padded_rows : 0);
  roots_.resize(padded_rows);
  wide_work_.resize(pass_work(width_, outputs_));
  work_.resize(std::max(pass_work(width_, outputs_), products_work(width_)));
  for (auto* each : {&at_, &likelihood_, &gradient_, &direction_, &base_at_, &base_gradient_, &change_, &before_, &moved_, &turned_}) {
    each->assign(size(), 0.0);
  }
  step_.resize(size());
  curvature_.resize(outputs_ * width_ * width_);
  set_out(table);
}

Rows<double> LogisticPath::wide_rows() const {
  return {wide_.x.data(), wide_.count, width_, outputs_, data_or_null(wide_.weights), stride_};
}

Rows<float> LogisticPath::narrow_rows(const Panels<float>& panels) const {
  return {panels.x.data(), panels.count, width_, outputs_, data_or_null(panels.weights), stride_};
}

std::vector<double> LogisticPath::coefficients() const {
  std::vector<double> out(outputs_ * (columns_ + 1), 0.0);
  for (std::size_t k = 0; k < outputs_; ++k) {
    double* to = out.data() + k * (columns_ + 1);
    to[0] = at_[k * stride_];
    for (std::size_t j = 1; j < width_; ++j) to[kept_[j - 1] + 1] = at_[k * stride_ + j];
  }
  return out;
}

std::vector<double> LogisticPath::gradient(const std::vector<double>& coefficients) {
  std::vector<double> at(size(), 0.0), found(size(), 0.0), out(coefficients.size(), 0.0);
  SaidRows said = said_;
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double* from = coefficients.data() + k * (columns_ + 1);
    at[k * stride_] = from[0];
    for (std::size_t j = 1; j < width_; ++j) at[k * stride_ + j] = from[kept_[j - 1] + 1];
  }
  centre(at.data(), outputs_, stride_);
  loops_.pass(wide_rows(), labels_.data(), at.data(), wide_work_.data(), found.data(), said.view());
  for (std::size_t k = 0; k < outputs_; ++k) {
    double* to = out.data() + k * (columns_ + 1);
    to[0] = found[k * stride_];
    for (std::size_t j = 1; j < width_; ++j) to[kept_[j - 1] + 1] = found[k * stride_ + j];
  }
  return out;
}

// The gradient here in double precision; differences start from here.
void LogisticPath::rebase() {
  loops_.pass(wide_rows(), labels_.data(), at_.data(), wide_work_.data(), likelihood_.data(), said_.view());
  base_at_ = at_;
  base_gradient_ = likelihood_;
  ++bases_;
}

// The gradient here by its difference from there.
void LogisticPath::measure() {
  for (std::size_t i = 0; i < size(); ++i) step_[i] = static_cast<float>(at_[i] - base_at_[i]);
  const float widest = loops_.change(narrow_rows(narrow_), step_.data(), said_.view(), work_.data(), change_.data());
  if (!(widest <= kFar)) return rebase();
  for (std::size_t i = 0; i < size(); ++i) likelihood_[i] = base_gradient_[i] + change_[i];
}

// Adds the penalty's gradient to the likelihood's.
void LogisticPath::penalise(const std::vector<double>& likelihood, const std::vector<double>& at, double penalty,
                            std::vector<double>& gradient) const {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const std::size_t first = k * stride_;
    gradient[first] = likelihood[first];
    for (std::size_t i = first + 1; i < first + width_; ++i) gradient[i] = likelihood[i] + penalty * at[i];
  }
  centre(gradient.data(), outputs_, stride_);  // the sum over classes is zero, but for what single precision leaves of it
}

// How far a point with this gradient is from the optimum; the way there is in `direction_`.
LogisticPath::Distance LogisticPath::distance(const std::vector<double>& gradient) {
  return {largest(gradient), steps_.direct(gradient, direction_)};
}

bool LogisticPath::solve(double penalty) {
  trail_.tell(penalty, at_);
  centre(at_.data(), outputs_, stride_);  // rounding, too, would be continued
  ++age_;
  const bool ready = curve(penalty);
  taken_ = 0;
  if ((!ready || !settle(penalty)) && !solve_from_last(penalty)) return false;
  // The next step, though nobody has seen where it leads, is closer still: a polynomial through many optima magnifies what they are off by.
  for (std::size_t i = 0; i < size(); ++i) before_[i] = at_[i] + direction_[i];
  trail_.add(penalty, before_);
  return true;
}

// Where a trail leads astray, as it may where rows are all but parted, the last optimum is a start that cannot be far off.
bool LogisticPath::solve_from_last(double penalty) {
  if (trail_.empty()) return false;
  at_ = trail_.last();
  rebase();
  return look_here(penalty, false) && settle(penalty);
}

// The curvature for the next penalty, and the gradient where it starts: a new look where the last is old or has served badly.
bool LogisticPath::curve(double penalty) {
  const bool slow = taken_ > kMany, old = (age_ >= kOld && !steps_.coupled()) || steps_.doubted();
  if (trail_.empty() || (outputs_ > 1 && (slow || old))) {
    rebase();
    if (!look_here(penalty, slow && (steps_.coupled() || worth_coupling()))) return false;
    if (trail_.empty() && outputs_ == 1) trail_.begin(base_at_, base_gradient_, gram_, outset_);
    return true;
  }
  measure();
  if (outputs_ > 1 && looked_) {
    for (double& value : curvature_) value *= kWane;
  }
  if (!steps_.coupled()) return steps_.invert(curvature_, penalty);
  steps_.forget();
  return true;
}

bool LogisticPath::look_here(double penalty, bool together) {
  if (base_at_ != at_) rebase();
  if (!together && outputs_ > 1 && look_at_doubts(penalty)) return true;
  look();
  if (together) {
    look_between();
    if (steps_.couple(curvature_, shared_, penalty)) return true;
  }
  return steps_.invert(curvature_, penalty);
}

// In multiply-adds: the steps that the last penalty took, against one factor and a few solutions, which wait for memory as well.
bool LogisticPath::worth_coupling() const {
  const double length = static_cast<double>(size()), pass = 2.0 * static_cast<double>(rows_ * width_ * (outputs_ - 1));
  return static_cast<double>(taken_) * pass > length * length * length / 6 + 4 * static_cast<double>(kMany) * length * length;
}

// How close to the optimum is close enough. Curvature is what the rows know of the coefficients: at a squared distance d the score of any
// row is off by at most √d of its own standard error, and probabilities of the training rows by ½ √(d / rows), root mean square. The penalty is
// part of the curvature, so a score is off by at most √(d / λ) times the length of its row, too; and that counts where few training rows are
// like it.
double LogisticPath::close_enough(double penalty) const { return std::min(kClose, kCloseRow * total_) * std::min(1.0, penalty); }

bool LogisticPath::settle(double penalty) {
  const double enough = kTolerance * total_, close = close_enough(penalty);
  Distance far = distance_of_base(penalty);  // where differences start from
  std::size_t bases = bases_;
  if (base_at_ != at_) learn_start(penalty);
  penalise(likelihood_, at_, penalty, gradient_);
  Distance now = base_at_ == at_ ? far : distance(gradient_);
  double best[kPatience], last = 0;
  std::fill_n(best, kPatience, HUGE_VAL);
  const auto there = [&](const Distance& at) { return at.gradient <= enough && at.squared <= close; };
  for (std::size_t step = 0; step < kSteps; ++step) {
    if (!std::isfinite(now.squared) || now.squared < 0) return false;
    const bool exact = base_at_ == at_;
    const Distance doubt{error_.gradient * far.gradient, error_.squared * far.squared};
    const bool sure = kSure * doubt.gradient <= enough && kSure * kSure * doubt.squared <= close;
    const auto worn = [&](const Distance& at) { return at.squared <= kSafe * kSafe * doubt.squared || at.gradient <= kSafe * doubt.gradient; };
    if (there(now) && (exact || sure)) return true;
    const bool stuck = now.squared > 0.5 * best[step % kPatience];
    best[step % kPatience] = now.squared;
    if (!exact && (there(now) || worn(now) || stuck)) {
      check(penalty, far);
      std::fill_n(best, kPatience, HUGE_VAL);
    } else {
      // As much closer as the last step came, the next would be beyond what differences can tell.
      const double shrink = now.squared < last ? now.squared / last : 1.0;
      const Distance next{std::sqrt(shrink) * now.gradient, shrink * now.squared};
      const bool exactly = !exact && (worn(next) || (there(next) && !sure));
      last = now.squared;
      if (!advance(penalty, exactly, far)) return false;
      if (exactly) error_ = {std::max(error_.gradient, kError), std::max(error_.squared, kErrorSquared)};  // was not seen this time
      ++taken_;
      const bool slow = outputs_ == 1 ? largest(gradient_) > std::max(enough, kSlow * now.gradient) : taken_ % kLong == 0;
      if (slow) {
        if (!look_here(penalty, outputs_ > 1)) return false;
        penalise(likelihood_, at_, penalty, gradient_);
      }
    }
    if (bases_ != bases) far = distance_of_base(penalty);
    bases = bases_;
    now = base_at_ == at_ ? far : distance(gradient_);
  }
  return false;
}

LogisticPath::Distance LogisticPath::distance_of_base(double penalty) {
  penalise(base_gradient_, base_at_, penalty, turned_);
  return distance(turned_);
}

// The way from the last penalty's optimum to here says something about curvature already.
void LogisticPath::learn_start(double penalty) {
  for (std::size_t i = 0; i < size(); ++i) {
    moved_[i] = at_[i] - base_at_[i];
    turned_[i] = likelihood_[i] - base_gradient_[i] + (i % stride_ == 0 ? 0.0 : penalty * moved_[i]);
  }
  steps_.learn(moved_, turned_);
}

// The gradient in double precision, and how wrong it was by differences.
void LogisticPath::check(double penalty, const Distance& far) {
  turned_ = gradient_;
  rebase();
  penalise(likelihood_, at_, penalty, gradient_);
  for (std::size_t i = 0; i < size(); ++i) turned_[i] -= gradient_[i];
  const Distance wrong = distance(turned_);
  error_.gradient = std::max(wrong.gradient / far.gradient, kForgotten * error_.gradient);
  error_.squared = std::max(wrong.squared / far.squared, kForgotten * error_.squared);
}

// One step: the whole of it, unless the slope there says that the lowest point was passed long before. If it is double precision that says
// so, the direction was not downhill, but what differences made of it: then only the gradient is taken anew, where it led from.
bool LogisticPath::advance(double penalty, bool exactly, const Distance& far) {
  const double downhill = -inner(gradient_, direction_);
  before_ = at_;
  turned_ = gradient_;
  double share = 1;
  for (int tries = 0; tries < 30; ++tries) {
    for (std::size_t i = 0; i < size(); ++i) at_[i] = before_[i] + share * direction_[i];
    exactly ? rebase() : measure();
    penalise(likelihood_, at_, penalty, gradient_);
    const double uphill = inner(gradient_, direction_);
    if (uphill <= 0.5 * downhill) {
      for (std::size_t i = 0; i < size(); ++i) {
        moved_[i] = at_[i] - before_[i];
        turned_[i] = gradient_[i] - turned_[i];
      }
      steps_.learn(moved_, turned_);
      return true;
    }
    if (exactly) {
      at_ = before_;
      gradient_ = turned_;
      check(penalty, far);
      return true;
    }
    share *= std::max(0.1, downhill / (downhill + uphill));  // where a straight line between the two slopes is zero
  }
  return false;
}

}  // namespace venire
