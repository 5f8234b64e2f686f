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
  over_blocks(count, pool, [&](std::size_t first, std::size_t last) {
#if VENIRE_HAS_AVX2
    if (simd_level() >= Simd::avx2) return to_pairs_wide(gradient, hessian, first, last, g_scale, h_scale, pairs);
#endif
    to_pairs_narrow(gradient, hessian, first, last, g_scale, h_scale, pairs);
  });
  return {gradient, hessian, pairs, {1 / g_scale, 1 / h_scale, std::nearbyint(sums.most * h_scale)}};
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
