// Which rows a round of boosting sees: a share of them at random, or those of the largest gradients and a share of the others.
//
// The largest are found without sorting. Sizes are not negative, so the order of their bits is the order of the numbers, and two
// counts of bits (the upper half of all, the lower half of those that share the upper one) give the size that parts the rows.
// Cost: about 10 ns a row, and both parts come out in the order of the rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.hpp"
#include "types.hpp"

namespace venire {

// `share` of the entries, at least one, in their order (Knuth's selection sampling).
template <class T>
std::vector<T> draw_share(const std::vector<T>& from, double share, std::uint64_t key) {
  const auto all = from.size();
  auto wanted = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(share * static_cast<double>(all))));
  Random random(key);
  std::vector<T> out;
  out.reserve(wanted);
  for (std::size_t i = 0; i < all && wanted > 0; ++i) {
    if (random.below(static_cast<std::uint32_t>(all - i)) < wanted) {
      out.push_back(from[i]);
      --wanted;
    }
  }
  return out;
}

struct Parted {
  std::vector<Row> largest, rest;
};

// The `keep` rows of the largest sizes, of equal ones the first, and the rest. `size` has one entry a row of the table.
inline Parted part_by_size(const std::vector<Row>& rows, const std::vector<float>& size, std::size_t keep) {
  if (keep == 0) return {{}, rows};
  if (keep >= rows.size()) return {rows, {}};
  constexpr std::uint32_t kHalf = 1u << 16;
  const auto bits = [&](Row row) { return std::bit_cast<std::uint32_t>(size[row]); };
  std::vector<std::size_t> count(kHalf);
  std::size_t wanted = keep;  // of those that share the bits known so far
  const auto last = [&] {
    std::uint32_t at = kHalf - 1;
    while (count[at] < wanted) wanted -= count[at--];
    return at;
  };
  for (const Row row : rows) ++count[bits(row) / kHalf];
  const std::uint32_t upper = last();
  std::fill(count.begin(), count.end(), 0);
  for (const Row row : rows) {
    if (bits(row) / kHalf == upper) ++count[bits(row) % kHalf];
  }
  const std::uint32_t border = upper * kHalf + last();
  Parted parted;
  parted.largest.reserve(keep);
  parted.rest.reserve(rows.size() - keep);
  for (const Row row : rows) {
    const bool tie = bits(row) == border;
    if (bits(row) > border || (tie && wanted > 0)) {
      parted.largest.push_back(row);
      wanted -= tie;
    } else {
      parted.rest.push_back(row);
    }
  }
  return parted;
}

}  // namespace venire
