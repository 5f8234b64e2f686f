// The rows of a table in panels of 32, as the loops want them (loops.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_vector.hpp"
#include "passes/loops.hpp"

namespace venire {

// Rows of numbers, one after the other, and what they are; outputs: 1 for two classes (labels 0 and 1), else one a
// class.
struct LogisticTable {
  const double* x;
  std::size_t rows, columns;
  const std::int32_t* labels;
  const double* weights;  // or null
  std::size_t outputs;
};

// Rows in panels, in one precision.
template <class T>
struct Panels {
  AlignedVector<T> x, weights;
  std::size_t count = 0;
};

// Columns that are not zero in every row, and the rows in panels of these in both precisions.
std::vector<std::size_t> columns_in_use(const LogisticTable& table);
void fill_panels(const LogisticTable& table, const std::vector<std::size_t>& kept, Panels<double>& wide,
                 Panels<float>& narrow);

}  // namespace venire
