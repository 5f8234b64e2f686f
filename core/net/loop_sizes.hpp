// How much the loops take at once; the same for every width of vectors, so that their sums are.
#pragma once

#include <cstddef>

namespace venire {

constexpr std::size_t kStepsAtOnce = 256;  // of a product: a panel of them is 16 KB, half of the first-level cache
constexpr std::size_t kWidestPanel = 32;   // columns
constexpr std::size_t kMostBlockRows = 12;

}  // namespace venire
