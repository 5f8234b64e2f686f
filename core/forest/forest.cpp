#include "forest/forest.hpp"

#include <cmath>

#include "tree/builder.hpp"
#include "tree/prune.hpp"
#include "tree/stream.hpp"

namespace venire {
namespace {

std::uint64_t tree_key(std::uint64_t seed, std::uint32_t tree) { return child_key(mix(seed), tree); }
std::uint64_t sample_key(std::uint64_t seed, std::uint32_t tree) { return child_key(tree_key(seed, tree), 0); }
std::uint64_t growth_key(std::uint64_t seed, std::uint32_t tree) { return child_key(tree_key(seed, tree), 1); }

// A number near the mean of y with few digits: differences from it then round as little as y itself does, and it
// is the same for "weight 2" as for "two copies".
double plain_center(const double* y, const double* weights, std::size_t rows, std::size_t stride = 1) {
  double total = 0, sum = 0, spread = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double w = weights == nullptr ? 1.0 : weights[i];
    total += w;
    sum += w * y[i * stride];
  }
  const double mean = sum / total;
  for (std::size_t i = 0; i < rows; ++i) {
    spread += (weights == nullptr ? 1.0 : weights[i]) * std::abs(y[i * stride] - mean);
  }
  if (!(spread > 0)) return mean;
  const double digit = std::exp2(std::floor(std::log2(spread / total)));
  return std::nearbyint(mean / digit) * digit;
}

// Indicators of classes: the sums are the weights of the classes, in the unit of the weights.
FixedPoint indicator_moments(const double* y, std::size_t targets, const FixedPoint& weights, std::size_t rows) {
  FixedPoint out;
  out.unit = weights.empty() ? 1 : weights.unit;
  out.units.resize(rows * targets);
  for (std::size_t i = 0; i < out.units.size(); ++i) {
    if (y[i] != 0) out.units[i] = weights.empty() ? 1 : weights.units[i / targets];
  }
  return out;
}

std::size_t smallest_stratum(const ForestPlan& plan, int classes, const std::int32_t* labels, const double* weights,
                             std::size_t rows) {
  std::vector<std::size_t> count(static_cast<std::size_t>(std::max(classes, 1)), 0);
  const bool by_class = plan.sampling == Sampling::balanced;
  for (std::size_t i = 0; i < rows; ++i) {
    if (weights == nullptr || weights[i] > 0) ++count[by_class ? static_cast<std::size_t>(labels[i]) : 0];
  }
  std::size_t smallest = rows;
  for (std::size_t c : count) {
    if (c > 0) smallest = std::min(smallest, c);
  }
  return smallest;
}

}  // namespace

Training make_training(const Bins& bins, int classes, const std::int32_t* labels, const double* y,
                       const double* weights, const ForestPlan& plan) {
  Training training;
  training.bins = &bins;
  training.classes = classes;
  training.labels = labels;
  training.y = y;
  const double copies =
      most_copies(plan.sampling, plan.draws, smallest_stratum(plan, classes, labels, weights, bins.rows));
  if (weights != nullptr) training.weights = fixed_point(weights, bins.rows, copies);
  if (y != nullptr) {
    // The Poisson deviance is of targets as they are.
    training.center = plan.grow.criterion == Criterion::poisson ? 0 : plain_center(y, weights, bins.rows);
    // Deviations from a median multiply weights with targets in floating point: 51 bits keep that exact.
    const double room = plan.grow.criterion == Criterion::absolute ? 512 : 1;
    training.moments = fixed_moments(y, training.center, weights, training.weights, bins.rows, room * copies);
  }
  return training;
}

Training make_joint_training(const Bins& bins, std::size_t targets, int joint, const double* y, const double* weights,
                             const ForestPlan& plan) {
  Training training;
  training.bins = &bins;
  training.y = y;
  training.joint = joint;
  const double copies = most_copies(plan.sampling, plan.draws, smallest_stratum(plan, 0, nullptr, weights, bins.rows));
  if (weights != nullptr) training.weights = fixed_point(weights, bins.rows, copies);
  if (plan.grow.criterion != Criterion::variance) {
    training.centers.assign(targets, 0.0);
    training.moments = indicator_moments(y, targets, training.weights, bins.rows);
    return training;
  }
  for (std::size_t k = 0; k < targets; ++k) {
    training.centers.push_back(plain_center(y + k, weights, bins.rows, targets));
  }
  training.moments = fixed_moments(y, training.centers, weights, training.weights, bins.rows, copies);
  return training;
}

SamplePlan plan_sample(const Training& training, const ForestPlan& plan, std::size_t rows) {
  SamplePlan sample;
  sample.sampling = plan.sampling;
  sample.draws = plan.draws;
  for (std::size_t i = 0; i < rows && !training.weights.empty(); ++i) {
    if (training.weights.units[i] > 0) sample.rows.push_back(static_cast<Row>(i));
  }
  sample.count = static_cast<std::uint32_t>(training.weights.empty() ? rows : sample.rows.size());
  if (plan.sampling != Sampling::balanced) return sample;
  std::vector<std::vector<std::uint32_t>> strata(static_cast<std::size_t>(training.classes));
  for (std::uint32_t i = 0; i < sample.count; ++i) {
    strata[static_cast<std::size_t>(training.labels[sample.row(i)])].push_back(i);
  }
  for (auto& stratum : strata) {
    if (!stratum.empty()) sample.strata.push_back(std::move(stratum));
  }
  return sample;
}

std::vector<Tree> grow_forest(const Training& training, const ForestPlan& plan, const SamplePlan& sample, Pool& pool) {
  std::vector<Tree> trees(plan.count);
  GrowRules rules = plan.grow;
  rules.keep_stats = rules.keep_stats || plan.ccp_alpha > 0;
  const auto grow_one = [&](std::size_t task, Pool* inner) {
    const auto number = static_cast<std::uint32_t>(plan.first + task);
    const std::uint64_t key = growth_key(plan.seed, number);
    Tree tree = training.matrix != nullptr
                    ? grow_streamed(training, rules, key, pool)
                    : grow_tree(training, rules, draw_sample(sample, sample_key(plan.seed, number)), key, inner);
    if (plan.ccp_alpha > 0) {
      tree = prune(tree, plan.ccp_alpha, training.outputs());
      if (!plan.grow.keep_stats) tree.stats = {};
    }
    shrink(tree);
    trees[task] = std::move(tree);
  };
  // Trees are the coarsest work there is; a tree alone is shared out inside.
  if (plan.count == 1) grow_one(0, &pool);
  else pool.run(plan.count, [&](std::size_t task, std::size_t) { grow_one(task, nullptr); });
  return trees;
}

std::vector<std::int32_t> rows_of_sample(Sampling sampling, std::uint32_t draws, std::uint32_t rows, std::uint64_t seed,
                                         std::uint32_t tree) {
  SamplePlan plan;
  plan.sampling = sampling;
  plan.draws = draws;
  plan.count = rows;
  const Sample sample = draw_sample(plan, sample_key(seed, tree));
  std::vector<std::int32_t> out;
  for (std::uint32_t i = 0; i < rows; ++i) out.insert(out.end(), sample.copies(i), static_cast<std::int32_t>(i));
  return out;
}

std::vector<std::vector<std::uint8_t>> rows_in_bag(const SamplePlan& sample, std::uint64_t seed, std::uint32_t trees,
                                                   std::size_t rows, Pool& pool) {
  std::vector<std::vector<std::uint8_t>> in_bag(trees);
  pool.run(trees, [&](std::size_t task, std::size_t) {
    const Sample drawn = draw_sample(sample, sample_key(seed, static_cast<std::uint32_t>(task)));
    in_bag[task].assign(rows, 0);
    for (std::uint32_t i = 0; i < drawn.size(); ++i) in_bag[task][drawn.row(i)] = drawn.copies(i) > 0 ? 1 : 0;
  });
  return in_bag;
}

}  // namespace venire
