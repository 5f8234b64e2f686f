// The quasi-Newton step: an inverse curvature per output, a factor of all, or conjugate gradients over doubts, mended by the two loops of
// L-BFGS, in single precision.
#include <algorithm>
#include <cmath>

#include "logistic/path.hpp"

namespace venire {
namespace {

constexpr std::size_t kMemory = 32;
constexpr float kInner = 0.2f;           // of its length, a step by doubts may be off by
constexpr std::size_t kInnerSteps = 60;  // at most, to get there; usually three to six
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

void Steps::forget() {
  pairs_.resize(0);
  oldest_ = 0;
}

double Steps::hair(const std::vector<double>& curvature) const {
  double found = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double trace = 0;
    for (std::size_t j = 0; j < width_; ++j) trace += curvature[(k * width_ + j) * width_ + j];
    found = std::max(found, kHair * trace / static_cast<double>(width_));
  }
  return found;
}

bool Steps::invert(const std::vector<double>& curvature, double penalty) {
  for (std::size_t i = 0; i < outputs_ * width_; ++i) {
    for (std::size_t j = i % width_; j < width_; ++j) inverse_[i * stride_ + j] = static_cast<float>(curvature[i * width_ + j]);
  }
  return invert(penalty);
}

bool Steps::doubt(Doubts& doubts, double penalty, bool anew) {
  if (anew) {
    // A doubt between two classes curves their difference, and a step that adds up to zero has both of its halves.
    for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = 2 * doubts.alone()[i];
    if (!invert(penalty)) return false;
  }
  forget();
  for (auto* each : {&off_, &way_, &back_, &near_}) each->resize(from_.size());
  doubts_ = &doubts;
  penalty_ = penalty;
  return true;
}

// Adds the penalty to the curvatures of outputs by themselves that are in place of the inverses, and inverts them.
bool Steps::invert(double penalty) {
  forget();
  coupled_ = false;
  doubts_ = nullptr;
  const std::size_t square = width_ * stride_;
  double least = 0;
  bool alike = true;  // as they are before the first look at what is said of the rows
  for (std::size_t k = 0; k < outputs_; ++k) {
    const float* matrix = inverse_.data() + k * square;
    double trace = 0;
    for (std::size_t j = 0; j < width_; ++j) trace += static_cast<double>(matrix[j * stride_ + j]);
    least = std::max(least, kHair * trace / static_cast<double>(width_));
    for (std::size_t i = 0; alike && i < width_; ++i) {
      alike = std::equal(matrix + i * stride_ + i, matrix + i * stride_ + width_, inverse_.data() + i * stride_ + i);
    }
  }
  for (std::size_t k = 0; k < outputs_; ++k) {
    float* matrix = inverse_.data() + k * square;
    if (alike && k > 0) {
      std::copy_n(inverse_.data(), square, matrix);
      continue;
    }
    for (std::size_t i = 0; i < width_; ++i) {
      matrix[i * stride_ + i] += static_cast<float>(least + (i == 0 ? 0.0 : penalty));
      std::fill_n(matrix + i * stride_ + width_, stride_ - width_, 0.0f);
    }
    if (!loops_.invert(matrix, width_, stride_, work_.data())) return false;
  }
  return true;
}

bool Steps::couple(const std::vector<double>& curvature, const std::vector<double>& shared, double penalty) {
  forget();
  doubts_ = nullptr;
  const std::size_t size = outputs_ * stride_, square = width_ * width_;
  const double least = hair(curvature);
  factor_.assign(size * size, 0.0f);
  const double* pair = shared.data();
  for (std::size_t a = 0; a < outputs_; ++a) {
    for (std::size_t i = 0; i < stride_; ++i) {
      float* to = factor_.data() + (a * stride_ + i) * size + a * stride_;
      for (std::size_t j = i; i < width_ && j < width_; ++j) to[j] = static_cast<float>(curvature[a * square + i * width_ + j]);
      to[i] += i >= width_ ? 1.0f : static_cast<float>(least + (i == 0 ? 0.0 : penalty));
    }
    for (std::size_t b = a + 1; b < outputs_; ++b, pair += square) {
      for (std::size_t i = 0; i < width_; ++i) {
        for (std::size_t j = i; j < width_; ++j) {
          const float value = -static_cast<float>(pair[i * width_ + j]);
          factor_[(a * stride_ + i) * size + b * stride_ + j] = value;
          factor_[(a * stride_ + j) * size + b * stride_ + i] = value;
        }
      }
    }
  }
  coupled_ = loops_.factor(factor_.data(), size);
  return coupled_;
}

// What the curvature of every output by itself makes of a vector that adds up to zero over them, so that the result does, too.
void Steps::step_alone(const Lanes<float>& from, Lanes<float>& to) {
  for (std::size_t k = 0; k < outputs_; ++k) {
    loops_.apply(inverse_.data() + k * width_ * stride_, width_, stride_, from.data() + k * stride_, to.data() + k * stride_);
  }
  centre(to.data(), outputs_, stride_);
}

// What the doubts make of `from_`, to `to_`: conjugate gradients, in which outputs by themselves come first.
void Steps::step_by_doubts() {
  const std::size_t length = from_.size();
  off_ = from_;
  std::fill(to_.begin(), to_.end(), 0.0f);
  step_alone(off_, near_);
  way_ = near_;
  float now = loops_.dot(off_.data(), near_.data(), length);
  const float enough = kInner * kInner * now;
  for (std::size_t step = 0; step < kInnerSteps && now > enough; ++step) {
    doubts_->multiply(penalty_, way_.data(), back_.data());
    centre(back_.data(), outputs_, stride_);
    const float curve = loops_.dot(way_.data(), back_.data(), length);
    if (!(curve > 0)) return;
    loops_.add(now / curve, way_.data(), to_.data(), length);
    loops_.add(-now / curve, back_.data(), off_.data(), length);
    step_alone(off_, near_);
    const float next = loops_.dot(off_.data(), near_.data(), length), keep = next / now;
    for (std::size_t i = 0; i < length; ++i) way_[i] = near_[i] + keep * way_[i];
    now = next;
  }
}

// What the curvature makes `from_` of, to `to_`.
void Steps::step_from() {
  centre(from_.data(), outputs_, stride_);
  if (coupled_) {
    std::copy(from_.begin(), from_.end(), to_.begin());
    loops_.solve(factor_.data(), to_.size(), to_.data());
    centre(to_.data(), outputs_, stride_);
  } else if (doubts_ != nullptr) {
    step_by_doubts();
  } else {
    step_alone(from_, to_);
  }
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
  step_from();
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
  forget();  // rounding has the better of these steps
}

}  // namespace venire
