// A gradient and a hessian as one 64-bit integer.
//
// Each round scales its gradients and hessians to whole numbers whose absolute sums stay below 2^31. The gradient is
// the upper half of a pair, the hessian the lower: one addition adds both, a histogram slot is one word, and sums do
// not depend on the order of addition, so neither on the number of threads. A row loses at most half a unit, which is
// the mean absolute gradient times rows / 2^31.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace venire {

using Pair = std::uint64_t;
// Half a unit a row may be added by rounding: beyond this many rows the sums could not be kept below 2^31.
constexpr std::size_t kMaxBoostRows = std::size_t{1} << 30;

inline Pair pair_of(std::int32_t gradient, std::int32_t hessian) {
  return (static_cast<Pair>(static_cast<std::int64_t>(gradient)) << 32) + static_cast<std::uint32_t>(hessian);
}
// Hessians are never negative, so the lower half never borrows from the upper.
inline std::int32_t gradient_of(Pair pair) { return static_cast<std::int32_t>(pair >> 32); }
inline std::int32_t hessian_of(Pair pair) { return static_cast<std::int32_t>(pair & 0xFFFFFFFFu); }

// What one whole unit of either half is worth.
struct Units {
  double gradient = 1, hessian = 1;
  double most_hessian = 0;  // the largest of a row, in whole units; 0 when it is not known
};

// The largest power of two with which `rows` numbers of this absolute sum stay below 2^31 after rounding.
inline double scale_for(double absolute_sum, std::size_t rows) {
  if (!(absolute_sum > 0) || !std::isfinite(absolute_sum)) return 1;
  const double room = 2147483647.0 - static_cast<double>(rows);
  return std::exp2(std::floor(std::log2(room / absolute_sum)));
}

}  // namespace venire
