// How many values of a column begin with which bits, when values are written as keys (keys.hpp): whoever adds up the
// counts of several parts of a column knows its quantiles exactly, without having seen a value.
//
// Cost per value: about 1 ns for the first 16 bits, 1 to 3 ns where only values with some beginnings are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace venire {

// Beginnings that values have, ascending, and how often.
struct KeyCounts {
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> counts;
};

// Of the values of a column (floats or doubles, side by side) whose first `known` bits are among `prefixes`
// (ascending): their first `wanted` bits. `known` is 0, and then there is one prefix, or at least 16; the first answer
// has at most 16 bits. Missing values have no key; weights, if given, are what each row counts.
KeyCounts count_keys(const Matrix& column, const std::int64_t* weights, int known,
                     const std::vector<std::uint64_t>& prefixes, int wanted);

}  // namespace venire
