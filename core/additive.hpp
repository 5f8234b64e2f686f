// Prediction of boosted trees: start scores plus the leaf values of one tree after the other.
//
// Tree t belongs to output t mod K. Rows are coded a few hundred at a time and walk down every tree, eight at once; sums are
// taken in the order of the trees, so they equal the scores of training. Cost per row: 6 ns a column for
// coding, about 1 ns a level and tree for walking.
#pragma once

#include <cstdint>
#include <vector>

#include "predict.hpp"

namespace venire {

// Scores after the first rounds[0], rounds[1], … rounds (ascending): out[place, row, output].
void predict_sums(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& start,
                  const std::vector<std::uint32_t>& rounds, double* out, Pool& pool);

}  // namespace venire
