// Forests: many trees, each from its own sample and its own stream of random numbers, one task a tree.
//
// Tree t's key depends on the seed and t alone, so its bytes do not depend on the number of threads, on
// the order of growth, or on how many trees came before in the same call (warm start). A single tree is a forest of
// one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "forest/ensemble.hpp"
#include "tree/grow.hpp"
#include "tree/sample.hpp"

namespace venire {

struct ForestPlan {
  GrowRules grow;
  Sampling sampling = Sampling::all;
  std::uint32_t draws = 0;
  std::uint64_t seed = 0;
  std::uint32_t first = 0, count = 1;  // trees first … first + count − 1
  double ccp_alpha = 0;
};

// Puts weights and target into whole numbers. `weights` may be null; `labels` is null when y is, and the other way
// round.
Training make_training(const Bins& bins, int classes, const std::int32_t* labels, const double* y,
                       const double* weights, const ForestPlan& plan);

// The same for several targets, [row, target] in `y`. `joint` is over how many of them the impurity is a mean: with an
// indicator of each class a column, it is fewer than there are columns.
Training make_joint_training(const Bins& bins, std::size_t targets, int joint, const double* y, const double* weights,
                             const ForestPlan& plan);

// The rows a sample is drawn from, and how.
SamplePlan plan_sample(const Training& training, const ForestPlan& plan, std::size_t rows);

std::vector<Tree> grow_forest(const Training& training, const ForestPlan& plan, const SamplePlan& sample, Pool& pool);

// The rows of one tree's sample where every row has weight, ascending, each as often as it was drawn; not balanced.
std::vector<std::int32_t> rows_of_sample(Sampling sampling, std::uint32_t draws, std::uint32_t rows, std::uint64_t seed,
                                         std::uint32_t tree);

// One byte a row and tree: does the tree's sample hold the row?
std::vector<std::vector<std::uint8_t>> rows_in_bag(const SamplePlan& sample, std::uint64_t seed, std::uint32_t trees,
                                                   std::size_t rows, Pool& pool);

}  // namespace venire
