// Where a column is cut: from its distinct values and their weights, or from its sorted keys, to bins (the rules are in binning.hpp).
//
// Cost: a pass or two over the distinct values; for sorted keys, two passes for mean and deviation and a search a bin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "binning.hpp"

namespace venire {

// The distinct values of a column in ascending order, with the weight of each.
struct Distinct {
  std::vector<double> values;
  std::vector<std::int64_t> weights;

  void reserve(std::size_t count) {
    values.reserve(count);
    weights.reserve(count);
  }

  void add(double value, std::int64_t weight) {
    if (!values.empty() && values.back() == value) {
      weights.back() += weight;
    } else {
      values.push_back(value);
      weights.push_back(weight);
    }
  }
};

Column make_column(const Distinct& distinct, bool categorical, int max_bins);

// A cut in [a, b): the midpoint, or a itself where the midpoint does not exist in floating point (infinities).
inline double cut_between(double a, double b) {
  const double middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

// Mean and deviation of the finite values, in two passes: a division a value would cost more than sorting. `each(use)` calls
// `use(value, weight)` for every distinct value in ascending order.
template <class Each>
void measure(Column& column, const Each& each) {
  double total = 0, sum = 0, squares = 0;
  each([&](double value, double weight) {
    if (!std::isfinite(value)) return;
    total += weight;
    sum += weight * value;
  });
  const double mean = total > 0 ? sum / total : 0.0;
  each([&](double value, double weight) {
    const double delta = value - mean;
    if (std::isfinite(value)) squares += weight * delta * delta;
  });
  column.mean = std::isfinite(mean) ? mean : 0.0;
  const double deviation = total > 0 ? std::sqrt(squares / total) : 0.0;
  column.deviation = deviation > 0 && std::isfinite(deviation) ? deviation : 1.0;
}

// A numeric column of more values than bins in which all rows count once, from their sorted keys alone: a few hundred of them are
// looked at, and where a bin may end is found where equal keys end. `number(key)` is the value.
template <class Keys, class Number>
Column sorted_column(const Keys& keys, std::size_t max_bins, const Number& number) {
  Column column;
  const std::size_t count = keys.size();
  measure(column, [&](const auto& use) {
    for (std::size_t i = 0, end; i < count; i = end) {
      for (end = i + 1; end < count && keys[end] == keys[i];) ++end;
      use(number(keys[i]), static_cast<double>(end - i));
    }
  });
  const auto close = [&](std::size_t start, std::size_t end) {
    const double low = number(keys[start]), high = number(keys[end - 1]);
    column.centers.push_back(low == high ? high : low / 2 + high / 2);
    if (end < count) column.edges.push_back(cut_between(high, number(keys[end])));
  };
  std::size_t start = 0;
  while (column.centers.size() + 1 < max_bins && start < count) {
    const double share = static_cast<double>(count - start) / static_cast<double>(max_bins - column.centers.size());
    const double target = static_cast<double>(start) + share;
    const auto reached = keys.begin() + static_cast<std::ptrdiff_t>(std::ceil(target)) - 1;  // this row's value reaches the target
    const auto first = std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(start), reached, *reached);
    const auto beyond = std::upper_bound(reached, keys.end(), *reached);
    const auto before = static_cast<std::size_t>(first - keys.begin());
    auto end = static_cast<std::size_t>(beyond - keys.begin());
    if (before > start && static_cast<double>(end) - target > target - static_cast<double>(before)) end = before;
    if (end == count) break;
    close(start, end);
    start = end;
  }
  close(start, count);
  return column;
}

}  // namespace venire
