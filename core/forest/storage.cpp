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
  require(std::isfinite(column.mean) && column.deviation > 0, "a column's scale is not a number");
  for (Code bin : column.bin_of) require(bin == kMissing || bin < kMaxCategoryBins, "a category has no bin");
}

// Does the side table of an inner node exist, and how many children does it name?
std::uint32_t check_branch(const Tree& tree, std::uint32_t node, const Columns& columns) {
  const Node& one = tree.nodes[node];
  require(one.feature() < columns.size(), "a node asks about a column that does not exist");
  if (one.branch() == Branch::threshold) return 2;
  const std::int32_t at = tree.table[node];
  if (one.branch() == Branch::subset) {
    require(at >= 0 && at % (kCodes / 8) == 0 && static_cast<std::size_t>(at) + kCodes / 8 <= tree.subsets.size(),
            "a subset is missing");
    return 2;
  }
  if (one.branch() == Branch::multiway) {
    require(at >= 0 && at % kCodes == 0 && static_cast<std::size_t>(at) + kCodes <= tree.slots.size(),
            "a branch table is missing");
    require(tree.value[node] >= 0, "a many-way node has no value of its own");
    return *std::max_element(tree.slots.begin() + at, tree.slots.begin() + at + kCodes);
  }
  require(at >= 0 && static_cast<std::size_t>(at) < tree.term_cut.size(), "a combination is missing");
  return 2;
}

void check_tree(const Tree& tree, const Columns& columns, std::size_t outputs) {
  const std::size_t count = tree.nodes.size(), values = tree.values.size() / outputs;
  require(count > 0 && count < UINT32_MAX / 2, "a tree has no nodes");
  for (std::uint32_t node = 0; node < count; ++node) {
    const std::int32_t value = tree.value[node];
    require(value >= -1 && (value < 0 || static_cast<std::size_t>(value) < values), "a node's value does not exist");
    if (tree.nodes[node].is_leaf(node)) {
      require(tree.nodes[node].packed == Node::leaf(node).packed && value >= 0, "a leaf is not a leaf");
      require(!columns.empty(), "there are no columns");
      continue;
    }
    const std::uint32_t children = check_branch(tree, node, columns);
    require(tree.nodes[node].child > node && tree.nodes[node].child + std::size_t{children} <= count,
            "a child does not exist");
  }
  for (const Term& term : tree.terms) {
    require(term.feature < columns.size() && !columns[term.feature].categorical,
            "a combination names no numeric column");
  }
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
  if (!tree.term_cut.empty()) tree.term_start.push_back(0);
  for (std::int32_t terms : part(stored.term_count, stored.cut_start, t)) {
    require(terms > 0 && terms <= (1 << 20), "a combination has no terms");
    tree.term_start.push_back(tree.term_start.back() + terms);
  }
  for (std::int64_t i = stored.term_start[t]; i < stored.term_start[t + 1]; ++i) {
    tree.terms.push_back(
        {stored.term_feature[static_cast<std::size_t>(i)], stored.term_coefficient[static_cast<std::size_t>(i)]});
  }
  require(tree.term_start.empty() ? tree.terms.empty()
                                  : tree.term_start.back() == static_cast<std::int64_t>(tree.terms.size()),
          "combinations do not add up");
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
  for (std::size_t j = 0; j < columns; ++j) {
    Column column;
    column.categorical = stored.categorical[j] != 0;
    column.edges = part(stored.edges, stored.edge_start, j);
    column.centers = part(stored.centers, stored.center_start, j);
    column.bin_of = part(stored.bin_of, stored.code_start, j);
    column.mean = stored.mean[j];
    column.deviation = stored.deviation[j];
    check_column(column);
    ensemble.columns.push_back(std::move(column));
  }
  const auto outputs = static_cast<std::size_t>(stored.outputs);
  for (std::size_t t = 0; t < trees; ++t) {
    Tree tree = restore_tree(stored, t, outputs);
    check_tree(tree, ensemble.columns, outputs);
    const auto at = stored.importance.begin() + static_cast<std::ptrdiff_t>(t * columns);
    tree.importance.assign(at, at + static_cast<std::ptrdiff_t>(columns));
    ensemble.trees.push_back(std::move(tree));
  }
  return ensemble;
}

}  // namespace venire
