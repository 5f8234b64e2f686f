// Which rows a tree sees, and how often: bootstrap samples of any size, subsamples, and bootstraps balanced by class.
//
// A sample is drawn from the rows of positive weight, so a row of weight 0 is the same as no row. Cost: about 3 ns a
// draw.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"

namespace venire {

enum class Sampling { all, bootstrap, without_replacement, balanced };

// Places are counted among the rows of positive weight.
struct SamplePlan {
  Sampling sampling = Sampling::all;
  std::uint32_t draws = 0;                         // in all; for `balanced`, per class
  std::uint32_t count = 0;                         // places
  std::vector<Row> rows;                           // the row at each place, ascending; empty when the two are the same
  std::vector<std::vector<std::uint32_t>> strata;  // balanced: places by class; empty classes left out

  Row row(std::uint32_t place) const { return rows.empty() ? place : rows[place]; }
};

// How often each place is drawn.
struct Sample {
  const SamplePlan* plan = nullptr;
  std::vector<std::uint32_t> drawn;  // empty: once each

  std::uint32_t size() const { return plan->count; }
  Row row(std::uint32_t place) const { return plan->row(place); }
  std::uint32_t copies(std::uint32_t place) const { return drawn.empty() ? 1 : drawn[place]; }
};

// The most copies of one row that sums must have room for, when the smallest stratum has this many rows; more has no
// practical chance.
inline double most_copies(Sampling sampling, std::uint32_t draws, std::size_t smallest) {
  if (sampling == Sampling::all || sampling == Sampling::without_replacement || smallest == 0) return 1;
  return 64.0 * std::max(1.0, std::ceil(static_cast<double>(draws) / static_cast<double>(smallest)));
}

// The sample of this key. The plan must outlive it.
inline Sample draw_sample(const SamplePlan& plan, std::uint64_t key) {
  if (plan.sampling == Sampling::all) return {&plan, {}};
  Random random(key);
  const std::uint32_t count = plan.count;
  std::vector<std::uint32_t> copies(count, 0);
  switch (plan.sampling) {
    case Sampling::all: break;
    case Sampling::bootstrap:
      for (std::uint32_t i = 0; i < plan.draws; ++i) ++copies[random.below(count)];
      break;
    case Sampling::balanced:
      for (const auto& stratum : plan.strata) {
        const auto size = static_cast<std::uint32_t>(stratum.size());
        for (std::uint32_t i = 0; i < plan.draws; ++i) ++copies[stratum[random.below(size)]];
      }
      break;
    case Sampling::without_replacement: {
      std::vector<std::uint32_t> order(count);
      std::iota(order.begin(), order.end(), 0u);
      for (std::uint32_t i = 0; i < std::min(plan.draws, count); ++i) {
        std::swap(order[i], order[i + random.below(count - i)]);
        copies[order[i]] = 1;
      }
      break;
    }
  }
  return {&plan, std::move(copies)};
}

}  // namespace venire
