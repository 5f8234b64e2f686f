// What labels and probabilities lose, for all settings of a family.
//
// Labels: counts of those given and of those that are right, for every class. Probabilities: one walk over them,
// [setting, row, class], row by row in vectors, whose values are then added up for four settings side by side. A
// logarithm is taken of the product of eight odds, which cannot overflow, and sums are gathered by groups of rows: what
// is found for a setting does not depend on the others. Cost a row and setting of two classes: 2 ns for the logarithms,
// 1 ns for the squares, 0.4 ns for the counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace venire {

// Probabilities lie one after the other, [setting, row, class]; `y` is the class of each row, `weights` may be null.
template <class T>
struct ProbabilityTable {
  const T* data;
  std::size_t settings, rows, classes;
  const std::int32_t* y;
  const double* weights;
};

// The sum over rows of −ln of the actual class's probability, once all probabilities are clipped to [floor, 1] and
// rescaled.
template <class T>
std::vector<double> log_losses(const ProbabilityTable<T>& probabilities, T floor);

// The sum over rows of the squared distances between the probabilities and the truth.
template <class T>
std::vector<double> squared_losses(const ProbabilityTable<T>& probabilities);

// The (weighted) rows that were given each label, and those of them that are right: [setting, class] each. Labels are
// [setting, row] and lie in 0..classes-1. `T` is a 16 or 32-bit integer.
struct LabelCounts {
  std::vector<double> given, right;
};
template <class T>
LabelCounts count_labels(const T* labels, std::size_t settings, std::size_t rows, std::size_t classes,
                         const std::int32_t* y, const double* weights);

// The rows whose label is not `y`, for each setting of labels [setting, row].
template <class T>
std::vector<double> count_wrong(const T* labels, std::size_t settings, std::size_t rows, const std::int32_t* y);

}  // namespace venire
