// The builder: a tree as it is written down, node by node, while it grows; and grafting a subtree grown apart onto its
// place.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "splits/candidate.hpp"

namespace venire {

// Gives back the room that a tree's arrays grew into and did not need.
inline void shrink(Tree& tree) {
  tree.nodes.shrink_to_fit();
  tree.value.shrink_to_fit();
  tree.values.shrink_to_fit();
  tree.stats.shrink_to_fit();
}

class TreeBuilder {
 public:
  TreeBuilder(std::size_t columns, int classes, int outputs, bool keep_stats)
      : outputs_(static_cast<std::size_t>(outputs)), pure_(static_cast<std::size_t>(classes)), keep_stats_(keep_stats) {
    tree_.importance.assign(columns, 0.0);
    // The leaves of a full tree are nearly all pure: they share one row of values per class.
    tree_.values.assign(pure_ * pure_, 0.0);
    for (std::size_t c = 0; c < pure_; ++c) tree_.values[c * pure_ + c] = 1.0;
  }

  // Adds leaves; gives the number of the first.
  std::uint32_t add_nodes(std::uint32_t count) {
    const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) tree_.nodes.push_back(Node::leaf(first + i));
    tree_.value.resize(tree_.nodes.size(), -1);
    if (keep_stats_) tree_.stats.resize(tree_.nodes.size());
    if (!tree_.table.empty()) tree_.table.resize(tree_.nodes.size(), -1);
    return first;
  }

  void set_stats(std::uint32_t node, const NodeStats& stats) { tree_.stats[node] = stats; }

  // `pure_class` is −1 when the node is not pure.
  void set_value(std::uint32_t node, int pure_class, const std::vector<double>& value) {
    if (pure_class >= 0) {
      tree_.value[node] = pure_class;
      return;
    }
    tree_.value[node] = static_cast<std::int32_t>(tree_.values.size() / outputs_);
    tree_.values.insert(tree_.values.end(), value.begin(), value.end());
  }

  // A node asks a question: `first` is its first child, `decrease` what the question is worth.
  void set_split(std::uint32_t node, std::uint32_t first, const Split& split, double decrease) {
    credit(split, decrease);
    const Code shift = split.missing_left ? 1 : 0;
    tree_.nodes[node] =
        Node::make(first, split.feature, split.branch, split.missing_left, static_cast<Code>(split.cut + shift));
    if (split.branch == Branch::threshold) return;
    tree_.table.resize(tree_.nodes.size(), -1);
    if (split.branch == Branch::subset) write_subset(node, split);
    else if (split.branch == Branch::multiway) write_slots(node, split);
    else write_terms(node, split);
  }

  // Room for trees to be grafted on, so that arrays do not grow by doubling.
  void reserve(const std::vector<Tree>& parts) {
    std::size_t nodes = tree_.nodes.size(), values = tree_.values.size();
    for (const Tree& part : parts) {
      nodes += part.nodes.size() - 1;
      values += part.values.size() - pure_ * pure_;
    }
    tree_.nodes.reserve(nodes);
    tree_.value.reserve(nodes);
    tree_.values.reserve(values);
    if (keep_stats_) tree_.stats.reserve(nodes);
  }

  // Puts a tree in the place of a leaf: its root there, its other nodes at the end.
  void graft(std::uint32_t node, const Tree& part) {
    const auto base = static_cast<std::uint32_t>(tree_.nodes.size()) - 1;  // part's node p > 0 becomes base + p
    const auto size = static_cast<std::uint32_t>(part.nodes.size());
    add_nodes(size - 1);
    if (!part.table.empty()) tree_.table.resize(tree_.nodes.size(), -1);
    const auto rows = static_cast<std::int32_t>(tree_.values.size() / outputs_),
               pure = static_cast<std::int32_t>(pure_);
    for (std::uint32_t p = 0; p < size; ++p) {
      const std::uint32_t to = p == 0 ? node : base + p;
      const Node& from = part.nodes[p];
      tree_.nodes[to] = {from.is_leaf(p) ? to : base + from.child, from.packed};
      tree_.value[to] = part.value[p] < pure ? part.value[p] : part.value[p] - pure + rows;
      if (keep_stats_) tree_.stats[to] = part.stats[p];
      if (!part.table.empty() && part.table[p] >= 0) tree_.table[to] = part.table[p] + table_size(from.branch());
    }
    append(tree_.values, part.values, pure_ * pure_);
    append(tree_.subsets, part.subsets);
    append(tree_.slots, part.slots);
    append(tree_.term_cut, part.term_cut);
    const auto terms = static_cast<std::int32_t>(tree_.terms.size());
    for (std::size_t t = tree_.term_start.empty() ? 0 : 1; t < part.term_start.size(); ++t) {
      tree_.term_start.push_back(part.term_start[t] + terms);
    }
    append(tree_.terms, part.terms);
    for (std::size_t j = 0; j < part.importance.size(); ++j) tree_.importance[j] += part.importance[j];
  }

  Tree take() { return std::move(tree_); }

 private:
  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& from, std::size_t skip = 0) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(skip), from.end());
  }

  std::int32_t table_size(Branch branch) const {
    if (branch == Branch::subset) return static_cast<std::int32_t>(tree_.subsets.size());
    if (branch == Branch::multiway) return static_cast<std::int32_t>(tree_.slots.size());
    return static_cast<std::int32_t>(tree_.term_cut.size());
  }

  void credit(const Split& split, double decrease) {
    if (split.branch != Branch::oblique) {
      tree_.importance[split.feature] += decrease;
      return;
    }
    double sum = 0;
    for (const Term& term : split.terms) sum += std::abs(static_cast<double>(term.coefficient));
    for (const Term& term : split.terms) {
      tree_.importance[term.feature] += decrease * std::abs(static_cast<double>(term.coefficient)) / sum;
    }
  }

  void write_subset(std::uint32_t node, const Split& split) {
    tree_.table[node] = table_size(Branch::subset);
    tree_.subsets.resize(tree_.subsets.size() + kCodes / 8, 0);
    std::uint8_t* bits = tree_.subsets.data() + tree_.table[node];
    for (int code = 0; code < kCodes; ++code)
      bits[code / 8] |= static_cast<std::uint8_t>(split.slot_of[code] << (code % 8));
  }

  void write_slots(std::uint32_t node, const Split& split) {
    tree_.table[node] = table_size(Branch::multiway);
    for (Code slot : split.slot_of) tree_.slots.push_back(static_cast<std::uint8_t>(slot + 1));
  }

  void write_terms(std::uint32_t node, const Split& split) {
    tree_.table[node] = table_size(Branch::oblique);
    if (tree_.term_start.empty()) tree_.term_start.push_back(0);
    append(tree_.terms, split.terms);
    tree_.term_start.push_back(static_cast<std::int32_t>(tree_.terms.size()));
    tree_.term_cut.push_back(split.threshold);
  }

  const std::size_t outputs_, pure_;
  const bool keep_stats_;
  Tree tree_;
};

}  // namespace venire
