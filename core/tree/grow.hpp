// Growing: from the top down, one question at a time (Hunt).
//
// A node is a stretch of the item array; splitting it is a stable partition of that stretch, so items stay in row
// order:
//
//   items   [ . . . . . . . . . . . . ]          depth first, the array is only ever touched in one stretch;
//             left      |  right                 best first (`max_leaves`), the node with the largest gain goes next
//
// Nodes of up to 16,384 rows are subtrees: grown apart, by any thread, and grafted on in order (builder.hpp); above
// them, large nodes may look at their columns in parallel. Sums are whole numbers, so that bytes do not depend on who
// adds. Codes of thin nodes are copied together on the way down, so that a node always reads few and close cache lines
// (code_copies.hpp). Cost per row and level: q gathers and additions (histogram.hpp), one partition step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "bins/binning.hpp"
#include "splits/candidate.hpp"
#include "splits/criteria.hpp"
#include "splits/linear_combination.hpp"
#include "splits/target.hpp"
#include "tree/sample.hpp"

namespace venire {

struct GrowRules {
  Criterion criterion = Criterion::gini;
  SplitRules split;
  double min_weight_fraction = 0;  // of the tree's weight, in every child
  std::uint32_t max_depth = UINT32_MAX;
  std::uint32_t min_split_rows = 2;
  std::uint32_t max_leaves = UINT32_MAX;  // finite: best first
  double min_decrease = 0;                // of impurity, times the node's share of the weight
  std::uint32_t features = UINT32_MAX;    // q: looked at per node; at least one that varies
  bool skip_constant = false;             // q counts only columns that vary in the node
  std::uint32_t combined = 0;             // Forest-RC: attributes in a combination; 0 is off
  bool keep_stats = false;
};

// Everything the trees of one call share.
struct Training {
  const Bins* bins = nullptr;
  const Standardised* standardised = nullptr;  // only for combinations
  const Matrix* matrix = nullptr;              // the values, when the bins come without codes (stream.hpp)
  int classes = 0;                             // 0: a number is predicted
  const std::int32_t* labels = nullptr;
  const double* y = nullptr;
  double center = 0;            // of y
  std::vector<double> centers;  // of several targets; y and moments are then [row, target]
  int joint = 1;                // how many targets the impurity is a mean over: one with classes has many columns in y
  FixedPoint weights;           // empty: all 1
  FixedPoint moments;           // of weighted, centred y

  bool several() const { return !centers.empty(); }
  int outputs() const { return several() ? static_cast<int>(centers.size()) : std::max(classes, 1); }
  int channels() const { return classes > 0 ? classes : 1 + outputs(); }  // sums a group has
};

// With a pool, one tree is grown by all its threads; the bytes are the same.
Tree grow_tree(const Training& training, const GrowRules& rules, Sample sample, std::uint64_t key,
               Pool* pool = nullptr);

}  // namespace venire
