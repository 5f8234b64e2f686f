// The grower: examines a node, finds its split, parts its rows; a worker's own, with all its scratch space.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "grow.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "plant.hpp"
#include "split.hpp"
#include "summary.hpp"
#include "task.hpp"

namespace venire {

// Copying all columns must not cost more than the gathers it saves.
constexpr std::uint32_t kLocalColumnsPerFeature = 16;
// Columns known to be constant in a node are remembered for the first 64, in one word.
constexpr std::uint32_t kTracked = 64;

// Looking at the columns of a smaller node in parallel would cost more in waking threads than it gives.
constexpr std::uint32_t kSharedRows = 32768;

template <class Item, class Groups>
class Grower {
 public:
  // `items` are all rows of the tree; the rows of a task are a stretch of them.
  Grower(const Training& training, const GrowRules& rules, Item* items, double weight)
      : training_(training), rules_(rules), columns_(training.bins->columns), items_(items),
        split_rules_(in_units(rules, weight)), groups_(training.classes > 0 ? training.classes : 2, split_rules_),
        search_(groups_, split_rules_), gain_unit_(unit_of_gain(training, rules.criterion, weight)) {
    order_.resize(columns_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    summary_.value.resize(static_cast<std::size_t>(training.outputs()));
    const auto looked_at = std::min<std::size_t>(rules.features, columns_.size());
    may_copy_ = rules.max_leaves == UINT32_MAX && rules.combined == 0 &&
                columns_.size() <= kLocalColumnsPerFeature * looked_at;
  }

  // The tree below a task's node. With `later`, nodes of at most kSubtreeRows rows stay leaves, and their tasks go there.
  // With `pool`, large nodes look at their columns in parallel.
  Plant grow(Task root, Later* later = nullptr, Pool* pool = nullptr) {
    Plant plant(columns_.size(), training_.classes, training_.outputs(), rules_.keep_stats);
    plant_ = &plant;
    pool_ = pool;
    later_ = later;
    root.node = plant.add_nodes(1);
    if (!may_copy_) root.copy_at = 0;
    rules_.max_leaves == UINT32_MAX ? depth_first(root) : best_first(root);
    return plant;
  }

  // One node of a tree in the making, when the sums of its rows are there already, `kCodes` times the channels a column: writes
  // what it predicts, and returns the split it should have, if any.
  template <class Sum>
  std::optional<Split> examine_sums(Plant& plant, Task& task, const Sum* sums, std::size_t per_column) {
    plant_ = &plant;
    groups_.begin(sums, task.rows());
    return conclude(task, false, [&] {
      Random unused(0);
      search_.begin();
      for (std::uint32_t j = 0; j < columns_.size(); ++j) {
        if (j < kTracked && (task.constant >> j & 1) != 0) continue;
        const bool varies = search_.look(j, columns_[j], sums + j * per_column, unused);
        if (!varies && j < kTracked) task.constant |= std::uint64_t{1} << j;
      }
      return choose(unused, [&](std::uint32_t feature) { return sums + feature * per_column; });
    });
  }

  // A node asks its question; gives the number of its first child.
  std::uint32_t ask(std::uint32_t node, const Split& split) {
    const std::uint32_t first = plant_->add_nodes(split.children);
    plant_->set_split(node, first, split, split.gain * gain_unit_);
    return first;
  }

 private:
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
      return find_split(task);
    });
  }

  template <class Find>
  std::optional<Split> conclude(const Task& task, bool keep_value, Find find) {
    summarise(groups_, items_ + task.begin, task.rows(), training_, rules_.keep_stats, summary_);
    if (rules_.keep_stats) {
      plant_->set_stats(task.node, {task.rows(), groups_.total_weight() * weight_unit(training_), summary_.impurity});
    }
    std::optional<Split> split;
    if (may_split(task)) split = find();
    if (!split || keep_value || rules_.keep_stats || split->branch == Branch::multiway) {
      plant_->set_value(task.node, summary_.pure_class, summary_.value);
    }
    return split;
  }

  bool may_split(const Task& task) const {
    return !summary_.pure && task.depth < rules_.max_depth && task.rows() >= rules_.min_split_rows &&
           task.rows() / 2 >= rules_.split.min_rows && groups_.total_weight() >= 2 * split_rules_.min_weight;
  }

  std::optional<Split> find_split(Task& task) {
    Random random(task.key);
    search_.begin();
    const Codes codes = task.codes;
    if (rules_.combined > 0) look_at_combinations(task, codes, random);
    else if (may_share(task)) look_in_parallel(task, codes);
    else look_at_columns(task, codes, random);
    return choose(random, [&](std::uint32_t feature) { return codes.column(feature); });
  }

  // The split to make of those found; `source_of` gives what its groups are loaded from.
  template <class SourceOf>
  std::optional<Split> choose(Random& random, SourceOf source_of) {
    const std::vector<Candidate>& found = search_.found().list();
    if (found.empty()) return std::nullopt;
    std::size_t pick = 0;
    if (rules_.split.among_best > 1) pick = random.below(static_cast<std::uint32_t>(found.size()));
    const Candidate chosen = found[pick];
    if (chosen.gain * gain_unit_ + 1e-15 < rules_.min_decrease) return std::nullopt;
    if (chosen.branch == Branch::oblique) return settle_combination(chosen);
    return search_.settle(chosen, columns_[chosen.feature], source_of(chosen.feature));
  }

  [[nodiscard]] bool enough(std::uint32_t seen, std::uint32_t varying) const {
    return rules_.skip_constant ? varying >= rules_.features : seen >= rules_.features && varying > 0;
  }

  // Draws columns without replacement until q have been seen and at least one of them varies, or until q that vary.
  void look_at_columns(Task& task, const Codes& codes, Random& random) {
    const auto all = static_cast<std::uint32_t>(columns_.size());
    const bool draw = rules_.features < all;
    std::uint32_t varying = 0;
    swaps_.clear();
    for (std::uint32_t seen = 0; seen < all && !enough(seen, varying); ++seen) {
      if (draw) {
        swaps_.push_back(seen + random.below(all - seen));
        std::swap(order_[seen], order_[swaps_.back()]);
      }
      const std::uint32_t feature = order_[seen];
      if (feature < kTracked && (task.constant >> feature & 1) != 0) continue;
      if (search_.look(feature, columns_[feature], codes.column(feature), random)) ++varying;
      else if (feature < kTracked) task.constant |= std::uint64_t{1} << feature;
    }
    // Undone, so that what the next node draws does not depend on this one.
    for (std::size_t i = swaps_.size(); i-- > 0;) std::swap(order_[i], order_[swaps_[i]]);
  }

  // ---- large nodes: columns in parallel

  // What another worker needs to look at columns of the node at hand.
  struct Helper {
    Groups groups;
    Search<Groups> search;
    std::uint32_t node = UINT32_MAX;
    Helper(int channels, const SplitRules& rules) : groups(channels, rules), search(groups, rules) {}
  };

  // Random choices follow one stream through the columns, so only a search without them can be shared out.
  bool may_share(const Task& task) const {
    return pool_ != nullptr && pool_->threads() > 1 && task.rows() > kSharedRows && rules_.features >= columns_.size() &&
           !rules_.split.random_cuts;
  }

  void look_in_parallel(Task& task, const Codes& codes) {
    while (helpers_.size() < pool_->threads()) {
      helpers_.push_back(std::make_unique<Helper>(training_.classes > 0 ? training_.classes : 2, split_rules_));
    }
    std::vector<std::uint8_t> varies(columns_.size(), 0);
    pool_->run(columns_.size(), [&](std::size_t j, std::size_t worker) {
      Helper& helper = *helpers_[worker];
      if (helper.node != task.node) {
        helper.node = task.node;
        helper.groups.begin(items_ + task.begin, task.rows());
        helper.search.begin();
      }
      const auto feature = static_cast<std::uint32_t>(j);
      if (feature < kTracked && (task.constant >> feature & 1) != 0) return;
      Random unused(0);
      varies[j] = helper.search.look(feature, columns_[feature], codes.column(feature), unused) ? 1 : 0;
    });
    // Candidates have one order, so the best of all does not depend on who found it.
    for (const auto& helper : helpers_) {
      if (helper->node != task.node) continue;
      for (const Candidate& candidate : helper->search.found().list()) search_.offer(candidate);
    }
    for (std::uint32_t j = 0; j < std::min<std::size_t>(kTracked, columns_.size()); ++j) {
      if (varies[j] == 0) task.constant |= std::uint64_t{1} << j;
    }
  }

  // ---- combinations

  struct Combination {
    std::vector<Term> terms;
    std::vector<double> cuts;
  };

  void look_at_combinations(Task& task, const Codes& codes, Random& random) {
    const auto all = static_cast<std::uint32_t>(columns_.size());
    const auto& numeric = training_.standardised->numeric();
    const std::uint32_t tries = std::min(rules_.features, all);
    // When nothing varies in the first draws, a few more: a node of distinct rows should not end for bad luck.
    const std::uint32_t most = tries + 8 * all;
    std::uint32_t varying = 0;
    combinations_.clear();
    for (std::uint32_t seen = 0; seen < most && (seen < tries || varying == 0); ++seen) {
      const std::uint32_t feature = random.below(all);
      if (columns_[feature].categorical) {
        varying += search_.look(feature, columns_[feature], codes.column(feature), random);
      } else {
        combinations_.push_back({draw_terms(numeric, rules_.combined, random), {}});
        if (!code_combination(task, combinations_.back())) continue;
        const auto which = static_cast<std::uint32_t>(combinations_.size() - 1);
        varying += search_.look_combined(which, combined_codes_.data(), random);
      }
    }
  }

  bool code_combination(const Task& task, Combination& combination) {
    const Item* items = items_ + task.begin;
    combined_codes_.resize(training_.bins->rows);
    projected_.resize(task.rows());
    training_.standardised->combine(combination.terms, items, task.rows(), projected_.data());
    combination.cuts = ranger_.code(projected_, ranges_);
    for (std::uint32_t i = 0; i < task.rows(); ++i) combined_codes_[items[i].row] = ranges_[i];
    return !combination.cuts.empty();
  }

  Split settle_combination(const Candidate& chosen) {
    Combination& combination = combinations_[chosen.feature];
    Split split;
    split.gain = chosen.gain;
    split.branch = Branch::oblique;
    split.terms = std::move(combination.terms);
    split.feature = split.terms[0].feature;
    split.threshold = combination.cuts[(chosen.left_end + chosen.right_begin - 1) / 2];
    return split;
  }

  // ---- parting the rows

  void divide(const Task& task, const Split& split, std::vector<Task>& children) {
    const std::uint32_t first = ask(task.node, split);
    part(task, split);
    children.clear();
    std::uint32_t begin = task.begin;
    for (std::uint32_t slot = 0; slot < split.children; ++slot) {
      const std::uint32_t end = task.begin + ends_[slot];
      children.push_back({first + slot, begin, end, task.depth + 1, child_key(task.key, slot), task.constant, task.codes,
                          task.copy_at});
      begin = end;
    }
  }

  void part(const Task& task, const Split& split) {
    const Code* codes = task.codes.column(split.feature);
    Item* items = items_ + task.begin;
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
    const std::uint32_t count = task.rows();
    while (task.copy_at > kLocalRows && count <= copied_from(task.copy_at)) task.copy_at = copied_from(task.copy_at);
    std::vector<Code>& copy = copies_[task.copy_at];
    if (copy.size() < columns_.size() * count) copy = std::vector<Code>(columns_.size() * count);
    Item* items = items_ + task.begin;
    for (std::uint32_t j = 0; j < columns_.size(); ++j) {
      if (j < kTracked && (task.constant >> j & 1) != 0) continue;
      const Code* from = task.codes.column(j);
      Code* to = copy.data() + std::size_t{j} * count;
      for (std::uint32_t i = 0; i < count; ++i) to[i] = from[items[i].row];
    }
    for (std::uint32_t i = 0; i < count; ++i) items[i].row = i;
    task.codes = {copy.data(), count};
    task.copy_at = task.copy_at == kLocalRows ? 0 : copied_from(task.copy_at);
  }

  const Training& training_;
  const GrowRules& rules_;
  const Columns& columns_;
  Item* const items_;
  const SplitRules split_rules_;
  Groups groups_;
  Search<Groups> search_;
  const double gain_unit_;
  bool may_copy_ = false;
  Plant* plant_ = nullptr;
  Pool* pool_ = nullptr;
  Later* later_ = nullptr;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::vector<Item> spare_;
  Summary summary_;
  std::vector<std::uint32_t> order_, swaps_, ends_;
  std::map<std::uint32_t, std::vector<Code>> copies_;  // by the size from which on down they are made
  std::vector<Code> combined_codes_, ranges_;
  Ranger ranger_;
  std::vector<Combination> combinations_;
  std::vector<double> projected_;
};

}  // namespace venire
