// Split search: which question parts the rows of a node best?
//
// A feature's rows fall into groups, one a code. A cut of a list of groups in order gives a candidate:
//
//   numeric          b0 b1 b2 | b3 b4              without missing values: every cut of the ascending list
//                    b0 b1 b2 | b3 b4 missing      with them: missing to the right, or alone at the right end,
//                    missing b0 b1 | b2 b3 b4      and missing to the left
//   subset           sorted by mean target (two classes, numbers: the best of all 2^g subsets is among these cuts);
//                    with more classes, one order for each of the eight heaviest classes
//   multiway         one child a group; a single candidate
//   random           one cut, drawn evenly between the smallest and the largest value of the node (extra-trees)
//
// Ties go to the lowest feature, then the lowest cut, so the answer does not depend on the order of looking. The sums
// behind the gains are the business of a `Groups` class: histogram.hpp for all criteria that are functions of sums,
// absolute_deviation.hpp for medians. Cost per feature: one pass over the rows to fill the groups, then a few
// operations per group and class.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"
#include "bins/binning.hpp"
#include "splits/candidate.hpp"

namespace venire {

// `Groups` gives: load(codes) → number of groups; present() the codes, ascending, missing last; clear(); weight(code);
// mean(code, order) and orders(); whole_gain(list, n) of a many-way split; sweep(list, n, gain, left_weight) where
// gain[i] belongs to the cut after list[i] and is kNever where a child would be too small; total_weight().
template <class Groups>
class Search {
 public:
  Search(Groups& groups, const SplitRules& rules) : groups_(groups), rules_(rules) {}

  void begin() { found_.reset(rules_.among_best); }
  const Shortlist& found() const { return found_; }
  void offer(const Candidate& candidate) { found_.offer(candidate); }

  // Looks at one column. False when its values are all the same in this node. `source` is what `Groups` loads: the
  // codes.
  template <class Source>
  bool search_column(std::uint32_t feature, const Column& column, const Source* source, Random& random) {
    const std::size_t count = groups_.load(source);
    if (count >= 2) {
      if (!column.categorical) {
        rules_.random_cuts ? random_cut(feature, column, random) : numeric(feature, Branch::threshold);
      } else if (rules_.multiway) {
        multiway(feature);
      } else {
        rules_.random_cuts ? random_subset(feature, random) : subset(feature);
      }
    }
    groups_.clear();
    return count >= 2;
  }

  // Looks at combination number `which`, whose codes are its ranges in this node.
  bool look_combined(std::uint32_t which, const Code* codes, Random& random) {
    const std::size_t count = groups_.load(codes);
    if (count >= 2) rules_.random_cuts ? any_cut(which, random) : numeric(which, Branch::oblique);
    groups_.clear();
    return count >= 2;
  }

  // Turns a candidate into a split; `source` is that of its feature.
  template <class Source>
  Split settle(const Candidate& chosen, const Column& column, const Source* source) {
    Split split;
    split.gain = chosen.gain;
    split.feature = chosen.feature;
    split.branch = chosen.branch;
    if (chosen.branch == Branch::threshold) {
      settle_threshold(chosen, column, groups_.total_weight(), split);
      return split;
    }
    groups_.load(source);
    if (chosen.branch == Branch::multiway) {
      settle_multiway(split);
    } else {
      settle_subset(chosen, split);
    }
    groups_.clear();
    return split;
  }

 private:
  void offer_cuts(Candidate candidate, const Code* list, std::size_t first, std::size_t count) {
    groups_.sweep(list, count, gain_.data(), left_.data());
    if (rules_.among_best > 1 && !rules_.gain_ratio) {
      for (std::size_t i = first; i + 1 < count; ++i) offer_cut(candidate, list, i);
      return;
    }
    if (first + 1 < count) offer_cut(candidate, list, best_cut(first, count - 1));
  }

  // The first of the largest gains. Two maxima a step: a single one would wait for itself.
  std::size_t best_cut(std::size_t first, std::size_t last) const {
    double even = gain_[first], odd = even;
    std::size_t i = first + 1;
    for (; i + 1 < last; i += 2) {
      even = gain_[i] > even ? gain_[i] : even;
      odd = gain_[i + 1] > odd ? gain_[i + 1] : odd;
    }
    if (i < last) even = gain_[i] > even ? gain_[i] : even;
    const double top = even > odd ? even : odd;
    i = first;
    while (gain_[i] < top) ++i;
    return i;
  }

  void take_present() { list_.assign(groups_.present().begin(), groups_.present().end()); }

  void offer_cut(Candidate candidate, const Code* list, std::size_t cut) {
    candidate.gain = candidate.score = gain_[cut];
    candidate.cut = static_cast<std::uint16_t>(cut);
    candidate.left_end = list[cut];
    candidate.right_begin = list[cut + 1];
    candidate.left_weight = left_[cut];
    candidate.missing_seen = groups_.present().back() == kMissing;
    if (rules_.gain_ratio && candidate.gain != kNever) {
      const double total = groups_.total_weight(), sides[2] = {left_[cut], total - left_[cut]};
      candidate.score = candidate.gain / total / split_information(sides, 2, total);
    }
    found_.offer(candidate);
  }

  void numeric(std::uint32_t feature, Branch branch) {
    Candidate candidate;
    candidate.feature = feature;
    candidate.branch = branch;
    offer_cuts(candidate, groups_.present().data(), 0, groups_.present().size());
    if (groups_.present().back() != kMissing) return;
    take_present();
    std::rotate(list_.begin(), list_.end() - 1, list_.end());
    candidate.missing_left = true;
    // The cut right after "missing" is the last one of the first list, seen from the other side.
    offer_cuts(candidate, list_.data(), 1, list_.size());
  }

  // A random one of the ranges of a combination: they hold about equally many rows.
  void any_cut(std::uint32_t which, Random& random) {
    take_present();
    Candidate candidate;
    candidate.feature = which;
    candidate.branch = Branch::oblique;
    offer_one(candidate, random.below(static_cast<std::uint32_t>(list_.size() - 1)));
  }

  void offer_one(const Candidate& candidate, std::size_t cut) {
    groups_.sweep(list_.data(), list_.size(), gain_.data(), left_.data());
    offer_cut(candidate, list_.data(), cut);
  }

  void random_cut(std::uint32_t feature, const Column& column, Random& random) {
    take_present();
    Candidate candidate;
    candidate.feature = feature;
    const bool missing = list_.back() == kMissing;
    const std::size_t values = list_.size() - (missing ? 1 : 0);
    const double low = column.centers[list_[0]], high = column.centers[list_[values - 1]];
    const double at = low + random.uniform() * (high - low);
    std::size_t cut = 0;
    while (cut + 2 < values && column.centers[list_[cut + 1]] <= at) ++cut;
    if (missing) {
      if (values > 1 && random.below(2) == 1) {
        std::rotate(list_.begin(), list_.end() - 1, list_.end());
        candidate.missing_left = true;
        ++cut;
      } else if (values == 1) {
        cut = 0;
      }
    }
    offer_one(candidate, cut);
  }

  void sort_by_mean(int order) {
    take_present();
    for (Code code : list_) mean_[code] = groups_.mean(code, order);
    std::stable_sort(list_.begin(), list_.end(), [&](Code a, Code b) { return mean_[a] < mean_[b]; });
  }

  void subset(std::uint32_t feature) {
    Candidate candidate;
    candidate.feature = feature;
    candidate.branch = Branch::subset;
    for (int order = 0; order < groups_.orders(); ++order) {
      candidate.order = static_cast<std::uint8_t>(order);
      sort_by_mean(order);
      offer_cuts(candidate, list_.data(), 0, list_.size());
    }
  }

  // A fair coin for every group; the first and the last group are kept apart so that neither side is empty.
  std::size_t toss_groups(std::uint64_t draw) {
    take_present();
    Random coins(draw);
    const auto middle =
        std::stable_partition(list_.begin() + 1, list_.end() - 1, [&](Code) { return coins.below(2) == 0; });
    return static_cast<std::size_t>(middle - list_.begin()) - 1;
  }

  void random_subset(std::uint32_t feature, Random& random) {
    Candidate candidate;
    candidate.feature = feature;
    candidate.branch = Branch::subset;
    candidate.draw = random.bits() | 1;
    offer_one(candidate, toss_groups(candidate.draw));
  }

  void multiway(std::uint32_t feature) {
    take_present();
    Candidate candidate;
    candidate.feature = feature;
    candidate.branch = Branch::multiway;
    candidate.gain = candidate.score = groups_.whole_gain(list_.data(), list_.size());
    if (rules_.gain_ratio && candidate.gain != kNever) {
      for (std::size_t i = 0; i < list_.size(); ++i) left_[i] = groups_.weight(list_[i]);
      const double total = groups_.total_weight();
      candidate.score = candidate.gain / total / split_information(left_.data(), list_.size(), total);
    }
    found_.offer(candidate);
  }

  void settle_multiway(Split& split) {
    split.slot_of.assign(kCodes, Split::kAbsent);
    split.children = 0;
    for (Code code : groups_.present()) split.slot_of[code] = static_cast<Code>(split.children++);
  }

  void settle_subset(const Candidate& chosen, Split& split) {
    std::size_t cut = chosen.cut;
    if (chosen.draw != 0) cut = toss_groups(chosen.draw);
    else sort_by_mean(chosen.order);
    double side[2] = {0, 0};
    for (std::size_t i = 0; i < list_.size(); ++i) side[i > cut] += groups_.weight(list_[i]);
    split.slot_of.assign(kCodes, side[0] >= side[1] ? 0 : 1);
    for (std::size_t i = 0; i < list_.size(); ++i) split.slot_of[list_[i]] = i > cut ? 1 : 0;
  }

  Groups& groups_;
  const SplitRules rules_;
  Shortlist found_;
  std::vector<Code> list_;
  std::array<double, kCodes> gain_{}, left_{}, mean_{};
};

}  // namespace venire
