// Votes of many stumps on rows that are coded already.
//
// A stump asks one column, so rows are taken a few hundred at a time, the columns that are asked at all are copied for
// them once, and every stump then adds its weight to one of two classes of each row, without a branch and in the
// first-level cache. Cost: about 1 ns a row and stump, where walking takes 8.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "bins/binning.hpp"
#include "forest/ensemble.hpp"

namespace venire {

// Whether every tree is a split of one number by a threshold, or a leaf.
bool only_stumps(const Ensemble& ensemble);

// What `votes_coded` gives, to the bit, for such an ensemble.
void stump_votes(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows,
                 const std::vector<double>& weights, const std::vector<std::uint32_t>& counts, double* out, Pool& pool);

}  // namespace venire
