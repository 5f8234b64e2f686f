#include "splits/gini_cuts.hpp"

#include "base/cpu.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define VENIRE_WIDE_SWEEP 1
#else
#define VENIRE_WIDE_SWEEP 0
#endif

namespace venire {
namespace {

void sweep_plainly(const PairOfCounts* left, std::size_t count, const TwoClasses& whole, double* gain,
                   double* left_weight) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto l0 = static_cast<double>(static_cast<std::uint32_t>(left[i])),
               l1 = static_cast<double>(static_cast<std::uint32_t>(left[i] >> 32));
    const double r0 = whole.first - l0, r1 = whole.second - l1, weight = l0 + l1;
    left_weight[i] = weight;
    gain[i] = (l0 * l0 + l1 * l1) / weight + (r0 * r0 + r1 * r1) / (whole.weight - weight) - whole.score;
  }
}

#if VENIRE_WIDE_SWEEP
__attribute__((target("avx512f,avx512dq"))) void sweep_avx512(const PairOfCounts* left, std::size_t count,
                                                              const TwoClasses& whole, double* gain,
                                                              double* left_weight) {
  const __m512d first = _mm512_set1_pd(whole.first), second = _mm512_set1_pd(whole.second);
  const __m512d all = _mm512_set1_pd(whole.weight), score = _mm512_set1_pd(whole.score);
  const __m512i low = _mm512_set1_epi64(0xffffffff);
  for (std::size_t i = 0; i < count; i += kCutsTogether) {
    const __m512i pair = _mm512_loadu_si512(left + i);
    const __m512d l0 = _mm512_cvtepu64_pd(_mm512_and_si512(pair, low)),
                  l1 = _mm512_cvtepu64_pd(_mm512_srli_epi64(pair, 32));
    const __m512d r0 = _mm512_sub_pd(first, l0), r1 = _mm512_sub_pd(second, l1), weight = _mm512_add_pd(l0, l1);
    const __m512d on_left = _mm512_add_pd(_mm512_mul_pd(l0, l0), _mm512_mul_pd(l1, l1));
    const __m512d on_right = _mm512_add_pd(_mm512_mul_pd(r0, r0), _mm512_mul_pd(r1, r1));
    const __m512d sum =
        _mm512_add_pd(_mm512_div_pd(on_left, weight), _mm512_div_pd(on_right, _mm512_sub_pd(all, weight)));
    _mm512_storeu_pd(left_weight + i, weight);
    _mm512_storeu_pd(gain + i, _mm512_sub_pd(sum, score));
  }
}

// Squares of numbers whose sum is below 2^16 add up to less than 2^32.
__attribute__((target("avx512f"))) void square_avx512(const NarrowSum* sums, const NarrowSum* whole,
                                                      std::size_t classes, const Code* list, std::size_t cuts,
                                                      Squares& squares, double* left_weight) {
  const auto lanes = static_cast<__mmask16>((1u << classes) - 1);
  const __m512i all = _mm512_maskz_loadu_epi32(lanes, whole);
  __m512i left = _mm512_setzero_si512();
  for (std::size_t i = 0; i < cuts; ++i) {
    left = _mm512_add_epi32(left, _mm512_maskz_loadu_epi32(lanes, sums + list[i] * classes));
    const __m512i right = _mm512_sub_epi32(all, left);
    squares.left[i] = static_cast<std::uint32_t>(_mm512_reduce_add_epi32(_mm512_mullo_epi32(left, left)));
    squares.right[i] = static_cast<std::uint32_t>(_mm512_reduce_add_epi32(_mm512_mullo_epi32(right, right)));
    left_weight[i] = static_cast<std::uint32_t>(_mm512_reduce_add_epi32(left));
  }
}
#endif

}  // namespace

bool sweeps_few_classes(std::size_t classes, double weight) {
  return VENIRE_WIDE_SWEEP != 0 && classes <= 16 && weight < 65536 && simd_level() >= Simd::avx512;
}

void square_few_classes([[maybe_unused]] const NarrowSum* sums, [[maybe_unused]] const NarrowSum* whole,
                        [[maybe_unused]] std::size_t classes, [[maybe_unused]] const Code* list,
                        [[maybe_unused]] std::size_t cuts, [[maybe_unused]] Squares& squares,
                        [[maybe_unused]] double* left_weight) {
#if VENIRE_WIDE_SWEEP
  square_avx512(sums, whole, classes, list, cuts, squares, left_weight);
#endif
}

void sweep_two_classes(const PairOfCounts* left, std::size_t count, const TwoClasses& whole, double* gain,
                       double* left_weight) {
#if VENIRE_WIDE_SWEEP
  if (simd_level() >= Simd::avx512) return sweep_avx512(left, count, whole, gain, left_weight);
#endif
  sweep_plainly(left, count, whole, gain, left_weight);
}

}  // namespace venire
