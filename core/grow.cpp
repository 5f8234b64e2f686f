#include "grow.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "absolute.hpp"
#include "histogram.hpp"

namespace venire {
namespace {

// Nodes below this many rows work on a copy of their codes: 4,096 rows of 50 columns fit the second-level cache.
constexpr std::uint32_t kLocalRows = 4096;
// Copying all columns must not cost more than the gathers it saves.
constexpr std::uint32_t kLocalColumnsPerFeature = 16;
// Columns known to be constant in a node are remembered for the first 64, in one word.
constexpr std::uint32_t kTracked = 64;

struct Codes {
  const Code* first = nullptr;
  std::size_t stride = 0;
  const Code* column(std::uint32_t j) const { return first + j * stride; }
};

struct Task {
  std::uint32_t node, begin, end, depth;
  std::uint64_t key;
  std::uint64_t constant;  // bit j: column j does not vary here
  bool local;

  std::uint32_t rows() const { return end - begin; }
};

// What a node would predict if it were a leaf.
struct Summary {
  bool pure = false;
  int pure_class = -1;
  double impurity = 0;
  std::vector<double> value;
};

double weight_unit(const Training& training) { return training.weights.empty() ? 1.0 : training.weights.unit; }

template <class Item, class Impurity, int Channels>
void summarise(const Histogram<Item, Impurity, Channels>& groups, const Item* items, std::size_t count,
               const Training& training, bool with_impurity, Summary& out) {
  const std::vector<double>& total = groups.total();
  const double weight = groups.total_weight();
  if constexpr (Impurity::kClasses) {
    out.pure_class = -1;
    for (std::size_t k = 0; k < total.size(); ++k) {
      out.value[k] = total[k] / weight;
      if (total[k] == weight) out.pure_class = static_cast<int>(k);
    }
    out.pure = out.pure_class >= 0;
    if (with_impurity) out.impurity = Impurity::impurity(total.data(), static_cast<int>(total.size()), weight);
  } else {
    double low = items[0].y, high = low;
    for (std::size_t i = 1; i < count; ++i) {
      low = std::min(low, items[i].y);
      high = std::max(high, items[i].y);
    }
    out.pure = low == high;
    out.value[0] = out.pure ? low : training.center + total[1] * training.moments.unit / (weight * weight_unit(training));
    if (!with_impurity) return;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      squares += static_cast<double>(items[i].weight) * (items[i].y - out.value[0]) * (items[i].y - out.value[0]);
    }
    out.impurity = out.pure ? 0.0 : squares / weight;
  }
}

void summarise(const Deviations& groups, const ValueItem*, std::size_t, const Training& training, bool, Summary& out) {
  out.pure = groups.cost() == 0;
  out.value[0] = groups.median();
  out.impurity = groups.cost() * training.moments.unit / (groups.total_weight() * weight_unit(training));
}

// Turns a gain into a decrease of impurity times share of the weight.
double unit_of_gain(const Training& training, Criterion criterion, double weight) {
  if (training.classes > 0) return 1 / weight;
  const double unit = training.moments.unit / weight_unit(training);
  return (criterion == Criterion::absolute ? unit : unit * unit) / weight;
}

template <class Item, class Groups>
class Grower {
 public:
  Grower(const Training& training, const GrowRules& rules, std::vector<Item> items, double weight)
      : training_(training), rules_(rules), columns_(training.bins->columns), items_(std::move(items)),
        spare_(items_.size()), all_weight_(weight), split_rules_(in_units(rules, weight)),
        groups_(training.classes > 0 ? training.classes : 2, split_rules_), search_(groups_, split_rules_) {
    order_.resize(columns_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    summary_.value.resize(static_cast<std::size_t>(training.outputs()));
    gain_unit_ = unit_of_gain(training, rules.criterion, weight);
    const auto looked_at = std::min<std::size_t>(rules.features, columns_.size());
    may_copy_ = rules.max_leaves == UINT32_MAX && rules.combined == 0 &&
                columns_.size() <= kLocalColumnsPerFeature * looked_at;
    if (rules.combined > 0) combined_codes_.resize(training.bins->rows);
  }

  Tree grow(std::uint64_t key) {
    tree_.importance.assign(columns_.size(), 0.0);
    if (training_.classes > 0) add_pure_values();
    add_nodes(1);
    const Task root{0, 0, static_cast<std::uint32_t>(items_.size()), 0, key, 0, false};
    rules_.max_leaves == UINT32_MAX ? depth_first(root) : best_first(root);
    return std::move(tree_);
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
      std::optional<Split> split = examine(task, false);
      if (!split) continue;
      divide(task, *split, children);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
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
    groups_.begin(items_.data() + task.begin, task.rows());
    summarise(groups_, items_.data() + task.begin, task.rows(), training_, rules_.keep_stats, summary_);
    if (rules_.keep_stats) {
      tree_.stats[task.node] = {task.rows(), groups_.total_weight() * weight_unit(training_), summary_.impurity};
    }
    std::optional<Split> split;
    if (may_split(task)) {
      if (may_copy_ && !task.local && task.rows() <= kLocalRows) copy_codes(task);
      split = find_split(task);
    }
    if (!split || keep_value || rules_.keep_stats || split->branch == Branch::multiway) write_value(task.node);
    return split;
  }

  bool may_split(const Task& task) const {
    return !summary_.pure && task.depth < rules_.max_depth && task.rows() >= rules_.min_split_rows &&
           task.rows() / 2 >= rules_.split.min_rows && groups_.total_weight() >= 2 * split_rules_.min_weight;
  }

  std::optional<Split> find_split(Task& task) {
    Random random(task.key);
    search_.begin();
    const Codes codes = codes_of(task);
    if (rules_.combined > 0) look_at_combinations(task, codes, random);
    else look_at_columns(task, codes, random);
    const std::vector<Candidate>& found = search_.found().list();
    if (found.empty()) return std::nullopt;
    std::size_t pick = 0;
    if (rules_.split.among_best > 1) pick = random.below(static_cast<std::uint32_t>(found.size()));
    const Candidate chosen = found[pick];
    if (chosen.gain * gain_unit_ + 1e-15 < rules_.min_decrease) return std::nullopt;
    if (chosen.branch == Branch::oblique) return settle_combination(chosen);
    return search_.settle(chosen, columns_[chosen.feature], codes.column(chosen.feature));
  }

  // Draws columns without replacement until q have been seen and at least one of them varies.
  void look_at_columns(Task& task, const Codes& codes, Random& random) {
    const auto all = static_cast<std::uint32_t>(columns_.size());
    const bool draw = rules_.features < all;
    std::uint32_t varying = 0;
    swaps_.clear();
    for (std::uint32_t seen = 0; seen < all && (seen < rules_.features || varying == 0); ++seen) {
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
    const Standardised& x = *training_.standardised;
    const std::size_t step = std::max<std::size_t>(1, task.rows() / kLocalRows);
    projected_.resize(task.rows());
    sampled_.clear();
    for (std::uint32_t i = 0; i < task.rows(); ++i) {
      projected_[i] = x.combine(combination.terms, items_[task.begin + i].row);
      if (i % step == 0) sampled_.push_back(projected_[i]);
    }
    combination.cuts = range_cuts(sampled_);
    if (combination.cuts.empty()) return false;
    const auto& cuts = combination.cuts;
    for (std::uint32_t i = 0; i < task.rows(); ++i) {
      const auto below = std::lower_bound(cuts.begin(), cuts.end(), projected_[i]) - cuts.begin();
      combined_codes_[items_[task.begin + i].row] = static_cast<Code>(below);
    }
    return true;
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
    const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
    add_nodes(split.children);
    credit(split);
    record(task.node, first, split);
    part(task, split);
    children.clear();
    std::uint32_t begin = task.begin;
    for (std::uint32_t slot = 0; slot < split.children; ++slot) {
      children.push_back({first + slot, begin, ends_[slot], task.depth + 1, child_key(task.key, slot), task.constant, task.local});
      begin = ends_[slot];
    }
  }

  void part(const Task& task, const Split& split) {
    const Code* codes = codes_of(task).column(split.feature);
    if (split.branch == Branch::threshold) {
      const Code shift = split.missing_left ? 1 : 0, cut = static_cast<Code>(split.cut + shift);
      part_in_two(task, [=](const Item& item) { return static_cast<Code>(codes[item.row] + shift) > cut; });
    } else if (split.branch == Branch::subset) {
      part_in_two(task, [&](const Item& item) { return split.slot_of[codes[item.row]] != 0; });
    } else if (split.branch == Branch::oblique) {
      const Standardised& x = *training_.standardised;
      part_in_two(task, [&](const Item& item) { return x.combine(split.terms, item.row) > split.threshold; });
    } else {
      part_in_many(task, split, codes);
    }
  }

  // Stable and without branches: every item is written to both sides, and only one of the two places moves on.
  template <class GoesRight>
  void part_in_two(const Task& task, GoesRight goes_right) {
    Item* left = items_.data() + task.begin;
    Item* right = spare_.data();
    const Item* const end = items_.data() + task.end;
    for (const Item* item = left; item != end; ++item) {
      const Item moved = *item;
      const bool is_right = goes_right(moved);
      *left = moved;
      *right = moved;
      left += is_right ? 0 : 1;
      right += is_right ? 1 : 0;
    }
    std::copy(spare_.data(), right, left);
    ends_.assign({static_cast<std::uint32_t>(left - items_.data()), task.end});
  }

  void part_in_many(const Task& task, const Split& split, const Code* codes) {
    ends_.assign(split.children, 0);
    for (std::uint32_t i = task.begin; i < task.end; ++i) ++ends_[split.slot_of[codes[items_[i].row]]];
    std::uint32_t start = 0;
    for (std::uint32_t& end : ends_) start += std::exchange(end, start);
    for (std::uint32_t i = task.begin; i < task.end; ++i) spare_[ends_[split.slot_of[codes[items_[i].row]]]++] = items_[i];
    std::copy(spare_.data(), spare_.data() + task.rows(), items_.data() + task.begin);
    for (std::uint32_t& end : ends_) end += task.begin;
  }

  Codes codes_of(const Task& task) const {
    if (task.local) return {local_.data(), kLocalRows};
    return {training_.bins->codes.data(), training_.bins->rows};
  }

  void copy_codes(Task& task) {
    local_.resize(columns_.size() * kLocalRows);
    const std::uint32_t count = task.rows();
    Item* items = items_.data() + task.begin;
    for (std::uint32_t j = 0; j < columns_.size(); ++j) {
      if (j < kTracked && (task.constant >> j & 1) != 0) continue;
      const Code* from = training_.bins->column(j);
      Code* to = local_.data() + j * kLocalRows;
      for (std::uint32_t i = 0; i < count; ++i) to[i] = from[items[i].row];
    }
    for (std::uint32_t i = 0; i < count; ++i) items[i].row = i;
    task.local = true;
  }

  // ---- writing the tree

  void add_nodes(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      tree_.nodes.push_back(Node::leaf(static_cast<std::uint32_t>(tree_.nodes.size())));
      tree_.value.push_back(-1);
    }
    if (rules_.keep_stats) tree_.stats.resize(tree_.nodes.size());
    if (!tree_.table.empty()) tree_.table.resize(tree_.nodes.size(), -1);
  }

  // The leaves of a full tree are nearly all pure: they share one row of values per class.
  void add_pure_values() {
    const auto k = static_cast<std::size_t>(training_.classes);
    tree_.values.assign(k * k, 0.0);
    for (std::size_t c = 0; c < k; ++c) tree_.values[c * k + c] = 1.0;
  }

  void write_value(std::uint32_t node) {
    if (summary_.pure_class >= 0) {
      tree_.value[node] = summary_.pure_class;
      return;
    }
    tree_.value[node] = static_cast<std::int32_t>(tree_.values.size() / summary_.value.size());
    tree_.values.insert(tree_.values.end(), summary_.value.begin(), summary_.value.end());
  }

  void credit(const Split& split) {
    const double decrease = split.gain * gain_unit_;
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

  void record(std::uint32_t node, std::uint32_t first, const Split& split) {
    const Code shift = split.missing_left ? 1 : 0;
    tree_.nodes[node] = Node::make(first, split.feature, split.branch, split.missing_left, static_cast<Code>(split.cut + shift));
    if (split.branch == Branch::threshold) return;
    tree_.table.resize(tree_.nodes.size(), -1);
    if (split.branch == Branch::subset) {
      tree_.table[node] = static_cast<std::int32_t>(tree_.subsets.size());
      tree_.subsets.resize(tree_.subsets.size() + kCodes / 8, 0);
      std::uint8_t* bits = tree_.subsets.data() + tree_.table[node];
      for (int code = 0; code < kCodes; ++code) bits[code / 8] |= static_cast<std::uint8_t>(split.slot_of[code] << (code % 8));
    } else if (split.branch == Branch::multiway) {
      tree_.table[node] = static_cast<std::int32_t>(tree_.slots.size());
      for (Code slot : split.slot_of) tree_.slots.push_back(static_cast<std::uint8_t>(slot + 1));
    } else {
      tree_.table[node] = static_cast<std::int32_t>(tree_.term_cut.size());
      if (tree_.term_start.empty()) tree_.term_start.push_back(0);
      tree_.terms.insert(tree_.terms.end(), split.terms.begin(), split.terms.end());
      tree_.term_start.push_back(static_cast<std::int32_t>(tree_.terms.size()));
      tree_.term_cut.push_back(split.threshold);
    }
  }

  const Training& training_;
  const GrowRules& rules_;
  const Columns& columns_;
  std::vector<Item> items_, spare_;
  const double all_weight_;
  const SplitRules split_rules_;
  Groups groups_;
  Search<Groups> search_;
  double gain_unit_ = 1;
  bool may_copy_ = false;
  Tree tree_;
  Summary summary_;
  std::vector<std::uint32_t> order_, swaps_, ends_;
  std::vector<Code> local_, combined_codes_;
  std::vector<Combination> combinations_;
  std::vector<double> projected_, sampled_;
};

std::int64_t weight_at(const Training& training, Row row) {
  return training.weights.empty() ? 1 : training.weights.units[row];
}

template <class Item>
Item make_item(const Training& training, Row row, std::int64_t copies) {
  const std::int64_t weight = weight_at(training, row) * copies;
  if constexpr (std::is_same_v<Item, ValueItem>) {
    return {row, weight, training.moments.units[row] * copies, training.y[row]};
  } else {
    const auto label = static_cast<decltype(Item::label)>(training.labels[row]);
    return {row, label, static_cast<decltype(Item::weight)>(weight)};
  }
}

template <class Item, class Groups>
Tree grow_with(const Training& training, const GrowRules& rules, const std::vector<Row>& rows,
               const std::vector<std::uint32_t>& copies, std::uint64_t key) {
  std::vector<Item> items;
  items.reserve(rows.size());
  double weight = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (copies[i] == 0) continue;
    items.push_back(make_item<Item>(training, rows[i], copies[i]));
    weight += static_cast<double>(items.back().weight);
  }
  return Grower<Item, Groups>(training, rules, std::move(items), weight).grow(key);
}

template <class Item, class Impurity>
Tree grow_classes(const Training& training, const GrowRules& rules, const std::vector<Row>& rows,
                  const std::vector<std::uint32_t>& copies, std::uint64_t key) {
  if (training.classes == 2) return grow_with<Item, Histogram<Item, Impurity, 2>>(training, rules, rows, copies, key);
  return grow_with<Item, Histogram<Item, Impurity>>(training, rules, rows, copies, key);
}

template <class Item>
Tree grow_classes(const Training& training, const GrowRules& rules, const std::vector<Row>& rows,
                  const std::vector<std::uint32_t>& copies, std::uint64_t key) {
  switch (rules.criterion) {
    case Criterion::gini: return grow_classes<Item, Gini>(training, rules, rows, copies, key);
    case Criterion::error: return grow_classes<Item, Misclassified>(training, rules, rows, copies, key);
    default: return grow_classes<Item, Entropy>(training, rules, rows, copies, key);
  }
}

// Do all weights of this sample fit the narrow item, and their total the narrow sum?
bool is_narrow(const Training& training, const std::vector<Row>& rows, const std::vector<std::uint32_t>& copies) {
  if (!training.weights.empty() && training.weights.unit != 1) return false;
  if (training.classes > 65536) return false;
  std::int64_t total = 0, largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t weight = weight_at(training, rows[i]) * copies[i];
    total += weight;
    largest = std::max(largest, weight);
  }
  return largest <= CountItem::kMaxWeight && total <= static_cast<std::int64_t>(UINT32_MAX);
}

}  // namespace

Tree grow_tree(const Training& training, const GrowRules& rules, const std::vector<Row>& rows,
               const std::vector<std::uint32_t>& copies, std::uint64_t key) {
  if (training.classes > 0) {
    return is_narrow(training, rows, copies) ? grow_classes<CountItem>(training, rules, rows, copies, key)
                                             : grow_classes<WeightItem>(training, rules, rows, copies, key);
  }
  if (rules.criterion == Criterion::absolute) {
    return grow_with<ValueItem, Deviations>(training, rules, rows, copies, key);
  }
  return grow_with<ValueItem, Histogram<ValueItem, Variance, 2>>(training, rules, rows, copies, key);
}

}  // namespace venire
