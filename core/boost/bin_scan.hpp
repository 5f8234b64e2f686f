// The loops over the bins of a column, each compiled for wide vectors too (base/wide.hpp).
//
//   histogram -> bins that hold anything -> sums left of each cut -> what the cuts are worth -> the best of them
//
// Cost per column: about 0.2 ns a bin to find the full ones, then 1 ns for each of these.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "base/wide.hpp"
#include "gradients/gradient_pair.hpp"

namespace venire {

// Sums as they are, with λ in units of the hessian, need no multiplying: `factor` turns their worth into that of sums
// times their units. Where units are powers of two (gradient_pair.hpp) both give the same digits. Cuts of numeric
// columns are always taken so where it serves, so that they have the same digits on every machine for units of any kind
// (quantised_pairs.hpp).
struct Unscaled {
  bool serves = false;  // not where numbers could leave their range, nor with l1
  double l2 = 0, factor = 1;

  Unscaled() = default;
  Unscaled(const Units& units, double l2, double l1)
      : l2(l2 / units.hessian), factor(units.gradient * units.gradient / units.hessian) {
    serves = l1 == 0 && this->l2 < 1e60 && factor > 1e-200 && factor < 1e200;
  }
};

// What one scan needs, in plain numbers.
struct Scan {
  Units units;
  double gradient, hessian;  // of the node, in units
  double l2, l1;
  double rows, min_rows, min_hessian;  // the latter in units
  double floor;                        // what a split must be worth to gain anything
  Unscaled unscaled{};
};

// G less l1, on its own side of 0.
VENIRE_INLINE double soft(double g, double l1) {
  const double size = std::abs(g) - l1;
  const double kept = size > 0 ? size : 0.0;
  return g < 0 ? -kept : kept;
}

using Bits = std::array<std::uint64_t, kCodes / 64>;

// Which of `count` bins hold anything, a bit each.
void full_bins(const Pair* sums, std::size_t count, Bits& bits);

// The worth of both sides for left sums `left[i]`, of which both sides are large enough.
void score(const Scan& scan, const Pair* left, std::size_t count, double* out);

// The largest score and its first place.
struct Highest {
  double score;
  std::size_t place;
};
Highest highest(const double* scores, std::size_t count);

}  // namespace venire
