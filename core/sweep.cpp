#include "sweep.hpp"

#include "cpu.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define VENIRE_WIDE_SWEEP 1
#else
#define VENIRE_WIDE_SWEEP 0
#endif

namespace venire {
namespace {

void sweep_plainly(const PairOfCounts* left, std::size_t count, const TwoClasses& whole, double* gain, double* left_weight) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto l0 = static_cast<double>(static_cast<std::uint32_t>(left[i])), l1 = static_cast<double>(static_cast<std::uint32_t>(left[i] >> 32));
    const double r0 = whole.first - l0, r1 = whole.second - l1, weight = l0 + l1;
    left_weight[i] = weight;
    gain[i] = (l0 * l0 + l1 * l1) / weight + (r0 * r0 + r1 * r1) / (whole.weight - weight) - whole.score;
  }
}

#if VENIRE_WIDE_SWEEP
__attribute__((target("avx512f,avx512dq"))) void sweep_avx512(const PairOfCounts* left, std::size_t count, const TwoClasses& whole,
                                                              double* gain, double* left_weight) {
  const __m512d first = _mm512_set1_pd(whole.first), second = _mm512_set1_pd(whole.second);
  const __m512d all = _mm512_set1_pd(whole.weight), score = _mm512_set1_pd(whole.score);
  const __m512i low = _mm512_set1_epi64(0xffffffff);
  for (std::size_t i = 0; i < count; i += kCutsTogether) {
    const __m512i pair = _mm512_loadu_si512(left + i);
    const __m512d l0 = _mm512_cvtepu64_pd(_mm512_and_si512(pair, low)), l1 = _mm512_cvtepu64_pd(_mm512_srli_epi64(pair, 32));
    const __m512d r0 = _mm512_sub_pd(first, l0), r1 = _mm512_sub_pd(second, l1), weight = _mm512_add_pd(l0, l1);
    const __m512d on_left = _mm512_add_pd(_mm512_mul_pd(l0, l0), _mm512_mul_pd(l1, l1));
    const __m512d on_right = _mm512_add_pd(_mm512_mul_pd(r0, r0), _mm512_mul_pd(r1, r1));
    const __m512d sum = _mm512_add_pd(_mm512_div_pd(on_left, weight), _mm512_div_pd(on_right, _mm512_sub_pd(all, weight)));
    _mm512_storeu_pd(left_weight + i, weight);
    _mm512_storeu_pd(gain + i, _mm512_sub_pd(sum, score));
  }
}
#endif

}  // namespace

void sweep_two_classes(const PairOfCounts* left, std::size_t count, const TwoClasses& whole, double* gain, double* left_weight) {
#if VENIRE_WIDE_SWEEP
  if (simd_level() >= Simd::avx512) return sweep_avx512(left, count, whole, gain, left_weight);
#endif
  sweep_plainly(left, count, whole, gain, left_weight);
}

}  // namespace venire
