// What nets say of new rows.
//
// Rows are taken in blocks; every number is computed the same way whatever the block, so that neither the number of
// threads nor the other rows change a bit.
#pragma once

#include <cstddef>
#include <vector>

#include "net/shape.hpp"

namespace venire {

struct NetQuery {
  const float* x;  // [row][column]
  std::size_t rows;
  bool classes;  // probabilities, not values
};

// Of one net with plain weights (`shape.hpp`): [row][output].
void predict_net(const NetQuery& query, const NetShape& shape, const float* weights, std::size_t threads, float* out);

// The loss of all rows together over their number, and its gradient by the plain weights.
double net_gradient(const NetQuery& query, const NetShape& shape, const float* weights, const std::int32_t* labels,
                    const float* values, const float* row_weights, float smoothing, float* gradient);

}  // namespace venire
