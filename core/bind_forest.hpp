// What the bindings of trees share. A forest is one class in Python with three rooms here: growing (bind_forest.cpp),
// answering for rows (bind_predict.cpp), and the trees themselves as data (bind_trees.cpp).
#pragma once

#include "bind_arrays.hpp"
#include "predict.hpp"

namespace venire {

using ForestClass = nb::class_<Ensemble>;

void bind_predict(ForestClass& forest);
void bind_trees(ForestClass& forest);

inline void check_columns(const Ensemble& ensemble, const Matrix& x) {
  if (x.columns != ensemble.columns.size()) throw nb::value_error("the matrix has another number of columns than the trees");
}

inline const Tree& only_tree(const Ensemble& ensemble) {
  if (ensemble.trees.size() != 1) throw nb::value_error("pruning levels belong to a single tree");
  return ensemble.trees.front();
}

}  // namespace venire
