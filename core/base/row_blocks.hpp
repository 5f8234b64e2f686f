// How a table is walked over row by row: blocks and tasks whose size follows from the shape alone, and cells of any
// scalar.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/types.hpp"
#include "base/wide.hpp"

namespace venire {

inline constexpr std::size_t kMostTasks = 64;                // partial results to merge, whatever the number of threads
inline constexpr std::size_t kMostPartialBytes = 64u << 20;  // and the memory they may take together
// A block that is read row by row stays in the second-level cache.
inline constexpr std::size_t kReadValues = 1 << 14;

inline std::size_t block_rows(std::size_t values, std::size_t columns) {
  // Whole vectors, whatever their width.
  return std::clamp<std::size_t>(values / std::max<std::size_t>(columns, 1) / 16 * 16, 16, 512);
}

// How many rows a task takes: a number that follows from the shape of the table alone.
inline std::size_t task_rows(std::size_t rows, std::size_t block, std::size_t partial_bytes) {
  const std::size_t affordable =
      std::clamp<std::size_t>(kMostPartialBytes / std::max<std::size_t>(partial_bytes, 1), 1, kMostTasks);
  const std::size_t blocks = (rows + block - 1) / block;
  return std::max<std::size_t>((blocks + affordable - 1) / affordable, 8) * block;
}

inline bool side_by_side(const ColumnNumbers& columns) {
  return !columns.empty() && columns.back() - columns.front() + 1 == columns.size();
}

template <class T>
VENIRE_INLINE const T* cell(const Matrix& x, const T* data, std::size_t row, std::uint32_t column) {
  return data + static_cast<std::ptrdiff_t>(row) * x.row_stride + static_cast<std::ptrdiff_t>(column) * x.column_stride;
}

template <class T>
VENIRE_INLINE bool is_missing(T value) {
  if constexpr (std::is_floating_point_v<T>) return !(value >= 0);
  return std::is_signed_v<T> && value < T{0};
}

VENIRE_INLINE bool any_gap(const double* values, std::size_t count) {
  std::uint64_t gaps = 0;
  for (std::size_t i = 0; i < count; ++i) gaps += values[i] != values[i] ? 1 : 0;
  return gaps > 0;
}

template <class T>
using Bare = std::remove_cv_t<std::remove_pointer_t<T>>;

}  // namespace venire
