// Where a path of optima is heading.
//
// The next optimum is told by a polynomial through the last few, in a measure of the penalty in which the path is nearly one. Which
// measure that is depends on the table: while a penalty weighs more than the rows do, or where classes can all but be parted and
// coefficients grow without end, its logarithm or a small power; where the rows come to decide, λ / (λ + c), in which a ridge regression is all but
// straight. So of several measures and numbers of points those are taken that would have told the last optimum best; or what the rows
// ask for tells it better (`ridge_extrapolation.hpp`).
//
// Cost: some seventy sums of two vectors of coefficients a penalty, less than a pass over the rows.
#pragma once

#include <cstddef>
#include <vector>

#include "logistic/ridge_extrapolation.hpp"

namespace venire {

class LogisticTrail {
 public:
  // `total` is the weight of all rows.
  LogisticTrail(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride, double total)
      : total_(total), responses_(loops, outputs, width, stride, total) {}

  bool empty() const { return points_.empty(); }
  // Before the first penalty, or not at all: as of `Responses`.
  void begin(const std::vector<double>& at, const std::vector<double>& gradient, const std::vector<double>& gram, double spread) {
    responses_.begin(at, gradient, gram, spread);
  }
  const std::vector<double>& last() const { return points_.back().at; }
  void add(double penalty, const std::vector<double>& at);
  // What the trail tells of the optimum under a smaller penalty, to `at`; which stays as it is before the first.
  void tell(double penalty, std::vector<double>& at);

 private:
  struct Point {
    double penalty;
    std::vector<double> at;
  };
  struct Way {
    std::size_t measure, points;
    double miss;  // of the last optimum, squared
  };

  double measured(std::size_t measure, double penalty) const;
  // Adds `sign` times what `way` tells under a penalty from the points before `end`.
  void add_told(const Way& way, std::size_t end, double penalty, double sign, std::vector<double>& to) const;
  Way best_way();

  double total_;
  std::vector<Point> points_;  // the last few, the latest at the end
  Way best_{0, 0, 0.0};
  std::vector<double> miss_;
  Responses responses_;
};

}  // namespace venire
