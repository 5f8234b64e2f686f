// Prediction: rows are coded once, some ten thousands at a time, walk down every tree (walk.hpp), and what their leaves
// hold is added up.
//
// Sums run over trees in order, blocks of rows in parallel: the answer does not depend on the size of a block. Cost per
// row: about 3 ns a column for coding, then about 2 ns a level and tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "bins/binning.hpp"
#include "forest/ensemble.hpp"

namespace venire {

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

// One tree at every level: out[level, row, output]. A row stops at the first node on its way whose `stop` is at most
// the level; `levels` ascends. For pruning, `stop` is the α at which a node collapses; the negative depth and the
// number of rows serve as well.
void predict_levels(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& stop,
                    const std::vector<double>& levels, double* out, Pool& pool);

// The same on rows that are coded already: no value is looked up again. Not for combinations, which need the
// values.
void average_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows, Take take,
                   const std::vector<std::uint32_t>& counts, double* out, Pool& pool);
void levels_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows,
                  const std::vector<double>& stop, const std::vector<double>& levels, double* out, Pool& pool);
void leaves_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows, std::int32_t* out,
                  Pool& pool);

// Weighted votes: the sum of `weights` of the first so many trees, by the class each tree says: out[count, row,
// output].
void votes_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows,
                 const std::vector<double>& weights, const std::vector<std::uint32_t>& counts, double* out, Pool& pool);
void predict_votes(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& weights,
                   const std::vector<std::uint32_t>& counts, double* out, Pool& pool);

}  // namespace venire
