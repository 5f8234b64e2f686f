#include "logistic/extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "logistic/coefficient_vectors.hpp"

namespace venire {
namespace {

constexpr std::size_t kMost = 6;    // points of a polynomial
constexpr std::size_t kFew = 2;     // points all of which it is laid through, over the logarithm
constexpr std::size_t kScales = 4;  // of the penalty

}  // namespace

void Extrapolation::add_optimum(double penalty, const std::vector<double>& beta) {
  // A polynomial takes one value at a place.
  if (!points_.empty() && points_.back().penalty == penalty) points_.pop_back();
  if (points_.size() > kMost) points_.erase(points_.begin());
  points_.push_back({penalty, beta});
  best_ = best_polynomial();
  if (ridge_.active()) ridge_.add_optimum(penalty, beta, best_.squared_error);
}

double Extrapolation::scaled(std::size_t scale, double penalty) const {
  switch (scale) {
    case 0: return std::log(penalty);
    case 1: return std::sqrt(std::sqrt(penalty));
    case 2: return penalty / (penalty + 0.5 * total_weight_);
    default: return penalty / (penalty + 0.05 * total_weight_);
  }
}

void Extrapolation::add_value(const Polynomial& polynomial, std::size_t end, double penalty, double sign,
                              std::vector<double>& to) const {
  const double place = scaled(polynomial.scale, penalty);
  double places[kMost];
  for (std::size_t i = 0; i < polynomial.points; ++i)
    places[i] = scaled(polynomial.scale, points_[end - polynomial.points + i].penalty);
  for (std::size_t i = 0; i < polynomial.points; ++i) {
    double share = sign;
    for (std::size_t j = 0; j < polynomial.points; ++j) {
      if (j != i) share *= (place - places[j]) / (places[i] - places[j]);
    }
    const std::vector<double>& beta = points_[end - polynomial.points + i].beta;
    for (std::size_t c = 0; c < to.size(); ++c) to[c] += share * beta[c];
  }
}

Extrapolation::Polynomial Extrapolation::best_polynomial() {
  if (points_.size() <= kFew) return {0, points_.size(), HUGE_VAL};
  const Point& last = points_.back();
  Polynomial best{0, 1, HUGE_VAL};
  for (std::size_t scale = 0; scale < kScales; ++scale) {
    for (std::size_t count = 2; count < points_.size(); ++count) {
      error_ = last.beta;
      add_value({scale, count, 0.0}, points_.size() - 1, last.penalty, -1.0, error_);
      const double squared = inner_product(error_, error_);
      if (squared < best.squared_error) best = {scale, count, squared};
    }
  }
  return best;
}

void Extrapolation::extrapolate(double penalty, std::vector<double>& beta) {
  if (ridge_.active()) ridge_.extrapolate(penalty);
  if (points_.empty()) return;
  if (ridge_.active() && !(best_.squared_error < ridge_.squared_error())) return ridge_.best(penalty, beta);
  std::fill(beta.begin(), beta.end(), 0.0);
  add_value(best_, points_.size(), penalty, 1.0, beta);
}

}  // namespace venire
