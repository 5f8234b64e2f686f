// The next optimum of a path, extrapolated as if it were a ridge regression.
//
// Were the curvature C the same everywhere, (C + λ) β would be the same under every penalty, as it is in a ridge
// regression: call it the response. C is computed where the path starts, and what the response changes by, because
// curvature does, is a smooth curve. So a polynomial is laid through responses, and the next optimum is solved for. The
// first point is free: under an infinite penalty coefficients are zero, and their response is the gradient there. While
// penalties are strong this saves a pass or two each, against a polynomial through the optima themselves; where classes
// are all but separable, and curvature is not what it was, the latter is better.
//
// Cost: one inverse and a few products with it a penalty, until it has been worse for a while.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned_vector.hpp"
#include "passes/loops.hpp"

namespace venire {

class RidgeExtrapolation {
 public:
  RidgeExtrapolation(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride,
                     double total)
      : loops_(loops), outputs_(outputs), width_(width), stride_(stride), total_weight_(total) {}

  // Coefficients under an infinite penalty, the gradient of the likelihood there, and the products of columns; the
  // curvature of every output is `curvature` times these.
  void begin(const std::vector<double>& beta, const std::vector<double>& gradient, const std::vector<double>& gram,
             double curvature);
  bool active() const { return !points_.empty(); }

  // Predicts the optimum under a smaller penalty, once for every number of points.
  void extrapolate(double penalty);
  // The squared error of the best number of points at the optimum before, and what it predicts now.
  double squared_error() const { return squared_error_; }
  void best(double penalty, std::vector<double>& beta);
  // The optimum that was predicted; `other` is the squared error of other means.
  void add_optimum(double penalty, const std::vector<double>& beta, double other);

 private:
  struct Point {
    double place;
    std::vector<double> response;
  };

  double scaled(double penalty) const;
  void compute_response(double penalty, const std::vector<double>& beta, std::vector<double>& to) const;
  void solve(const std::vector<double>& response, std::vector<double>& beta);
  void polynomial(std::size_t points, double penalty, std::vector<double>& to) const;

  const LogisticLoops& loops_;
  std::size_t outputs_, width_, stride_;
  double total_weight_, squared_error_ = 0;
  // In predicting the last optimum; how often in a row other means were better.
  std::size_t best_points_ = 0, times_worse_ = 0;
  std::vector<double> curvature_;                // [column][column], the intercept by itself
  std::vector<Point> points_;                    // the last few, the latest at the end
  std::vector<std::vector<double>> candidates_;  // by number of points, less one
  std::vector<double> response_, remainder_;
  AlignedVector<float> inverse_, work_, from_, to_;
};

}  // namespace venire
