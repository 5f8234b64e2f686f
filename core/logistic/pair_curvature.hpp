// The curvature of many classes by pairs of classes, where few rows are between two.
//
// A row adds to the curvature, for every two classes, the product of their probabilities times the outer product of the
// row with itself, on the difference between the coefficients of the two. Under weak penalties nearly all of these
// terms are next to nothing. Those that are not are listed here, pair by pair; of the others only the sum counts.
//
// Cost: 2 p multiply-adds a term to multiply with the curvature of all classes together, where a pass over the rows
// takes 2 p k a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_vector.hpp"
#include "passes/loops.hpp"

namespace venire {

class PairCurvature {
 public:
  PairCurvature(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride)
      : loops_(loops), outputs_(outputs), width_(width), stride_(stride), likely_(outputs + 1) {}

  // Lists the terms above `threshold` of rows with probabilities p [panel][output][kPanel]; false if there are more
  // than `most`.
  bool collect(const float* p, const float* weights, std::size_t rows, float threshold, std::size_t most);

  // The rows x [row][stride], their weight, and the sum of their curvatures, listed or not, by output.
  void set_rows(const float* x, std::vector<double> curvature, double total);

  // The block of every output [output][column][stride], upper triangles; `gram` is the sum of outer products of all
  // rows, upper triangle.
  void compute_blocks(const std::vector<double>& gram);
  const AlignedVector<float>& blocks() const { return blocks_; }

  // The curvature of all outputs together, plus the penalty, times a vector [output][stride].
  void multiply(double penalty, const float* from, float* to);

 private:
  struct PairTerm {
    std::size_t pair;
    std::uint32_t row;
    float weight;
  };
  struct Pair {
    std::size_t a, b, first, last;  // terms [first, last)
  };

  void collect_row(std::size_t row, const float* p, float weight, float threshold);
  void sort_pairs();

  const LogisticLoops& loops_;
  std::size_t outputs_, width_, stride_;
  std::vector<std::size_t> likely_;
  std::vector<PairTerm> terms_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> rows_;
  AlignedVector<float> weights_, blocks_, products_;
  const float* x_ = nullptr;
  double total_weight_ = 0;
  std::vector<double> unlisted_;  // [output]: the curvature of what is not listed
};

}  // namespace venire
