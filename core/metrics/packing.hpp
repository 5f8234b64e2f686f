// What is said of two classes, in one number a prediction, and labels 0 and 1 as bits; and back.
//
// Of scores (-s, s) the second is kept. Of probabilities the smaller is kept, because the other is one minus it; its
// sign says whose it is: a negative number (also -0.0) is the first class's. Both are checked while they are made:
// numbers that would not come back to the last bit are refused, and nothing else is. One walk each, without a branch,
// at the speed of memory: about a third of a nanosecond a prediction.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

// From `pairs` [prediction][2] to `kept` [prediction]; whether unpacking would give them back.
bool pack_probabilities(const float* pairs, std::size_t count, float* kept);
bool pack_scores(const float* pairs, std::size_t count, float* kept);

void unpack_probabilities(const float* kept, std::size_t count, float* pairs);
void unpack_scores(const float* kept, std::size_t count, float* pairs);

// Two probabilities that were rounded apart from each other: the larger becomes one minus the smaller, where it is that
// but for rounding.
void complement_probabilities(float* pairs, std::size_t count);

// Labels [setting][row] as bits [setting][bytes of its rows], the first in the highest bit; whether all of them are 0
// or 1.
inline std::size_t bytes_of(std::size_t rows) { return (rows + 7) / 8; }
bool labels_to_bits(const std::int16_t* labels, std::size_t settings, std::size_t rows, std::uint8_t* bits);
void bits_to_labels(const std::uint8_t* bits, std::size_t settings, std::size_t rows, std::int16_t* labels);

}  // namespace venire
