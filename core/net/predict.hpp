// What nets say of new rows.
//
// Rows are taken in blocks; every number is computed the same way whatever the block, so that neither the number of
// threads nor the other rows change a bit.
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.hpp"
#include "net/columns.hpp"
#include "net/shape.hpp"

namespace venire {

struct NetQuery {
  const float* x;  // [row][column]
  std::size_t rows;
  bool classes;  // probabilities, not values
};

// Of one net with plain weights (`shape.hpp`): [row][output].
void predict_net(const NetQuery& query, const NetShape& shape, const float* weights, std::size_t threads, float* out);

// The sum of what several nets of one shape say of rows of a table, [row][output]: every block of rows is written in
// columns once, and stays in the caches while all nets see it. `weights` lie [net][plain weight].
void sum_nets(const NetColumns& columns, const Matrix& x, const NetShape& shape, const float* weights, std::size_t nets,
              bool classes, std::size_t threads, double* out);

// The loss of all rows together over their number, and its gradient by the plain weights.
double net_gradient(const NetQuery& query, const NetShape& shape, const float* weights, const std::int32_t* labels,
                    const float* values, const float* row_weights, float smoothing, float* gradient);

}  // namespace venire
