// The k nearest rows by looking at all of them: exact, for mixed columns, with missing values.
//
// The squared distance of two rows is the sum over the attributes that both have of (a − b)² for numbers and of 0 or 1
// for categories (same or not), times the number of attributes over the number both have. Two rows that share no
// attribute are infinitely far apart. Neighbours are ordered by (distance, row number), whatever the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"

namespace venire {

// Rows of doubles, one after the other; NaN is missing. Numbers arrive scaled, categories as codes.
struct Points {
  const double* data = nullptr;
  std::size_t rows = 0, columns = 0;
};

// Writes `k` neighbours a query, nearest first: row numbers and squared distances. With `skip_self`, query i is row i
// of the points and never its own neighbour; then k must be below the number of rows.
void find_nearest(const Points& points, const Points& queries, const std::vector<bool>& categorical, std::size_t k,
                  bool skip_self, std::int64_t* rows, double* squared, Pool& pool);

}  // namespace venire
