// The best split of a node, from its histograms of gradient pairs.
//
// A leaf of gradient sum G and hessian sum H that says w changes the loss by G w + (H + λ) w² / 2 + l1 |w|, at best
// −T(G)² / (2 (H + λ)) with T the soft threshold of l1. A split is worth what its two leaves gain over the node, less
// γ. Numeric columns: every cut, with the missing values on either side. Categorical ones: the bins sorted by their
// gradient ratio, and the best beginning or end of that order as the left side (few categories: one against the rest).
//
// `min_rows` is asked of both sides twice: as a share of the node's hessian (which keeps leaves of rows that are
// already certain from taking steps without measure), and of the rows themselves. The search sees the first, which is
// both when all hessians are equal; the caller counts the rows of what was chosen, and asks the column again with
// counted rows where they are too few.
//
// Cost: about 1 ns a bin and direction; the inner loop is compiled twice (base/wide.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "boost/numeric_cut.hpp"
#include "boost/packed_codes.hpp"

namespace venire {

struct GainRules {
  double l2 = 0, l1 = 0, min_gain = 0;  // λ, l1, γ
  double min_rows = 20;
  double min_hessian = 1e-3;
  bool rows_by_hessian = true;                    // ask `min_rows` of the hessian's share too
  bool count_rows = true;                         // ask it of the rows themselves; LightGBM does not
  double category_l2 = 10, category_smooth = 10;  // groups of categories overfit easily: they pay more
  double group_rows = 100;                        // rows by which a group must grow before it is looked at again,
  double group_share = 1.0 / 8;       // or this share of the node, if that is less; 1 for `group_rows` in every node
  std::vector<std::int8_t> monotone;  // per column: -1 falls, 0 free, 1 rises; empty: all free
};

// A node as the search sees it.
struct BoostNode {
  Pair total = 0;
  std::uint32_t rows = 0;
  double l2 = 0;  // λ of its own leaf value
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

struct BoostSplit {
  double gain = 0;  // not above 0: no split
  std::uint32_t feature = 0;
  bool subset = false, missing_left = false;
  Code cut = 0;                        // the last bin of the left side
  std::array<std::uint8_t, 32> right;  // subset: a bit a code, set = right
  Pair left = 0;
  double l2 = 0;  // λ of the children's leaf values

  // Does a code go right?
  bool goes_right(Code code) const {
    if (subset) return (right[code / 8] >> (code % 8) & 1u) != 0;
    return code == kMissing ? !missing_left : code > cut;
  }
};

// The best leaf value, within the node's bounds, from plain sums or from pairs.
double leaf_value(double gradient, double hessian, double l2, double l1, double lower, double upper);
double leaf_value(Pair total, double l2, double l1, const Units& units, double lower, double upper);

class GainSearch {
 public:
  GainSearch(const Packs& packs, const Columns& columns, const GainRules& rules)
      : packs_(packs), columns_(columns), rules_(rules), best_cut_(best_cut()) {}

  Scan scan_of(const BoostNode& node, const Units& units) const;

  // What a node needs to be split at all, in units.
  double least_hessian(const Units& units) const { return 2 * std::max(rules_.min_hessian / units.hessian, 1.0); }

  // The best split of a node by one column. `counts` are the rows by bin, "missing" after the last, or null when not
  // counted.
  void best(const BoostNode& node, const Scan& scan, const Pair* sums, std::uint32_t column,
            const std::uint32_t* counts, BoostSplit& split) const;

 private:
  const Packs& packs_;
  const Columns& columns_;
  const GainRules& rules_;
  const BestCut best_cut_;
};

}  // namespace venire
