// An ensemble as plain arrays and back: what a saved model holds.
//
// Reading trusts nothing. Every count, offset, child, feature, code and value row is checked before a tree exists.
// Every node but the root is the child of one node, which has a lower number: walking ends, and there are no more ways
// through a tree than nodes. No two nodes share a side table, so that a copy is as large as the tree. Every node has a
// value where something may stop at it. Cost: one pass over the arrays, and a bit a node.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "forest/ensemble.hpp"

namespace venire {

// Arrays of all trees, one tree after the other; `*_start` has one entry a tree (or column) and one for the end.
struct Stored {
  std::int64_t outputs = 1;
  bool classes = false;
  std::vector<std::uint8_t> categorical;
  std::vector<std::int64_t> edge_start, code_start;
  std::vector<double> edges, centers, mean, deviation;  // a numeric column has one center more than edges, or neither
  std::vector<std::int64_t> center_start;
  std::vector<std::uint8_t> bin_of;
  std::vector<std::int64_t> node_start, value_start, subset_start, slot_start, cut_start, term_start;
  std::vector<std::uint32_t> nodes;  // child, packed, child, packed, …
  std::vector<std::int32_t> value, table;
  std::vector<double> values;
  std::vector<std::uint8_t> subsets, slots;
  std::vector<double> term_cut;
  std::vector<std::int32_t> term_count;
  std::vector<std::uint32_t> term_feature;
  std::vector<float> term_coefficient;
  std::vector<std::uint32_t> rows;  // the statistics of nodes, or empty
  std::vector<double> weight, impurity;
  std::vector<double> importance;

  // Calls visit(name, array) for every array: the one list of their names.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("categorical", self.categorical);
    visit("edge_start", self.edge_start);
    visit("edges", self.edges);
    visit("center_start", self.center_start);
    visit("centers", self.centers);
    visit("code_start", self.code_start);
    visit("bin_of", self.bin_of);
    visit("mean", self.mean);
    visit("deviation", self.deviation);
    visit("node_start", self.node_start);
    visit("nodes", self.nodes);
    visit("value", self.value);
    visit("table", self.table);
    visit("value_start", self.value_start);
    visit("values", self.values);
    visit("subset_start", self.subset_start);
    visit("subsets", self.subsets);
    visit("slot_start", self.slot_start);
    visit("slots", self.slots);
    visit("cut_start", self.cut_start);
    visit("term_cut", self.term_cut);
    visit("term_count", self.term_count);
    visit("term_start", self.term_start);
    visit("term_feature", self.term_feature);
    visit("term_coefficient", self.term_coefficient);
    visit("rows", self.rows);
    visit("weight", self.weight);
    visit("impurity", self.impurity);
    visit("importance", self.importance);
  }
};

struct StorageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

Stored store(const Ensemble& ensemble);
Ensemble restore(const Stored& stored);

}  // namespace venire
