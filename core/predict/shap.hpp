// Shapley values of trees: how much each column moved a row's prediction away from the mean over a background.
//
// The game of a row x: its columns are the players, and a coalition S is worth the mean, over the background rows b, of
// what the trees say when the columns of S are taken from x and all others from b. The values are exact.
//
// A leaf is reached by a mixture of x and b when every test on the way is passed by the one that gives its column. So a
// column counts as failed by x, by b, or by neither (one bit each, `Mask`), no column may be failed by both, and the
// leaf's worth is shared by closed formulas that ask only for the number of columns failed by either (a for b, c for
// x):
//
//   a column failed by b:  + 1 / (a · C(a + c, a))         a column failed by x:  − 1 / (c · C(a + c, c))
//
// Rows and background walk down together. Those that failed what the whole other side failed are dropped, equal masks
// are taken as one, and only whole numbers are counted before the formulas are applied, so a row's values depend
// neither on the rows explained beside it nor on the number of threads. Cost: about 5 ns per node reached and row or
// background row.
#pragma once

#include <cstdint>

#include "predict/predict.hpp"

namespace venire {

struct ShapPlan {
  std::size_t trees = 0;     // the first so many
  std::size_t outputs = 1;   // of the whole; trees of a single output belong to output t mod `outputs`
  Take take = Take::values;  // what a leaf says
  double scale = 1;          // what a tree counts for
};

// Throws std::invalid_argument for trees that split on combinations. out[row, column, output] is overwritten.
void shap_values(const Ensemble& ensemble, const Matrix& x, const Matrix& background, const ShapPlan& plan, double* out,
                 Pool& pool);

}  // namespace venire
