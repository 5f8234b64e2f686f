// Naive Bayes along a path: models that differ in their smoothing alone predict the same rows in one pass.
//
// A row's squared distances from the class means, and the places of its categories, are the same for every model. So
// eight rows at a time are held column after column, their squared distances from one class's means are made once, and
// several models weigh them while the sums stay in registers (tile.hpp). What comes out is what evidence keeps:
// probabilities in single precision and the likeliest class, in the order of all classes of the table. Cost per row:
// models × classes × columns multiplications, eight rows at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "bayes/model.hpp"

namespace venire {

// Logarithms, ready to be added up: [model][class][column], the table [model][category][class]. `gaussians` is the
// number of models whose Gaussians differ: all of them, or 1 where they are the same.
struct BayesPath {
  std::size_t models = 0, gaussians = 0, classes = 0;
  const double* prior = nullptr;                         // [class]
  const double* mean = nullptr;                          // [class][column]
  const double *steepness = nullptr, *height = nullptr;  // [gaussian][class][column]
  const double* table = nullptr;                         // [model][category][class]
};

// Where predictions go: probabilities [model][row][all classes] and labels [model][row], `rows` of them; `codes` gives
// the place of each class of the models among all classes of the table.
struct BayesOutputs {
  float* probabilities = nullptr;
  std::int16_t* labels = nullptr;
  std::size_t rows = 0, classes = 0;
  const std::int16_t* codes = nullptr;
};

// Tells of `rows[first..last)` of a matrix of doubles.
void predict_bayes(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                   const BayesColumns& columns, const BayesPath& path, const BayesOutputs& outputs);

}  // namespace venire
