// The votes of the first k neighbours for several k at once: running sums over one list of neighbours, the nearest
// first.
//
// Outputs have the layout and the widths in which evidence is kept, so that nothing is copied afterwards. Cost: some
// ten cycles a neighbour, and a division a class for every k.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

struct Votes {
  const std::int64_t* found = nullptr;  // [row, neighbour], the largest k long
  std::size_t rows = 0, longest = 0;
  const double* weights = nullptr;        // [row of the table]
  const std::int32_t* classes = nullptr;  // [row of the table]
  std::size_t class_count = 0;
};

// Writes the probabilities of the classes [setting, row, class], and the class of the largest probability, of equals
// the first: [setting, row]. Shares are compared in double precision. The k of a setting is in `counts`.
void count_votes(const Votes& votes, const std::int64_t* counts, std::size_t settings, float* probabilities,
                 std::int16_t* winners);

}  // namespace venire
