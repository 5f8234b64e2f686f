// Gradients and hessians rounded up or down at random, to a few levels (LightGBM calls the idea quantised training).
//
//   x = gradient / step  ->  floor(x) or floor(x) + 1, the latter with probability x − floor(x)
//
// The step is the largest absolute gradient of the round's rows over half the levels, and the largest hessian over all
// of them; hessians that are all equal count 1 each. On average a row keeps its gradient, and sums over many rows stay
// close to theirs, but near ties between splits fall differently in every round. Leaves say the values of the rounded
// sums.
//
// Whether a row is rounded up depends on the key of its tree and its own number alone: neither on threads nor on the
// other rows drawn. Cost per row: half a nanosecond for the largest, 1 ns for the pair, random numbers included; a
// quarter more than pairs.hpp, which is less than a hundredth of a fit. Pairs of a byte each half were tried and gave
// back no time that could be measured; sums of 16 bits would only save on clearing and subtracting histograms, about a
// hundredth. Adding is bound by its additions, not by width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gradients/pairs.hpp"

namespace venire {

constexpr std::uint32_t kMostLevels = 256;

// None, or enough to have a sign, and so few that sums over all rows stay below 2^31.
inline bool levels_serve(std::uint32_t levels, std::size_t rows) {
  return levels != 1 && levels <= kMostLevels && static_cast<double>(levels) * static_cast<double>(rows) < 2147483647.0;
}

// As `round_slopes`, but rounded at random to `levels`, which serve. No leaf is summed again from the numbers
// themselves.
Slopes random_slopes(const float* gradient, const float* hessian, const RowSet& rows, std::size_t count,
                     std::uint32_t levels, bool equal_hessians, std::uint64_t key, Pair* pairs, Pool& pool);

}  // namespace venire
