// The groups of split.hpp for absolute deviations: a set of rows costs Σ w·|y − median|, here in units of the moments.
//
// Medians are not functions of sums, so a sweep inserts rows into a Fenwick tree over the ranks of their targets
// (weight and weighted target per rank) and reads median and cost off it after every group; a second sweep from the
// right gives the other side. Cost per row and feature: two insertions of log2(rows) steps; much more than a
// histogram, and exact.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "splits/candidate.hpp"
#include "splits/sparse_columns.hpp"
#include "splits/target.hpp"

namespace venire {

class Deviations {
 public:
  Deviations(int, const SplitRules& rules) : rules_(rules), start_(kCodes + 1, 0) {}

  void begin(const ValueItem* items, std::size_t count) {
    items_ = items;
    count_ = count;
    by_y_.resize(count);
    std::iota(by_y_.begin(), by_y_.end(), 0u);
    std::stable_sort(by_y_.begin(), by_y_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return items[a].y < items[b].y; });
    rank_.resize(count);
    for (std::size_t r = 0; r < count; ++r) rank_[by_y_[r]] = static_cast<std::uint32_t>(r);
    std::int64_t total = 0, seen = 0;
    for (std::size_t i = 0; i < count; ++i) total += items[i].weight;
    weight_ = static_cast<double>(total);
    std::size_t middle = 0;
    while (2 * (seen + items[by_y_[middle]].weight) < total) seen += items[by_y_[middle++]].weight;
    seen += items[by_y_[middle]].weight;
    median_ = items[by_y_[middle]].y;
    // Exactly half below: the middle of the two neighbours.
    if (2 * seen == total && middle + 1 < count) median_ = median_ / 2 + items[by_y_[middle + 1]].y / 2;
    reset();
    for (std::size_t i = 0; i < count; ++i) insert(static_cast<std::uint32_t>(i));
    cost_ = items[by_y_.front()].y == items[by_y_.back()].y ? 0.0 : cost_so_far();
  }

  double total_weight() const { return weight_; }
  double median() const { return median_; }
  double cost() const { return cost_; }

  std::size_t load(const Code* codes) {
    return load_by([&](std::size_t i) { return codes[items_[i].row]; });
  }

  std::size_t load(const SparseColumn* column) {
    codes_.assign(count_, column->usual);
    for (std::size_t i = 0; i < column->count; ++i) codes_[column->cells[i].at] = column->cells[i].code;
    return load_by([&](std::size_t i) { return codes_[i]; });
  }

  template <class CodeOf>
  std::size_t load_by(const CodeOf& code_of) {
    std::fill(start_.begin(), start_.end(), 0u);
    for (std::size_t i = 0; i < count_; ++i) ++start_[code_of(i) + 1];
    present_.clear();
    for (int code = 0; code < kCodes; ++code) {
      if (start_[code + 1] > 0) present_.push_back(static_cast<Code>(code));
      start_[code + 1] += start_[code];
    }
    grouped_.resize(count_);
    std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < count_; ++i) grouped_[next[code_of(i)]++] = static_cast<std::uint32_t>(i);
    return present_.size();
  }
  const std::vector<Code>& present() const { return present_; }
  void clear() {}

  double weight(Code code) const {
    double weight = 0;
    for (std::uint32_t g = start_[code]; g < start_[code + 1]; ++g)
      weight += static_cast<double>(items_[grouped_[g]].weight);
    return weight;
  }
  int orders() const { return 1; }
  double mean(Code code, int) const {
    double sum = 0;
    for (std::uint32_t g = start_[code]; g < start_[code + 1]; ++g) {
      sum += static_cast<double>(items_[grouped_[g]].moment);
    }
    return sum / weight(code);
  }

  void sweep(const Code* list, std::size_t count, double* gain, double* left_weight) {
    std::fill(gain, gain + count, cost_);
    std::uint32_t rows = 0;
    reset();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      insert_group(list[i]);
      rows += start_[list[i] + 1] - start_[list[i]];
      left_weight[i] = static_cast<double>(total_);
      const bool small = rows < rules_.min_rows || count_ - rows < rules_.min_rows;
      const bool light = left_weight[i] < rules_.min_weight || weight_ - left_weight[i] < rules_.min_weight;
      gain[i] = small || light ? kNever : gain[i] - cost_so_far();
    }
    reset();
    for (std::size_t i = count - 1; i > 0; --i) {
      insert_group(list[i]);
      if (gain[i - 1] != kNever) gain[i - 1] -= cost_so_far();
    }
  }

  double whole_gain(const Code* list, std::size_t count) {
    double gain = cost_;
    for (std::size_t i = 0; i < count; ++i) {
      if (start_[list[i] + 1] - start_[list[i]] < rules_.min_rows || weight(list[i]) < rules_.min_weight) return kNever;
      reset();
      insert_group(list[i]);
      gain -= cost_so_far();
    }
    return gain;
  }

 private:
  struct Cell {
    std::int64_t weight = 0, moment = 0;
  };

  void reset() {
    tree_.assign(count_ + 1, Cell{});
    total_ = 0;
    moment_ = 0;
  }

  void insert(std::uint32_t which) {
    const ValueItem& item = items_[which];
    total_ += item.weight;
    moment_ += item.moment;
    for (std::size_t at = rank_[which] + 1; at < tree_.size(); at += at & (~at + 1)) {
      tree_[at].weight += item.weight;
      tree_[at].moment += item.moment;
    }
  }

  void insert_group(Code code) {
    for (std::uint32_t g = start_[code]; g < start_[code + 1]; ++g) insert(grouped_[g]);
  }

  // Walks down the tree to the first rank at which half of the weight is reached.
  double cost_so_far() const {
    std::size_t at = 0;
    std::int64_t below = 0, moment_below = 0;
    for (std::size_t step = std::bit_floor(count_); step > 0; step /= 2) {
      if (at + step < tree_.size() && 2 * (below + tree_[at + step].weight) < total_) {
        at += step;
        below += tree_[at].weight;
        moment_below += tree_[at].moment;
      }
    }
    const ValueItem& half = items_[by_y_[at]];
    const double middle = static_cast<double>(half.moment) / static_cast<double>(half.weight);
    return middle * static_cast<double>(2 * below - total_) + static_cast<double>(moment_ - 2 * moment_below);
  }

  const SplitRules rules_;
  const ValueItem* items_ = nullptr;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> by_y_, rank_, start_, grouped_;
  std::vector<Code> present_, codes_;
  std::vector<Cell> tree_;
  std::int64_t total_ = 0, moment_ = 0;
  double weight_ = 0, median_ = 0, cost_ = 0;
};

}  // namespace venire
