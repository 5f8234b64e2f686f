#include "boost/numeric_cut.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "base/cpu.hpp"

#if VENIRE_HAS_AVX2
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // said of GCC's own header (bug 105593), not of this file
#endif
#define VENIRE_AVX512 [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]]
#endif

namespace venire {
namespace {

// Left sums of the cuts after full bins; a cut after an empty bin is the cut before it, and small nodes have few
// others.
struct Full {
  std::array<Pair, kCodes> left;
  std::array<Code, kCodes> bin;
};

// The scan of sums as they are, without their units, as the 512-bit vectors take them.
Scan unscaled(Scan scan) {
  scan.units = {};
  scan.l2 = scan.unscaled.l2;
  return scan;
}

Cut plain_cut(const Scan& scan, const Pair* sums, std::size_t count, Pair before, double above) {
  Bits bits;
  full_bins(sums, count, bits);
  Full cuts;
  std::size_t full = 0;
  Pair sum = before;
  for (std::size_t word = 0; word * 64 < count; ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      const std::size_t b = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      cuts.left[full] = sum += sums[b];
      cuts.bin[full++] = static_cast<Code>(b);
    }
  }
  // Hessians are not negative, so the cuts with enough on both sides follow each other.
  std::size_t first = 0;
  while (first < full && hessian_of(cuts.left[first]) < scan.min_hessian) ++first;
  while (full > first && scan.hessian - hessian_of(cuts.left[full - 1]) < scan.min_hessian) --full;
  if (first == full) return {};
  std::array<double, kCodes> scores;
  const double factor = scan.unscaled.serves ? scan.unscaled.factor : 1.0;
  score(scan.unscaled.serves ? unscaled(scan) : scan, cuts.left.data() + first, full - first, scores.data());
  const auto [most, place] = highest(scores.data(), full - first);
  if (!(most > above / factor)) return {};
  return {most * factor, cuts.left[first + place], cuts.bin[first + place]};
}

#if VENIRE_HAS_AVX2

constexpr std::size_t kLanes = 8;

VENIRE_AVX512 inline __m512i running_sums(__m512i v) {
  const __m512i none = _mm512_setzero_si512();
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, none, 7));
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, none, 6));
  return _mm512_add_epi64(v, _mm512_alignr_epi64(v, none, 4));
}

// Bin of the full bin number `place`.
VENIRE_AVX512 inline Code bin_at(const std::array<std::uint8_t, kCodes / kLanes>& masks, std::size_t place) {
  for (std::size_t word = 0;; ++word) {
    std::uint64_t bits;
    std::memcpy(&bits, masks.data() + word * 8, 8);
    const auto here = static_cast<std::size_t>(std::popcount(bits));
    if (place < here)
      return static_cast<Code>(word * 64 +
                               static_cast<std::size_t>(std::countr_zero(_pdep_u64(std::uint64_t{1} << place, bits))));
    place -= here;
  }
}

// Puts those of eight sums that are not 0 at `to`, and a bit for each into `mask`; gives how many.
VENIRE_AVX512 inline std::size_t close_gap(__m512i sums, Pair* to, std::uint8_t& mask) {
  mask = _mm512_test_epi64_mask(sums, sums);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(mask, sums));
  return static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
}

// The sums of full bins one after the other.
VENIRE_AVX512 inline std::size_t close_gaps(const Pair* sums, std::size_t count, Pair* full, std::uint8_t* masks) {
  std::size_t at = 0, b = 0;
  for (; b + kLanes <= count; b += kLanes) at += close_gap(_mm512_loadu_si512(sums + b), full + at, *masks++);
  if (b == count) return at;
  const auto there = static_cast<__mmask8>((1u << (count - b)) - 1);
  return at + close_gap(_mm512_maskz_loadu_epi64(there, sums + b), full + at, *masks);
}

// Cuts after each of `count` sums, those after empty bins left out; gives the place of the best and writes all left
// sums to `lefts`.
struct Place {
  double worth;
  std::size_t at;
};
constexpr std::size_t kNowhere = ~std::size_t{0};

template <bool Penalised>
VENIRE_AVX512 inline Place best_place(const Scan& scan, const Pair* sums, std::size_t count, Pair before, double above,
                                      Pair* lefts) {
  const __m512d least = _mm512_set1_pd(scan.min_hessian), hessian = _mm512_set1_pd(scan.hessian);
  const __m512d gradient = _mm512_set1_pd(scan.gradient), l2 = _mm512_set1_pd(scan.unscaled.l2);
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF), last = _mm512_set1_epi64(7);
  __m512d best = _mm512_set1_pd(above);
  __m512i best_place = _mm512_setzero_si512(), carry = _mm512_set1_epi64(static_cast<long long>(before));
  __m512i place = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  __mmask8 found = 0;
  for (std::size_t i = 0; i < count; i += kLanes, place = _mm512_add_epi64(place, _mm512_set1_epi64(kLanes))) {
    const __mmask8 there = count - i >= kLanes ? __mmask8{0xFF} : static_cast<__mmask8>((1u << (count - i)) - 1);
    const __m512i here = _mm512_maskz_loadu_epi64(there, sums + i);
    const __m512i left = _mm512_add_epi64(running_sums(here), carry);
    carry = _mm512_permutexvar_epi64(last, left);
    _mm512_storeu_si512(lefts + i, left);
    __m512d hl = _mm512_cvtepi64_pd(_mm512_and_si512(left, low)), hr = _mm512_sub_pd(hessian, hl);
    __mmask8 good = _mm512_test_epi64_mask(here, here);
    good = _mm512_mask_cmp_pd_mask(good, hl, least, _CMP_GE_OQ);
    good = _mm512_mask_cmp_pd_mask(good, hr, least, _CMP_GE_OQ);
    if (good == 0) continue;
    const __m512d gl = _mm512_cvtepi64_pd(_mm512_srai_epi64(left, 32)), gr = _mm512_sub_pd(gradient, gl);
    if constexpr (Penalised) {
      hl = _mm512_add_pd(hl, l2);
      hr = _mm512_add_pd(hr, l2);
    }
    // Two fractions brought to one, in the order of bin_scan.cpp.
    const __m512d both =
        _mm512_add_pd(_mm512_mul_pd(_mm512_mul_pd(gl, gl), hr), _mm512_mul_pd(_mm512_mul_pd(gr, gr), hl));
    const __m512d worth = _mm512_div_pd(both, _mm512_mul_pd(hl, hr));
    const __mmask8 better = _mm512_mask_cmp_pd_mask(good, worth, best, _CMP_GT_OQ);
    best = _mm512_mask_mov_pd(best, better, worth);
    best_place = _mm512_mask_mov_epi64(best_place, better, place);
    found |= better;
  }
  if (found == 0) return {0, kNowhere};
  const double most = _mm512_reduce_max_pd(best);
  found &= _mm512_cmp_pd_mask(best, _mm512_set1_pd(most), _CMP_EQ_OQ);
  // Of equal ones, the first.
  return {most, static_cast<std::size_t>(_mm512_mask_reduce_min_epu64(found, best_place))};
}

// Up to this many bins, closing their gaps costs more than it saves.
constexpr std::size_t kFewBins = 32;

template <bool Penalised>
VENIRE_AVX512 Cut wide_cut(const Scan& scan, const Pair* sums, std::size_t count, Pair before, double above) {
  std::array<Pair, kCodes + kLanes> lefts;
  const double factor = scan.unscaled.factor;
  if (count <= kFewBins) {
    const Place found = best_place<Penalised>(scan, sums, count, before, above / factor, lefts.data());
    if (found.at == kNowhere) return {};
    return {found.worth * factor, lefts[found.at], static_cast<Code>(found.at)};
  }
  std::array<std::uint8_t, kCodes / kLanes> masks{};
  const std::size_t full = close_gaps(sums, count, lefts.data(), masks.data());
  const Place found = best_place<Penalised>(scan, lefts.data(), full, before, above / factor, lefts.data());
  if (found.at == kNowhere) return {};
  return {found.worth * factor, lefts[found.at], bin_at(masks, found.at)};
}

Cut widest_cut(const Scan& scan, const Pair* sums, std::size_t count, Pair before, double above) {
  if (!scan.unscaled.serves) return plain_cut(scan, sums, count, before, above);
  return (scan.unscaled.l2 > 0 ? wide_cut<true> : wide_cut<false>)(scan, sums, count, before, above);
}

#endif

}  // namespace

BestCut best_cut() {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx512) return widest_cut;
#endif
  return plain_cut;
}

}  // namespace venire
