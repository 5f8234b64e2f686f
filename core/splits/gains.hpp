// Gains: what the cuts of a list of groups are worth, from the groups' sums: the score of the left side and that of the
// right, minus that of the node (criteria.hpp).
//
// Running sums go from cut to cut, in the loop that suits them: with two sums a group, one that becomes vector
// instructions; by Gini over counted rows, one that carries the squares of the classes along as whole numbers
// (gini_cuts.hpp); else both sides are scored anew. Cost per cut: one evaluation of the criterion on either side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "splits/candidate.hpp"
#include "splits/criteria.hpp"
#include "splits/gini_cuts.hpp"

namespace venire {

// `Channels` is the number of sums a group has if known at compile time, else 0. Lists are of codes; the sums of all
// codes lie one after the other.
template <class Sum, class Impurity, int Channels>
class Gains {
 public:
  explicit Gains(int channels)
      : count_(channels), total_(static_cast<std::size_t>(channels)), left_(total_), right_(total_) {}

  int channels() const { return Channels > 0 ? Channels : count_; }

  // The node at hand: `add` adds its rows to the sums it is given.
  template <class Add>
  void begin(Add add) {
    whole_.assign(static_cast<std::size_t>(channels()), 0);
    add(whole_.data());
    for (int k = 0; k < channels(); ++k) total_[k] = static_cast<double>(whole_[k]);
    weight_ = weight_of(total_.data());
    score_ = Impurity::score(total_.data(), channels(), weight_);
  }

  const std::vector<double>& total() const { return total_; }
  const std::vector<Sum>& whole() const { return whole_; }
  double total_weight() const { return weight_; }

  // gain[i] of the cut after list[i], and the weight left of it.
  void sweep(const Sum* sums, const Code* list, std::size_t count, double* gain, double* left_weight) {
    if constexpr (Channels == 2 && kCountable) sweep_two_counts(sums, list, count, gain, left_weight);
    else if constexpr (Channels == 2) sweep_two(sums, list, count, gain, left_weight);
    else if constexpr (kCountable) sweep_counts(sums, list, count, gain, left_weight);
    else sweep_any(sums, list, count, gain, left_weight);
  }

  // The gain of setting every group apart; kNever when one weighs less than `least`.
  double of_all(const Sum* sums, const Code* list, std::size_t count, double least) {
    double gain = -score_;
    for (std::size_t i = 0; i < count; ++i) {
      const Sum* group = sums + list[i] * channels();
      for (int k = 0; k < channels(); ++k) left_[k] = static_cast<double>(group[k]);
      const double weight = weight_of(left_.data());
      if (weight < least) return kNever;
      gain += Impurity::score(left_.data(), channels(), weight);
    }
    return gain;
  }

 private:
  // Squares of narrow sums, added up over classes, fit 64 bits: they can be carried along as whole numbers.
  static constexpr bool kCountable = std::is_same_v<Impurity, Gini> && std::is_same_v<Sum, NarrowSum>;

  double weight_of(const double* sums) const {
    if constexpr (!Impurity::kClasses) return sums[0];
    double weight = 0;
    for (int k = 0; k < channels(); ++k) weight += sums[k];
    return weight;
  }

  // With two sums a code the running sums go to arrays first: the gains are then a loop without carried values, which
  // the compiler turns into vector instructions.
  void sweep_two(const Sum* sums, const Code* list, std::size_t count, double* gain, double* left_weight) {
    double first[kCodes], second[kCodes];
    Sum left[2] = {0, 0};
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Sum* pair = sums + std::size_t{list[i]} * 2;
      left[0] += pair[0];
      left[1] += pair[1];
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

  void sweep_two_counts(const Sum* sums, const Code* list, std::size_t count, double* gain, double* left_weight) {
    PairOfCounts lefts[kCodes], left = 0;
    const std::size_t cuts = count - 1;
    for (std::size_t i = 0; i < cuts; ++i) {
      const Sum* group = sums + list[i] * 2;
      lefts[i] = left += group[0] | static_cast<PairOfCounts>(group[1]) << 32;
    }
    for (std::size_t i = cuts; i % kCutsTogether != 0; ++i) lefts[i] = left;
    sweep_two_classes(lefts, cuts, {total_[0], total_[1], weight_, score_}, gain, left_weight);
  }

  // Gini over many classes: moving c rows of a class from right to left changes its squares by c(2l + c) and c(2r − c).
  // Whole numbers may be added in any order, so the loop over classes becomes vector instructions too.
  void sweep_counts(const Sum* sums, const Code* list, std::size_t count, double* gain, double* left_weight) {
    Squares squares;
    const auto classes = static_cast<std::size_t>(channels());
    if (sweeps_few_classes(classes, weight_)) {
      square_few_classes(sums, whole_.data(), classes, list, count - 1, squares, left_weight);
    } else {
      square_counts(sums, list, count, squares, left_weight);
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
      gain[i] = squares.left[i] / left_weight[i] + squares.right[i] / (weight_ - left_weight[i]) - score_;
    }
  }

  void square_counts(const Sum* sums, const Code* list, std::size_t count, Squares& squares, double* left_weight) {
    const auto classes = static_cast<std::size_t>(channels());
    counted_left_.assign(classes, 0);
    counted_right_.assign(whole_.begin(), whole_.end());
    std::uint64_t left = 0, right = 0, weight = 0;
    for (const std::uint64_t w : counted_right_) right += w * w;
    std::uint64_t* on_left = counted_left_.data();
    std::uint64_t* on_right = counted_right_.data();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Sum* group = sums + list[i] * classes;
      std::uint64_t gained = 0, lost = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        const std::uint64_t moved = group[k];
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

  void sweep_any(const Sum* sums, const Code* list, std::size_t count, double* gain, double* left_weight) {
    std::fill(left_.begin(), left_.end(), 0.0);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Sum* group = sums + list[i] * channels();
      for (int k = 0; k < channels(); ++k) {
        left_[k] += static_cast<double>(group[k]);
        right_[k] = total_[k] - left_[k];
      }
      const double weight = weight_of(left_.data());
      left_weight[i] = weight;
      gain[i] = Impurity::score(left_.data(), channels(), weight) +
                Impurity::score(right_.data(), channels(), weight_ - weight) - score_;
    }
  }

  const int count_;
  std::vector<Sum> whole_;
  std::vector<double> total_, left_, right_;
  double weight_ = 0, score_ = 0;
  std::vector<std::uint64_t> counted_left_, counted_right_;
};

}  // namespace venire
