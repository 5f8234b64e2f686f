// The grower: takes nodes in their order, examines each, has its split searched (node_search.hpp), parts its rows; a
// worker's own, with all its scratch space.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "splits/node_task.hpp"
#include "splits/sparse_columns.hpp"
#include "tree/builder.hpp"
#include "tree/code_copies.hpp"
#include "tree/grow.hpp"
#include "tree/node_search.hpp"
#include "tree/node_summary.hpp"
#include "tree/partition.hpp"

namespace venire {

template <class Item, class Groups>
class Grower {
 public:
  // `items` are all rows of the tree; the rows of a task are a stretch of them. `places` is of sparse tables.
  Grower(const Training& training, const GrowRules& rules, Item* items, double weight, Places* places = nullptr)
      : training_(training), rules_(rules), items_(items), split_rules_(in_units(rules, weight)),
        groups_(training.channels(), split_rules_), gain_unit_(unit_of_gain(training, rules.criterion, weight)),
        sparse_(places == nullptr ? nullptr
                                  : std::make_unique<SparseColumns>(training.bins->sparse, *places,
                                                                    std::min<std::size_t>(rules.features, columns()))),
        search_(training, rules, split_rules_, groups_, gain_unit_, sparse_.get()),
        copies_(columns(), std::min<std::size_t>(rules.features, columns())),
        may_copy_(rules.max_leaves == UINT32_MAX && rules.combined == 0 && copies_.pays() && places == nullptr) {
    summary_.value.resize(static_cast<std::size_t>(training.outputs()));
  }

  // The tree below a task's node. With `later`, nodes of at most kSubtreeRows rows stay leaves, and their tasks go
  // there. With `pool`, large nodes look at their columns in parallel.
  TreeBuilder grow(Task root, Later* later = nullptr, Pool* pool = nullptr) {
    TreeBuilder builder(columns(), training_.classes, training_.outputs(), rules_.keep_stats);
    builder_ = &builder;
    search_.share_with(pool);
    later_ = later;
    root.node = builder.add_nodes(1);
    if (!may_copy_) root.copy_at = 0;
    rules_.max_leaves == UINT32_MAX ? depth_first(root) : best_first(root);
    return builder;
  }

  // One node of a tree in the making, when the sums of its rows are there already, `kCodes` times the channels a
  // column: writes what it predicts, and returns the split it should have, if any.
  template <class Sum>
  std::optional<Split> examine_sums(TreeBuilder& builder, Task& task, const Sum* sums, std::size_t per_column) {
    builder_ = &builder;
    groups_.begin(sums, task.rows());
    return conclude(task, false, [&] { return search_.find_in_sums(task, sums, per_column); });
  }

  // A node asks its question; gives the number of its first child.
  std::uint32_t ask(std::uint32_t node, const Split& split) {
    const std::uint32_t first = builder_->add_nodes(split.children);
    builder_->set_split(node, first, split, split.gain * gain_unit_);
    return first;
  }

 private:
  std::size_t columns() const { return training_.bins->columns.size(); }

  static SplitRules in_units(const GrowRules& rules, double weight) {
    SplitRules split = rules.split;
    split.min_weight = rules.min_weight_fraction * weight;
    return split;
  }

  // ---- order of growth

  void depth_first(const Task& root) {
    std::vector<Task> stack{root}, children;
    while (!stack.empty()) {
      Task task = stack.back();
      stack.pop_back();
      if (later_ != nullptr && task.rows() <= kSubtreeRows) {
        later_->tasks.push_back(task);
        continue;
      }
      std::optional<Split> split = examine(task, false);
      if (!split) continue;
      divide(task, *split, children);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    if (later_ == nullptr) return;
    spare_ = {};  // the trunk's largest array
    later_->grow();
  }

  struct Open {
    Task task;
    Split split;
    bool operator<(const Open& other) const {
      return split.gain != other.split.gain ? split.gain < other.split.gain : task.node > other.task.node;
    }
  };

  void best_first(Task root) {
    std::priority_queue<Open> open;
    std::uint32_t leaves = 1;
    const auto consider = [&](Task task) {
      if (std::optional<Split> split = examine(task, true)) open.push({task, std::move(*split)});
    };
    consider(root);
    std::vector<Task> children;
    while (!open.empty() && leaves < rules_.max_leaves) {
      Open next = open.top();
      open.pop();
      // A many-way question that does not fit stays unasked; a smaller one may still fit.
      if (leaves + next.split.children - 1 > rules_.max_leaves) continue;
      leaves += next.split.children - 1;
      divide(next.task, next.split, children);
      for (const Task& child : children) consider(child);
    }
  }

  // ---- one node

  // Writes what the node predicts, and returns the split it should have, if any.
  std::optional<Split> examine(Task& task, bool keep_value) {
    groups_.begin(items_ + task.begin, task.rows());
    return conclude(task, keep_value, [&] {
      if (task.rows() <= task.copy_at) copy_codes(task);
      if (sparse_) sparse_->begin(task, items_ + task.begin);
      return search_.find(task, items_ + task.begin);
    });
  }

  template <class Find>
  std::optional<Split> conclude(const Task& task, bool keep_value, Find find) {
    summarise(groups_, items_ + task.begin, task.rows(), training_, rules_.keep_stats, summary_);
    if (rules_.keep_stats) {
      builder_->set_stats(task.node, {task.rows(), groups_.total_weight() * weight_unit(training_), summary_.impurity});
    }
    std::optional<Split> split;
    if (may_split(task)) split = find();
    if (!split || keep_value || rules_.keep_stats || split->branch == Branch::multiway) {
      builder_->set_value(task.node, summary_.pure_class, summary_.value);
    }
    return split;
  }

  bool may_split(const Task& task) const {
    return !summary_.pure && task.depth < rules_.max_depth && task.rows() >= rules_.min_split_rows &&
           task.rows() / 2 >= rules_.split.min_rows && groups_.total_weight() >= 2 * split_rules_.min_weight;
  }

  // ---- parting the rows

  void divide(const Task& task, const Split& split, std::vector<Task>& children) {
    const std::uint32_t first = ask(task.node, split);
    part(task, split);
    if (sparse_) sparse_->place(task, items_ + task.begin);
    children.clear();
    std::uint32_t begin = task.begin;
    for (std::uint32_t slot = 0; slot < split.children; ++slot) {
      const std::uint32_t end = task.begin + ends_[slot];
      children.push_back({first + slot, begin, end, task.depth + 1, child_key(task.key, slot), task.constant,
                          task.codes, task.copy_at});
      begin = end;
    }
  }

  void part(const Task& task, const Split& split) {
    Item* items = items_ + task.begin;
    const Code* codes =
        sparse_ ? sparse_->written(split.feature, items, task.rows()) : task.codes.column(split.feature);
    const auto in_two = [&](auto goes_right) {
      ends_.assign({part_in_two(items, task.rows(), spare_, goes_right), task.rows()});
    };
    if (split.branch == Branch::threshold) {
      const Code shift = split.missing_left ? 1 : 0, cut = static_cast<Code>(split.cut + shift);
      in_two([=](const Item& item) { return static_cast<Code>(codes[item.row] + shift) > cut; });
    } else if (split.branch == Branch::subset) {
      in_two([&](const Item& item) { return split.slot_of[codes[item.row]] != 0; });
    } else if (split.branch == Branch::oblique) {
      const Standardised& x = *training_.standardised;
      in_two([&](const Item& item) { return x.combine(split.terms, item.row) > split.threshold; });
    } else {
      ends_.resize(split.children);
      part_in_many(items, task.rows(), spare_, ends_, [&](const Item& item) { return split.slot_of[codes[item.row]]; });
    }
  }

  void copy_codes(Task& task) {
    // Depth first, a copy has served its last node when the next of its size is due; subtrees put off still need it.
    if (later_ != nullptr) later_->grow();
    copies_.copy(task, items_ + task.begin);
  }

  const Training& training_;
  const GrowRules& rules_;
  Item* const items_;
  const SplitRules split_rules_;
  Groups groups_;
  const double gain_unit_;
  std::unique_ptr<SparseColumns> sparse_;
  NodeSearch<Item, Groups> search_;
  Copies copies_;
  const bool may_copy_;
  TreeBuilder* builder_ = nullptr;
  Later* later_ = nullptr;
  Summary summary_;
  std::vector<Item> spare_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace venire
