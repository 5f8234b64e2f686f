// Cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984): the whole nested sequence from one growth.
//
// A subtree T_t is worth its leaves while α < (R(t) − R(T_t)) / (leaves − 1), with R the impurity times the share of
// the weight. The weakest link is collapsed, its ancestors are looked at again, until the root is a leaf. Every node
// keeps the α at which it becomes a leaf; the tree for a level is then "stop at the first node with collapse ≤ α".
// Level 0 is the tree as grown. Cost: nodes × depth × log(nodes), once.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace venire {

struct PruningPath {
  std::vector<double> collapse;    // per node; infinity for leaves
  std::vector<double> alphas;      // ascending, the first is 0
  std::vector<double> impurities;  // of the leaves of each level, weighted
};

// Needs a tree that kept its statistics.
PruningPath pruning_path(const Tree& tree);

// For every node a number such that the tree of a level is "stop at the first node whose number is at most the level".
// By pruning, the level is α; by depth, minus the largest depth; by rows, one less than the fewest rows that are split.
enum class StopBy { pruning, depth, rows };
std::vector<double> stops_of(const Tree& tree, StopBy by);

// The tree of level `alpha`, with nodes, values and importances of its own.
Tree prune(const Tree& tree, double alpha, int outputs);

}  // namespace venire
