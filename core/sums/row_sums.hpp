// Sums over rows that can stop after any row and go on elsewhere, with the same bits.
//
// Cross-products: Σ w z zᵀ, the upper triangle. Logistic models: the gradient Σ w (p − y) x and the curvature
// Σ w (p_k [k = l] − p_k p_l) x xᵀ of the negative log-likelihood at given coefficients, of one output (two classes:
// that of class 1) or one a class.
//
// Cost per row: half a square of the columns in additions, four of them side by side, for each pair of outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

// Rows of doubles one after the other; null weights are all 1.
struct SummedRows {
  const double* x;
  std::size_t rows, columns;
  const double* weights;
};

// Adds to the upper triangle of `out` [column][column].
void add_products(const SummedRows& rows, double* out);

// `coefficients` and `gradient` are [output][column], `curvature` is [output · column][output · column], of which the
// blocks of an output and itself or a later one are added to, in their upper triangle.
struct LogisticSums {
  double* gradient;
  double* curvature;
};
void add_logistic(const SummedRows& rows, const std::int32_t* labels, const double* coefficients, std::size_t outputs,
                  const LogisticSums& sums);

}  // namespace venire
