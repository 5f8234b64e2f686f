#include "boost/bin_scan.hpp"

#include <algorithm>
#include <cstring>

#include "base/cpu.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

// Two fractions brought to one: a division costs as much as all the rest.
template <bool Shrinks>
VENIRE_INLINE void score_each(const Scan& scan, const Pair* left, std::size_t count, double* out) {
  // Copies: the compiler must not think that writing `out` changes them.
  const double g_unit = scan.units.gradient, h_unit = scan.units.hessian, l1 = scan.l1, l2 = scan.l2;
  const double gradient = scan.gradient, hessian = scan.hessian;
  for (std::size_t i = 0; i < count; ++i) {
    const double gl = static_cast<double>(static_cast<std::int32_t>(left[i] >> 32));
    const double hl = static_cast<double>(static_cast<std::int32_t>(left[i] & 0xFFFFFFFFu));
    const double gr = gradient - gl, hr = hessian - hl;
    double kl = gl * g_unit, kr = gr * g_unit;
    if constexpr (Shrinks) {
      kl = soft(kl, l1);
      kr = soft(kr, l1);
    }
    const double dl = hl * h_unit + l2, dr = hr * h_unit + l2;
    out[i] = (kl * kl * dr + kr * kr * dl) / (dl * dr);
  }
}

VENIRE_INLINE void score_all(const Scan& scan, const Pair* left, std::size_t count, double* out) {
  if (scan.l1 > 0) score_each<true>(scan, left, count, out);
  else score_each<false>(scan, left, count, out);
}

// Bytes first, in a loop that vectors do, then eight at a time into bits.
VENIRE_INLINE void mark_full(const Pair* sums, std::size_t count, Bits& bits) {
  std::array<std::uint8_t, kCodes> full;
  for (std::size_t b = 0; b < count; ++b) full[b] = sums[b] != 0 ? 1 : 0;
  std::fill(full.begin() + static_cast<std::ptrdiff_t>(count), full.end(), std::uint8_t{0});
  for (std::size_t word = 0; word < bits.size(); ++word) {
    bits[word] = 0;
    for (std::size_t eight = 0; eight < 8; ++eight) {
      std::uint64_t bytes;
      std::memcpy(&bytes, full.data() + word * 64 + eight * 8, 8);
      bits[word] |= (bytes * 0x0102040810204080u >> 56) << (eight * 8);
    }
  }
}

// Eight maxima side by side, because each waits for the one before it.
VENIRE_INLINE Highest highest_of(const double* scores, std::size_t count) {
  std::array<double, 8> most;
  most.fill(-1);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane)
      most[lane] = scores[i + lane] > most[lane] ? scores[i + lane] : most[lane];
  }
  double all = -1;
  for (; i < count; ++i) all = std::max(all, scores[i]);
  for (const double one : most) all = std::max(all, one);
  std::size_t place = 0;
  while (place + 1 < count && scores[place] != all) ++place;
  return {all, place};
}

void score_narrow(const Scan& scan, const Pair* left, std::size_t count, double* out) {
  score_all(scan, left, count, out);
}
void full_narrow(const Pair* sums, std::size_t count, Bits& bits) { mark_full(sums, count, bits); }
Highest highest_narrow(const double* scores, std::size_t count) { return highest_of(scores, count); }
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void score_wide(const Scan& scan, const Pair* left, std::size_t count, double* out) {
  score_all(scan, left, count, out);
}
VENIRE_AVX2 void full_wide(const Pair* sums, std::size_t count, Bits& bits) { mark_full(sums, count, bits); }
VENIRE_AVX2 Highest highest_wide(const double* scores, std::size_t count) { return highest_of(scores, count); }
#endif

}  // namespace

void score(const Scan& scan, const Pair* left, std::size_t count, double* out) {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return score_wide(scan, left, count, out);
#endif
  score_narrow(scan, left, count, out);
}

void full_bins(const Pair* sums, std::size_t count, Bits& bits) {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return full_wide(sums, count, bits);
#endif
  full_narrow(sums, count, bits);
}

Highest highest(const double* scores, std::size_t count) {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return highest_wide(scores, count);
#endif
  return highest_narrow(scores, count);
}

}  // namespace venire
