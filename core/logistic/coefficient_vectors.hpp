// Vectors of coefficients or gradients [output][stride], as long as a multiple of kPad: sums over them in a fixed
// order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "passes/loops.hpp"

namespace venire {

// Adding the same to all classes changes no probability, and the penalty wants none of it.
template <class T>
void centre(T* values, std::size_t outputs, std::size_t stride) {
  if (outputs == 1) return;
  const T share = T{1} / static_cast<T>(outputs);
  for (T* block = values; block < values + stride; block += kPad) {
    T sums[kPad] = {};
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < kPad; ++j) sums[j] += block[k * stride + j];
    }
    for (T& sum : sums) sum *= share;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < kPad; ++j) block[k * stride + j] -= sums[j];
    }
  }
}

// The largest magnitude of a vector.
inline double largest(const std::vector<double>& values) {
  double found[kPad] = {};
  for (std::size_t i = 0; i < values.size(); i += kPad) {
    for (std::size_t j = 0; j < kPad; ++j) found[j] = std::max(found[j], std::abs(values[i + j]));
  }
  return *std::max_element(found, found + kPad);
}

inline double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sums[kPad] = {}, sum = 0;
  for (std::size_t i = 0; i < a.size(); i += kPad) {
    for (std::size_t j = 0; j < kPad; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace venire
