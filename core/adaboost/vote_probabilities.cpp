#include "adaboost/vote_probabilities.hpp"

#include <algorithm>
#include <vector>

#include "base/cpu.hpp"
#include "base/exponential.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kNumbers = 1024;  // of some rows, in one go: exponentials side by side, and all in the cache

VENIRE_INLINE void raise(double* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) numbers[i] = exponential(2 * numbers[i]);
}

void raise_narrow(double* numbers, std::size_t count) { raise(numbers, count); }
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void raise_wide(double* numbers, std::size_t count) { raise(numbers, count); }
#endif

void raise_all(double* numbers, std::size_t count) {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return raise_wide(numbers, count);
#endif
  raise_narrow(numbers, count);
}

// Divides by the sum and says which is the largest; `Classes` is 0 where their number is not known beforehand.
template <std::size_t Classes>
void normalise(double* raised, std::size_t rows, std::size_t count, float* probabilities, std::int16_t* winners) {
  const std::size_t classes = Classes == 0 ? count : Classes;
  for (std::size_t i = 0; i < rows; ++i) {
    double* row = raised + i * classes;
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += row[c];
    std::size_t winner = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      row[c] /= sum;
      probabilities[i * classes + c] = static_cast<float>(row[c]);
      winner = row[c] > row[winner] ? c : winner;
    }
    winners[i] = static_cast<std::int16_t>(winner);
  }
}

}  // namespace

void vote_probabilities(const double* votes, std::size_t rows, std::size_t classes, float* probabilities,
                        std::int16_t* winners) {
  const std::size_t at_once = std::max<std::size_t>(1, kNumbers / classes);
  std::vector<double> buffer(at_once * classes);
  for (std::size_t first = 0; first < rows; first += at_once) {
    const std::size_t some = std::min(at_once, rows - first);
    for (std::size_t i = 0; i < some; ++i) {
      const double* row = votes + (first + i) * classes;
      const double most = *std::max_element(row, row + classes);
      for (std::size_t c = 0; c < classes; ++c) buffer[i * classes + c] = row[c] - most;
    }
    raise_all(buffer.data(), some * classes);
    float* out = probabilities + first * classes;
    if (classes == 2) normalise<2>(buffer.data(), some, classes, out, winners + first);
    else normalise<0>(buffer.data(), some, classes, out, winners + first);
  }
}

}  // namespace venire
