// Parting a stretch of rows in two, keeping their order.
//
// Both sides are written for every row and only one of the two ends moves on, so there is no branch to mispredict. Long
// stretches are parted in pieces by several threads, which then copy their pieces into place. Cost: about 1 ns a row.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace venire {

// For each code, 1 when it goes right.
using Sides = std::array<std::uint8_t, kCodes>;

// Parts from[0..count) by the codes of one column: those that stay left are put at to[0..], the others at spare[0..].
// `to` may be `from`. Both must have room for `count` rows. Returns how many stayed left.
std::size_t part_rows(const Row* from, std::size_t count, const Code* codes, const Sides& sides, Row* to, Row* spare);

// The same for a whole node, on threads where it pays: afterwards to[0..count) holds the left rows, then the right
// ones. `spare` must have room for both.
std::size_t part_node(const Row* from, std::size_t count, const Code* codes, const Sides& sides, Row* to, Row* spare,
                      Pool& pool);

}  // namespace venire
