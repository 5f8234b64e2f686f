// Losses of probabilities: for every setting the mean log loss and the mean squared distance from the truth.
//
// One walk over the shares [setting, row, class]. A logarithm is taken of the product of eight odds, which cannot overflow,
// and sums are gathered by groups of rows: what is found for a setting does not depend on the others.
// Cost a row: a few operations a class, and an eighth of a logarithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace venire {

// Shares lie one after the other, [setting, row, class]; `y` is the class of each row, `weights` may be null.
template <class T>
struct Shares {
  const T* data;
  std::size_t settings, rows, classes;
  const std::int32_t* y;
  const double* weights;
};

// The sum over rows of −ln of the actual class's share, once all shares are clipped to [floor, 1] and rescaled.
template <class T>
std::vector<double> log_losses(const Shares<T>& shares, T floor);

// The sum over rows of the squared distances between the shares and the truth.
template <class T>
std::vector<double> squared_losses(const Shares<T>& shares);

}  // namespace venire
