// Forests for Python: growing one from bins and a target, and which rows each of its trees saw.
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "bind/forest.hpp"
#include "bind/module.hpp"
#include "forest/describe.hpp"
#include "forest/forest.hpp"
#include "splits/linear_combination.hpp"
#include "tree/stream.hpp"

using namespace nb::literals;

namespace venire {
namespace {

// What a forest is fitted to.
struct Target {
  int classes;
  const std::int32_t* labels;
  const double* y;
  const double* weights;
  std::size_t targets;  // columns of y
};

Target target_of(const Bins& bins, int classes, const std::optional<Input<std::int32_t>>& labels,
                 const std::optional<Input<double>>& y, const std::optional<Input<double>>& weights,
                 std::size_t targets = 1) {
  if (targets == 0) throw nb::value_error("there must be a target");
  const Target target{classes, data_or_null(labels, bins.rows, "labels"), data_or_null(y, bins.rows * targets, "y"),
                      data_or_null(weights, bins.rows, "weights"), targets};
  if ((classes > 0) != (target.labels != nullptr) || (classes > 0) == (target.y != nullptr)) {
    throw nb::value_error("give labels with a number of classes, or y without");
  }
  for (std::size_t i = 0; classes > 0 && i < bins.rows; ++i) {
    if (target.labels[i] < 0 || target.labels[i] >= classes) throw nb::value_error("a label is not in 0..classes-1");
  }
  return target;
}

// With `joint`, y holds several targets: numbers, or an indicator of each class of each target.
bool fits(Criterion criterion, const Target& target, int joint) {
  const bool classes = criterion == Criterion::gini || criterion == Criterion::entropy;
  if (joint > 0) return target.y != nullptr && (classes || criterion == Criterion::variance);
  const bool numbers =
      criterion == Criterion::variance || criterion == Criterion::absolute || criterion == Criterion::poisson;
  return target.targets == 1 && numbers == (target.classes == 0);
}

// Bins with codes; or edges alone, for one tree that reads the matrix itself (tree/stream.hpp).
using BinsOrEdges = std::variant<const Bins*, const Edges*>;

Ensemble grow(const BinsOrEdges& from, const std::optional<AnyMatrix>& x, int classes,
              const std::optional<Input<std::int32_t>>& labels, const std::optional<Input<double>>& y,
              const std::optional<Input<double>>& weights, const std::string& criterion, std::uint32_t max_depth,
              std::uint32_t min_samples_split, std::uint32_t min_samples_leaf, double min_weight_fraction_leaf,
              std::uint32_t max_features, bool skip_constant, std::uint32_t max_leaf_nodes,
              double min_impurity_decrease, double ccp_alpha, bool multiway, bool random_cuts, int among_best,
              std::uint32_t combined, const std::string& sampling, std::uint32_t draws, std::uint64_t seed,
              std::uint32_t first, std::uint32_t count, bool keep_stats, std::size_t targets, int joint,
              std::size_t threads) {
  const bool streamed = std::holds_alternative<const Edges*>(from);
  const Bins& bins = streamed ? std::get<const Edges*>(from)->bins : *std::get<const Bins*>(from);
  const Target target = target_of(bins, classes, labels, y, weights, targets);
  ForestPlan plan;
  plan.grow.criterion = criterion_of(criterion);
  if (!fits(plan.grow.criterion, target, joint)) throw nb::value_error("this criterion does not fit this target");
  plan.grow.split.multiway = multiway;
  plan.grow.split.random_cuts = random_cuts;
  plan.grow.split.gain_ratio = plan.grow.criterion == Criterion::gain_ratio;
  plan.grow.split.among_best = among_best < 1 ? 1 : among_best;
  plan.grow.split.min_rows = min_samples_leaf;
  plan.grow.min_weight_fraction = min_weight_fraction_leaf;
  plan.grow.max_depth = max_depth;
  plan.grow.min_split_rows = min_samples_split;
  plan.grow.max_leaves = max_leaf_nodes;
  plan.grow.min_decrease = min_impurity_decrease;
  plan.grow.features = max_features < 1 ? 1 : max_features;
  plan.grow.skip_constant = skip_constant;
  plan.grow.combined = combined;
  plan.grow.keep_stats = keep_stats;
  plan.sampling = sampling_of(sampling);
  plan.draws = draws;
  plan.seed = seed;
  plan.first = first;
  plan.count = count;
  plan.ccp_alpha = ccp_alpha;
  if ((combined > 0 || streamed) && !x) throw nb::value_error("combinations, and edges without codes, need the matrix");
  if (streamed && (x->array.shape(0) != bins.rows || x->array.shape(1) != bins.columns.size())) {
    throw nb::value_error("the matrix is not the one that the edges are of");
  }
  const std::optional<Matrix> matrix = x ? std::optional<Matrix>(matrix_of(*x)) : std::nullopt;

  nb::gil_scoped_release release;
  Pool pool(threads);
  Training training = joint > 0 ? make_joint_training(bins, targets, joint, target.y, target.weights, plan)
                                : make_training(bins, classes, target.labels, target.y, target.weights, plan);
  Standardised standardised;
  if (combined > 0) {
    standardised = Standardised(*matrix, bins.columns, pool);
    training.standardised = &standardised;
  }
  if (streamed) {
    if (!may_stream(training, plan.grow) || plan.sampling != Sampling::all || plan.count != 1) {
      throw std::invalid_argument(
          "only one tree of classes, of rows that weigh the same and by all columns, grows from edges alone");
    }
    training.matrix = &*matrix;
  }
  const SamplePlan sample = plan_sample(training, plan, bins.rows);
  if (sample.count == 0) throw std::invalid_argument("no row has a positive weight");
  Ensemble ensemble;
  ensemble.columns = plan.grow.combined > 0 ? SharedColumns(bins.columns) : without_scale(bins.columns);
  ensemble.outputs = training.outputs();
  ensemble.classes = classes > 0;
  ensemble.trees = grow_forest(training, plan, sample, pool);
  return ensemble;
}

// The sample plan of a forest that was grown before, from the same arguments.
SamplePlan plan_again(const Bins& bins, const Target& target, const std::string& sampling, std::uint32_t draws) {
  ForestPlan plan;
  plan.sampling = sampling_of(sampling);
  plan.draws = draws;
  return plan_sample(make_training(bins, target.classes, target.labels, target.y, target.weights, plan), plan,
                     bins.rows);
}

Output<double> out_of_bag(const Ensemble& ensemble, const Bins& bins, const std::optional<AnyMatrix>& x, int classes,
                          const std::optional<Input<std::int32_t>>& labels, const std::optional<Input<double>>& y,
                          const std::optional<Input<double>>& weights, const std::string& sampling, std::uint32_t draws,
                          std::uint64_t seed, bool votes, std::size_t threads) {
  const Target target = target_of(bins, classes, labels, y, weights);
  const Matrix matrix = x ? matrix_of(*x) : Matrix{};
  if (x) check_columns(ensemble, matrix);
  if (bins.columns.size() != ensemble.columns.size()) throw nb::value_error("other bins than the forest was grown on");
  std::vector<double> out(bins.rows * static_cast<std::size_t>(ensemble.outputs));
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    const SamplePlan sample = plan_again(bins, target, sampling, draws);
    const auto trees = static_cast<std::uint32_t>(ensemble.trees.size());
    predict_out_of_bag(ensemble, bins, matrix, votes ? Take::votes : Take::values,
                       rows_in_bag(sample, seed, trees, bins.rows, pool), out.data(), pool);
  }
  return own(std::move(out), {bins.rows, static_cast<std::size_t>(ensemble.outputs)});
}

Output<std::uint8_t> in_bag(const Bins& bins, int classes, const std::optional<Input<std::int32_t>>& labels,
                            const std::optional<Input<double>>& y, const std::optional<Input<double>>& weights,
                            const std::string& sampling, std::uint32_t draws, std::uint64_t seed, std::uint32_t count) {
  const Target target = target_of(bins, classes, labels, y, weights);
  std::vector<std::uint8_t> out;
  {
    nb::gil_scoped_release release;
    Pool pool(1);
    for (const auto& one : rows_in_bag(plan_again(bins, target, sampling, draws), seed, count, bins.rows, pool)) {
      out.insert(out.end(), one.begin(), one.end());
    }
  }
  return own(std::move(out), {count, bins.rows});
}

// The rows of one tree's sample when all rows have weight: ascending, each as often as it was drawn.
Output<std::int32_t> drawn_rows(std::uint32_t rows, const std::string& sampling, std::uint32_t draws,
                                std::uint64_t seed, std::uint32_t tree) {
  const Sampling how = sampling_of(sampling);
  if (how == Sampling::balanced) throw nb::value_error("a balanced sample needs the classes of the rows");
  std::vector<std::int32_t> out = rows_of_sample(how, draws, rows, seed, tree);
  const std::size_t size = out.size();
  return own(std::move(out), {size});
}

}  // namespace

void bind_forest(nb::module_& m) {
  ForestClass forest(m, "Forest", "Trees over one set of bins.");
  forest
      .def_static("grow", &grow, "bins"_a, "x"_a.none(), nb::kw_only(), "classes"_a, "labels"_a.none(), "y"_a.none(),
                  "weights"_a.none(), "criterion"_a, "max_depth"_a, "min_samples_split"_a, "min_samples_leaf"_a,
                  "min_weight_fraction_leaf"_a, "max_features"_a, "skip_constant"_a, "max_leaf_nodes"_a,
                  "min_impurity_decrease"_a, "ccp_alpha"_a, "multiway"_a, "random_cuts"_a, "among_best"_a, "combined"_a,
                  "sampling"_a, "draws"_a, "seed"_a, "first"_a, "count"_a, "keep_stats"_a, "targets"_a = 1,
                  "joint"_a = 0, "threads"_a)
      .def("out_of_bag", &out_of_bag, "bins"_a, "x"_a.none(), nb::kw_only(), "classes"_a, "labels"_a.none(),
           "y"_a.none(), "weights"_a.none(), "sampling"_a, "draws"_a, "seed"_a, "votes"_a, "threads"_a,
           "Means over the trees that did not see a row; NaN where all did.");
  bind_predict(forest);
  bind_trees(forest);

  m.def("in_bag", &in_bag, "bins"_a, nb::kw_only(), "classes"_a, "labels"_a.none(), "y"_a.none(), "weights"_a.none(),
        "sampling"_a, "draws"_a, "seed"_a, "count"_a, "Which rows each tree's sample holds: [tree, row].");
  m.def("drawn_rows", &drawn_rows, "rows"_a, nb::kw_only(), "sampling"_a, "draws"_a, "seed"_a, "tree"_a,
        "The rows of one tree's sample, ascending, as often as each was drawn; all rows have weight.");
}

}  // namespace venire
