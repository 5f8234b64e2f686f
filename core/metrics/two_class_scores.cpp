#include "metrics/two_class_scores.hpp"

#include <cmath>

namespace venire {

void write_two_class_scores(const double* scores, const double* level, std::size_t settings, std::size_t rows,
                            std::int16_t first, std::int16_t second, std::size_t classes, float* outputs,
                            std::int16_t* labels) {
  for (std::size_t s = 0; s < settings; ++s) {
    const double* from = scores + s * rows;
    float* to = outputs + s * rows * classes;
    std::int16_t* winners = labels + s * rows;
    for (std::size_t i = 0; i < rows; ++i) winners[i] = from[i] + level[s] > 0 ? second : first;
    if (classes == 2 && first < second) {  // by far the most frequent case: neighbours, without a place to look up
      for (std::size_t i = 0; i < rows; ++i) {
        const auto score = static_cast<float>(from[i] + level[s]);
        to[2 * i] = -score;
        to[2 * i + 1] = score;
      }
      continue;
    }
    for (std::size_t i = 0; i < rows; ++i, to += classes) {
      const double score = from[i] + level[s];
      for (std::size_t c = 0; c < classes; ++c) to[c] = static_cast<float>(-1.0 - std::abs(score));
      to[first] = static_cast<float>(-score);
      to[second] = static_cast<float>(score);
    }
  }
}

}  // namespace venire
