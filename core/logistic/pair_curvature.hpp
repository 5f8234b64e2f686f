// Rows in doubt between two classes: the curvature of many classes where few rows have any.
//
// The curvature of a row is that of its doubts: for every two classes, the product of their probabilities times the outer product of the
// row with itself, on the difference between the coefficients of the two. Under weak penalties nearly all of these products are next
// to nothing. Those that are not are listed here, pair by pair; of the others only the sum counts.
//
// Cost: 2 p multiply-adds a doubt to multiply with the curvature of all classes together, where a pass over the rows takes 2 p k a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "logistic/aligned.hpp"
#include "logistic/loops.hpp"

namespace venire {

class Doubts {
 public:
  Doubts(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride)
      : loops_(loops), outputs_(outputs), width_(width), stride_(stride), likely_(outputs + 1) {}

  // Lists the doubts above `faint` of rows with probabilities [panel][output][kPanel]; false if there are more than `most`.
  bool list(const float* share, const float* weights, std::size_t rows, float faint, std::size_t most);

  // Takes rows x [row][stride] of weight `total`, whose curvature, listed or not, is `all` [output].
  void weigh(const float* x, std::vector<double> all, double total);

  // The curvature of every output by itself [output][column][stride], upper triangles, to `alone`; `gram` is the sum of outer products of all
  // rows, upper triangle.
  void look(const std::vector<double>& gram);
  const Lanes<float>& alone() const { return alone_; }

  // What the curvature of all outputs together, and the penalty, make of a vector [output][stride].
  void multiply(double penalty, const float* from, float* to);

 private:
  struct Doubt {
    std::size_t pair;
    std::uint32_t row;
    float weight;
  };
  struct Pair {
    std::size_t a, b, first, last;  // doubts [first, last)
  };

  void list_row(std::size_t row, const float* share, float weight, float faint);
  void sort_pairs();

  const LogisticLoops& loops_;
  std::size_t outputs_, width_, stride_;
  std::vector<std::size_t> likely_;
  std::vector<Doubt> found_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> rows_;
  Lanes<float> weights_, alone_, products_;
  const float* x_ = nullptr;
  double total_ = 0;
  std::vector<double> faint_;  // [output]: the curvature of what is not listed
};

}  // namespace venire
