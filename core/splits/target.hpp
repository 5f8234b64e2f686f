// What is to be predicted, in whole numbers.
//
// A node's rows are an array of items: the row's number and what the sums need of it, so that growing reads items in
// sequence and gathers nothing but codes. Weights become multiples of 2^-s with s as large as the total allows (weights
// that are whole numbers stay themselves), and so do weighted targets: sums are then exact, hence equal in any order,
// on any number of threads, and for "weight 3" as for "three copies". With n rows a weight keeps about 61 − log2(n)
// bits.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace venire {

struct FixedPoint {
  std::vector<std::int64_t> units;
  double unit = 1;         // what one unit is worth
  std::int64_t total = 0;  // of absolute values

  bool empty() const { return units.empty(); }
};

// `values` in fixed point. Whole numbers are kept as they are when their sum has room. `copies` is the most often that
// a bootstrap may repeat a row: the sums keep room for it.
FixedPoint fixed_point(const double* values, std::size_t count, double copies);

// The same of some of many values, whose sizes add up to `total`; `whole`: all of them are whole numbers.
FixedPoint fixed_point(const double* values, std::size_t count, double copies, double total, bool whole);

// Weighted targets w·(y − center) in fixed point. With whole weights, w times the rounded y − center, so that a weight
// of 3 is exactly three copies. `weights` may be null, `units` empty.
FixedPoint fixed_moments(const double* y, double center, const double* weights, const FixedPoint& units,
                         std::size_t count, double copies);

// The same for `targets` numbers a row, all in one unit: [row, target].
FixedPoint fixed_moments(const double* y, const std::vector<double>& centers, const double* weights,
                         const FixedPoint& units, std::size_t count, double copies);

// A row of a table with classes and small whole weights: eight bytes.
struct CountItem {
  using Sum = NarrowSum;
  static constexpr std::int64_t kMaxWeight = 65535;
  Row row;
  std::uint16_t label;
  std::uint16_t weight;

  void add_to(Sum* bin) const { bin[label] += weight; }
};

// A row of a table with classes and any weights.
struct WeightItem {
  using Sum = WideSum;
  Row row;
  std::uint32_t label;
  std::int64_t weight;

  void add_to(Sum* bin) const { bin[label] += weight; }
};

// A row of a table with a number to predict. A bin holds the sum of weights and the sum of weighted, centred targets.
struct ValueItem {
  using Sum = WideSum;
  Row row;
  std::int64_t weight;
  std::int64_t moment;
  double y;

  void add_to(Sum* bin) const {
    bin[0] += weight;
    bin[1] += moment;
  }
};

// A row of a table with several targets. A bin holds the sum of weights, and one of moments for each target.
struct SeveralItem {
  using Sum = WideSum;
  Row row;
  std::uint32_t copies, targets;
  std::int64_t weight;
  const std::int64_t* moments;  // of a single copy
  const double* y;              // rows are renumbered where codes are copied, so the item knows its own

  void add_to(Sum* bin) const {
    bin[0] += weight;
    for (std::uint32_t k = 0; k < targets; ++k) bin[k + 1] += moments[k] * copies;
  }
};

}  // namespace venire
