#include "logistic/ridge_extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "logistic/path.hpp"

namespace venire {
namespace {

constexpr std::size_t kMost = 6;   // points of a polynomial
constexpr double kPlace = 0.15;    // of all rows: a penalty as heavy as that is halfway
constexpr std::size_t kTried = 2;  // penalties in a row that other means told better: then it is given up

}  // namespace

// From one, under a penalty without end, to zero.
double Responses::place(double penalty) const { return penalty / (penalty + kPlace * total_); }

// The intercept is told apart from the rest: columns count from their mean, and it is a response by itself.
void Responses::begin(const std::vector<double>& at, const std::vector<double>& gradient, const std::vector<double>& gram, double spread) {
  curvature_.assign(width_ * width_, 0.0);
  curvature_[0] = 1.0;
  for (std::size_t i = 1; i < width_; ++i) {
    for (std::size_t j = i; j < width_; ++j) {
      const double value = spread * (gram[i * width_ + j] - gram[i] * gram[j] / gram[0]);
      curvature_[i * width_ + j] = curvature_[j * width_ + i] = value;
    }
  }
  Point first{1.0, at};
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i % stride_ != 0) first.response[i] = -gradient[i];
  }
  points_.push_back(std::move(first));
  inverse_.resize(width_ * stride_);
  work_.resize((width_ + 2) * stride_);
  from_.resize(at.size());
  to_.resize(at.size());
  response_.resize(at.size());
}

void Responses::respond(double penalty, const std::vector<double>& at, std::vector<double>& to) const {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double* from = at.data() + k * stride_;
    for (std::size_t i = 0; i < width_; ++i) {
      const double* row = curvature_.data() + i * width_;
      double sum = i == 0 ? 0.0 : penalty * from[i];
      for (std::size_t j = 0; j < width_; ++j) sum += row[j] * from[j];
      to[k * stride_ + i] = sum;
    }
  }
}

// What the inverse makes of a response, in single precision.
void Responses::solve(const std::vector<double>& response, std::vector<double>& at) {
  const double scale = std::max(largest(response), 1e-300);
  for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = static_cast<float>(response[i] / scale);
  for (std::size_t k = 0; k < outputs_; ++k) {
    loops_.apply(inverse_.data(), width_, stride_, from_.data() + k * stride_, to_.data() + k * stride_);
  }
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = scale * static_cast<double>(to_[i]);
}

void Responses::polynomial(std::size_t points, double penalty, std::vector<double>& to) const {
  const Point* from = points_.data() + points_.size() - points;
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t i = 0; i < points; ++i) {
    double share = 1;
    for (std::size_t j = 0; j < points; ++j) {
      if (j != i) share *= (place(penalty) - from[j].place) / (from[i].place - from[j].place);
    }
    for (std::size_t c = 0; c < to.size(); ++c) to[c] += share * from[i].response[c];
  }
}

void Responses::tell(double penalty) {
  for (std::size_t i = 0; i < width_; ++i) {
    for (std::size_t j = i; j < width_; ++j) inverse_[i * stride_ + j] = static_cast<float>(curvature_[i * width_ + j]);
    if (i > 0) inverse_[i * stride_ + i] += static_cast<float>(penalty);
    std::fill_n(inverse_.begin() + static_cast<std::ptrdiff_t>(i * stride_ + width_), stride_ - width_, 0.0f);
  }
  if (!loops_.invert(inverse_.data(), width_, stride_, work_.data())) {
    points_.clear();
    return;
  }
  told_.resize(std::min(points_.size(), kMost));
  for (std::size_t count = 1; count <= told_.size(); ++count) {
    polynomial(count, penalty, response_);
    told_[count - 1].resize(response_.size());
    solve(response_, told_[count - 1]);
  }
}

void Responses::best(double penalty, std::vector<double>& at) {
  polynomial(way_, penalty, response_);
  at = told_[way_ - 1];
  left_.resize(at.size());
  respond(penalty, at, left_);
  for (std::size_t i = 0; i < left_.size(); ++i) response_[i] -= left_[i];
  solve(response_, left_);  // and what single precision left over
  for (std::size_t i = 0; i < at.size(); ++i) at[i] += left_[i];
}

void Responses::add(double penalty, const std::vector<double>& at, double other) {
  way_ = std::min(points_.size(), kMost);
  miss_ = HUGE_VAL;
  for (std::size_t count = 1; count <= told_.size(); ++count) {
    left_ = at;
    for (std::size_t i = 0; i < at.size(); ++i) left_[i] -= told_[count - 1][i];
    const double squared = inner(left_, left_);
    if (!(squared < miss_)) continue;
    miss_ = squared;
    way_ = count;
  }
  worse_ = other < miss_ ? worse_ + 1 : 0;
  if (worse_ >= kTried || points_.back().place == place(penalty)) return points_.clear();
  if (way_ == points_.size() && way_ < kMost) ++way_;  // where all points told best, the one that comes now belongs to them
  if (points_.size() == kMost) points_.erase(points_.begin());
  points_.push_back({place(penalty), std::vector<double>(at.size(), 0.0)});
  respond(penalty, at, points_.back().response);
}

}  // namespace venire
