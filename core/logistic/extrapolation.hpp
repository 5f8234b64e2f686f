// The next optimum of a path, extrapolated.
//
// It is taken from a polynomial through the last few optima, on a scale of the penalty on which the path is nearly one.
// Which scale that is depends on the table: while a penalty weighs more than the rows do, or where classes are all but
// separable and coefficients grow without end, its logarithm or a small power; where the rows come to decide, λ / (λ +
// c), in which a ridge regression is all but straight. So of several scales and numbers of points those are taken that
// would have predicted the last optimum best; or a ridge regression predicts it better (`ridge_extrapolation.hpp`).
//
// Cost: some seventy sums of two vectors of coefficients a penalty, less than a pass over the rows.
#pragma once

#include <cstddef>
#include <vector>

#include "logistic/ridge_extrapolation.hpp"

namespace venire {

class Extrapolation {
 public:
  // `total` is the weight of all rows.
  Extrapolation(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride, double total)
      : total_weight_(total), ridge_(loops, outputs, width, stride, total) {}

  bool empty() const { return points_.empty(); }
  // Before the first penalty, or not at all: see `RidgeExtrapolation::begin`.
  void begin_ridge(const std::vector<double>& beta, const std::vector<double>& gradient,
                   const std::vector<double>& gram, double curvature) {
    ridge_.begin(beta, gradient, gram, curvature);
  }
  const std::vector<double>& last() const { return points_.back().beta; }
  void add_optimum(double penalty, const std::vector<double>& beta);
  // The optimum under a smaller penalty, as far as it can be predicted, to `beta`; which stays as it is before the
  // first.
  void extrapolate(double penalty, std::vector<double>& beta);

 private:
  struct Point {
    double penalty;
    std::vector<double> beta;
  };
  struct Polynomial {
    std::size_t scale, points;
    double squared_error;  // in predicting the last optimum
  };

  double scaled(std::size_t scale, double penalty) const;
  // Adds `sign` times the value under a penalty of a polynomial through the points before `end`.
  void add_value(const Polynomial& polynomial, std::size_t end, double penalty, double sign,
                 std::vector<double>& to) const;
  Polynomial best_polynomial();

  double total_weight_;
  std::vector<Point> points_;  // the last few, the latest at the end
  Polynomial best_{0, 0, 0.0};
  std::vector<double> error_;
  RidgeExtrapolation ridge_;
};

}  // namespace venire
