// Two classes, decided by one score, as evidence keeps it: both scores in single precision, and the winner.
//
// One walk over the scores [setting, row] writes scores [setting, row, class] and labels [setting, row]. Of other
// classes, which the learner does not know, the score is below both. Cost a score: about a nanosecond, most of it for
// storing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

// `level` is added to all scores of a setting; a positive sum speaks for class `second`, others for class `first`.
void write_two_class_scores(const double* scores, const double* level, std::size_t settings, std::size_t rows,
                            std::int16_t first, std::int16_t second, std::size_t classes, float* outputs,
                            std::int16_t* labels);

}  // namespace venire
