#include "gradients/pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "gradients/row_loops.hpp"

namespace venire {
namespace {

VENIRE_INLINE void to_pairs(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                            double g_scale, double h_scale, Pair* out) {
  constexpr double kRound = 6755399441055744.0;  // leaves the nearest whole number in the low bits
  for (std::size_t i = first; i < last; ++i) {
    const auto g = std::bit_cast<std::uint64_t>(static_cast<double>(gradient[i]) * g_scale + kRound);
    const auto h = std::bit_cast<std::uint64_t>(static_cast<double>(hessian[i]) * h_scale + kRound);
    out[i] = (g << 32) | (h & 0xFFFFFFFFu);
  }
}

void to_pairs_narrow(const float* gradient, const float* hessian, std::size_t first, std::size_t last, double g_scale,
                     double h_scale, Pair* out) {
  to_pairs(gradient, hessian, first, last, g_scale, h_scale, out);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void to_pairs_wide(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                               double g_scale, double h_scale, Pair* out) {
  to_pairs(gradient, hessian, first, last, g_scale, h_scale, out);
}
#endif

// Chance bits, from a row's place among those of the round and its gradient: neither the other rows nor the number of
// threads have a part in them. The multipliers are Wellons' (lowbias32).
VENIRE_INLINE std::uint32_t mixed(std::uint32_t place, float said) {
  std::uint32_t x = place ^ std::bit_cast<std::uint32_t>(said);
  x = (x ^ (x >> 16)) * 0x7FEB352Du + place;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

// The same for many rows, whose units are coarse: rounded up or down at random, so that no leaf is off by what all of
// its rows lost alike. A row keeps its numbers on average; whole ones stay as they are.
template <class RowAt>
VENIRE_INLINE void to_pairs_at_random(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                                      const RowAt& row_at, double g_scale, double h_scale, Pair* out) {
  constexpr double kRound = 6755399441055744.0, kShare = 0x1p-16;
  for (std::size_t p = first; p < last; ++p) {
    const std::size_t i = row_at(p);
    const std::uint32_t chance = mixed(static_cast<std::uint32_t>(p), gradient[i]);
    const double g_off = (static_cast<double>(static_cast<std::int32_t>(chance >> 16)) - 32767.5) * kShare;
    const double h_off = (static_cast<double>(static_cast<std::int32_t>(chance & 0xFFFFu)) - 32767.5) * kShare;
    const auto g = std::bit_cast<std::uint64_t>((static_cast<double>(gradient[i]) * g_scale + g_off) + kRound);
    const auto h = std::bit_cast<std::uint64_t>((static_cast<double>(hessian[i]) * h_scale + h_off) + kRound);
    out[i] = (g << 32) | (h & 0xFFFFFFFFu);
  }
}

void all_at_random_narrow(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                          double g_scale, double h_scale, Pair* out) {
  const auto itself = [](std::size_t p) { return p; };
  to_pairs_at_random(gradient, hessian, first, last, itself, g_scale, h_scale, out);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void all_at_random_wide(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                                    double g_scale, double h_scale, Pair* out) {
  const auto itself = [](std::size_t p) { return p; };
  to_pairs_at_random(gradient, hessian, first, last, itself, g_scale, h_scale, out);
}
#endif

struct Sums {
  double gradient = 0, hessian = 0, most = 0;  // `most` is the largest hessian
};

// Eight sums side by side, because each addition waits for the one before it.
template <class RowAt>
VENIRE_INLINE Sums sum_block(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                             const RowAt& row_at) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> g{}, h{};
  std::array<float, kLanes> most{};
  const auto add = [&](std::size_t i, std::size_t lane) {
    const float one = hessian[row_at(i)];
    g[lane] += static_cast<double>(std::abs(gradient[row_at(i)]));
    h[lane] += static_cast<double>(one);
    most[lane] = one > most[lane] ? one : most[lane];
  };
  std::size_t i = first;
  for (; i + kLanes <= last; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
  }
  for (; i < last; ++i) add(i, 0);
  Sums sums;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.gradient += g[lane];
    sums.hessian += h[lane];
    sums.most = std::max(sums.most, static_cast<double>(most[lane]));
  }
  return sums;
}

// Absolute sums over the rows of a round, block by block in order: the same for any number of threads.
Sums absolute_sums(const float* gradient, const float* hessian, const std::vector<Row>& rows, std::size_t count,
                   Pool& pool) {
  std::vector<Sums> parts((rows.size() + kBlock - 1) / kBlock);
  over_blocks(rows.size(), pool, [&](std::size_t first, std::size_t last) {
    parts[first / kBlock] =
        rows.size() == count
            ? sum_block(gradient, hessian, first, last, [](std::size_t i) { return i; })
            : sum_block(gradient, hessian, first, last, [&](std::size_t i) { return std::size_t{rows[i]}; });
  });
  Sums total;
  for (const Sums& one : parts) {
    total.gradient += one.gradient;
    total.hessian += one.hessian;
    total.most = std::max(total.most, one.most);
  }
  return total;
}

}  // namespace

Slopes round_slopes(const float* gradient, const float* hessian, const std::vector<Row>& rows, std::size_t count,
                    Pair* pairs, Pool& pool) {
  const Sums sums = absolute_sums(gradient, hessian, rows, count, pool);
  const double g_scale = scale_for(sums.gradient, rows.size()), h_scale = scale_for(sums.hessian, rows.size());
  const bool many = rows.size() > kManyRows, all = rows.size() == count;
  const double most = sums.most * h_scale;
  const Slopes slopes{
      gradient, hessian, pairs, {1 / g_scale, 1 / h_scale, many ? std::ceil(most) : std::nearbyint(most)}};
  over_blocks(count, pool, [&](std::size_t first, std::size_t last) {
#if VENIRE_HAS_AVX2
    if (simd_level() >= Simd::avx2) {
      const auto wide = many && all ? all_at_random_wide : to_pairs_wide;
      return wide(gradient, hessian, first, last, g_scale, h_scale, pairs);
    }
#endif
    const auto narrow = many && all ? all_at_random_narrow : to_pairs_narrow;
    narrow(gradient, hessian, first, last, g_scale, h_scale, pairs);
  });
  if (many && !all) {  // places among the rows of the round are those of a table that has no others
    over_blocks(rows.size(), pool, [&](std::size_t first, std::size_t last) {
      const auto row_at = [&](std::size_t p) { return std::size_t{rows[p]}; };
      to_pairs_at_random(gradient, hessian, first, last, row_at, g_scale, h_scale, pairs);
    });
  }
  return slopes;
}

// Whole numbers again, so that the order of the rows does not matter, but 2^31 times finer: the absolute sums stay
// below 2^62.
FineSums fine_sums(const Slopes& slopes, const Row* rows, std::size_t count) {
  constexpr double kFiner = 2147483648.0, kMost = kFiner * kFiner;
  const double g_scale = kFiner / slopes.units.gradient, h_scale = kFiner / slopes.units.hessian;
  std::int64_t g = 0, h = 0;
  for (std::size_t i = 0; i < count; ++i) {
    g += static_cast<std::int64_t>(std::clamp(static_cast<double>(slopes.gradient[rows[i]]) * g_scale, -kMost, kMost));
    h += static_cast<std::int64_t>(std::min(static_cast<double>(slopes.hessian[rows[i]]) * h_scale, kMost));
  }
  return {static_cast<double>(g) / g_scale, static_cast<double>(h) / h_scale};
}

}  // namespace venire
