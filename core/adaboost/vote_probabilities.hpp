// Class probabilities from AdaBoost's votes: in proportion to exp(2 Σ α), written as evidence keeps them.
//
// Cost: an exponential a class, about 1 ns, and a division.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

// Of `rows` rows of votes [row, class] the probabilities of the classes [row, class], and the class of the largest
// probability, of equals the first: [row]. They are compared in double precision.
void vote_probabilities(const double* votes, std::size_t rows, std::size_t classes, float* probabilities,
                        std::int16_t* winners);

}  // namespace venire
