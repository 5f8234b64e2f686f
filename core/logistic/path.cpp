#include "logistic/path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "logistic/coefficient_vectors.hpp"

namespace venire {
namespace {

constexpr float kFar = 30;  // a change of score beyond which differences are not relied on
// Penalties after which the curvature of many classes is computed anew: it costs as much as twenty passes.
constexpr std::size_t kOld = 3;
constexpr double kWane = 0.85;     // of the curvature of many classes is left under the next penalty
constexpr std::size_t kMany = 15;  // steps after which it is, too, and perhaps of all classes together

std::size_t padded(std::size_t length) { return (length + kPad - 1) / kPad * kPad; }

template <class T>
const T* data_or_null(const AlignedVector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

LogisticPath::LogisticPath(const LogisticTable& table)
    : loops_(logistic_loops()), rows_(table.rows), columns_(table.columns), outputs_(table.outputs),
      kept_(columns_in_use(table)), width_(kept_.size() + 1), stride_(padded(width_)),
      total_weight_(table.weights == nullptr ? static_cast<double>(rows_)
                                             : std::accumulate(table.weights, table.weights + rows_, 0.0)),
      extrapolation_(loops_, outputs_, width_, stride_, total_weight_), error_(kUnmeasured),
      pair_curvature_(loops_, outputs_, width_, stride_), quasi_newton_(loops_, outputs_, width_, stride_) {
  fill_panels(table, kept_, wide_, narrow_);
  const std::size_t padded_rows = wide_.count * kPanel;
  labels_.assign(padded_rows, 0);
  std::copy_n(table.labels, rows_, labels_.begin());
  probabilities_.p.resize(padded_rows * outputs_);
  probabilities_.one_minus_p.resize(outputs_ == 1 ? padded_rows : 0);
  row_curvature_.resize(padded_rows);
  wide_work_.resize(gradient_work(width_, outputs_));
  work_.resize(std::max(gradient_work(width_, outputs_), gram_work(width_)));
  for (auto* each : {&beta_, &likelihood_gradient_, &gradient_, &direction_, &base_beta_, &base_gradient_, &difference_,
                     &previous_beta_, &beta_change_, &gradient_change_}) {
    each->assign(size(), 0.0);
  }
  step_.resize(size());
  curvature_.resize(outputs_ * width_ * width_);
  start_at_intercepts(table);
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
    to[0] = beta_[k * stride_];
    for (std::size_t j = 1; j < width_; ++j) to[kept_[j - 1] + 1] = beta_[k * stride_ + j];
  }
  return out;
}

std::vector<double> LogisticPath::gradient(const std::vector<double>& coefficients) {
  std::vector<double> beta(size(), 0.0), found(size(), 0.0), out(coefficients.size(), 0.0);
  ProbabilityStore probabilities = probabilities_;
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double* from = coefficients.data() + k * (columns_ + 1);
    beta[k * stride_] = from[0];
    for (std::size_t j = 1; j < width_; ++j) beta[k * stride_ + j] = from[kept_[j - 1] + 1];
  }
  centre(beta.data(), outputs_, stride_);
  loops_.compute_gradient(wide_rows(), labels_.data(), beta.data(), wide_work_.data(), found.data(),
                          probabilities.view());
  for (std::size_t k = 0; k < outputs_; ++k) {
    double* to = out.data() + k * (columns_ + 1);
    to[0] = found[k * stride_];
    for (std::size_t j = 1; j < width_; ++j) to[kept_[j - 1] + 1] = found[k * stride_ + j];
  }
  return out;
}

// The gradient in double precision; here is the base of differences from now on.
void LogisticPath::compute_gradient() {
  loops_.compute_gradient(wide_rows(), labels_.data(), beta_.data(), wide_work_.data(), likelihood_gradient_.data(),
                          probabilities_.view());
  base_beta_ = beta_;
  base_gradient_ = likelihood_gradient_;
  ++exact_gradients_;
}

// The gradient by its difference from that of the base.
void LogisticPath::compute_gradient_by_difference() {
  for (std::size_t i = 0; i < size(); ++i) step_[i] = static_cast<float>(beta_[i] - base_beta_[i]);
  const float widest = loops_.compute_gradient_difference(narrow_rows(narrow_), step_.data(), probabilities_.view(),
                                                          work_.data(), difference_.data());
  if (!(widest <= kFar)) return compute_gradient();
  for (std::size_t i = 0; i < size(); ++i) likelihood_gradient_[i] = base_gradient_[i] + difference_[i];
}

// Adds the penalty's gradient to the likelihood's.
void LogisticPath::add_penalty(const std::vector<double>& likelihood, const std::vector<double>& beta, double penalty,
                               std::vector<double>& gradient) const {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const std::size_t first = k * stride_;
    gradient[first] = likelihood[first];
    for (std::size_t i = first + 1; i < first + width_; ++i) gradient[i] = likelihood[i] + penalty * beta[i];
  }
  // The sum over classes is zero, but for what single precision leaves of it.
  centre(gradient.data(), outputs_, stride_);
}

bool LogisticPath::solve(double penalty, const Ask& ask) {
  extrapolation_.extrapolate(penalty, beta_);
  centre(beta_.data(), outputs_, stride_);  // rounding, too, would be continued
  ++curvature_age_;
  const bool ready = prepare_curvature(penalty);
  steps_taken_ = 0;
  if ((!ready || !minimise(penalty, ask)) && !solve_from_last(penalty, ask)) return false;
  // The next step, though nobody has seen where it leads, is closer still: a polynomial through many optima magnifies
  // their errors.
  for (std::size_t i = 0; i < size(); ++i) previous_beta_[i] = beta_[i] + direction_[i];
  extrapolation_.add_optimum(penalty, previous_beta_);
  return true;
}

// Where extrapolation leads astray, as it may where classes are all but separable, the last optimum is a start that
// cannot be far off.
bool LogisticPath::solve_from_last(double penalty, const Ask& ask) {
  if (extrapolation_.empty()) return false;
  beta_ = extrapolation_.last();
  compute_gradient();
  return update_curvature(penalty, false) && minimise(penalty, ask);
}

// The curvature for the next penalty, and the gradient where it starts: computed anew where the last is old or has
// served badly.
bool LogisticPath::prepare_curvature(double penalty) {
  const bool slow = steps_taken_ > kMany, old = (curvature_age_ >= kOld && !quasi_newton_.has_full_curvature()) ||
                                                quasi_newton_.has_pair_curvature();
  if (extrapolation_.empty() || (outputs_ > 1 && (slow || old))) {
    compute_gradient();
    if (!update_curvature(penalty, slow && (quasi_newton_.has_full_curvature() || full_curvature_pays()))) return false;
    if (extrapolation_.empty() && outputs_ == 1)
      extrapolation_.begin_ridge(base_beta_, base_gradient_, gram_, start_curvature_);
    return true;
  }
  compute_gradient_by_difference();
  if (outputs_ > 1 && curvature_seen_) {
    for (double& value : curvature_) value *= kWane;
  }
  if (!quasi_newton_.has_full_curvature()) return quasi_newton_.invert_blocks(curvature_, penalty);
  quasi_newton_.forget_updates();
  return true;
}

bool LogisticPath::update_curvature(double penalty, bool full) {
  if (base_beta_ != beta_) compute_gradient();
  if (!full && outputs_ > 1 && use_pair_curvature(penalty)) return true;
  compute_blocks();
  if (full) {
    compute_cross_curvature();
    if (quasi_newton_.factor_full(curvature_, cross_curvature_, penalty)) return true;
  }
  return quasi_newton_.invert_blocks(curvature_, penalty);
}

// In multiply-adds: the steps that the last penalty took, against one factor and a few solutions, which wait for memory
// as well.
bool LogisticPath::full_curvature_pays() const {
  const double length = static_cast<double>(size()), pass = 2.0 * static_cast<double>(rows_ * width_ * (outputs_ - 1));
  return static_cast<double>(steps_taken_) * pass >
         length * length * length / 6 + 4 * static_cast<double>(kMany) * length * length;
}

}  // namespace venire
