// Probabilities of rows by logistic regression under several penalties.
//
// A panel of 32 rows is scored for all penalties while it is in the first-level cache, and its scores become
// probabilities before the next one comes. Scores are in double precision, and so are probabilities of many classes
// until they are kept. Cost: one multiply-add a row, column, output and penalty, and one exponential a row, output and
// penalty.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

struct LogisticQuery {
  const double* x;  // [row][column]
  std::size_t rows, columns;
  const double* coefficients;  // [penalty][output][1 + column], the intercept first
  std::size_t penalties, outputs;

  std::size_t classes() const { return outputs == 1 ? 2 : outputs; }
};

// Probabilities [penalty][row][class], and the likeliest class [penalty][row]; of equals the first.
void predict_logistic(const LogisticQuery& query, float* probabilities, std::int16_t* likeliest);

}  // namespace venire
