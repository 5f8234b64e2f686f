// The area under the ROC curve as a count: how many pairs of a chosen and another row the chosen one wins.
//
// Scores become integers of the same order and are sorted by their bits. Walking along, a run of equal scores has its
// chosen rows win against the rest before it, and half against its own rest. Settings of a path order the rows much
// alike: each begins with the order of the last, and where few rows are out of place these are put right instead of
// sorting all. Few distinct scores (votes of neighbours, leaves of a tree) are counted in a small table and never
// sorted. Twice the pairs won is a whole number, so that the result does not depend on the way it was found. Cost a
// row: about 4 ns counted, 2.5 ns in the order of the last setting, 7 ns sorted in single and 13 ns in double
// precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace venire {

// Pairs won by the chosen rows, a tie counting half, for each of the settings; NaN where a score is NaN. Scores are
// [setting, row] with steps counted in numbers, fewer rows than 2^32. `T` is float or double.
template <class T>
std::vector<double> pairs_won(const T* scores, std::int64_t setting_step, std::int64_t row_step, std::size_t settings,
                              const bool* chosen, std::size_t rows);

}  // namespace venire
