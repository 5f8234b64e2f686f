#include "two_class.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace venire {

TwoClassTrees::TwoClassTrees(const Bins& bins, std::vector<std::int32_t> labels, BoostRules rules, std::size_t threads)
    : Members(bins, 2), labels_(std::move(labels)), rules_(std::move(rules)), pool_(threads), packs_(pack_bins(bins, pool_)),
      grower_(bins_, packs_, rules_, pool_), columns_(bins.columns.size()), gradient_(bins.rows), hessian_(bins.rows),
      pairs_(bins.rows) {
  if (bins_.rows >= kMaxBoostRows) throw std::invalid_argument("boosting takes at most 1,073,741,823 rows");
  std::iota(columns_.begin(), columns_.end(), 0u);
}

// Shares of the classes, rows, weight and impurity for every node, inner ones too: the tree can be printed and pruned.
void TwoClassTrees::finish(Tree& tree, const Units& units) const {
  const std::vector<NodeTotal>& totals = grower_.totals();
  tree.values.clear();
  tree.stats.clear();
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    const double weight = hessian_of(totals[node].total) * units.hessian;
    const double mean = weight > 0 ? -gradient_of(totals[node].total) * units.gradient / weight : 0.0;
    tree.value[node] = static_cast<std::int32_t>(node);
    tree.values.push_back((1 - mean) / 2);
    tree.values.push_back((1 + mean) / 2);
    tree.stats.push_back({totals[node].rows, weight, (1 - mean * mean) / 2});
  }
  const double all = tree.stats.front().weight;
  for (double& one : tree.importance) one /= all;
}

Tree TwoClassTrees::grow(const double* weights, bool* wrong) {
  rows_.clear();
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const auto w = static_cast<float>(weights[i]);
    hessian_[i] = w;
    gradient_[i] = labels_[i] != 0 ? -w : w;
    if (w > 0) rows_.push_back(static_cast<Row>(i));
  }
  if (rows_.empty()) throw std::invalid_argument("every row has weight 0");
  const Slopes slopes = round_slopes(gradient_.data(), hessian_.data(), rows_, labels_.size(), pairs_.data(), pool_);
  Tree tree = grower_.grow(rows_, slopes, false, columns_);
  finish(tree, slopes.units);
  const auto second = [&](std::uint32_t node) { return tree.values[2 * node + 1] > tree.values[2 * node]; };
  if (rows_.size() < labels_.size()) {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      wrong[i] = second(leaf_of(tree, bins_, static_cast<Row>(i))) != (labels_[i] != 0);
    }
  } else {
    for (const GrownLeaf& leaf : grower_.leaves()) {
      const bool said = second(leaf.node);
      for (std::size_t i = 0; i < leaf.count; ++i) wrong[leaf.rows[i]] = said != (labels_[leaf.rows[i]] != 0);
    }
  }
  return tree;
}

}  // namespace venire
