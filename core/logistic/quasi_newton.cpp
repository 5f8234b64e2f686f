#include "logistic/quasi_newton.hpp"

#include <algorithm>
#include <cmath>

#include "logistic/coefficient_vectors.hpp"

namespace venire {
namespace {

constexpr std::size_t kMemory = 32;
constexpr float kInner = 0.2f;           // of its length, a step by pairs may be off by
constexpr std::size_t kInnerSteps = 60;  // at most, to get there; usually three to six
// Of the mean curvature: keeps blocks invertible in single precision; it costs a little speed, and nothing else.
constexpr double kRidge = 1e-6;

void narrow(const std::vector<double>& from, double scale, AlignedVector<float>& to) {
  const double by = 1 / scale;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i] * by);
}

}  // namespace

QuasiNewton::QuasiNewton(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride)
    : loops_(loops), outputs_(outputs), width_(width), stride_(stride), inverse_(outputs * width * stride),
      work_((width + 2) * stride), from_(outputs * stride), to_(outputs * stride), alphas_(kMemory) {}

void QuasiNewton::forget_updates() {
  updates_.resize(0);
  oldest_ = 0;
}

double QuasiNewton::ridge(const std::vector<double>& curvature) const {
  double found = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double trace = 0;
    for (std::size_t j = 0; j < width_; ++j) trace += curvature[(k * width_ + j) * width_ + j];
    found = std::max(found, kRidge * trace / static_cast<double>(width_));
  }
  return found;
}

bool QuasiNewton::invert_blocks(const std::vector<double>& curvature, double penalty) {
  for (std::size_t i = 0; i < outputs_ * width_; ++i) {
    for (std::size_t j = i % width_; j < width_; ++j)
      inverse_[i * stride_ + j] = static_cast<float>(curvature[i * width_ + j]);
  }
  return invert_blocks(penalty);
}

bool QuasiNewton::use_pairs(PairCurvature& pairs, double penalty, bool new_blocks) {
  if (new_blocks) {
    // A row between two classes curves their difference, and a step that adds up to zero over classes has both of its
    // halves.
    for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = 2 * pairs.blocks()[i];
    if (!invert_blocks(penalty)) return false;
  }
  forget_updates();
  for (auto* each : {&residual_, &search_, &product_, &preconditioned_}) each->resize(from_.size());
  pair_curvature_ = &pairs;
  penalty_ = penalty;
  return true;
}

// Adds the penalty to the blocks, which are in place of their inverses, and inverts them.
bool QuasiNewton::invert_blocks(double penalty) {
  forget_updates();
  full_ = false;
  pair_curvature_ = nullptr;
  const std::size_t square = width_ * stride_;
  double least = 0;
  bool alike = true;  // as they are where the path starts
  for (std::size_t k = 0; k < outputs_; ++k) {
    const float* matrix = inverse_.data() + k * square;
    double trace = 0;
    for (std::size_t j = 0; j < width_; ++j) trace += static_cast<double>(matrix[j * stride_ + j]);
    least = std::max(least, kRidge * trace / static_cast<double>(width_));
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

bool QuasiNewton::factor_full(const std::vector<double>& curvature, const std::vector<double>& cross, double penalty) {
  forget_updates();
  pair_curvature_ = nullptr;
  const std::size_t size = outputs_ * stride_, square = width_ * width_;
  const double least = ridge(curvature);
  factor_.assign(size * size, 0.0f);
  const double* pair = cross.data();
  for (std::size_t a = 0; a < outputs_; ++a) {
    for (std::size_t i = 0; i < stride_; ++i) {
      float* to = factor_.data() + (a * stride_ + i) * size + a * stride_;
      for (std::size_t j = i; i < width_ && j < width_; ++j)
        to[j] = static_cast<float>(curvature[a * square + i * width_ + j]);
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
  full_ = loops_.factor_cholesky(factor_.data(), size);
  return full_;
}

// The inverses of the blocks times a vector that adds up to zero over outputs, so that the result does, too.
void QuasiNewton::apply_block_inverses(const AlignedVector<float>& from, AlignedVector<float>& to) {
  for (std::size_t k = 0; k < outputs_; ++k) {
    loops_.multiply_matrix(inverse_.data() + k * width_ * stride_, width_, stride_, from.data() + k * stride_,
                           to.data() + k * stride_);
  }
  centre(to.data(), outputs_, stride_);
}

// Solves (pair curvature) · `to_` = `from_` by conjugate gradients, preconditioned by the inverses of the blocks.
void QuasiNewton::solve_by_conjugate_gradients() {
  const std::size_t length = from_.size();
  residual_ = from_;
  std::fill(to_.begin(), to_.end(), 0.0f);
  apply_block_inverses(residual_, preconditioned_);
  search_ = preconditioned_;
  float now = loops_.dot(residual_.data(), preconditioned_.data(), length);
  const float enough = kInner * kInner * now;
  for (std::size_t step = 0; step < kInnerSteps && now > enough; ++step) {
    pair_curvature_->multiply(penalty_, search_.data(), product_.data());
    centre(product_.data(), outputs_, stride_);
    const float curvature = loops_.dot(search_.data(), product_.data(), length);
    if (!(curvature > 0)) return;
    loops_.add_scaled(now / curvature, search_.data(), to_.data(), length);
    loops_.add_scaled(-now / curvature, product_.data(), residual_.data(), length);
    apply_block_inverses(residual_, preconditioned_);
    const float next = loops_.dot(residual_.data(), preconditioned_.data(), length), keep = next / now;
    for (std::size_t i = 0; i < length; ++i) search_[i] = preconditioned_[i] + keep * search_[i];
    now = next;
  }
}

// Solves curvature · `to_` = `from_`, by what the curvature is given as.
void QuasiNewton::solve_curvature() {
  centre(from_.data(), outputs_, stride_);
  if (full_) {
    std::copy(from_.begin(), from_.end(), to_.begin());
    loops_.solve_cholesky(factor_.data(), to_.size(), to_.data());
    centre(to_.data(), outputs_, stride_);
  } else if (pair_curvature_ != nullptr) {
    solve_by_conjugate_gradients();
  } else {
    apply_block_inverses(from_, to_);
  }
}

double QuasiNewton::descent_direction(const std::vector<double>& gradient, std::vector<double>& direction) {
  const double scale = largest(gradient);
  std::fill(direction.begin(), direction.end(), 0.0);
  if (!(scale > 0)) return scale;  // zero, or not a number
  const std::size_t length = from_.size();
  narrow(gradient, scale, from_);
  for (std::size_t age = updates_.size(); age-- > 0;) {
    alphas_[age] = loops_.dot(update(age).step.data(), from_.data(), length) / update(age).curvature;
    loops_.add_scaled(-alphas_[age], update(age).gradient_change.data(), from_.data(), length);
  }
  solve_curvature();
  for (std::size_t age = 0; age < updates_.size(); ++age) {
    const float back = loops_.dot(update(age).gradient_change.data(), to_.data(), length) / update(age).curvature;
    loops_.add_scaled(alphas_[age] - back, update(age).step.data(), to_.data(), length);
  }
  for (std::size_t i = 0; i < length; ++i) direction[i] = -scale * static_cast<double>(to_[i]);
  centre(direction.data(), outputs_, stride_);
  return -inner_product(gradient, direction);
}

void QuasiNewton::add_update(const std::vector<double>& step, const std::vector<double>& gradient_change) {
  const double length = largest(step);
  if (!(length > 0)) return;
  if (updates_.size() < kMemory) {
    updates_.push_back({AlignedVector<float>(from_.size()), AlignedVector<float>(from_.size()), 0});
  } else {
    oldest_ = (oldest_ + 1) % kMemory;
  }
  Update& newest = update(updates_.size() - 1);
  narrow(step, length, newest.step);
  narrow(gradient_change, length, newest.gradient_change);
  newest.curvature = loops_.dot(newest.step.data(), newest.gradient_change.data(), from_.size());
  if (newest.curvature > 0) return;
  forget_updates();  // rounding has the better of these steps
}

}  // namespace venire
