// The quasi-Newton step: an inverse curvature per output, mended by the two loops of L-BFGS, all in single precision.
#include <algorithm>
#include <cmath>

#include "logistic.hpp"

namespace venire {
namespace {

constexpr std::size_t kMemory = 32;
constexpr double kHair = 1e-6;  // of the mean curvature: keeps single precision invertible; it costs a little speed, and nothing else

void narrow(const std::vector<double>& from, double scale, Lanes<float>& to) {
  const double by = 1 / scale;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i] * by);
}

}  // namespace

double largest(const std::vector<double>& values) {
  double found[kPad] = {};
  for (std::size_t i = 0; i < values.size(); i += kPad) {
    for (std::size_t j = 0; j < kPad; ++j) found[j] = std::max(found[j], std::abs(values[i + j]));
  }
  return *std::max_element(found, found + kPad);
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sums[kPad] = {}, sum = 0;
  for (std::size_t i = 0; i < a.size(); i += kPad) {
    for (std::size_t j = 0; j < kPad; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (const double part : sums) sum += part;
  return sum;
}

Steps::Steps(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride)
    : loops_(loops), outputs_(outputs), width_(width), stride_(stride), inverse_(outputs * width * stride), work_((width + 2) * stride),
      from_(outputs * stride), to_(outputs * stride), shares_(kMemory) {}

bool Steps::invert(const std::vector<double>& curvature, double penalty) {
  pairs_.resize(0);
  oldest_ = 0;
  double hair = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double trace = 0;
    for (std::size_t j = 0; j < width_; ++j) trace += curvature[(k * width_ + j) * width_ + j];
    hair = std::max(hair, kHair * trace / static_cast<double>(width_));
  }
  for (std::size_t k = 0; k < outputs_; ++k) {
    float* to = inverse_.data() + k * width_ * stride_;
    const double* from = curvature.data() + k * width_ * width_;
    std::fill_n(to, width_ * stride_, 0.0f);
    for (std::size_t i = 0; i < width_; ++i) {
      for (std::size_t j = i; j < width_; ++j) to[i * stride_ + j] = static_cast<float>(from[i * width_ + j]);
      to[i * stride_ + i] += static_cast<float>(hair + (i == 0 ? 0.0 : penalty));
    }
    if (!loops_.invert(to, width_, stride_, work_.data())) return false;
  }
  return true;
}

double Steps::direct(const std::vector<double>& gradient, std::vector<double>& direction) {
  const double scale = largest(gradient);
  std::fill(direction.begin(), direction.end(), 0.0);
  if (!(scale > 0)) return scale;  // zero, or not a number
  const std::size_t length = from_.size();
  narrow(gradient, scale, from_);
  for (std::size_t age = pairs_.size(); age-- > 0;) {
    shares_[age] = loops_.dot(pair(age).moved.data(), from_.data(), length) / pair(age).curve;
    loops_.add(-shares_[age], pair(age).turned.data(), from_.data(), length);
  }
  centre(from_.data(), outputs_, stride_);
  for (std::size_t k = 0; k < outputs_; ++k) {
    loops_.apply(inverse_.data() + k * width_ * stride_, width_, stride_, from_.data() + k * stride_, to_.data() + k * stride_);
  }
  centre(to_.data(), outputs_, stride_);
  for (std::size_t age = 0; age < pairs_.size(); ++age) {
    const float back = loops_.dot(pair(age).turned.data(), to_.data(), length) / pair(age).curve;
    loops_.add(shares_[age] - back, pair(age).moved.data(), to_.data(), length);
  }
  for (std::size_t i = 0; i < length; ++i) direction[i] = -scale * static_cast<double>(to_[i]);
  centre(direction.data(), outputs_, stride_);
  return -inner(gradient, direction);
}

void Steps::learn(const std::vector<double>& moved, const std::vector<double>& turned) {
  const double length = largest(moved);
  if (!(length > 0)) return;
  if (pairs_.size() < kMemory) {
    pairs_.push_back({Lanes<float>(from_.size()), Lanes<float>(from_.size()), 0});
  } else {
    oldest_ = (oldest_ + 1) % kMemory;
  }
  Pair& newest = pair(pairs_.size() - 1);
  narrow(moved, length, newest.moved);
  narrow(turned, length, newest.turned);
  newest.curve = loops_.dot(newest.moved.data(), newest.turned.data(), from_.size());
  if (newest.curve > 0) return;
  pairs_.resize(0);  // rounding has the better of these steps
  oldest_ = 0;
}

}  // namespace venire
