#include "logistic/ridge_extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "logistic/coefficient_vectors.hpp"

namespace venire {
namespace {

constexpr std::size_t kMost = 6;   // points of a polynomial
constexpr double kPlace = 0.15;    // of all rows: a penalty as heavy as that is halfway
constexpr std::size_t kTried = 2;  // penalties in a row that other means predicted better: then it is given up

}  // namespace

// From one, under an infinite penalty, to zero.
double RidgeExtrapolation::scaled(double penalty) const { return penalty / (penalty + kPlace * total_weight_); }

// The intercept is kept apart from the rest: columns count from their mean, and it is a response by itself.
void RidgeExtrapolation::begin(const std::vector<double>& beta, const std::vector<double>& gradient,
                               const std::vector<double>& gram, double curvature) {
  curvature_.assign(width_ * width_, 0.0);
  curvature_[0] = 1.0;
  for (std::size_t i = 1; i < width_; ++i) {
    for (std::size_t j = i; j < width_; ++j) {
      const double value = curvature * (gram[i * width_ + j] - gram[i] * gram[j] / gram[0]);
      curvature_[i * width_ + j] = curvature_[j * width_ + i] = value;
    }
  }
  Point first{1.0, beta};
  for (std::size_t i = 0; i < beta.size(); ++i) {
    if (i % stride_ != 0) first.response[i] = -gradient[i];
  }
  points_.push_back(std::move(first));
  inverse_.resize(width_ * stride_);
  work_.resize((width_ + 2) * stride_);
  from_.resize(beta.size());
  to_.resize(beta.size());
  response_.resize(beta.size());
}

void RidgeExtrapolation::compute_response(double penalty, const std::vector<double>& beta,
                                          std::vector<double>& to) const {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double* from = beta.data() + k * stride_;
    for (std::size_t i = 0; i < width_; ++i) {
      const double* row = curvature_.data() + i * width_;
      double sum = i == 0 ? 0.0 : penalty * from[i];
      for (std::size_t j = 0; j < width_; ++j) sum += row[j] * from[j];
      to[k * stride_ + i] = sum;
    }
  }
}

// The inverse times a response, in single precision.
void RidgeExtrapolation::solve(const std::vector<double>& response, std::vector<double>& beta) {
  const double scale = std::max(largest(response), 1e-300);
  for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = static_cast<float>(response[i] / scale);
  for (std::size_t k = 0; k < outputs_; ++k) {
    loops_.multiply_matrix(inverse_.data(), width_, stride_, from_.data() + k * stride_, to_.data() + k * stride_);
  }
  for (std::size_t i = 0; i < beta.size(); ++i) beta[i] = scale * static_cast<double>(to_[i]);
}

void RidgeExtrapolation::polynomial(std::size_t points, double penalty, std::vector<double>& to) const {
  const Point* from = points_.data() + points_.size() - points;
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t i = 0; i < points; ++i) {
    double share = 1;
    for (std::size_t j = 0; j < points; ++j) {
      if (j != i) share *= (scaled(penalty) - from[j].place) / (from[i].place - from[j].place);
    }
    for (std::size_t c = 0; c < to.size(); ++c) to[c] += share * from[i].response[c];
  }
}

void RidgeExtrapolation::extrapolate(double penalty) {
  for (std::size_t i = 0; i < width_; ++i) {
    for (std::size_t j = i; j < width_; ++j) inverse_[i * stride_ + j] = static_cast<float>(curvature_[i * width_ + j]);
    if (i > 0) inverse_[i * stride_ + i] += static_cast<float>(penalty);
    std::fill_n(inverse_.begin() + static_cast<std::ptrdiff_t>(i * stride_ + width_), stride_ - width_, 0.0f);
  }
  if (!loops_.invert(inverse_.data(), width_, stride_, work_.data())) {
    points_.clear();
    return;
  }
  candidates_.resize(std::min(points_.size(), kMost));
  for (std::size_t count = 1; count <= candidates_.size(); ++count) {
    polynomial(count, penalty, response_);
    candidates_[count - 1].resize(response_.size());
    solve(response_, candidates_[count - 1]);
  }
}

void RidgeExtrapolation::best(double penalty, std::vector<double>& beta) {
  polynomial(best_points_, penalty, response_);
  beta = candidates_[best_points_ - 1];
  remainder_.resize(beta.size());
  compute_response(penalty, beta, remainder_);
  for (std::size_t i = 0; i < remainder_.size(); ++i) response_[i] -= remainder_[i];
  solve(response_, remainder_);  // and what single precision left over
  for (std::size_t i = 0; i < beta.size(); ++i) beta[i] += remainder_[i];
}

void RidgeExtrapolation::add_optimum(double penalty, const std::vector<double>& beta, double other) {
  best_points_ = std::min(points_.size(), kMost);
  squared_error_ = HUGE_VAL;
  for (std::size_t count = 1; count <= candidates_.size(); ++count) {
    remainder_ = beta;
    for (std::size_t i = 0; i < beta.size(); ++i) remainder_[i] -= candidates_[count - 1][i];
    const double squared = inner_product(remainder_, remainder_);
    if (!(squared < squared_error_)) continue;
    squared_error_ = squared;
    best_points_ = count;
  }
  times_worse_ = other < squared_error_ ? times_worse_ + 1 : 0;
  if (times_worse_ >= kTried || points_.back().place == scaled(penalty)) return points_.clear();
  // Where all points predicted best, the one that comes now belongs to them.
  if (best_points_ == points_.size() && best_points_ < kMost) ++best_points_;
  if (points_.size() == kMost) points_.erase(points_.begin());
  points_.push_back({scaled(penalty), std::vector<double>(beta.size(), 0.0)});
  compute_response(penalty, beta, points_.back().response);
}

}  // namespace venire
