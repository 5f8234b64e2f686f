// The search of a node: shows its columns to the search of split.hpp, and settles on one of the splits found.
//
//   every column       q is their number; large nodes share them out among threads
//   some columns       q drawn without replacement, or as many more as it takes until one varies
//   combinations       q drawn with replacement; a numeric one stands for a combination (linear_combination.hpp)
//
// What a node draws follows from its key alone, and candidates have one order: who looks, and when, does not matter.
// Cost: that of the columns shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "splits/linear_combination.hpp"
#include "splits/node_task.hpp"
#include "splits/sparse_columns.hpp"
#include "splits/split.hpp"
#include "tree/grow.hpp"

namespace venire {

// Looking at the columns of a smaller node in parallel would cost more in waking threads than it gives.
constexpr std::uint32_t kSharedRows = 32768;

template <class Item, class Groups>
class NodeSearch {
 public:
  // `groups` hold the totals of the node at hand. `gain_unit` turns a gain into a decrease of impurity. `sparse` is of
  // sparse tables, else null.
  NodeSearch(const Training& training, const GrowRules& rules, const SplitRules& split_rules, Groups& groups,
             double gain_unit, const SparseColumns* sparse)
      : training_(training), rules_(rules), columns_(training.bins->columns), split_rules_(split_rules),
        search_(groups, split_rules), gain_unit_(gain_unit), sparse_(sparse), order_(columns_.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  // With a pool, large nodes look at their columns in parallel.
  void share_with(Pool* pool) { pool_ = pool; }

  // The split a node should have, if any; notes the columns that turn out to be constant.
  std::optional<Split> find(Task& task, const Item* items) {
    Random random(task.key);
    search_.begin();
    if (rules_.combined > 0) look_at_combinations(task, items, random);
    else if (may_share(task)) look_in_parallel(task, items);
    else look_at_columns(task, random);
    return choose(random, [&](std::uint32_t feature) { return task.codes.column(feature); });
  }

  // The same for a node whose sums are there already, `per_column` of them a column.
  template <class Sum>
  std::optional<Split> find_in_sums(Task& task, const Sum* sums, std::size_t per_column) {
    Random unused(0);
    search_.begin();
    for (std::uint32_t j = 0; j < columns_.size(); ++j) {
      if (task.is_constant(j)) continue;
      if (!search_.search_column(j, columns_[j], sums + j * per_column, unused)) task.note_constant(j);
    }
    return choose(unused, [&](std::uint32_t feature) { return sums + feature * per_column; });
  }

 private:
  // The split to make of those found; `source_of` gives what its groups are loaded from.
  template <class SourceOf>
  std::optional<Split> choose(Random& random, SourceOf source_of) {
    const std::vector<Candidate>& found = search_.found().list();
    if (found.empty()) return std::nullopt;
    std::size_t pick = 0;
    if (rules_.split.among_best > 1) pick = random.below(static_cast<std::uint32_t>(found.size()));
    const Candidate chosen = found[pick];
    if (chosen.gain * gain_unit_ + 1e-15 < rules_.min_decrease) return std::nullopt;
    if (chosen.branch == Branch::oblique) return combinations_.settle(chosen);
    return search_.settle(chosen, columns_[chosen.feature], source_of(chosen.feature));
  }

  [[nodiscard]] bool enough(std::uint32_t seen, std::uint32_t varying) const {
    return rules_.skip_constant ? varying >= rules_.features : seen >= rules_.features && varying > 0;
  }

  // Looks at one column; false where it is constant.
  bool varies_in(Search<Groups>& search, std::uint32_t feature, const Task& task, std::vector<SparseCell>& room,
                 Random& random) const {
    if (sparse_ == nullptr) return search.search_column(feature, columns_[feature], task.codes.column(feature), random);
    const SparseColumn column = sparse_->column(feature, room);
    return column.count > 0 && search.search_column(feature, columns_[feature], &column, random);
  }

  // Draws columns without replacement until q have been seen and at least one of them varies, or until q that vary.
  void look_at_columns(Task& task, Random& random) {
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
      if (task.is_constant(feature)) continue;
      if (varies_in(search_, feature, task, room_, random)) ++varying;
      else task.note_constant(feature);
    }
    // Undone, so that what the next node draws does not depend on this one.
    for (std::size_t i = swaps_.size(); i-- > 0;) std::swap(order_[i], order_[swaps_[i]]);
  }

  void look_at_combinations(const Task& task, const Item* items, Random& random) {
    const auto all = static_cast<std::uint32_t>(columns_.size());
    const std::uint32_t tries = std::min(rules_.features, all);
    // When nothing varies in the first draws, a few more: a node of distinct rows should not end for bad luck.
    const std::uint32_t most = tries + 8 * all;
    const std::span<const Item> rows(items, task.rows());
    std::uint32_t varying = 0;
    combinations_.begin();
    for (std::uint32_t seen = 0; seen < most && (seen < tries || varying == 0); ++seen) {
      const std::uint32_t feature = random.below(all);
      if (columns_[feature].categorical) {
        varying += search_.search_column(feature, columns_[feature], task.codes.column(feature), random);
      } else if (combinations_.draw(*training_.standardised, rules_.combined, rows, training_.bins->rows, random)) {
        varying += search_.look_combined(combinations_.number(), combinations_.codes(), random);
      }
    }
  }

  // ---- large nodes: columns in parallel

  // What another worker needs to look at columns of the node at hand.
  struct Helper {
    Groups groups;
    Search<Groups> search;
    std::uint32_t node = UINT32_MAX;
    std::vector<SparseCell> room;
    Helper(int channels, const SplitRules& rules) : groups(channels, rules), search(groups, rules) {}
  };

  // Random choices follow one stream through the columns, so only a search without them can be shared out.
  bool may_share(const Task& task) const {
    return pool_ != nullptr && pool_->threads() > 1 && task.rows() > kSharedRows &&
           rules_.features >= columns_.size() && !rules_.split.random_cuts;
  }

  void look_in_parallel(Task& task, const Item* items) {
    while (helpers_.size() < pool_->threads()) {
      helpers_.push_back(std::make_unique<Helper>(training_.channels(), split_rules_));
    }
    std::vector<std::uint8_t> varies(columns_.size(), 0);
    pool_->run(columns_.size(), [&](std::size_t j, std::size_t worker) {
      Helper& helper = *helpers_[worker];
      if (helper.node != task.node) {
        helper.node = task.node;
        helper.groups.begin(items, task.rows());
        helper.search.begin();
      }
      const auto feature = static_cast<std::uint32_t>(j);
      if (task.is_constant(feature)) return;
      Random unused(0);
      varies[j] = varies_in(helper.search, feature, task, helper.room, unused) ? 1 : 0;
    });
    // Candidates have one order, so the best of all does not depend on who found it.
    for (const auto& helper : helpers_) {
      if (helper->node != task.node) continue;
      for (const Candidate& candidate : helper->search.found().list()) search_.offer(candidate);
    }
    for (std::uint32_t j = 0; j < columns_.size(); ++j) {
      if (varies[j] == 0) task.note_constant(j);
    }
  }

  const Training& training_;
  const GrowRules& rules_;
  const Columns& columns_;
  const SplitRules split_rules_;
  Search<Groups> search_;
  const double gain_unit_;
  const SparseColumns* const sparse_;
  std::vector<SparseCell> room_;
  Pool* pool_ = nullptr;
  std::vector<std::uint32_t> order_, swaps_;
  Combinations combinations_;
  std::vector<std::unique_ptr<Helper>> helpers_;
};

}  // namespace venire
