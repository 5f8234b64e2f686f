// What the bindings of trees share. A forest is one class in Python with three rooms here: growing (forest.cpp),
// answering for rows (predict.cpp), and the trees themselves as data (trees.cpp).
#pragma once

#include "bind/arrays.hpp"
#include "predict/predict.hpp"

namespace venire {

using ForestClass = nb::class_<Ensemble>;

void bind_predict(ForestClass& forest);
void bind_trees(ForestClass& forest);

inline void check_columns(const Ensemble& ensemble, const Matrix& x) {
  if (x.columns != ensemble.columns.size())
    throw nb::value_error("the matrix has another number of columns than the trees");
}

inline const Tree& only_tree(const Ensemble& ensemble) {
  if (ensemble.trees.size() != 1) throw nb::value_error("pruning levels belong to a single tree");
  return ensemble.trees.front();
}

}  // namespace venire
