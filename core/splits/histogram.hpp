// Histograms: the sums of a node's rows by code.
//
// Filling adds each row to the sums of its code. Deep trees have mostly small nodes, where clearing and scanning 256
// bins would cost more than the rows: so a small node marks the codes it meets in a 256-bit set, and everything
// afterwards runs over the marked codes alone, in ascending order. Cost per row and feature: one gather of a byte and
// one addition in the first-level cache (about 1.5 ns); what the sums are worth is the business of gains.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "splits/candidate.hpp"
#include "splits/gains.hpp"
#include "splits/sparse_columns.hpp"
#include "splits/target.hpp"

namespace venire {

// The groups of split.hpp as sums. `Channels` is the number of sums a code has if known at compile time, else 0.
template <class Item, class Impurity, int Channels = 0>
class Histogram {
 public:
  using Sum = typename Item::Sum;
  static constexpr int kChannels = Channels;

  Histogram(int channels, const SplitRules& rules)
      : rules_(rules), gains_(channels), sums_(static_cast<std::size_t>(kCodes * channels), 0), rows_(kCodes, 0) {}

  // The node at hand: its totals, and the order in which its classes weigh.
  void begin(const Item* items, std::size_t count) {
    items_ = items;
    items_count_ = count;
    gains_.begin([&](Sum* whole) {
      for (std::size_t i = 0; i < count; ++i) items[i].add_to(whole);
    });
    ranked_ = false;
  }

  // The same for a node whose sums are there already; `sums` are those of any column. Its rows weigh 1 each.
  void begin(const Sum* sums, std::size_t count) {
    items_ = nullptr;
    items_count_ = count;
    gains_.begin([&](Sum* whole) {
      for (int i = 0; i < kCodes * channels(); ++i) whole[i % channels()] += sums[i];
    });
    ranked_ = false;
  }

  const std::vector<double>& total() const { return gains_.total(); }
  double total_weight() const { return gains_.total_weight(); }

  std::size_t load(const Code* codes) {
    if (rules_.min_rows > 1) {
      for (std::size_t i = 0; i < items_count_; ++i) ++rows_[codes[items_[i].row]];
    }
    items_count_ < kSmall ? fill_marking(codes) : fill(codes);
    return met_;
  }

  // The sums of a column that were added up elsewhere, of rows that weigh 1 each.
  std::size_t load(const Sum* sums) {
    std::copy_n(sums, sums_.size(), sums_.data());
    find_present();
    if (rules_.min_rows > 1) {
      for (Code code : present()) rows_[code] = static_cast<std::uint32_t>(weight(code));
    }
    return met_;
  }

  // The cells of a column of a sparse table: the usual code has what the others leave of the node.
  std::size_t load(const SparseColumn* column) {
    const int k = channels();
    Marks met{};
    if (rules_.min_rows > 1) rows_[column->usual] = static_cast<std::uint32_t>(items_count_ - column->count);
    for (std::size_t i = 0; i < column->count; ++i) {
      const auto [at, code] = column->cells[i];
      items_[at].add_to(sums_.data() + code * k);
      met[code >> 6] |= std::uint64_t{1} << (code & 63);
      if (rules_.min_rows > 1) ++rows_[code];
    }
    take_marked(met);
    if (column->count == items_count_) return met_;
    Sum* rest = sums_.data() + column->usual * k;
    std::copy(gains_.whole().begin(), gains_.whole().end(), rest);
    for (const Code code : present()) {
      for (int i = 0; i < k; ++i) rest[i] -= sums_[code * k + i];
    }
    met[column->usual >> 6] |= std::uint64_t{1} << (column->usual & 63);
    take_marked(met);
    return met_;
  }

  std::span<const Code> present() const { return {present_.data(), met_}; }

  void clear() {
    const int k = channels();
    for (Code code : present()) std::fill_n(sums_.data() + code * k, k, Sum{0});
    if (rules_.min_rows <= 1) return;
    for (Code code : present()) rows_[code] = 0;
  }

  double weight(Code code) const {
    if constexpr (!Impurity::kClasses) return static_cast<double>(sums_[code * channels()]);
    Sum sum = 0;
    for (int k = 0; k < channels(); ++k) sum += sums_[code * channels() + k];
    return static_cast<double>(sum);
  }

  // Orders for subsets: by mean, by the means of several targets, or by the share of one class.
  int orders() {
    if (!Impurity::kClasses) return std::min(kOrders, channels() - 1);
    if (channels() == 2) return 1;
    rank_classes();
    return std::min<int>(kOrders, static_cast<int>(by_weight_.size()));
  }
  double mean(Code code, int order) {
    const Sum* sums = sums_.data() + code * channels();
    if (!Impurity::kClasses) return static_cast<double>(sums[order + 1]) / weight(code);
    if (channels() == 2) return static_cast<double>(sums[1]) / weight(code);
    rank_classes();
    return static_cast<double>(sums[by_weight_[order]]) / weight(code);
  }

  void sweep(const Code* list, std::size_t count, double* gain, double* left_weight) {
    gains_.sweep(sums_.data(), list, count, gain, left_weight);
    if (rules_.min_rows > 1 || rules_.min_weight > 0) forbid_small(list, count, gain, left_weight);
  }

  double whole_gain(const Code* list, std::size_t count) {
    for (std::size_t i = 0; rules_.min_rows > 1 && i < count; ++i) {
      if (rows_[list[i]] < rules_.min_rows) return kNever;
    }
    return gains_.of_all(sums_.data(), list, count, rules_.min_weight);
  }

 private:
  static constexpr std::size_t kSmall = 256;
  static constexpr int kOrders = 8;

  int channels() const { return gains_.channels(); }

  void forbid_small(const Code* list, std::size_t count, double* gain, const double* left_weight) const {
    std::uint32_t rows = 0;
    const auto all = static_cast<std::uint32_t>(items_count_);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      rows += rows_[list[i]];
      const bool few = rules_.min_rows > 1 && (rows < rules_.min_rows || all - rows < rules_.min_rows);
      if (few || left_weight[i] < rules_.min_weight || total_weight() - left_weight[i] < rules_.min_weight)
        gain[i] = kNever;
    }
  }

  using Marks = std::array<std::uint64_t, kCodes / 64>;

  void fill_marking(const Code* codes) {
    Marks met{};
    const int k = channels();
    for (std::size_t i = 0; i < items_count_; ++i) {
      const Code code = codes[items_[i].row];
      items_[i].add_to(sums_.data() + code * k);
      met[code >> 6] |= std::uint64_t{1} << (code & 63);
    }
    take_marked(met);
  }

  void take_marked(const Marks& met) {
    Code* next = present_.data();
    for (int word = 0; word < kCodes / 64; ++word) {
      for (std::uint64_t bits = met[word]; bits != 0; bits &= bits - 1) {
        *next++ = static_cast<Code>(word * 64 + std::countr_zero(bits));
      }
    }
    met_ = static_cast<std::size_t>(next - present_.data());
  }

  void fill(const Code* codes) {
    const int k = channels();
    Sum* sums = sums_.data();
    for (std::size_t i = 0; i < items_count_; ++i) items_[i].add_to(sums + codes[items_[i].row] * k);
    find_present();
  }

  void find_present() {
    const int k = channels();
    met_ = 0;
    for (int code = 0; code < kCodes; ++code) {
      const Sum* bin = sums_.data() + code * k;
      // Weights are positive: a code without weight has no rows.
      Sum any = bin[0];
      for (int i = 1; Impurity::kClasses && i < k; ++i) any |= bin[i];
      present_[met_] = static_cast<Code>(code);  // kept when the next one is written behind it
      met_ += any != 0 ? 1 : 0;
    }
  }

  void rank_classes() {
    if (ranked_) return;
    by_weight_.clear();
    for (int k = 0; k < channels(); ++k) {
      if (total()[k] > 0) by_weight_.push_back(k);
    }
    std::stable_sort(by_weight_.begin(), by_weight_.end(), [&](int a, int b) { return total()[a] > total()[b]; });
    ranked_ = true;
  }

  const SplitRules rules_;
  Gains<Sum, Impurity, Channels> gains_;
  const Item* items_ = nullptr;
  std::size_t items_count_ = 0;
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> rows_;
  std::array<Code, kCodes + 1> present_;  // the first `met_`, ascending
  std::size_t met_ = 0;
  std::vector<int> by_weight_;
  bool ranked_ = false;
};

}  // namespace venire
