// Scanning codes: do columns that are said to hold codes 0, 1, 2, … hold nothing else, and how far do they go?
//
// Cost per value: a comparison, and in columns of floating point a rounding; columns side by side are read as vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace venire {

// The highest code of each column (−1: none), and the first column that holds something that is no code (−1: none
// does).
struct CodeScan {
  std::vector<std::int64_t> highest;
  std::int64_t broken = -1;
};
CodeScan scan_codes(const Matrix& x, const ColumnNumbers& columns, Pool& pool);

}  // namespace venire
