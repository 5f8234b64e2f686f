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

// Units of one, and how many rows other parts of the table have before this one.
struct Scales {
  double gradient = 1, hessian = 1;
  std::size_t before = 0;
};

VENIRE_INLINE void to_pairs(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                            const Scales& scales, Pair* out) {
  const double g_scale = scales.gradient, h_scale = scales.hessian;
  constexpr double kRound = 6755399441055744.0;  // leaves the nearest whole number in the low bits
  for (std::size_t i = first; i < last; ++i) {
    const auto g = std::bit_cast<std::uint64_t>(static_cast<double>(gradient[i]) * g_scale + kRound);
    const auto h = std::bit_cast<std::uint64_t>(static_cast<double>(hessian[i]) * h_scale + kRound);
    out[i] = (g << 32) | (h & 0xFFFFFFFFu);
  }
}

void to_pairs_narrow(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                     const Scales& scales, Pair* out) {
  to_pairs(gradient, hessian, first, last, scales, out);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void to_pairs_wide(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                               const Scales& scales, Pair* out) {
  to_pairs(gradient, hessian, first, last, scales, out);
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
                                      const RowAt& row_at, const Scales& scales, Pair* out) {
  const double g_scale = scales.gradient, h_scale = scales.hessian;
  const std::size_t before = scales.before;
  constexpr double kRound = 6755399441055744.0, kShare = 0x1p-16;
  for (std::size_t p = first; p < last; ++p) {
    const std::size_t i = row_at(p);
    const std::uint32_t chance = mixed(static_cast<std::uint32_t>(before + p), gradient[i]);
    const double g_off = (static_cast<double>(static_cast<std::int32_t>(chance >> 16)) - 32767.5) * kShare;
    const double h_off = (static_cast<double>(static_cast<std::int32_t>(chance & 0xFFFFu)) - 32767.5) * kShare;
    const auto g = std::bit_cast<std::uint64_t>((static_cast<double>(gradient[i]) * g_scale + g_off) + kRound);
    const auto h = std::bit_cast<std::uint64_t>((static_cast<double>(hessian[i]) * h_scale + h_off) + kRound);
    out[i] = (g << 32) | (h & 0xFFFFFFFFu);
  }
}

void all_at_random_narrow(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                          const Scales& scales, Pair* out) {
  const auto itself = [](std::size_t p) { return p; };
  to_pairs_at_random(gradient, hessian, first, last, itself, scales, out);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void all_at_random_wide(const float* gradient, const float* hessian, std::size_t first, std::size_t last,
                                    const Scales& scales, Pair* out) {
  const auto itself = [](std::size_t p) { return p; };
  to_pairs_at_random(gradient, hessian, first, last, itself, scales, out);
}
#endif

constexpr double kFiner = 2147483648.0;

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

// The gradients and hessians of a block of rows, from the loss.
struct AskedAgain {
  std::array<float, kBlock> gradient, hessian;

  // Rows that follow each other.
  AskedAgain(const SlopeSource& from, std::size_t first, std::size_t count) {
    LossTarget target = *from.target;
    target.rows = count;
    target.y += first;
    if (target.weights != nullptr) target.weights += first;
    gradients_of_rows(target, from.scores + first, count, gradient.data(), hessian.data());
  }

  // Rows of a list.
  AskedAgain(const SlopeSource& from, const Row* rows, std::size_t count) {
    std::array<double, kBlock> y, weights, scores;
    LossTarget target = *from.target;
    for (std::size_t i = 0; i < count; ++i) {
      y[i] = target.y[rows[i]];
      scores[i] = from.scores[rows[i]];
      if (target.weights != nullptr) weights[i] = target.weights[rows[i]];
    }
    target.rows = count;
    target.y = y.data();
    if (target.weights != nullptr) target.weights = weights.data();
    gradients_of_rows(target, scores.data(), count, gradient.data(), hessian.data());
  }
};

// Absolute sums over the rows of a round, block by block in order: the same for any number of threads.
Sums absolute_sums(const SlopeSource& from, const RowSet& rows, std::size_t count, Pool& pool) {
  std::vector<Sums> parts((rows.size() + kBlock - 1) / kBlock);
  over_blocks(rows.size(), pool, [&](std::size_t first, std::size_t last) {
    const auto itself = [](std::size_t i) { return i; };
    if (from.target != nullptr) {
      const AskedAgain asked(from, first, last - first);
      parts[first / kBlock] = sum_block(asked.gradient.data(), asked.hessian.data(), 0, last - first, itself);
    } else if (rows.size() == count) {
      parts[first / kBlock] = sum_block(from.gradient, from.hessian, first, last, itself);
    } else {
      const auto listed = [&](std::size_t i) { return std::size_t{rows[i]}; };
      parts[first / kBlock] = sum_block(from.gradient, from.hessian, first, last, listed);
    }
  });
  Sums total;
  for (const Sums& one : parts) {
    total.gradient += one.gradient;
    total.hessian += one.hessian;
    total.most = std::max(total.most, one.most);
  }
  return total;
}

// The same over all parts of a table. Blocks are those of the whole: one that lies in this part is summed here; of one
// that several parts share, each tells its gradients and hessians, and all sum them in the order of the rows.
Sums sums_of_parts(const float* gradient, const float* hessian, const RowSet& listed, std::size_t here,
                   const Parts& parts, Pool& pool) {
  const bool all = listed.size() == here;
  const auto row_at = [&](std::size_t place) { return all ? place : std::size_t{listed[place]}; };
  const std::size_t rows = parts.first().back(), blocks = (rows + kBlock - 1) / kBlock;
  std::vector<std::size_t> shared;
  for (const std::size_t first : parts.first()) {
    if (first % kBlock != 0 && first < rows && (shared.empty() || shared.back() != first / kBlock))
      shared.push_back(first / kBlock);
  }
  std::vector<std::uint64_t> told(3 * blocks + shared.size() * kBlock, 0);
  const std::size_t begin = parts.begin(), end = parts.end();
  const auto last_of = [&](std::size_t block) { return std::min(rows, (block + 1) * kBlock); };
  const std::size_t whole_from = (begin + kBlock - 1) / kBlock, whole_to = end == rows ? blocks : end / kBlock;
  const auto tell = [&](std::size_t block, const Sums& sums) {
    told[3 * block] = std::bit_cast<std::uint64_t>(sums.gradient);
    told[3 * block + 1] = std::bit_cast<std::uint64_t>(sums.hessian);
    told[3 * block + 2] = std::bit_cast<std::uint64_t>(sums.most);
  };
  pool.run(whole_to > whole_from ? whole_to - whole_from : 0, [&](std::size_t task, std::size_t) {
    const std::size_t block = whole_from + task;
    const std::size_t first = block * kBlock - begin, last = last_of(block) - begin;
    tell(block, all ? sum_block(gradient, hessian, first, last, [](std::size_t i) { return i; })
                    : sum_block(gradient, hessian, first, last, row_at));
  });
  for (std::size_t k = 0; k < shared.size(); ++k) {
    const std::size_t from = std::max(begin, shared[k] * kBlock), to = std::min(end, last_of(shared[k]));
    for (std::size_t place = from; place < to; ++place) {
      const std::size_t row = row_at(place - begin);
      told[3 * blocks + k * kBlock + place % kBlock] =
          std::uint64_t{std::bit_cast<std::uint32_t>(gradient[row])} << 32 | std::bit_cast<std::uint32_t>(hessian[row]);
    }
  }
  parts.add(told.data(), told.size());
  for (std::size_t k = 0; k < shared.size(); ++k) {
    const std::size_t count = last_of(shared[k]) - shared[k] * kBlock;
    std::vector<float> g(count), h(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t both = told[3 * blocks + k * kBlock + i];
      g[i] = std::bit_cast<float>(static_cast<std::uint32_t>(both >> 32));
      h[i] = std::bit_cast<float>(static_cast<std::uint32_t>(both));
    }
    tell(shared[k], sum_block(g.data(), h.data(), 0, count, [](std::size_t i) { return i; }));
  }
  Sums total;
  for (std::size_t block = 0; block < blocks; ++block) {
    total.gradient += std::bit_cast<double>(told[3 * block]);
    total.hessian += std::bit_cast<double>(told[3 * block + 1]);
    total.most = std::max(total.most, std::bit_cast<double>(told[3 * block + 2]));
  }
  return total;
}

}  // namespace

namespace {

// The pairs of a block of all rows, of which the first is row `first` of the table.
void pairs_of_block(const float* gradient, const float* hessian, std::size_t first, std::size_t count, bool many,
                    Scales scales, Pair* pairs) {
  scales.before += first;
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) {
    const auto wide = many ? all_at_random_wide : to_pairs_wide;
    return wide(gradient, hessian, 0, count, scales, pairs);
  }
#endif
  const auto narrow = many ? all_at_random_narrow : to_pairs_narrow;
  narrow(gradient, hessian, 0, count, scales, pairs);
}

}  // namespace

Slopes round_slopes(const SlopeSource& from, const RowSet& rows, std::size_t count, Pair* pairs, Pool& pool,
                    const Parts& parts) {
  const Sums sums = parts.alone() ? absolute_sums(from, rows, count, pool)
                                  : sums_of_parts(from.gradient, from.hessian, rows, count, parts, pool);
  const std::size_t total = parts.rows(rows.size());
  const Scales scales{scale_for(sums.gradient, total), scale_for(sums.hessian, total),
                      parts.alone() ? 0 : parts.begin()};
  const bool many = total > kManyRows, all = rows.size() == count;
  const double most = sums.most * scales.hessian;
  const Slopes slopes{
      from, pairs, {1 / scales.gradient, 1 / scales.hessian, many ? std::ceil(most) : std::nearbyint(most)}};
  over_blocks(count, pool, [&](std::size_t first, std::size_t last) {
    const std::size_t size = last - first;
    if (from.target != nullptr) {
      const AskedAgain asked(from, first, size);
      pairs_of_block(asked.gradient.data(), asked.hessian.data(), first, size, many, scales, pairs + first);
    } else {
      pairs_of_block(from.gradient + first, from.hessian + first, first, size, many && all, scales, pairs + first);
    }
  });
  if (many && !all) {  // places among the rows of the round are those of a table that has no others
    over_blocks(rows.size(), pool, [&](std::size_t first, std::size_t last) {
      const auto row_at = [&](std::size_t p) { return std::size_t{rows[p]}; };
      to_pairs_at_random(from.gradient, from.hessian, first, last, row_at, scales, pairs);
    });
  }
  return slopes;
}

// Whole numbers again, so that the order of the rows does not matter, but 2^31 times finer: the absolute sums stay
// below 2^62.
FineUnits fine_units(const Slopes& slopes, const Row* rows, std::size_t count) {
  constexpr double kMost = kFiner * kFiner;
  const double g_scale = kFiner / slopes.units.gradient, h_scale = kFiner / slopes.units.hessian;
  FineUnits sums;
  const auto add = [&](float gradient, float hessian) {
    sums.gradient += static_cast<std::int64_t>(std::clamp(static_cast<double>(gradient) * g_scale, -kMost, kMost));
    sums.hessian += static_cast<std::int64_t>(std::min(static_cast<double>(hessian) * h_scale, kMost));
  };
  const SlopeSource& from = slopes.from;
  if (from.target == nullptr) {
    for (std::size_t i = 0; i < count; ++i) add(from.gradient[rows[i]], from.hessian[rows[i]]);
    return sums;
  }
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t some = std::min(kBlock, count - at);
    const AskedAgain asked(from, rows + at, some);
    for (std::size_t i = 0; i < some; ++i) add(asked.gradient[i], asked.hessian[i]);
  }
  return sums;
}

FineSums fine_sums(const Slopes& slopes, const FineUnits& units) {
  const double g_scale = kFiner / slopes.units.gradient, h_scale = kFiner / slopes.units.hessian;
  return {static_cast<double>(units.gradient) / g_scale, static_cast<double>(units.hessian) / h_scale};
}

}  // namespace venire
