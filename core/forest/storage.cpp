#include "forest/storage.hpp"

#include <algorithm>
#include <cmath>

namespace venire {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void require(bool holds, const char* what) {
  if (!holds) throw StorageError(std::string("the stored trees are damaged: ") + what);
}

// Offsets must start at 0, never fall, and end at the size of what they cut up.
void check_offsets(const std::vector<std::int64_t>& start, std::size_t parts, std::size_t size, const char* what) {
  require(start.size() == parts + 1 && start.front() == 0, what);
  require(std::is_sorted(start.begin(), start.end()), what);
  require(start.back() == static_cast<std::int64_t>(size), what);
}

template <class T>
std::vector<T> part(const std::vector<T>& all, const std::vector<std::int64_t>& start, std::size_t which) {
  return std::vector<T>(all.begin() + start[which], all.begin() + start[which + 1]);
}

void store_column(const Column& column, Stored& out) {
  out.categorical.push_back(column.categorical ? 1 : 0);
  append(out.edges, column.edges);
  append(out.centers, column.centers);
  append(out.bin_of, column.bin_of);
  out.mean.push_back(column.mean);
  out.deviation.push_back(column.deviation);
  out.edge_start.push_back(static_cast<std::int64_t>(out.edges.size()));
  out.center_start.push_back(static_cast<std::int64_t>(out.centers.size()));
  out.code_start.push_back(static_cast<std::int64_t>(out.bin_of.size()));
}

void store_tree(const Tree& tree, bool with_stats, std::size_t outputs, Stored& out) {
  for (const Node& node : tree.nodes) {
    out.nodes.push_back(node.child);
    out.nodes.push_back(node.packed);
  }
  append(out.value, tree.value);
  append(out.values, tree.values);
  std::vector<std::int32_t> table = tree.table;
  table.resize(tree.nodes.size(), -1);
  append(out.table, table);
  append(out.subsets, tree.subsets);
  append(out.slots, tree.slots);
  append(out.term_cut, tree.term_cut);
  for (std::size_t c = 0; c < tree.term_cut.size(); ++c)
    out.term_count.push_back(tree.term_start[c + 1] - tree.term_start[c]);
  for (const Term& term : tree.terms) {
    out.term_feature.push_back(term.feature);
    out.term_coefficient.push_back(term.coefficient);
  }
  if (with_stats) {
    for (const NodeStats& one : tree.stats) {
      out.rows.push_back(one.rows);
      out.weight.push_back(one.weight);
      out.impurity.push_back(one.impurity);
    }
  }
  append(out.importance, tree.importance);
  out.node_start.push_back(static_cast<std::int64_t>(out.value.size()));
  out.value_start.push_back(static_cast<std::int64_t>(out.values.size() / outputs));
  out.subset_start.push_back(static_cast<std::int64_t>(out.subsets.size()));
  out.slot_start.push_back(static_cast<std::int64_t>(out.slots.size()));
  out.cut_start.push_back(static_cast<std::int64_t>(out.term_cut.size()));
  out.term_start.push_back(static_cast<std::int64_t>(out.term_feature.size()));
}

void check_column(const Column& column) {
  const bool numbers = std::all_of(column.edges.begin(), column.edges.end(), [](double e) { return !std::isnan(e); });
  require(numbers && std::is_sorted(column.edges.begin(), column.edges.end()), "edges are not in order");
  require(column.edges.size() < kMaxBins, "a column has too many edges");
  require(column.categorical ? column.edges.empty() && column.centers.empty() : column.bin_of.empty(),
          "a column is both numeric and categorical");
  require(column.centers.size() == column.edges.size() + (column.centers.empty() ? 0 : 1),
          "a column's centers do not match its edges");
  require(std::isfinite(column.mean) && column.deviation > 0, "a column's scale is not a number");
  for (Code bin : column.bin_of) require(bin == kMissing || bin < kMaxCategoryBins, "a category has no bin");
}

// Notes that something is taken; false if it was already.
bool take(std::vector<bool>& taken, std::size_t which) {
  if (taken[which]) return false;
  return taken[which] = true;
}

class TreeCheck {
 public:
  TreeCheck(const Tree& tree, const Columns& columns, std::size_t outputs)
      : tree_(tree), columns_(columns), values_(tree.values.size() / outputs), has_parent_(tree.nodes.size()),
        subsets_(tree.subsets.size() / kSubset), slots_(tree.slots.size() / kCodes), cuts_(tree.term_cut.size()) {}

  void run() {
    const std::size_t count = tree_.nodes.size();
    require(count > 0 && count < UINT32_MAX / 2, "a tree has no nodes");
    require(!columns_.empty(), "there are no columns");
    for (std::uint32_t node = 0; node < count; ++node) check_node(node);
    for (const Term& term : tree_.terms) {
      require(term.feature < columns_.size() && !columns_[term.feature].categorical,
              "a combination names no numeric column");
    }
    for (const NodeStats& one : tree_.stats) {
      require(std::isfinite(one.weight) && one.weight >= 0 && std::isfinite(one.impurity),
              "statistics are not numbers");
    }
  }

 private:
  static constexpr std::size_t kSubset = kCodes / 8;

  // Parents come first, so that whether a node has one is known when it is its turn.
  void check_node(std::uint32_t node) {
    const Node& one = tree_.nodes[node];
    const std::int32_t value = tree_.value[node];
    require(node == 0 || has_parent_[node], "a node has no parent");
    require(value >= -1 && (value < 0 || static_cast<std::size_t>(value) < values_), "a node's value does not exist");
    require(value >= 0 || tree_.stats.empty(), "a node with statistics has no value");
    if (one.is_leaf(node)) {
      require(one.packed == Node::leaf(node).packed && value >= 0, "a leaf is not a leaf");
      return;
    }
    const std::size_t children = check_branch(node);
    require(one.child > node && one.child + children <= tree_.nodes.size(), "a child does not exist");
    for (std::size_t c = 0; c < children; ++c) require(take(has_parent_, one.child + c), "a node has two parents");
  }

  // Does the side table of an inner node exist, and how many children does it name?
  std::size_t check_branch(std::uint32_t node) {
    const Node& one = tree_.nodes[node];
    require(one.feature() < columns_.size(), "a node asks about a column that does not exist");
    if (one.branch() == Branch::threshold) return 2;
    const std::int32_t at = tree_.table[node];
    if (one.branch() == Branch::subset) {
      check_table(at, kSubset, subsets_, "a subset is missing");
      return 2;
    }
    if (one.branch() == Branch::multiway) {
      check_table(at, kCodes, slots_, "a branch table is missing");
      require(tree_.value[node] >= 0, "a many-way node has no value of its own");
      const auto slot = tree_.slots.begin() + at;
      const std::uint8_t children = *std::max_element(slot, slot + kCodes);
      require(children > 1, "a branch table names fewer than two children");
      return children;
    }
    check_table(at, 1, cuts_, "a combination is missing");
    return 2;
  }

  // Tables of one size lie one after the other; each belongs to one node.
  static void check_table(std::int32_t at, std::size_t size, std::vector<bool>& taken, const char* missing) {
    require(at >= 0 && static_cast<std::size_t>(at) % size == 0 && static_cast<std::size_t>(at) / size < taken.size(),
            missing);
    require(take(taken, static_cast<std::size_t>(at) / size), "two nodes share a side table");
  }

  const Tree& tree_;
  const Columns& columns_;
  const std::size_t values_;
  std::vector<bool> has_parent_, subsets_, slots_, cuts_;
};

// Where the terms of each combination begin: as many as there are, added up in 64 bits.
std::vector<std::int32_t> starts_of_terms(const std::vector<std::int32_t>& counts, std::int64_t terms) {
  require(terms <= INT32_MAX, "there are too many terms");
  std::vector<std::int32_t> start;
  std::int64_t sum = 0;
  if (!counts.empty()) start.push_back(0);
  for (const std::int32_t count : counts) {
    require(count > 0, "a combination has no terms");
    sum += count;
    require(sum <= terms, "combinations do not add up");
    start.push_back(static_cast<std::int32_t>(sum));
  }
  require(sum == terms, "combinations do not add up");
  return start;
}

Tree restore_tree(const Stored& stored, std::size_t t, std::size_t outputs) {
  Tree tree;
  const auto first = static_cast<std::size_t>(stored.node_start[t]),
             last = static_cast<std::size_t>(stored.node_start[t + 1]);
  for (std::size_t n = first; n < last; ++n) tree.nodes.push_back({stored.nodes[2 * n], stored.nodes[2 * n + 1]});
  tree.value = part(stored.value, stored.node_start, t);
  const auto k = static_cast<std::ptrdiff_t>(outputs);
  tree.values.assign(stored.values.begin() + stored.value_start[t] * k,
                     stored.values.begin() + stored.value_start[t + 1] * k);
  tree.subsets = part(stored.subsets, stored.subset_start, t);
  tree.slots = part(stored.slots, stored.slot_start, t);
  tree.term_cut = part(stored.term_cut, stored.cut_start, t);
  const std::int64_t terms = stored.term_start[t + 1] - stored.term_start[t];
  tree.term_start = starts_of_terms(part(stored.term_count, stored.cut_start, t), terms);
  for (std::int64_t i = stored.term_start[t]; i < stored.term_start[t + 1]; ++i) {
    tree.terms.push_back(
        {stored.term_feature[static_cast<std::size_t>(i)], stored.term_coefficient[static_cast<std::size_t>(i)]});
  }
  if (!tree.subsets.empty() || !tree.slots.empty() || !tree.terms.empty())
    tree.table = part(stored.table, stored.node_start, t);
  else
    for (const Node& node : tree.nodes) require(node.branch() == Branch::threshold, "a side table is missing");
  for (std::size_t n = first; n < last && !stored.rows.empty(); ++n) {
    tree.stats.push_back({stored.rows[n], stored.weight[n], stored.impurity[n]});
  }
  return tree;
}

void check_sizes(const Stored& stored, std::size_t columns, std::size_t trees) {
  const std::size_t nodes = stored.value.size();
  require(stored.outputs > 0 && stored.outputs <= (1 << 20), "the number of outputs is out of range");
  require(stored.mean.size() == columns && stored.deviation.size() == columns, "columns do not match");
  check_offsets(stored.edge_start, columns, stored.edges.size(), "edges do not match");
  check_offsets(stored.center_start, columns, stored.centers.size(), "centers do not match");
  check_offsets(stored.code_start, columns, stored.bin_of.size(), "categories do not match");
  check_offsets(stored.node_start, trees, nodes, "nodes do not match");
  require(stored.nodes.size() == 2 * nodes && stored.table.size() == nodes, "nodes do not match");
  const auto outputs = static_cast<std::size_t>(stored.outputs);
  require(stored.values.size() % outputs == 0, "values do not match");
  check_offsets(stored.value_start, trees, stored.values.size() / outputs, "values do not match");
  check_offsets(stored.subset_start, trees, stored.subsets.size(), "subsets do not match");
  check_offsets(stored.slot_start, trees, stored.slots.size(), "branches do not match");
  check_offsets(stored.cut_start, trees, stored.term_cut.size(), "combinations do not match");
  check_offsets(stored.term_start, trees, stored.term_feature.size(), "combinations do not match");
  require(stored.term_count.size() == stored.term_cut.size(), "combinations do not match");
  require(stored.term_coefficient.size() == stored.term_feature.size(), "combinations do not match");
  const std::size_t stats = stored.rows.size();
  require((stats == 0 || stats == nodes) && stored.weight.size() == stats && stored.impurity.size() == stats,
          "statistics do not match");
  require(stored.importance.size() == columns * trees, "importances do not match");
}

}  // namespace

Stored store(const Ensemble& ensemble) {
  Stored out;
  out.outputs = ensemble.outputs;
  out.classes = ensemble.classes;
  for (auto* start : {&out.edge_start, &out.center_start, &out.code_start, &out.node_start, &out.value_start,
                      &out.subset_start, &out.slot_start, &out.cut_start, &out.term_start}) {
    start->push_back(0);
  }
  for (const Column& column : ensemble.columns) store_column(column, out);
  const bool with_stats =
      std::all_of(ensemble.trees.begin(), ensemble.trees.end(), [](const Tree& t) { return !t.stats.empty(); });
  for (const Tree& tree : ensemble.trees) store_tree(tree, with_stats, static_cast<std::size_t>(ensemble.outputs), out);
  return out;
}

Ensemble restore(const Stored& stored) {
  require(!stored.node_start.empty(), "there are no trees");
  const std::size_t columns = stored.categorical.size(), trees = stored.node_start.size() - 1;
  check_sizes(stored, columns, trees);
  Ensemble ensemble;
  ensemble.outputs = static_cast<int>(stored.outputs);
  ensemble.classes = stored.classes;
  Columns restored;
  for (std::size_t j = 0; j < columns; ++j) {
    Column column;
    column.categorical = stored.categorical[j] != 0;
    column.edges = part(stored.edges, stored.edge_start, j);
    column.centers = part(stored.centers, stored.center_start, j);
    column.bin_of = part(stored.bin_of, stored.code_start, j);
    column.mean = stored.mean[j];
    column.deviation = stored.deviation[j];
    check_column(column);
    restored.push_back(std::move(column));
  }
  ensemble.columns = std::move(restored);
  const auto outputs = static_cast<std::size_t>(stored.outputs);
  for (std::size_t t = 0; t < trees; ++t) {
    Tree tree = restore_tree(stored, t, outputs);
    TreeCheck(tree, ensemble.columns, outputs).run();
    const auto at = stored.importance.begin() + static_cast<std::ptrdiff_t>(t * columns);
    tree.importance.assign(at, at + static_cast<std::ptrdiff_t>(columns));
    ensemble.trees.push_back(std::move(tree));
  }
  return ensemble;
}

}  // namespace venire
