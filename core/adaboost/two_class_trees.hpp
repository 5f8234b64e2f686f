// Members of AdaBoost for two classes: trees on weighted labels.
//
// With labels ±1 and weights w, gradients −w y and hessians w, the gain of a split (boost/split.hpp) is the weighted
// decrease of Gini impurity, so the leaf-wise grower of boosting grows the very tree, with one addition per row and
// column. Weights arrive fresh each round; codes and packs stay. Cost per round of stumps: one histogram of all rows, 2
// ns a row to take the weights and to part the rows. No loop over rows asks a question whose answer is as good as
// random: the processor learns a small table's answers by heart in a few rounds, and guesses wrong on a large one.
#pragma once

#include <cstdint>
#include <vector>

#include "adaboost/members.hpp"
#include "boost/rounds.hpp"

namespace venire {

class TwoClassTrees final : public Members {
 public:
  // `bins` must outlive it; `labels` are 0 or 1.
  TwoClassTrees(const Bins& bins, std::vector<std::int32_t> labels, BoostRules rules, std::size_t threads);

  Tree grow(const double* weights, bool* wrong) override;

 private:
  Slopes take(const double* weights);
  void finish(Tree& tree, const Units& units) const;
  void mark_wrong(const Tree& tree, bool* wrong) const;

  const std::vector<std::uint8_t> labels_;
  const BoostRules rules_;
  Pool pool_;
  Packs packs_;
  BoostGrower grower_;
  std::vector<std::uint32_t> columns_;
  RowSet rows_;
  std::vector<float> sign_, gradient_, hessian_;
  std::vector<Pair> pairs_;
};

}  // namespace venire
