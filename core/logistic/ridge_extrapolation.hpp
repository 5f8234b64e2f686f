// Where a path of optima is heading, told by what the rows ask for.
//
// Were the curvature C the same everywhere, (C + λ) β would be the same under every penalty, as it is in a ridge regression: call it the
// response. C is known from the first look, where the path sets out, and what the response changes by, because curvature does, is a smooth
// curve. So a polynomial is laid through responses, and the next optimum is solved for. The first point is free: under a penalty without end
// coefficients are zero, and their response is the gradient there. While penalties are strong this saves a pass or two each, against a
// polynomial through the optima themselves; where rows are all but parted, and curvature is not what it was, the latter is better.
//
// Cost: one inverse and a few products with it a penalty, until it has been worse for a while.
#pragma once

#include <cstddef>
#include <vector>

#include "logistic/aligned.hpp"
#include "logistic/loops.hpp"

namespace venire {

class Responses {
 public:
  Responses(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride, double total)
      : loops_(loops), outputs_(outputs), width_(width), stride_(stride), total_(total) {}

  // Coefficients under a penalty without end, the gradient of the likelihood there, and the products of columns, of which the curvature of
  // every output is `spread` times.
  void begin(const std::vector<double>& at, const std::vector<double>& gradient, const std::vector<double>& gram, double spread);
  bool any() const { return !points_.empty(); }

  // Tells the optimum under a smaller penalty in as many ways as there are numbers of points.
  void tell(double penalty);
  // The squared miss of the best way at the optimum before, and what this way tells now.
  double miss() const { return miss_; }
  void best(double penalty, std::vector<double>& at);
  // The optimum that was told of; `other` is by what it was missed by other means.
  void add(double penalty, const std::vector<double>& at, double other);

 private:
  struct Point {
    double place;
    std::vector<double> response;
  };

  double place(double penalty) const;
  void respond(double penalty, const std::vector<double>& at, std::vector<double>& to) const;
  void solve(const std::vector<double>& response, std::vector<double>& at);
  void polynomial(std::size_t points, double penalty, std::vector<double>& to) const;

  const LogisticLoops& loops_;
  std::size_t outputs_, width_, stride_;
  double total_, miss_ = 0;
  std::size_t way_ = 0, worse_ = 0;        // points of the best way; how often in a row other means were better
  std::vector<double> curvature_;          // [column][column], the intercept by itself
  std::vector<Point> points_;              // the last few, the latest at the end
  std::vector<std::vector<double>> told_;  // by number of points, less one
  std::vector<double> response_, left_;
  Lanes<float> inverse_, work_, from_, to_;
};

}  // namespace venire
