#include "adaboost/two_class_trees.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace venire {

TwoClassTrees::TwoClassTrees(const Bins& bins, std::vector<std::int32_t> labels, BoostRules rules, std::size_t threads)
    : Members(bins, 2), labels_(labels.begin(), labels.end()), rules_(std::move(rules)), pool_(threads),
      packs_(pack_bins(bins, pool_)), grower_(bins_, packs_, rules_, pool_), columns_(bins.columns.size()),
      sign_(bins.rows), gradient_(bins.rows), hessian_(bins.rows), pairs_(bins.rows) {
  if (bins_.rows >= kMaxBoostRows) throw std::invalid_argument("boosting takes at most 1,073,741,823 rows");
  std::iota(columns_.begin(), columns_.end(), 0u);
  for (std::size_t i = 0; i < labels_.size(); ++i) sign_[i] = labels_[i] != 0 ? -1.0f : 1.0f;
}

// The rows of positive weight, and their pairs.
Slopes TwoClassTrees::take(const double* weights) {
  const std::size_t count = labels_.size();
  for (std::size_t i = 0; i < count; ++i) {
    hessian_[i] = static_cast<float>(weights[i]);
    gradient_[i] = sign_[i] * hessian_[i];
  }
  std::vector<Row> rows(count);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rows[kept] = static_cast<Row>(i);
    kept += hessian_[i] > 0 ? 1u : 0u;
  }
  rows.resize(kept);
  rows_ = std::move(rows);
  if (rows_.empty()) throw std::invalid_argument("every row has weight 0");
  Slopes slopes = round_slopes({gradient_.data(), hessian_.data()}, rows_, count, pairs_.data(), pool_);
  slopes.from = {};  // `finish` writes other values than the grower's
  return slopes;
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

// Whom the heavier class of its leaf gets wrong.
void TwoClassTrees::mark_wrong(const Tree& tree, bool* wrong) const {
  const auto second = [&](std::size_t node) { return tree.values[2 * node + 1] > tree.values[2 * node]; };
  const Node& root = tree.nodes.front();
  if (tree.nodes.size() == 3 && root.branch() == Branch::threshold) {
    ColumnReader reader(bins_);
    const Code* codes = reader.column(root.feature());
    const std::uint8_t left = second(root.child), right = second(root.child + 1);
    const Code cut = root.cut(), step = root.missing_left() ? 1 : 0;  // "missing", the highest code, steps round to 0
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      wrong[i] = (static_cast<Code>(codes[i] + step) > cut ? right : left) != labels_[i];
    }
    return;
  }
  for (const GrownLeaf& leaf : grower_.leaves()) {
    const bool label = second(leaf.node);
    for (std::size_t i = 0; i < leaf.count; ++i) wrong[leaf.rows[i]] = label != (labels_[leaf.rows[i]] != 0);
  }
  if (rows_.size() == labels_.size()) return;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (!(hessian_[i] > 0)) wrong[i] = second(leaf_of(tree, bins_, static_cast<Row>(i))) != (labels_[i] != 0);
  }
}

Tree TwoClassTrees::grow(const double* weights, bool* wrong) {
  const Slopes slopes = take(weights);
  Tree tree = grower_.grow(rows_, slopes, false, columns_, 0);
  finish(tree, slopes.units);
  mark_wrong(tree, wrong);
  return tree;
}

}  // namespace venire
