// Prediction of boosted trees: start scores plus the leaf values of one tree after the other.
//
// Tree t belongs to output t mod K. Rows are coded a few hundred at a time; many rows are scored by masks
// (quick_scores.hpp), a few rows, and trees of more than 64 leaves, by walking down, eight rows at once. Sums are taken
// in the order of the trees, so they equal the scores of training. Cost of walking: about 1 ns a row, level and tree.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/ensemble.hpp"

namespace venire {

// Scores after the first rounds[0], rounds[1], … rounds (ascending): out[place, row, output].
void predict_sums(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& start,
                  const std::vector<std::uint32_t>& rounds, double* out, Pool& pool);

// The same for all rows of a coded table.
void sums_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<double>& start,
                const std::vector<std::uint32_t>& rounds, double* out, Pool& pool);

}  // namespace venire
