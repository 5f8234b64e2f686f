// Naive Bayes: one pass that gathers what each class shows in each column, and one that scores new rows by it.
//
// Columns come in three kinds. Numeric ones are kept as weight, mean and sum of squared deviations per class;
// categorical ones as a table of weights per (category, class); counted ones (words) as weighted sums per class.
// Missing values (NaN, or a negative code) are left out of all three, and so is a category that was not seen while
// fitting.
//
// Moments are those of blocks of rows, merged by twos, fours, eights in the order of the rows, and counts are whole
// numbers: so they are the same for any number of threads, and of any parts of the rows, each in a place of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace venire {

struct BayesColumns {
  ColumnNumbers numeric, categorical, counted;
  // Per numeric column: subtracted from every value, so that a large offset costs no digits.
  std::vector<double> origin;
  std::vector<std::size_t> start;  // per categorical column, and one more: where its categories begin in the table
  std::size_t categories() const { return start.empty() ? 0 : start.back(); }
};

// All arrays are [class][column], the table is [category][class]: a row's scores are neighbours.
struct BayesSums {
  std::vector<double> weight, mean, squares;
  std::vector<double> table;
  std::vector<double> counted;

  BayesSums() = default;
  BayesSums(const BayesColumns& columns, std::size_t classes);
};

constexpr std::size_t kMomentRows = 8192;

// What is known of a block so far, [class][numeric column]; the centre is NaN until a value was seen.
struct MomentState {
  double *weight, *centre, *sum, *squares;
};

// Logarithms, ready to be added up. A numeric value adds height − steepness (x − mean)².
struct BayesScores {
  std::size_t classes = 0;
  const double* prior = nullptr;
  const double *mean = nullptr, *steepness = nullptr, *height = nullptr;
  const double* table = nullptr;
  const double* counted = nullptr;
};

BayesSums sum_bayes(const Matrix& x, const std::int32_t* labels, const double* weights, std::size_t classes,
                    const BayesColumns& columns, Pool& pool);

// Adds rows of one block, in their order; where it begins, sums are 0.
void add_moments(const Matrix& x, const std::int32_t* labels, const double* weights, std::size_t classes,
                 const BayesColumns& columns, const MomentState& state);

// Writes the joint logarithms [row][class]; false when a categorical column holds something that is no code.
bool score_bayes(const Matrix& x, const BayesColumns& columns, const BayesScores& scores, double* out, Pool& pool);

}  // namespace venire
