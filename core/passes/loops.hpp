// The inner loops of logistic regression, and which copy of them this machine runs.
//
// Rows lie in panels of 32: [panel][column][row], so that one vector holds the same column of neighbouring rows, and
// scores, exponentials and residuals need no sums across a vector. A pass over the rows is fused: a few panels are
// scored, turned into residuals and multiplied back while they are in the first-level cache. It costs two multiply-adds
// a row, column and output, and one exponential a row and output.
//
// The loops are compiled once for the plain architecture and once for each width of vectors (`loops_plain.cpp`,
// `loops_avx2.cpp`, `loops_avx512.cpp` include `pass_loops.hpp`). The order of every sum follows from the shape of
// the table and the width alone. Another width, or fused multiply-adds, change the last bits and no more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

constexpr std::size_t kPanel = 32;  // rows of a panel: whole vectors, whatever their width
constexpr std::size_t kPad = 16;    // vectors of coefficients are filled up to a multiple of this many floats

// What a pass reads besides the coefficients. Rows that fill up the last panel are zero in every column.
template <class T>
struct Rows {
  const T* x;  // [panel][column][kPanel], the first column is 1
  std::size_t panels, columns, outputs;
  const T* weights;    // [panel][kPanel], or null
  std::size_t stride;  // of coefficients: [output][stride], zero beyond the columns
};

// The probabilities of every row at the base of differences. One output stands for two classes.
struct Probabilities {
  float* p;            // [panel][output][kPanel]: the probability
  float* one_minus_p;  // [panel][kPanel]: one minus it, to full relative precision; of one output only
};

struct LogisticLoops {
  // The gradient [output][column] of the negative log-likelihood in double precision, and the probabilities of every
  // row. The coefficients of several outputs add up to zero over them.
  void (*compute_gradient)(const Rows<double>& rows, const std::int32_t* labels, const double* beta, double* work,
                           double* gradient, const Probabilities& probabilities);

  // How the gradient changes when the coefficients do by `step`, from the probabilities before the step. Single
  // precision: its error is relative to the change, so that a small step is known as well as any. Returns the largest
  // change of a score.
  float (*compute_gradient_difference)(const Rows<float>& rows, const float* step, const Probabilities& probabilities,
                                       float* work, double* gradient);

  // Scores [output][kPanel] of one panel.
  void (*compute_scores)(const Rows<double>& rows, const double* beta, double* scores);

  // Of the scores of one panel, the probability of every class [class][kPanel], two for one output, and the likeliest
  // class [kPanel]. Writes over the scores.
  void (*compute_probabilities)(double* scores, std::size_t outputs, float* probabilities, float* likeliest);

  // Adds the products of columns [column][column] of rows scaled by `roots` [panel][kPanel], the upper triangle.
  void (*add_gram)(const Rows<float>& rows, const float* roots, float* work, double* out);

  // The inverse of a symmetric matrix [size][stride], in place of its upper triangle; false if it is not positive.
  // `work` holds two rows more than the matrix.
  bool (*invert)(float* matrix, std::size_t size, std::size_t stride, float* work);

  // The upper factor U of a symmetric matrix U'U [size][size], in place of its upper triangle, zero below; false if it
  // is not positive. The size is a multiple of kPad. And the solution x of U'U x = vector, in place of the vector.
  bool (*factor_cholesky)(float* matrix, std::size_t size);
  void (*solve_cholesky)(const float* factor, std::size_t size, float* vector);

  // A symmetric matrix [size][stride] times a vector.
  void (*multiply_matrix)(const float* matrix, std::size_t size, std::size_t stride, const float* from, float* to);

  // Of a few rows [row][stride] with weights, picked by number: adds to one place, and subtracts from the other, the
  // sum of rows times weight times their product with the difference of two vectors; and adds the sum of outer products
  // [column][stride], the upper triangle.
  void (*add_pair_products)(const float* x, std::size_t stride, const std::uint32_t* rows, const float* weights,
                            std::size_t count, const float* a, const float* b, float* to_a, float* to_b);
  void (*add_outer_products)(const float* x, std::size_t size, std::size_t stride, const std::uint32_t* rows,
                             const float* weights, std::size_t count, float* out);

  float (*dot)(const float* a, const float* b, std::size_t length);
  void (*add_scaled)(float scale, const float* from, float* to, std::size_t length);
};

// Floats or doubles of `work` that a pass and the products need.
std::size_t gradient_work(std::size_t columns, std::size_t outputs);
std::size_t gram_work(std::size_t columns);

const LogisticLoops& plain_logistic_loops();
const LogisticLoops* avx2_logistic_loops();  // null where it was not compiled
const LogisticLoops* avx512_logistic_loops();
const LogisticLoops& logistic_loops();  // the widest that this machine has

}  // namespace venire
