// The trees of a forest as data: arrays to keep them in, nodes to draw, sizes and importances, and forests made of
// forests.
#include <limits>
#include <string>
#include <type_traits>

#include "bind/forest.hpp"
#include "forest/describe.hpp"
#include "forest/storage.hpp"
#include "tree/prune.hpp"

using namespace nb::literals;

namespace venire {
namespace {

using Dict = nb::typed<nb::dict, nb::str, nb::any>;

nb::typed<nb::tuple, Output<double>, Output<double>> path_of(const Ensemble& ensemble) {
  PruningPath path = pruning_path(only_tree(ensemble));
  const std::size_t count = path.alphas.size();
  return nb::make_tuple(own(std::move(path.alphas), {count}), own(std::move(path.impurities), {count}));
}

Ensemble pruned(const Ensemble& ensemble, double alpha) {
  Ensemble out;
  out.columns = ensemble.columns;
  out.outputs = ensemble.outputs;
  out.classes = ensemble.classes;
  for (const Tree& tree : ensemble.trees) out.trees.push_back(prune(tree, alpha, ensemble.outputs));
  return out;
}

void extend(Ensemble& ensemble, const Ensemble& more) {
  if (more.columns != ensemble.columns || more.outputs != ensemble.outputs) {
    throw nb::value_error("the rows are not those the first trees were grown on");
  }
  ensemble.trees.insert(ensemble.trees.end(), more.trees.begin(), more.trees.end());
}

Ensemble joined(const std::vector<const Ensemble*>& forests) {
  if (forests.empty()) throw nb::value_error("nothing to join");
  Ensemble out;
  out.columns = forests.front()->columns;
  out.outputs = forests.front()->outputs;
  out.classes = forests.front()->classes;
  for (const Ensemble* one : forests) extend(out, *one);
  return out;
}

Output<double> importances(const Ensemble& ensemble) {
  std::vector<double> out;
  for (const Tree& tree : ensemble.trees) out.insert(out.end(), tree.importance.begin(), tree.importance.end());
  return own(std::move(out), {ensemble.trees.size(), ensemble.columns.size()});
}

// A tree as Python data, for printing and drawing: one dict a node.
nb::typed<nb::list, Dict> describe(const Ensemble& ensemble, std::size_t which) {
  if (which >= ensemble.trees.size()) throw nb::index_error("no such tree");
  const Tree& tree = ensemble.trees[which];
  nb::list out;
  for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
    const Node& one = tree.nodes[node];
    nb::dict d;
    const std::string branch = branch_name(tree, node);
    d["branch"] = branch;
    d["child"] = one.child;
    d["children"] = tree.children(node);
    if (branch == "threshold") {
      const auto cut = static_cast<std::size_t>(one.cut() - (one.missing_left() ? 1 : 0));
      const auto& edges = ensemble.columns[one.feature()].edges;
      d["threshold"] = cut < edges.size() ? edges[cut] : std::numeric_limits<double>::infinity();
      d["missing_left"] = one.missing_left();
    } else if (branch == "oblique") {
      const auto at = static_cast<std::size_t>(tree.table[node]);
      nb::list terms;
      for (std::int32_t t = tree.term_start[at]; t < tree.term_start[at + 1]; ++t) {
        terms.append(nb::make_tuple(tree.terms[static_cast<std::size_t>(t)].feature,
                                    tree.terms[static_cast<std::size_t>(t)].coefficient));
      }
      d["terms"] = terms;
      d["threshold"] = tree.term_cut[at];
    } else if (branch != "leaf") {
      d["child_of_code"] = children_by_code(ensemble.columns, tree, node);
    }
    if (branch != "leaf") d["feature"] = one.feature();
    if (tree.value[node] >= 0) {
      const auto k = static_cast<std::size_t>(ensemble.outputs);
      const auto from =
          tree.values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(tree.value[node]) * k);
      d["value"] = std::vector<double>(from, from + static_cast<std::ptrdiff_t>(k));
    }
    if (!tree.stats.empty()) {
      d["rows"] = tree.stats[node].rows;
      d["weight"] = tree.stats[node].weight;
      d["impurity"] = tree.stats[node].impurity;
    }
    out.append(d);
  }
  return out;
}

Dict to_arrays(const Ensemble& ensemble) {
  Stored stored = store(ensemble);
  nb::dict out;
  out["outputs"] = stored.outputs;
  out["classes"] = stored.classes;
  Stored::each(stored, [&](const char* name, auto& array) {
    const std::size_t size = array.size();
    out[name] = own(std::move(array), {size});
  });
  return out;
}

Ensemble from_arrays(const Dict& arrays) {
  Stored stored;
  stored.outputs = nb::cast<std::int64_t>(arrays["outputs"]);
  stored.classes = nb::cast<bool>(arrays["classes"]);
  Stored::each(stored, [&](const char* name, auto& array) {
    using T = typename std::remove_reference_t<decltype(array)>::value_type;
    const auto from = nb::cast<Input<T>>(arrays[name], false);
    array.assign(from.data(), from.data() + from.shape(0));
  });
  return restore(stored);
}

nb::typed<nb::tuple, int, int, int> tree_sizes(const Ensemble& ensemble, std::size_t which) {
  if (which >= ensemble.trees.size()) throw nb::index_error("no such tree");
  const TreeSize size = size_of(ensemble.trees[which]);
  return nb::make_tuple(size.nodes, size.leaves, size.depth);
}

}  // namespace

void bind_trees(ForestClass& forest) {
  forest.def_static("from_arrays", &from_arrays, "arrays"_a, "Checks the arrays and builds the trees.")
      .def("to_arrays", &to_arrays)
      .def("extend", &extend, "more"_a)
      .def_static("joined", &joined, "forests"_a, "The trees of forests over the same bins, one after the other.")
      .def("pruning_path", &path_of, "Levels and the impurity of the leaves at each.")
      .def("pruned", &pruned, "alpha"_a)
      .def("importances", &importances, "Decrease of impurity by tree and column.")
      .def("describe", &describe, "tree"_a)
      .def("sizes", &tree_sizes, "tree"_a, "Nodes, leaves, depth.")
      .def_prop_ro("trees", [](const Ensemble& e) { return e.trees.size(); })
      .def("__getstate__", &to_arrays)
      .def("__setstate__", [](Ensemble& self, const Dict& arrays) { new (&self) Ensemble(from_arrays(arrays)); });
}

}  // namespace venire
