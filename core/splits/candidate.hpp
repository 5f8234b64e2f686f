// A possible split of a node: what it is, how two of them compare, the few best of them, and how a chosen one sends
// rows on.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.hpp"
#include "bins/binning.hpp"
#include "splits/criteria.hpp"

namespace venire {

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct SplitRules {
  bool multiway = false;     // categorical columns: a child a value, or two subsets
  bool random_cuts = false;  // extra-trees
  bool gain_ratio = false;
  int among_best = 1;          // pick at random among this many best candidates
  std::uint32_t min_rows = 1;  // in every child
  double min_weight = 0;       // in every child, in units
};

struct Candidate {
  double score = kNever;      // what candidates are compared by: the gain, or the gain ratio
  double gain = 0;            // in units of weight
  std::uint32_t feature = 0;  // or the number of the combination
  Branch branch = Branch::threshold;
  bool missing_left = false;
  Code left_end = 0, right_begin = 0;  // threshold: the groups on either side of the cut
  std::uint8_t order = 0;              // subset: which ordering,
  std::uint16_t cut = 0;               // and after which group
  std::uint64_t draw = 0;              // subset, random: the bits that chose it
  double left_weight = 0;              // of the groups up to the cut
  bool missing_seen = false;           // threshold: does the node hold missing values?

  bool better_than(const Candidate& other) const {
    if (score != other.score) return score > other.score;
    if (feature != other.feature) return feature < other.feature;
    if (missing_left != other.missing_left) return other.missing_left;
    if (order != other.order) return order < other.order;
    return cut < other.cut;
  }
};

// A chosen candidate, ready to send rows on.
struct Split {
  double gain = kNever;
  std::uint32_t feature = 0;
  Branch branch = Branch::threshold;
  bool missing_left = false;
  Code cut = 0;
  std::uint32_t children = 2;
  std::vector<Code> slot_of;  // subset, multiway: the child of every code; kAbsent where none was seen
  std::vector<Term> terms;    // oblique
  double threshold = 0;       // oblique

  static constexpr Code kAbsent = 255;
};

// The few best candidates of a node.
class Shortlist {
 public:
  void reset(int size) {
    size_ = static_cast<std::size_t>(size);
    list_.clear();
  }
  void offer(const Candidate& candidate) {
    if (candidate.score == kNever || std::isnan(candidate.score)) return;
    if (list_.size() == size_ && !candidate.better_than(list_.back())) return;
    auto place = list_.end();
    while (place != list_.begin() && candidate.better_than(*(place - 1))) --place;
    list_.insert(place, candidate);
    if (list_.size() > size_) list_.pop_back();
  }
  const std::vector<Candidate>& list() const { return list_; }

 private:
  std::size_t size_ = 1;
  std::vector<Candidate> list_;
};

// The share of the information that is only about the sizes of the children: −Σ p·log2 p.
inline double split_information(const double* weights, std::size_t count, double total) {
  double information = 0;
  for (std::size_t i = 0; i < count; ++i) information += x_log2_x(weights[i]);
  return (x_log2_x(total) - information) / total;
}

// The cut goes to the edge nearest to the middle between the two neighbouring groups. Missing values that the node has
// not seen follow the heavier child.
inline void settle_threshold(const Candidate& chosen, const Column& column, double total_weight, Split& split) {
  split.missing_left = chosen.missing_seen ? chosen.missing_left : 2 * chosen.left_weight >= total_weight;
  if (chosen.right_begin == kMissing) {
    split.cut = kMissing - 1;  // all values left, missing right
    return;
  }
  int edge = chosen.left_end;
  const double middle = column.centers[chosen.left_end] / 2 + column.centers[chosen.right_begin] / 2;
  for (int e = edge + 1; e < chosen.right_begin; ++e) {
    if (std::abs(column.edges[static_cast<std::size_t>(e)] - middle) <
        std::abs(column.edges[static_cast<std::size_t>(edge)] - middle)) {
      edge = e;
    }
  }
  split.cut = static_cast<Code>(edge);
}

}  // namespace venire
