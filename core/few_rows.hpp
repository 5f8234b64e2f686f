// Taking a few rows out of the histogram of a node: the other child is then left, without a histogram of the few and a subtraction.
//
// For rows that will be a leaf, and need no sums of their own. Cost per row and lane: one load, one subtraction, one store.
#pragma once

#include <algorithm>
#include <cstdint>

#include "packs.hpp"

namespace venire {

inline void take_out(const Packs& packs, const Row* rows, std::size_t count, const Pair* pairs, Pair* sums) {
  const std::uint32_t* start = packs.lane_start.data();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t* codes = packs.codes.data() + rows[i] * packs.words;
    const Pair pair = pairs[rows[i]];
    for (std::size_t word = 0; word < packs.words; ++word) {
      const std::size_t first = word * 8, last = std::min(packs.lanes, first + 8);
      std::uint64_t bytes = codes[word];
      for (std::size_t lane = first; lane < last; ++lane, bytes >>= 8) sums[start[lane] + (bytes & 255)] -= pair;
    }
  }
}

// Does that cost less than building their sums and subtracting them?
inline bool cheaper_out(const Packs& packs, std::size_t count) { return count * packs.lanes < packs.slots() / 2; }

}  // namespace venire
