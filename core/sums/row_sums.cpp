#include "sums/row_sums.hpp"

#include <algorithm>
#include <vector>

#include "base/cpu.hpp"
#include "base/exponential.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

// Adds weight · z zᵀ to a triangle whose rows are `stride` apart.
VENIRE_INLINE void add_outer(const double* __restrict z, std::size_t columns, double weight, double* __restrict out,
                             std::size_t stride) {
  for (std::size_t i = 0; i < columns; ++i) {
    const double scaled = weight * z[i];
    double* __restrict to = out + i * stride;
    for (std::size_t j = i; j < columns; ++j) to[j] += scaled * z[j];
  }
}

VENIRE_INLINE void products(const SummedRows& rows, double* out) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double w = rows.weights == nullptr ? 1.0 : rows.weights[i];
    add_outer(rows.x + i * rows.columns, rows.columns, w, out, rows.columns);
  }
}

// Probabilities from scores, in their place.
VENIRE_INLINE void to_probabilities(double* scores, std::size_t outputs) {
  if (outputs == 1) {
    const double e = exponential(-std::abs(scores[0]));
    scores[0] = (scores[0] >= 0 ? 1.0 : e) / (1.0 + e);
    return;
  }
  const double most = *std::max_element(scores, scores + outputs);
  double total = 0;
  for (std::size_t k = 0; k < outputs; ++k) total += scores[k] = exponential(scores[k] - most);
  for (std::size_t k = 0; k < outputs; ++k) scores[k] /= total;
}

VENIRE_INLINE void logistic(const SummedRows& rows, const std::int32_t* labels, const double* coefficients,
                            std::size_t outputs, const LogisticSums& sums, double* p) {
  const std::size_t columns = rows.columns, stride = outputs * columns;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double* __restrict x = rows.x + i * columns;
    const double w = rows.weights == nullptr ? 1.0 : rows.weights[i];
    for (std::size_t k = 0; k < outputs; ++k) {
      p[k] = 0;
      for (std::size_t j = 0; j < columns; ++j) p[k] += x[j] * coefficients[k * columns + j];
    }
    to_probabilities(p, outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
      const bool is = outputs == 1 ? labels[i] == 1 : static_cast<std::size_t>(labels[i]) == k;
      const double left = w * (p[k] - (is ? 1.0 : 0.0));
      double* __restrict gradient = sums.gradient + k * columns;
      for (std::size_t j = 0; j < columns; ++j) gradient[j] += left * x[j];
      for (std::size_t l = k; l < outputs; ++l) {
        const double curved = w * p[k] * ((l == k ? 1.0 : 0.0) - p[l]);
        add_outer(x, columns, curved, sums.curvature + k * columns * stride + l * columns, stride);
      }
    }
  }
}

void products_narrow(const SummedRows& rows, double* out) { products(rows, out); }
void logistic_narrow(const SummedRows& rows, const std::int32_t* labels, const double* coefficients,
                     std::size_t outputs, const LogisticSums& sums, double* p) {
  logistic(rows, labels, coefficients, outputs, sums, p);
}
#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 void products_wide(const SummedRows& rows, double* out) { products(rows, out); }
VENIRE_AVX2 void logistic_wide(const SummedRows& rows, const std::int32_t* labels, const double* coefficients,
                               std::size_t outputs, const LogisticSums& sums, double* p) {
  logistic(rows, labels, coefficients, outputs, sums, p);
}
#endif

}  // namespace

void add_products(const SummedRows& rows, double* out) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return products_wide(rows, out);
#endif
  products_narrow(rows, out);
}

void add_logistic(const SummedRows& rows, const std::int32_t* labels, const double* coefficients, std::size_t outputs,
                  const LogisticSums& sums) {
  std::vector<double> p(outputs);
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return logistic_wide(rows, labels, coefficients, outputs, sums, p.data());
#endif
  logistic_narrow(rows, labels, coefficients, outputs, sums, p.data());
}

}  // namespace venire
