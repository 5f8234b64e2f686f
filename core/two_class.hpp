// Members of AdaBoost for two classes: trees on weighted labels.
//
// With labels ±1 and weights w, gradients −w y and hessians w, the gain of a split (boost_split.hpp) is the weighted decrease of Gini
// impurity, so the leaf-wise grower of boosting grows the very tree, with one addition per row and column. Weights arrive
// fresh each round; codes, packs and row lists stay. Cost per round of stumps: one histogram of all rows, 1 ns a row to part them.
#pragma once

#include <cstdint>
#include <vector>

#include "boost.hpp"
#include "members.hpp"

namespace venire {

class TwoClassTrees final : public Members {
 public:
  // `bins` must outlive it; `labels` are 0 or 1.
  TwoClassTrees(const Bins& bins, std::vector<std::int32_t> labels, BoostRules rules, std::size_t threads);

  Tree grow(const double* weights, bool* wrong) override;

 private:
  void finish(Tree& tree, const Units& units) const;

  const std::vector<std::int32_t> labels_;
  const BoostRules rules_;
  Pool pool_;
  Packs packs_;
  BoostGrower grower_;
  std::vector<std::uint32_t> columns_;
  std::vector<Row> rows_;
  std::vector<float> gradient_, hessian_;
  std::vector<Pair> pairs_;
};

}  // namespace venire
