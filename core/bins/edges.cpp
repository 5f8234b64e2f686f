#include "bins/edges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace venire {

// Index of the last distinct value of every bin. Greedy: each bin aims at an equal share of what is left, and closes
// before or after the value that reaches it, whichever is nearer.
std::vector<std::size_t> bin_ends(const std::vector<std::int64_t>& weights, std::size_t max_bins) {
  const std::size_t count = weights.size();
  std::vector<std::size_t> ends;
  if (count <= max_bins) {
    ends.resize(count);
    std::iota(ends.begin(), ends.end(), std::size_t{0});
    return ends;
  }
  std::vector<double> up_to(count + 1, 0.0);  // whole numbers: exact up to 2^53
  for (std::size_t i = 0; i < count; ++i) up_to[i + 1] = up_to[i] + static_cast<double>(weights[i]);
  std::size_t start = 0;
  while (ends.size() + 1 < max_bins && start < count) {
    const double share = (up_to[count] - up_to[start]) / static_cast<double>(max_bins - ends.size());
    const double target = up_to[start] + share;
    const auto reached = std::lower_bound(up_to.begin() + static_cast<std::ptrdiff_t>(start) + 1, up_to.end(), target);
    auto end = static_cast<std::size_t>(reached - up_to.begin());  // one beyond the value that reaches the target
    if (end > start + 1 && up_to[end] - target > target - up_to[end - 1]) --end;
    if (end >= count) break;
    ends.push_back(end - 1);
    start = end;
  }
  ends.push_back(count - 1);
  return ends;
}

namespace {

// A cut in [a, b): the midpoint, or a itself where the midpoint does not exist in floating point (infinities).
double cut_between(double a, double b) {
  const double middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

// Mean and deviation of the finite values, in two passes: a division a value would cost more than sorting.
// `each(use)` calls use(value, weight) for the distinct values in ascending order.
template <class Each>
void measure(Column& column, Each each) {
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

Column numeric_column(const Distinct& distinct, int max_bins) {
  Column column;
  measure(column, [&](auto use) {
    for (std::size_t i = 0; i < distinct.values.size(); ++i)
      use(distinct.values[i], static_cast<double>(distinct.weights[i]));
  });
  if (distinct.values.empty()) return column;
  const auto& values = distinct.values;
  std::size_t first = 0;
  for (std::size_t end : bin_ends(distinct.weights, static_cast<std::size_t>(max_bins))) {
    column.centers.push_back(values[first] == values[end] ? values[end] : values[first] / 2 + values[end] / 2);
    if (end + 1 < values.size()) column.edges.push_back(cut_between(values[end], values[end + 1]));
    first = end + 1;
  }
  return column;
}

Column categorical_column(const Distinct& distinct) {
  Column column;
  column.categorical = true;
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < distinct.values.size(); ++i) {
    if (distinct.values[i] >= 0 && distinct.weights[i] > 0) known.push_back(i);
  }
  if (known.empty()) return column;
  column.bin_of.assign(static_cast<std::size_t>(distinct.values[known.back()]) + 1, kMissing);
  const auto code_at = [&](std::size_t i) { return static_cast<std::size_t>(distinct.values[i]); };
  std::size_t own = known.size();
  if (own > static_cast<std::size_t>(kMaxCategoryBins)) {
    own = kMaxCategoryBins - 1;
    std::stable_sort(known.begin(), known.end(),
                     [&](std::size_t a, std::size_t b) { return distinct.weights[a] > distinct.weights[b]; });
    for (std::size_t k = own; k < known.size(); ++k) column.bin_of[code_at(known[k])] = static_cast<Code>(own);
    known.resize(own);
    std::sort(known.begin(), known.end());
  }
  for (std::size_t k = 0; k < own; ++k) column.bin_of[code_at(known[k])] = static_cast<Code>(k);
  return column;
}

}  // namespace

Column make_column(const Distinct& distinct, bool categorical, int max_bins) {
  return categorical ? categorical_column(distinct) : numeric_column(distinct, max_bins);
}

namespace {

// Of sorted keys, more of them different than there may be bins.
template <class T>
Column sorted_column(const std::vector<KeyOf<T>>& keys, int max_bins) {
  Column column;
  measure(column, [&](auto use) {
    for (std::size_t i = 0, end = 0; i < keys.size(); i = end) {
      while (end < keys.size() && keys[end] == keys[i]) ++end;
      use(number_of<T>(keys[i]), static_cast<double>(end - i));
    }
  });
  const auto close = [&](std::size_t first, std::size_t end) {  // a bin of the rows [first, end)
    const double low = number_of<T>(keys[first]), high = number_of<T>(keys[end - 1]);
    column.centers.push_back(low == high ? high : low / 2 + high / 2);
    if (end < keys.size()) column.edges.push_back(cut_between(high, number_of<T>(keys[end])));
  };
  // As bin_ends does it: a weight up to a value is here a place in `keys`.
  const auto most = static_cast<std::size_t>(max_bins);
  std::size_t first = 0;
  while (column.centers.size() + 1 < most && first < keys.size()) {
    const double share = static_cast<double>(keys.size() - first) / static_cast<double>(most - column.centers.size());
    const double target = static_cast<double>(first) + share;
    const auto reaching = keys.begin() + static_cast<std::ptrdiff_t>(std::ceil(target)) - 1;
    const auto run = std::equal_range(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.end(), *reaching);
    const auto before = static_cast<std::size_t>(run.first - keys.begin());
    auto end = static_cast<std::size_t>(run.second - keys.begin());
    if (before > first && static_cast<double>(end) - target > target - static_cast<double>(before)) end = before;
    if (end >= keys.size()) break;
    close(first, end);
    first = end;
  }
  close(first, keys.size());
  return column;
}

}  // namespace

template <class T>
Column column_of_keys(std::vector<KeyOf<T>>& keys, std::vector<KeyOf<T>>& spare, bool categorical, int max_bins) {
  using Key = KeyOf<T>;
  Distinct distinct;
  FewKeys<Key> few;
  if (std::all_of(keys.begin(), keys.end(), [&](Key key) { return few.add(key, 1); })) {
    add_few<T>(few, distinct);
    return make_column(distinct, categorical, max_bins);
  }
  sort_keys(keys, spare);
  if (!categorical) return sorted_column<T>(keys, max_bins);
  for (const Key key : keys) distinct.add(number_of<T>(key), 1);
  return make_column(distinct, true, max_bins);
}

template Column column_of_keys<float>(std::vector<std::uint32_t>&, std::vector<std::uint32_t>&, bool, int);
template Column column_of_keys<double>(std::vector<std::uint64_t>&, std::vector<std::uint64_t>&, bool, int);
template Column column_of_keys<std::int32_t>(std::vector<std::uint32_t>&, std::vector<std::uint32_t>&, bool, int);
template Column column_of_keys<std::int64_t>(std::vector<std::uint64_t>&, std::vector<std::uint64_t>&, bool, int);
template Column column_of_keys<std::uint8_t>(std::vector<std::uint32_t>&, std::vector<std::uint32_t>&, bool, int);

}  // namespace venire
