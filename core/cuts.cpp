#include "cuts.hpp"

#include <numeric>

namespace venire {
namespace {

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

Column numeric_column(const Distinct& distinct, int max_bins) {
  Column column;
  measure(column, [&](const auto& use) {
    for (std::size_t i = 0; i < distinct.values.size(); ++i) use(distinct.values[i], static_cast<double>(distinct.weights[i]));
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

}  // namespace venire
