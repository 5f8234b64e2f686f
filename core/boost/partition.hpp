// Parting a stretch of rows in two, keeping their order.
//
// Both sides are written for every row, one from the front and one from the back, and only one of the two ends moves
// on, so there is no branch to mispredict. Long stretches are parted in pieces by several threads, which then copy
// their pieces into place. Cost: about 1 ns a row.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace venire {

// For each code, 1 when it goes right.
using Sides = std::array<std::uint8_t, kCodes>;

// A byte for every row of the table, so many bytes from one row to the next.
struct RowBytes {
  const Code* first = nullptr;
  std::size_t stride = 1;

  Code operator[](std::size_t row) const { return first[row * stride]; }
};

// Parts from[0..count), or with `from` null the rows 0 .. count - 1, by their bytes: afterwards to[0..count) holds
// those that stay left, then the others, on threads where it pays. `to` may be `from`; `spare` has room for as many.
// Returns how many stayed left.
std::size_t part_node(const Row* from, std::size_t count, const RowBytes& bytes, const Sides& sides, Row* to,
                      Row* spare, Pool& pool);

}  // namespace venire
