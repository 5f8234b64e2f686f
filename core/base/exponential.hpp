// The exponential in plain additions and multiplications, so that a loop over rows can be compiled for wide vectors and
// gives the same bits on every machine.
//
// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2, exp(r) by its series to r^11: relative error below 1e-14. Beyond ±700 it
// stays at the ends. Cost: about 1 ns in a vectorised loop.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/wide.hpp"

namespace venire {

VENIRE_INLINE double exponential(double x) {
  // One question, not one an end: two become jumps, and a loop with jumps stays narrow.
  x = std::abs(x) > 700.0 ? std::copysign(700.0, x) : x;
  // 1.5 · 2^52: adding it leaves the nearest whole number in the low bits.
  constexpr double kRound = 6755399441055744.0;
  const double shifted = x * 1.4426950408889634 + kRound;
  const double n = shifted - kRound;
  const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double p = 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

}  // namespace venire
