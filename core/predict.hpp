// Prediction: rows are coded once, a few hundred at a time, and then walk down every tree on one-byte codes.
//
// Trees of thresholds alone are walked by eight rows at once: their loads overlap, and a row that has arrived stays where it is,
// so the inner loop has no branch per row. Cost per row and tree: about 1 ns a level while the tree fits
// the second-level cache; coding costs about 6 ns per row and column. Sums run over trees in order, rows in parallel.
#pragma once

#include <cstdint>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"
#include "types.hpp"

namespace venire {

struct Ensemble {
  Columns columns;
  int outputs = 1;
  bool classes = false;  // outputs are shares of classes
  std::vector<Tree> trees;
};

// What to take from a leaf: its values, or one vote for its largest.
enum class Take { values, votes };

// Averages over the first counts[0], counts[1], … trees: out[count, row, output]. `counts` ascends.
void predict_average(const Ensemble& ensemble, const Matrix& x, Take take, const std::vector<std::uint32_t>& counts,
                     double* out, Pool& pool);

// Averages over the trees that did not see a row. `in_bag[tree]` has one byte a row; a row seen by all is NaN.
void predict_out_of_bag(const Ensemble& ensemble, const Bins& bins, const Matrix& x, Take take,
                        const std::vector<std::vector<std::uint8_t>>& in_bag, double* out, Pool& pool);

// The node in which each row ends: out[row, tree].
void predict_leaves(const Ensemble& ensemble, const Matrix& x, std::int32_t* out, Pool& pool);

// One tree at every pruning level: out[level, row, output], for ascending `alphas` and the tree's `collapse`.
void predict_levels(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& collapse,
                    const std::vector<double>& alphas, double* out, Pool& pool);

}  // namespace venire
