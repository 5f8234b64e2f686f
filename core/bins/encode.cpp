#include "bins/encode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/cpu.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define VENIRE_AVX2 1
#else
#define VENIRE_AVX2 0
#endif

namespace venire {
namespace {

constexpr std::size_t kGroup = 16;
constexpr std::size_t kLadder = kGroup + kGroup * kGroup;
// Rows of one strip: their values stay in the first-level cache while the columns pass over them.
constexpr std::size_t kStrip = 64;

// The largest number of the type that is not above the edge: x > edge exactly when x > this.
template <class T>
T rounded_down(double edge) {
  if constexpr (std::is_same_v<T, double>) {
    return edge;
  } else {
    constexpr float kMost = std::numeric_limits<float>::max(), kInfinity = std::numeric_limits<float>::infinity();
    if (std::isinf(edge)) return edge > 0 ? kInfinity : -kInfinity;
    if (edge >= static_cast<double>(kMost)) return kMost;
    if (edge < -static_cast<double>(kMost)) return -kInfinity;
    const auto near = static_cast<float>(edge);
    return static_cast<double>(near) > edge ? std::nextafter(near, -kInfinity) : near;
  }
}

template <class T>
void add_ladder(const std::vector<double>& edges, std::vector<T>& out) {
  const std::size_t at = out.size();
  out.resize(at + kLadder, std::numeric_limits<T>::infinity());
  T* posts = out.data() + at;
  T* steps = posts + kGroup;
  for (std::size_t e = 0; e < edges.size(); ++e) steps[e] = rounded_down<T>(edges[e]);
  for (std::size_t g = 0; g + 1 < kGroup; ++g) posts[g] = steps[g * kGroup + kGroup - 1];
}

template <class T>
inline unsigned count_below(const T* edges, T x) {
  unsigned count = 0;
  for (std::size_t k = 0; k < kGroup; ++k) count += edges[k] < x ? 1u : 0u;
  return count;
}

// Codes of `count` values `step` elements apart, written `stride` codes apart.
template <class T, class Wide>
void encode_plainly(const Wide* ladder, const T* from, std::ptrdiff_t step, std::size_t count, Code* out,
                    std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i, from += step, out += stride) {
    const auto x = static_cast<Wide>(*from);
    const unsigned group = count_below(ladder, x);
    const unsigned code = group * kGroup + count_below(ladder + kGroup + group * kGroup, x);
    *out = x == x ? static_cast<Code>(code) : kMissing;
  }
}

#if VENIRE_AVX2
// A comparison gives one bit an edge; edges ascend, so the number of bits is the place.
__attribute__((target("avx2,popcnt"))) inline unsigned count_below_avx2(const float* edges, float x) {
  const __m256 value = _mm256_set1_ps(x);
  const int low = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(edges), value, _CMP_LT_OQ));
  const int high = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(edges + 8), value, _CMP_LT_OQ));
  return static_cast<unsigned>(_mm_popcnt_u32(static_cast<unsigned>(low | high << 8)));
}

__attribute__((target("avx2,popcnt"))) inline unsigned count_below_avx2(const double* edges, double x) {
  const __m256d value = _mm256_set1_pd(x);
  int bits = 0;
  for (std::ptrdiff_t first = 0; first < 16; first += 4) {
    bits |= _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(edges + first), value, _CMP_LT_OQ)) << first;
  }
  return static_cast<unsigned>(_mm_popcnt_u32(static_cast<unsigned>(bits)));
}

template <class T, class Wide>
__attribute__((target("avx2,popcnt"))) void encode_avx2(const Wide* ladder, const T* from, std::ptrdiff_t step,
                                                        std::size_t count, Code* out, std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i, from += step, out += stride) {
    const auto x = static_cast<Wide>(*from);
    const unsigned group = count_below_avx2(ladder, x);
    const unsigned code = group * kGroup + count_below_avx2(ladder + kGroup + group * kGroup, x);
    *out = x == x ? static_cast<Code>(code) : kMissing;
  }
}
#endif

#if VENIRE_AVX2
__attribute__((target("avx512f,popcnt"))) inline unsigned count_below_avx512(const float* edges, float x) {
  const __mmask16 below = _mm512_cmp_ps_mask(_mm512_loadu_ps(edges), _mm512_set1_ps(x), _CMP_LT_OQ);
  return static_cast<unsigned>(_mm_popcnt_u32(below));
}

__attribute__((target("avx512f,popcnt"))) inline unsigned count_below_avx512(const double* edges, double x) {
  const __m512d value = _mm512_set1_pd(x);
  const unsigned low = _mm512_cmp_pd_mask(_mm512_loadu_pd(edges), value, _CMP_LT_OQ);
  const unsigned high = _mm512_cmp_pd_mask(_mm512_loadu_pd(edges + 8), value, _CMP_LT_OQ);
  return static_cast<unsigned>(_mm_popcnt_u32(low | high << 8));
}

template <class T, class Wide>
__attribute__((target("avx512f,popcnt"))) void encode_avx512(const Wide* ladder, const T* from, std::ptrdiff_t step,
                                                             std::size_t count, Code* out, std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i, from += step, out += stride) {
    const auto x = static_cast<Wide>(*from);
    const unsigned group = count_below_avx512(ladder, x);
    const unsigned code = group * kGroup + count_below_avx512(ladder + kGroup + group * kGroup, x);
    *out = x == x ? static_cast<Code>(code) : kMissing;
  }
}
#endif

template <class T, class Wide>
void encode(const Wide* ladder, const T* from, std::ptrdiff_t step, std::size_t count, Code* out, std::size_t stride) {
#if VENIRE_AVX2
  if (simd_level() >= Simd::avx512) return encode_avx512(ladder, from, step, count, out, stride);
  if (simd_level() >= Simd::avx2) return encode_avx2(ladder, from, step, count, out, stride);
#endif
  encode_plainly(ladder, from, step, count, out, stride);
}

}  // namespace

Encoder::Encoder(const Columns& columns, Scalar scalar) : columns_(columns), start_(columns.size(), 0) {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].categorical) continue;
    start_[j] = scalar == Scalar::f32 ? single_.size() : wide_.size();
    if (scalar == Scalar::f32) add_ladder(columns[j].edges, single_);
    else add_ladder(columns[j].edges, wide_);
  }
}

void Encoder::strip(const Matrix& x, std::size_t j, std::size_t first, std::size_t last, Code* out,
                    std::size_t stride) const {
  with_scalar(x, [&](auto* data) {
    using T = std::remove_cvref_t<decltype(*data)>;
    using Wide = std::conditional_t<std::is_same_v<T, float>, float, double>;
    const auto* from =
        data + static_cast<std::ptrdiff_t>(j) * x.column_stride + static_cast<std::ptrdiff_t>(first) * x.row_stride;
    if (columns_[j].categorical) {
      for (std::size_t i = first; i < last; ++i, from += x.row_stride, out += stride) {
        *out = columns_[j].code(static_cast<double>(*from));
      }
      return;
    }
    const Wide* ladder;
    if constexpr (std::is_same_v<T, float>) ladder = single_.data() + start_[j];
    else ladder = wide_.data() + start_[j];
    encode(ladder, from, x.row_stride, last - first, out, stride);
  });
}

void encode_numbers(const std::vector<double>& edges, const double* values, std::size_t count, Code* out) {
  std::vector<double> ladder;
  add_ladder(edges, ladder);
  encode(ladder.data(), values, 1, count, out, 1);
}

void Encoder::rows(const Matrix& x, std::size_t first, std::size_t last, Code* out, std::size_t row_stride,
                   std::size_t column_stride) const {
  for (std::size_t at = first; at < last; at += kStrip) {
    const std::size_t end = std::min(last, at + kStrip);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      strip(x, j, at, end, out + (at - first) * row_stride + j * column_stride, row_stride);
    }
  }
}

}  // namespace venire
