#include "gradients/quantised_pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/cpu.hpp"
#include "base/random.hpp"
#include "base/wide.hpp"
#include "gradients/row_loops.hpp"

namespace venire {
namespace {

struct Largest {
  float gradient = 0, hessian = 0;

  void take(const Largest& other) {
    gradient = std::max(gradient, other.gradient);
    hessian = std::max(hessian, other.hessian);
  }
};

// Eight side by side, because each comparison waits for the one before it.
template <class RowAt>
VENIRE_INLINE Largest largest_of(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                                 const RowAt& row_at) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> g{}, h{};
  const auto look = [&](std::size_t i, std::size_t lane) {
    const float size = std::abs(gradient[row_at(i)]), weight = hessian[row_at(i)];
    g[lane] = size > g[lane] ? size : g[lane];
    h[lane] = weight > h[lane] ? weight : h[lane];
  };
  std::size_t i = first;
  for (; i + kLanes <= last; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) look(i + lane, lane);
  }
  for (; i < last; ++i) look(i, 0);
  Largest out;
  for (std::size_t lane = 0; lane < kLanes; ++lane) out.take({g[lane], h[lane]});
  return out;
}

Largest largest(const float* gradient, const float* hessian, const RowSet& rows, std::size_t count, Pool& pool) {
  std::vector<Largest> parts((rows.size() + kBlock - 1) / kBlock);
  over_blocks(rows.size(), pool, [&](std::size_t first, std::size_t last) {
    parts[first / kBlock] =
        rows.size() == count
            ? largest_of(gradient, hessian, first, last, [](std::size_t i) { return i; })
            : largest_of(gradient, hessian, first, last, [&](std::size_t i) { return std::size_t{rows[i]}; });
  });
  Largest all;
  for (const Largest& one : parts) all.take(one);
  return all;
}

// The halves of a key; a row's number is mixed with the first, then the result with the second.
struct Stream {
  std::uint32_t first, second;

  explicit Stream(std::uint64_t key)
      : first(static_cast<std::uint32_t>(key)), second(static_cast<std::uint32_t>(key >> 32)) {}
};

// A number in (−½, ½), one of 2^22 that lie around 0 alike: so few that none is close enough to ½ to carry 1 to 2. The
// multipliers are Wellons' (lowbias32): products of 32 bits exist as vectors, those of 64 do not.
VENIRE_INLINE float jitter(const Stream& stream, std::uint32_t row) {
  std::uint32_t x = row ^ stream.first;
  x = (x ^ (x >> 16)) * 0x7FEB352Du + stream.second;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  x ^= x >> 16;
  return (static_cast<float>(static_cast<std::int32_t>(x) >> 10) + 0.5f) * 0x1p-22f;
}

// The nearest whole number; there are too few levels to leave the range.
VENIRE_INLINE std::int32_t nearest(float x) {
  constexpr float kRound = 12582912.0f;  // leaves it in the low bits
  return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(x + kRound) - std::bit_cast<std::uint32_t>(kRound));
}

struct Steps {
  float g_scale, h_scale;  // levels a unit
  Stream g_stream, h_stream;
};

// Equal hessians are whole levels already, and what is whole stays.
VENIRE_INLINE void to_levels(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                             const Steps& steps, Pair* out) {
  const Steps s = steps;  // the compiler must not think that writing `out` changes it
  for (std::size_t i = first; i < last; ++i) {
    const auto row = static_cast<std::uint32_t>(i);
    const std::int32_t g = nearest(gradient[i] * s.g_scale + jitter(s.g_stream, row));
    const std::int32_t h = nearest(hessian[i] * s.h_scale + jitter(s.h_stream, row));
    out[i] = static_cast<Pair>(static_cast<std::uint32_t>(g)) << 32 | static_cast<std::uint32_t>(h);
  }
}

void to_levels_narrow(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                      const Steps& steps, Pair* out) {
  to_levels(gradient, hessian, first, last, steps, out);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void to_levels_wide(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                                const Steps& steps, Pair* out) {
  to_levels(gradient, hessian, first, last, steps, out);
}
#endif

// Levels a unit; 1 where the largest is 0, or so close to it or so far away that there is no such number.
float scale_to(float levels, float largest) {
  const float scale = levels / largest;
  return std::isfinite(scale) && scale > 0 ? scale : 1.0f;
}

}  // namespace

Slopes random_slopes(const float* gradient, const float* hessian, const RowSet& rows, std::size_t count,
                     std::uint32_t levels, bool equal_hessians, std::uint64_t key, Pair* pairs, Pool& pool) {
  const Largest most = largest(gradient, hessian, rows, count, pool);
  const std::uint32_t half = levels / 2;  // gradients have a sign
  const auto g_levels = static_cast<float>(half), h_levels = equal_hessians ? 1.0f : static_cast<float>(levels);
  const float g_scale = scale_to(g_levels, most.gradient), h_scale = scale_to(h_levels, most.hessian);
  const Steps steps{g_scale, h_scale, Stream(child_key(key, 0)), Stream(child_key(key, 1))};
  over_blocks(count, pool, [&](std::size_t first, std::size_t last) {
#if VENIRE_HAS_AVX2
    if (simd_level() >= Simd::avx2) return to_levels_wide(gradient, hessian, first, last, steps, pairs);
#endif
    to_levels_narrow(gradient, hessian, first, last, steps, pairs);
  });
  return {{}, pairs, {1.0 / g_scale, 1.0 / h_scale, h_levels}};
}

}  // namespace venire
