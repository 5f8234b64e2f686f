#include "bins/code_scan.hpp"

#include <algorithm>
#include <type_traits>

#include "base/row_blocks.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

template <class T>
VENIRE_INLINE void scan_rows(const Matrix& x, const T* data, const ColumnNumbers& columns, std::size_t first,
                             std::size_t last, CodeScan& found) {
  using Code = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
  std::vector<Code> highest(columns.size(), Code(-1));
  std::vector<Code> fraction(columns.size(), Code(0));
  const bool dense = x.column_stride == 1 && side_by_side(columns);
  const auto look = [&](T raw, std::size_t j) {
    const auto value = static_cast<Code>(raw);
    highest[j] = value > highest[j] ? value : highest[j];
    if constexpr (std::is_floating_point_v<T>) {
      // Adding and taking away 2^52 (2^23 in single precision) rounds to a whole number, whatever the vector width.
      constexpr T kFar = sizeof(T) == 8 ? T(4503599627370496.0) : T(8388608.0);
      const T size = value < 0 ? -value : value;
      const T rounded = (size + kFar) - kFar;
      fraction[j] = size < kFar && size != rounded ? T(1) : fraction[j];
    }
  };
  for (std::size_t i = first; i < last; ++i) {
    if (dense) {
      const T* row = cell(x, data, i, columns.front());
      for (std::size_t j = 0; j < columns.size(); ++j) look(row[j], j);
    } else {
      for (std::size_t j = 0; j < columns.size(); ++j) look(*cell(x, data, i, columns[j]), j);
    }
  }
  found.highest.assign(columns.size(), -1);
  for (std::size_t j = columns.size(); j-- > 0;) {
    // Beyond any number that could be a code, so that the conversion is defined.
    if (fraction[j] != Code(0) || !(highest[j] < Code(1e15))) found.broken = static_cast<std::int64_t>(j);
    else found.highest[j] = static_cast<std::int64_t>(highest[j]);
  }
}

}  // namespace

CodeScan scan_codes(const Matrix& x, const ColumnNumbers& columns, Pool& pool) {
  const std::size_t step = task_rows(x.rows, block_rows(kReadValues, x.columns), columns.size() * sizeof(std::int64_t));
  std::vector<CodeScan> found((x.rows + step - 1) / step);
  with_scalar(x, [&](const auto* data) {
    pool.run(found.size(), [&](std::size_t task, std::size_t) {
      scan_rows(x, data, columns, task * step, std::min((task + 1) * step, x.rows), found[task]);
    });
  });
  CodeScan all;
  all.highest.assign(columns.size(), -1);
  for (const CodeScan& one : found) {
    if (all.broken < 0) all.broken = one.broken;
    for (std::size_t j = 0; j < columns.size(); ++j) all.highest[j] = std::max(all.highest[j], one.highest[j]);
  }
  return all;
}

}  // namespace venire
