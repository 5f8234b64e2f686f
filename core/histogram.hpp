// Histograms: the sums of a node's rows by code.
//
// Filling adds each row to the sums of its code. Deep trees have mostly small nodes, where clearing and scanning 256 bins
// would cost more than the rows: so a small node marks the codes it meets in a 256-bit set, and everything afterwards runs
// over the marked codes alone, in ascending order. Cost per row and feature: one gather of a byte and one addition
// in the first-level cache (about 1.5 ns); then one evaluation of the criterion per code met.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "candidate.hpp"
#include "criteria.hpp"
#include "sweep.hpp"
#include "target.hpp"

namespace venire {

// The groups of split.hpp as sums. `Channels` is the number of sums a code has if known at compile time, else 0.
template <class Item, class Impurity, int Channels = 0>
class Histogram {
 public:
  using Sum = typename Item::Sum;
  static constexpr int kChannels = Channels;

  Histogram(int channels, const SplitRules& rules)
      : count_(channels), rules_(rules), sums_(static_cast<std::size_t>(kCodes * channels), 0), rows_(kCodes, 0),
        total_(static_cast<std::size_t>(channels)), left_(total_), right_(total_) {}

  // The node at hand: its totals, and the order in which its classes weigh.
  void begin(const Item* items, std::size_t count) {
    items_ = items;
    items_count_ = count;
    whole_.assign(static_cast<std::size_t>(channels()), 0);
    for (std::size_t i = 0; i < count; ++i) items[i].add_to(whole_.data());
    begin_whole();
  }

  // The same for a node whose sums are there already; `sums` are those of any column. Its rows weigh 1 each.
  void begin(const Sum* sums, std::size_t count) {
    items_ = nullptr;
    items_count_ = count;
    whole_.assign(static_cast<std::size_t>(channels()), 0);
    for (int i = 0; i < kCodes * channels(); ++i) whole_[static_cast<std::size_t>(i % channels())] += sums[i];
    begin_whole();
  }

  const std::vector<double>& total() const { return total_; }
  double total_weight() const { return weight_; }

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

  std::span<const Code> present() const { return {present_.data(), met_}; }

  void clear() {
    const int k = channels();
    for (Code code : present()) std::fill_n(sums_.data() + code * k, k, Sum{0});
    if (rules_.min_rows <= 1) return;
    for (Code code : present()) rows_[code] = 0;
  }

  double weight(Code code) const {
    if constexpr (!Impurity::kClasses) return static_cast<double>(sums_[code * 2]);
    Sum sum = 0;
    for (int k = 0; k < channels(); ++k) sum += sums_[code * channels() + k];
    return static_cast<double>(sum);
  }

  // Orders for subsets: by mean, or by the share of one class.
  int orders() {
    if (!Impurity::kClasses || channels() == 2) return 1;
    rank_classes();
    return std::min<int>(kOrders, static_cast<int>(by_weight_.size()));
  }
  double mean(Code code, int order) {
    const Sum* sums = sums_.data() + code * channels();
    if (!Impurity::kClasses || channels() == 2) return static_cast<double>(sums[1]) / weight(code);
    rank_classes();
    return static_cast<double>(sums[by_weight_[order]]) / weight(code);
  }

  void sweep(const Code* list, std::size_t count, double* gain, double* left_weight) {
    if constexpr (Channels == 2 && kCountable) sweep_two_counts(list, count, gain, left_weight);
    else if constexpr (Channels == 2) sweep_two(list, count, gain, left_weight);
    else if constexpr (kCountable) sweep_counts(list, count, gain, left_weight);
    else sweep_any(list, count, gain, left_weight);
    if (rules_.min_rows > 1 || rules_.min_weight > 0) forbid_small(list, count, gain, left_weight);
  }

  double whole_gain(const Code* list, std::size_t count) {
    double gain = -score_;
    for (std::size_t i = 0; i < count; ++i) {
      const Sum* sums = sums_.data() + list[i] * channels();
      for (int k = 0; k < channels(); ++k) left_[k] = static_cast<double>(sums[k]);
      const double weight = weight_of(left_.data());
      if (weight < rules_.min_weight || (rules_.min_rows > 1 && rows_[list[i]] < rules_.min_rows)) return kNever;
      gain += Impurity::score(left_.data(), channels(), weight);
    }
    return gain;
  }

 private:
  static constexpr std::size_t kSmall = 256;
  static constexpr int kOrders = 8;
  // Squares of narrow sums, added up over classes, fit 64 bits: they can be carried along as whole numbers.
  static constexpr bool kCountable = std::is_same_v<Impurity, Gini> && std::is_same_v<Sum, NarrowSum>;

  int channels() const { return Channels > 0 ? Channels : count_; }

  void begin_whole() {
    for (int k = 0; k < channels(); ++k) total_[k] = static_cast<double>(whole_[k]);
    weight_ = weight_of(total_.data());
    score_ = Impurity::score(total_.data(), channels(), weight_);
    ranked_ = false;
  }

  double weight_of(const double* sums) const {
    if constexpr (!Impurity::kClasses) return sums[0];
    double weight = 0;
    for (int k = 0; k < channels(); ++k) weight += sums[k];
    return weight;
  }

  // With two sums a code the running sums go to arrays first: the gains are then a loop without carried values, which
  // the compiler turns into vector instructions.
  void sweep_two(const Code* list, std::size_t count, double* gain, double* left_weight) {
    double first[kCodes], second[kCodes];
    Sum left[2] = {0, 0};
    for (std::size_t i = 0; i + 1 < count; ++i) {
      left[0] += sums_[list[i] * 2];
      left[1] += sums_[list[i] * 2 + 1];
      first[i] = static_cast<double>(left[0]);
      second[i] = static_cast<double>(left[1]);
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const double l[2] = {first[i], second[i]}, r[2] = {total_[0] - l[0], total_[1] - l[1]};
      const double weight = Impurity::kClasses ? l[0] + l[1] : l[0];
      left_weight[i] = weight;
      gain[i] = Impurity::score(l, 2, weight) + Impurity::score(r, 2, weight_ - weight) - score_;
    }
  }

  void sweep_two_counts(const Code* list, std::size_t count, double* gain, double* left_weight) {
    PairOfCounts lefts[kCodes], left = 0;
    const std::size_t cuts = count - 1;
    for (std::size_t i = 0; i < cuts; ++i) {
      const Sum* sums = sums_.data() + list[i] * 2;
      lefts[i] = left += sums[0] | static_cast<PairOfCounts>(sums[1]) << 32;
    }
    for (std::size_t i = cuts; i % kCutsTogether != 0; ++i) lefts[i] = left;
    sweep_two_classes(lefts, cuts, {total_[0], total_[1], weight_, score_}, gain, left_weight);
  }

  // Gini over many classes: moving c rows of a class from right to left changes its squares by c(2l + c) and c(2r − c).
  // Whole numbers may be added in any order, so the loop over classes becomes vector instructions too.
  void sweep_counts(const Code* list, std::size_t count, double* gain, double* left_weight) {
    Squares squares;
    const auto classes = static_cast<std::size_t>(channels());
    if (sweeps_few_classes(classes, weight_)) {
      square_few_classes(sums_.data(), whole_.data(), classes, list, count - 1, squares, left_weight);
    } else {
      square_counts(list, count, squares, left_weight);
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
      gain[i] = squares.left[i] / left_weight[i] + squares.right[i] / (weight_ - left_weight[i]) - score_;
    }
  }

  void square_counts(const Code* list, std::size_t count, Squares& squares, double* left_weight) {
    const auto classes = static_cast<std::size_t>(channels());
    counted_left_.assign(classes, 0);
    counted_right_.assign(whole_.begin(), whole_.end());
    std::uint64_t left = 0, right = 0, weight = 0;
    for (const std::uint64_t w : counted_right_) right += w * w;
    std::uint64_t* on_left = counted_left_.data();
    std::uint64_t* on_right = counted_right_.data();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Sum* sums = sums_.data() + list[i] * classes;
      std::uint64_t gained = 0, lost = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        const std::uint64_t moved = sums[k];
        gained += moved * (2 * on_left[k] + moved);
        lost += moved * (2 * on_right[k] - moved);
        on_left[k] += moved;
        on_right[k] -= moved;
        weight += moved;
      }
      squares.left[i] = static_cast<double>(left += gained);
      squares.right[i] = static_cast<double>(right -= lost);
      left_weight[i] = static_cast<double>(weight);
    }
  }

  void sweep_any(const Code* list, std::size_t count, double* gain, double* left_weight) {
    std::fill(left_.begin(), left_.end(), 0.0);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Sum* sums = sums_.data() + list[i] * channels();
      for (int k = 0; k < channels(); ++k) {
        left_[k] += static_cast<double>(sums[k]);
        right_[k] = total_[k] - left_[k];
      }
      const double weight = weight_of(left_.data());
      left_weight[i] = weight;
      gain[i] = Impurity::score(left_.data(), channels(), weight) +
                Impurity::score(right_.data(), channels(), weight_ - weight) - score_;
    }
  }

  void forbid_small(const Code* list, std::size_t count, double* gain, const double* left_weight) const {
    std::uint32_t rows = 0;
    const auto all = static_cast<std::uint32_t>(items_count_);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      rows += rows_[list[i]];
      const bool few = rules_.min_rows > 1 && (rows < rules_.min_rows || all - rows < rules_.min_rows);
      if (few || left_weight[i] < rules_.min_weight || weight_ - left_weight[i] < rules_.min_weight) gain[i] = kNever;
    }
  }

  void fill_marking(const Code* codes) {
    std::uint64_t met[kCodes / 64] = {};
    const int k = channels();
    for (std::size_t i = 0; i < items_count_; ++i) {
      const Code code = codes[items_[i].row];
      items_[i].add_to(sums_.data() + code * k);
      met[code >> 6] |= std::uint64_t{1} << (code & 63);
    }
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
      if (total_[k] > 0) by_weight_.push_back(k);
    }
    std::stable_sort(by_weight_.begin(), by_weight_.end(), [&](int a, int b) { return total_[a] > total_[b]; });
    ranked_ = true;
  }

  const int count_;
  const SplitRules rules_;
  const Item* items_ = nullptr;
  std::size_t items_count_ = 0;
  std::vector<Sum> sums_, whole_;
  std::vector<std::uint64_t> counted_left_, counted_right_;
  std::vector<std::uint32_t> rows_;
  std::array<Code, kCodes + 1> present_;  // the first `met_`, ascending
  std::size_t met_ = 0;
  std::vector<double> total_, left_, right_;
  double weight_ = 0, score_ = 0;
  std::vector<int> by_weight_;
  bool ranked_ = false;
};

}  // namespace venire
