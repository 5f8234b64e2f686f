// Joint growth: the trees of all trials of a cross-validation at once, sharing their histograms (core and delta).
//
// Every tree is trained on all rows but those of one or two blocks. Near the root the trees ask almost the same questions,
// so a group of trees passes down the tree together, with one core of rows and a small delta for each tree:
//
//   histogram of a tree = histogram of the core − those of its left-out blocks + histogram of its own delta
//
//   a group that asks about one feature:   core   [ . . . . . | m m | . . . . . . ]   ≤ the lowest cut: left for all,
//                                                   left        |     right           > the highest: right for all,
//                                          the middle rows m join the delta of every tree that keeps their block
//
// Trees that ask about other features, or whose cuts lie so far apart that middle × (trees + 1) would exceed half the core,
// form groups of their own. A tree alone, and the trees of a group with few core rows, leave their left-out rows behind and
// are grown on by grower.hpp. Sums are whole numbers: subtracting is exact, and the trees are those of separate growth.
//
// Cost of a group per column: one addition a core row, one a delta row; then for each tree three operations a bin and class and
// the sweep, as in separate growth. So rows are shared, sweeps are not: it pays where a node has many more rows than
// its column has bins times classes.
//
// Classes by Gini; numeric columns with or without missing values; rows without weights; one set of bins for all trees.
#pragma once

#include <cstdint>
#include <vector>

#include "grow.hpp"

namespace venire {

// The blocks a tree does not see; the same one twice when it is only one.
struct LeftOut {
  std::uint8_t first, second;
  bool holds(std::uint8_t block) const { return block == first || block == second; }
};

struct JointPlan {
  const std::uint8_t* blocks = nullptr;  // of every row
  std::size_t block_count = 0;
  std::vector<LeftOut> left_out;         // of every tree
  std::uint32_t least = 0;               // a group with fewer core rows is dissolved
};

struct JointTrees {
  std::vector<Tree> trees;
  // Of the nodes examined in groups: the rows of their trees, which separate growth would add up column by column, and the rows
  // added up here.
  std::uint64_t rows_served = 0, rows_added = 0;
};

JointTrees grow_jointly(const Training& training, const GrowRules& rules, const JointPlan& plan);

}  // namespace venire
