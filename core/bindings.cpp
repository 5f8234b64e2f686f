// The only file that knows Python: it checks what arrives, releases the GIL for the work, and wraps what comes out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "adaboost.hpp"
#include "additive.hpp"
#include "areas.hpp"
#include "bayes.hpp"
#include "binning.hpp"
#include "boost.hpp"
#include "combine.hpp"
#include "cpu.hpp"
#include "describe.hpp"
#include "forest.hpp"
#include "logistic.hpp"
#include "near_lists.hpp"
#include "neighbors.hpp"
#include "predict.hpp"
#include "prune.hpp"
#include "shap.hpp"
#include "storage.hpp"
#include "stumps.hpp"
#include "two_class.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace venire {

// A two-dimensional array of any scalar; `matrix_of` decides which ones are welcome.
struct AnyMatrix {
  nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu> array;
};

}  // namespace venire

// Taken as it is, never converted; written in the stub with the type parameter that strict checkers ask for.
template <>
struct nb::detail::type_caster<venire::AnyMatrix> {
  NB_TYPE_CASTER(venire::AnyMatrix, const_name("numpy.typing.NDArray[typing.Any]"))

  bool from_python(handle source, std::uint8_t, cleanup_list* cleanup) noexcept {
    make_caster<decltype(venire::AnyMatrix::array)> caster;
    if (!caster.from_python(source, 0, cleanup)) return false;
    value.array = caster.value;
    return true;
  }
};

namespace venire {
namespace {

using Dict = nb::typed<nb::dict, nb::str, nb::any>;
template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T>;

Scalar scalar_of(nb::dlpack::dtype dtype) {
  if (dtype == nb::dtype<float>()) return Scalar::f32;
  if (dtype == nb::dtype<double>()) return Scalar::f64;
  if (dtype == nb::dtype<std::int32_t>()) return Scalar::i32;
  if (dtype == nb::dtype<std::int64_t>()) return Scalar::i64;
  if (dtype == nb::dtype<std::uint8_t>() || dtype == nb::dtype<bool>()) return Scalar::u8;
  throw nb::type_error("a matrix must hold float32, float64, int32, int64, uint8 or bool");
}

Matrix matrix_of(const AnyMatrix& any) {
  const auto& x = any.array;
  if (x.shape(0) >= std::numeric_limits<Row>::max()) throw nb::value_error("more than 4,294,967,294 rows");
  if (x.shape(1) >= Node::kMaxFeatures) throw nb::value_error("more than 1,048,575 columns");
  return {x.data(), scalar_of(x.dtype()), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

template <class T>
Output<T> own(std::vector<T> data, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(data));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(kept->data(), shape.size(), shape.data(), owner);
}

template <class T>
const T* data_or_null(const std::optional<Input<T>>& array, std::size_t rows, const char* name) {
  if (!array) return nullptr;
  if (array->shape(0) != rows) throw nb::value_error((std::string(name) + " and the matrix differ in length").c_str());
  return array->data();
}

void check_columns(const Ensemble& ensemble, const Matrix& x) {
  if (x.columns != ensemble.columns.size()) throw nb::value_error("the matrix has another number of columns than the trees");
}

std::vector<bool> mask_of(const Input<bool>& categorical, std::size_t columns) {
  if (categorical.shape(0) != columns) throw nb::value_error("the categorical mask needs one entry a column");
  return std::vector<bool>(categorical.data(), categorical.data() + columns);
}

std::optional<FixedPoint> units_of(const std::optional<Input<double>>& weights, std::size_t rows) {
  const double* from = data_or_null(weights, rows, "weights");
  if (from == nullptr) return std::nullopt;
  return fixed_point(from, rows, 1);
}

Bins make_bins(const AnyMatrix& x, const Input<bool>& categorical, const std::optional<Input<double>>& weights, int max_bins,
               std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const std::vector<bool> mask = mask_of(categorical, matrix.columns);
  if (max_bins < 2 || max_bins > kMaxBins) throw nb::value_error("max_bins must lie in 2..255");
  const std::optional<FixedPoint> units = units_of(weights, matrix.rows);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return bin_columns(matrix, mask, units ? units->units.data() : nullptr, max_bins, pool);
}

Ranks make_ranks(const AnyMatrix& x, const Input<bool>& categorical, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const std::vector<bool> mask = mask_of(categorical, matrix.columns);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return rank_columns(matrix, mask, pool);
}

Bins narrow_ranks(const Ranks& ranks, const std::optional<Input<double>>& weights, int max_bins, std::size_t threads) {
  if (max_bins < 2 || max_bins > kMaxBins) throw nb::value_error("max_bins must lie in 2..255");
  const std::optional<FixedPoint> units = units_of(weights, ranks.rows);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return bin_ranked(ranks, units ? units->units.data() : nullptr, max_bins, pool);
}

// What a forest is fitted to.
struct Target {
  int classes;
  const std::int32_t* labels;
  const double* y;
  const double* weights;
};

Target target_of(const Bins& bins, int classes, const std::optional<Input<std::int32_t>>& labels,
                 const std::optional<Input<double>>& y, const std::optional<Input<double>>& weights) {
  const Target target{classes, data_or_null(labels, bins.rows, "labels"), data_or_null(y, bins.rows, "y"),
                      data_or_null(weights, bins.rows, "weights")};
  if ((classes > 0) != (target.labels != nullptr) || (classes > 0) == (target.y != nullptr)) {
    throw nb::value_error("give labels with a number of classes, or y without");
  }
  for (std::size_t i = 0; classes > 0 && i < bins.rows; ++i) {
    if (target.labels[i] < 0 || target.labels[i] >= classes) throw nb::value_error("a label is not in 0..classes-1");
  }
  return target;
}

Ensemble grow(const Bins& bins, const std::optional<AnyMatrix>& x, int classes, const std::optional<Input<std::int32_t>>& labels,
              const std::optional<Input<double>>& y, const std::optional<Input<double>>& weights, const std::string& criterion,
              std::uint32_t max_depth, std::uint32_t min_samples_split, std::uint32_t min_samples_leaf,
              double min_weight_fraction_leaf, std::uint32_t max_features, bool skip_constant, std::uint32_t max_leaf_nodes,
              double min_impurity_decrease, double ccp_alpha, bool multiway, bool random_cuts, int among_best,
              std::uint32_t combined, const std::string& sampling, std::uint32_t draws, std::uint64_t seed, std::uint32_t first,
              std::uint32_t count, bool keep_stats, std::size_t threads) {
  const Target target = target_of(bins, classes, labels, y, weights);
  ForestPlan plan;
  plan.grow.criterion = criterion_of(criterion);
  const bool numbers = plan.grow.criterion == Criterion::variance || plan.grow.criterion == Criterion::absolute;
  if (numbers != (classes == 0)) throw nb::value_error("this criterion does not fit this target");
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
  if (combined > 0 && !x) throw nb::value_error("combinations need the matrix");
  const std::optional<Matrix> matrix = x ? std::optional<Matrix>(matrix_of(*x)) : std::nullopt;

  nb::gil_scoped_release release;
  Pool pool(threads);
  Training training = make_training(bins, classes, target.labels, target.y, target.weights, plan);
  Standardised standardised;
  if (combined > 0) {
    standardised = Standardised(*matrix, bins.columns, pool);
    training.standardised = &standardised;
  }
  const SamplePlan sample = plan_sample(training, plan, bins.rows);
  if (sample.count == 0) throw std::invalid_argument("no row has a positive weight");
  Ensemble ensemble;
  ensemble.columns = bins.columns;
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
  return plan_sample(make_training(bins, target.classes, target.labels, target.y, target.weights, plan), plan, bins.rows);
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

void check_counts(const Ensemble& ensemble, const std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool ascends = counts[i] > (i == 0 ? 0 : counts[i - 1]);
    if (!ascends || counts[i] > ensemble.trees.size()) throw nb::value_error("counts must ascend within 1..number of trees");
  }
}

Output<double> average(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<std::uint32_t>& counts, bool votes,
                       std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  check_columns(ensemble, matrix);
  check_counts(ensemble, counts);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(counts.size() * matrix.rows * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    predict_average(ensemble, matrix, votes ? Take::votes : Take::values, counts, out.data(), pool);
  }
  return own(std::move(out), {counts.size(), matrix.rows, k});
}

Output<std::int32_t> leaves(const Ensemble& ensemble, const AnyMatrix& x, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  check_columns(ensemble, matrix);
  std::vector<std::int32_t> out(matrix.rows * ensemble.trees.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    predict_leaves(ensemble, matrix, out.data(), pool);
  }
  return own(std::move(out), {matrix.rows, ensemble.trees.size()});
}

const Tree& only_tree(const Ensemble& ensemble) {
  if (ensemble.trees.size() != 1) throw nb::value_error("pruning levels belong to a single tree");
  return ensemble.trees.front();
}

// Level 0 is the tree as grown, also where a split gained nothing and would collapse at once.
std::vector<double> as_grown_first(std::vector<double> alphas) {
  for (double& alpha : alphas) alpha = alpha > 0 ? alpha : -1.0;
  return alphas;
}

StopBy stop_by(const std::string& name) {
  if (name == "pruning") return StopBy::pruning;
  if (name == "depth") return StopBy::depth;
  if (name == "rows") return StopBy::rows;
  throw nb::value_error("levels go by 'pruning', 'depth' or 'rows'");
}

// Rows of coded data by their numbers.
std::vector<Row> coded_rows(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows) {
  if (bins.columns.size() != ensemble.columns.size()) throw nb::value_error("other bins than the trees were grown on");
  for (const Tree& tree : ensemble.trees) {
    if (!tree.terms.empty()) throw nb::value_error("combinations need the matrix, not its codes");
  }
  std::vector<Row> out(rows.shape(0));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t row = rows.data()[i];
    if (row < 0 || static_cast<std::uint64_t>(row) >= bins.rows) throw nb::value_error("a row number is beyond the bins");
    out[i] = static_cast<Row>(row);
  }
  return out;
}

Output<double> coded_average(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows,
                             const std::vector<std::uint32_t>& counts, bool votes, std::size_t threads) {
  const std::vector<Row> which = coded_rows(ensemble, bins, rows);
  check_counts(ensemble, counts);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(counts.size() * which.size() * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    average_coded(ensemble, bins, which, votes ? Take::votes : Take::values, counts, out.data(), pool);
  }
  return own(std::move(out), {counts.size(), which.size(), k});
}

Output<double> coded_levels(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows, const std::string& by,
                            const std::vector<double>& levels, std::size_t threads) {
  const std::vector<Row> which = coded_rows(ensemble, bins, rows);
  const Tree& tree = only_tree(ensemble);
  const StopBy how = stop_by(by);
  if (!std::is_sorted(levels.begin(), levels.end())) throw nb::value_error("levels must ascend");
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(levels.size() * which.size() * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    levels_coded(ensemble, bins, which, stops_of(tree, how), how == StopBy::pruning ? as_grown_first(levels) : levels, out.data(),
                 pool);
  }
  return own(std::move(out), {levels.size(), which.size(), k});
}

void check_votes(const Ensemble& ensemble, const std::vector<double>& weights, const std::vector<std::uint32_t>& counts) {
  if (!ensemble.classes) throw nb::value_error("these trees do not vote for classes");
  if (weights.size() != ensemble.trees.size()) throw nb::value_error("one weight a tree");
  check_counts(ensemble, counts);
}

Output<double> coded_votes(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows,
                           const std::vector<double>& weights, const std::vector<std::uint32_t>& counts, std::size_t threads) {
  const std::vector<Row> which = coded_rows(ensemble, bins, rows);
  check_votes(ensemble, weights, counts);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(counts.size() * which.size() * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    votes_coded(ensemble, bins, which, weights, counts, out.data(), pool);
  }
  return own(std::move(out), {counts.size(), which.size(), k});
}

Output<double> weighted_votes(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<double>& weights,
                              const std::vector<std::uint32_t>& counts, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  check_columns(ensemble, matrix);
  check_votes(ensemble, weights, counts);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(counts.size() * matrix.rows * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    predict_votes(ensemble, matrix, weights, counts, out.data(), pool);
  }
  return own(std::move(out), {counts.size(), matrix.rows, k});
}

Output<double> levels(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<double>& alphas, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  check_columns(ensemble, matrix);
  const Tree& tree = only_tree(ensemble);
  if (!std::is_sorted(alphas.begin(), alphas.end())) throw nb::value_error("alphas must ascend");
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(alphas.size() * matrix.rows * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    predict_levels(ensemble, matrix, pruning_path(tree).collapse, as_grown_first(alphas), out.data(), pool);
  }
  return own(std::move(out), {alphas.size(), matrix.rows, k});
}

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
        terms.append(nb::make_tuple(tree.terms[static_cast<std::size_t>(t)].feature, tree.terms[static_cast<std::size_t>(t)].coefficient));
      }
      d["terms"] = terms;
      d["threshold"] = tree.term_cut[at];
    } else if (branch != "leaf") {
      d["child_of_code"] = children_by_code(ensemble.columns, tree, node);
    }
    if (branch != "leaf") d["feature"] = one.feature();
    if (tree.value[node] >= 0) {
      const auto k = static_cast<std::size_t>(ensemble.outputs);
      const auto from = tree.values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(tree.value[node]) * k);
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

Output<std::uint8_t> codes_of(const Bins& bins) {
  std::vector<std::uint8_t> copy(bins.codes);
  return own(std::move(copy), {bins.columns.size(), bins.rows});
}

ColumnNumbers columns_of(const Input<std::uint32_t>& given, std::size_t limit) {
  ColumnNumbers columns(given.data(), given.data() + given.shape(0));
  for (const std::uint32_t column : columns) {
    if (column >= limit) throw nb::value_error("a column number is beyond the matrix");
  }
  return columns;
}

nb::typed<nb::tuple, Output<std::int64_t>, std::int64_t> code_scan(const AnyMatrix& x, const Input<std::uint32_t>& columns,
                                                                   std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const ColumnNumbers chosen = columns_of(columns, matrix.columns);
  CodeScan scan;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    scan = scan_codes(matrix, chosen, pool);
  }
  return nb::make_tuple(own(std::move(scan.highest), {chosen.size()}), scan.broken);
}

BayesColumns bayes_columns(const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical,
                           const Input<std::uint32_t>& counted, const Input<double>& origin,
                           const Input<std::int64_t>& categories, std::size_t limit) {
  BayesColumns columns{columns_of(numeric, limit), columns_of(categorical, limit), columns_of(counted, limit), {}, {0}};
  if (origin.shape(0) != columns.numeric.size()) throw nb::value_error("one origin a numeric column");
  if (categories.shape(0) != columns.categorical.size()) throw nb::value_error("one number of categories a categorical column");
  columns.origin.assign(origin.data(), origin.data() + origin.shape(0));
  for (std::size_t j = 0; j < columns.categorical.size(); ++j) {
    if (categories.data()[j] < 0) throw nb::value_error("a number of categories is negative");
    columns.start.push_back(columns.start.back() + static_cast<std::size_t>(categories.data()[j]));
  }
  return columns;
}

using Array = Output<double>;

nb::typed<nb::tuple, Array, Array, Array, Array, Array> bayes_sums(
    const AnyMatrix& x, const Input<std::int32_t>& labels, const std::optional<Input<double>>& weights, std::size_t classes,
    const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical, const Input<std::uint32_t>& counted,
    const Input<double>& origin, const Input<std::int64_t>& categories, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const BayesColumns columns = bayes_columns(numeric, categorical, counted, origin, categories, matrix.columns);
  if (labels.shape(0) != matrix.rows) throw nb::value_error("labels and the matrix differ in length");
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes) {
      throw nb::value_error("a label is not in 0..classes-1");
    }
  }
  const double* w = data_or_null(weights, matrix.rows, "weights");
  BayesSums sums;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    sums = sum_bayes(matrix, labels.data(), w, classes, columns, pool);
  }
  const std::size_t width = columns.numeric.size();
  return nb::make_tuple(own(std::move(sums.weight), {classes, width}), own(std::move(sums.mean), {classes, width}),
                        own(std::move(sums.squares), {classes, width}), own(std::move(sums.table), {columns.categories(), classes}),
                        own(std::move(sums.counted), {classes, columns.counted.size()}));
}

using Grid = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const double* grid_of(const Grid& grid, std::size_t rows, std::size_t columns, const char* name) {
  if (grid.shape(0) != rows || grid.shape(1) != columns) throw nb::value_error((std::string(name) + " has another shape").c_str());
  return grid.data();
}

Array bayes_scores(const AnyMatrix& x, const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical,
                   const Input<std::uint32_t>& counted, const Input<double>& origin, const Input<std::int64_t>& categories,
                   const Input<double>& prior, const Grid& mean, const Grid& steepness, const Grid& height, const Grid& table,
                   const Grid& rates, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const BayesColumns columns = bayes_columns(numeric, categorical, counted, origin, categories, matrix.columns);
  const std::size_t classes = prior.shape(0), width = columns.numeric.size();
  const BayesScores scores{classes,
                           prior.data(),
                           grid_of(mean, classes, width, "mean"),
                           grid_of(steepness, classes, width, "steepness"),
                           grid_of(height, classes, width, "height"),
                           grid_of(table, columns.categories(), classes, "table"),
                           grid_of(rates, classes, columns.counted.size(), "rates")};
  std::vector<double> out(matrix.rows * classes);
  bool whole = true;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    whole = score_bayes(matrix, columns, scores, out.data(), pool);
  }
  if (!whole) throw nb::value_error("a categorical column holds something that is no code");
  return own(std::move(out), {matrix.rows, classes});
}

nb::typed<nb::tuple, Output<std::int64_t>, Array> nearest(const Grid& points, const Grid& queries, const Input<bool>& categorical,
                                                          std::size_t k, bool skip_self, std::size_t threads) {
  const Points among{points.data(), points.shape(0), points.shape(1)};
  const Points asked{queries.data(), queries.shape(0), queries.shape(1)};
  if (asked.columns != among.columns) throw nb::value_error("queries and points differ in their columns");
  if (skip_self && asked.rows != among.rows) throw nb::value_error("skip_self needs the points themselves as queries");
  if (k < 1 || k > among.rows - (skip_self ? 1 : 0)) throw nb::value_error("k must lie between 1 and the number of points");
  const std::vector<bool> mask = mask_of(categorical, among.columns);
  std::vector<std::int64_t> rows(asked.rows * k);
  std::vector<double> squared(rows.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    find_nearest(among, asked, mask, k, skip_self, rows.data(), squared.data(), pool);
  }
  return nb::make_tuple(own(std::move(rows), {asked.rows, k}), own(std::move(squared), {asked.rows, k}));
}

Points points_of(const Grid& grid) { return {grid.data(), grid.shape(0), grid.shape(1)}; }

void check_rows(const Input<std::int64_t>& asked, std::size_t rows) {
  for (std::size_t i = 0; i < asked.shape(0); ++i) {
    if (asked.data()[i] < 0 || static_cast<std::size_t>(asked.data()[i]) >= rows) throw nb::value_error("a row is not in the table");
  }
}

nb::typed<nb::tuple, Output<std::int32_t>, Output<float>> near_lists(const Grid& points, const Input<std::int64_t>& rows,
                                                                     std::size_t length) {
  const Points among = points_of(points);
  if (length < 1 || length > among.rows) throw nb::value_error("a list must hold between 1 row and all of them");
  if (among.rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) throw nb::value_error("too many rows for lists");
  check_rows(rows, among.rows);
  const std::size_t count = rows.shape(0);
  std::vector<std::int32_t> near(count * length);
  std::vector<float> squared(count * length);
  {
    nb::gil_scoped_release release;
    list_near(among, rows.data(), count, length, near.data(), squared.data());
  }
  return nb::make_tuple(own(std::move(near), {count, length}), own(std::move(squared), {count, length}));
}

Array scaled_rows(const Grid& x, const Input<double>& origin, const Input<double>& offset, const Input<double>& spread) {
  const Points rows = points_of(x);
  for (const Input<double>* one : {&origin, &offset, &spread}) {
    if (one->shape(0) != rows.columns) throw nb::value_error("origin, offset and spread need one entry a column");
  }
  std::vector<double> out(rows.rows * rows.columns);
  {
    nb::gil_scoped_release release;
    scale_rows(rows, origin.data(), offset.data(), spread.data(), out.data());
  }
  return own(std::move(out), {rows.rows, rows.columns});
}

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::typed<nb::tuple, Output<std::int64_t>, nb::int_> listed_nearest(
    const Grid& points, const Table<std::int32_t>& near, const Table<float>& squared, const Input<double>& norm,
    const Input<bool>& heard, const Input<std::int64_t>& rows, double shrink, std::size_t k) {
  const Points among = points_of(points);
  const NearLists lists{near.data(), squared.data(), norm.data(), near.shape(0), near.shape(1)};
  if (near.shape(0) != among.rows || squared.shape(0) != among.rows || squared.shape(1) != near.shape(1) ||
      norm.shape(0) != among.rows || heard.shape(0) != among.rows) {
    throw nb::value_error("points, lists, norms and the mask differ in length");
  }
  const auto counted = static_cast<std::size_t>(std::count(heard.data(), heard.data() + among.rows, true));
  if (k < 1 || k > counted) throw nb::value_error("k must lie between 1 and the number of rows heard");
  check_rows(rows, among.rows);
  std::vector<std::int64_t> found(rows.shape(0) * k);
  std::size_t unsure = 0;
  {
    nb::gil_scoped_release release;
    unsure = read_lists(lists, among, heard.data(), shrink, rows.data(), rows.shape(0), k, found.data());
  }
  return nb::make_tuple(own(std::move(found), {rows.shape(0), k}), unsure);
}

nb::typed<nb::tuple, Array, Output<std::int64_t>> neighbour_votes(const Table<std::int64_t>& found, const Input<double>& weights,
                                                                  const Input<std::int64_t>& places, std::size_t classes,
                                                                  const std::vector<std::int64_t>& counts) {
  const Votes votes{found.data(), found.shape(0), found.shape(1), weights.data(), places.data(), classes};
  const std::size_t rows = weights.shape(0), settings = counts.size();
  if (places.shape(0) != rows) throw nb::value_error("weights and places differ in length");
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found.data()[i] < 0 || static_cast<std::size_t>(found.data()[i]) >= rows) throw nb::value_error("a row is not in the table");
    const std::int64_t place = places.data()[found.data()[i]];
    if (place < 0 || static_cast<std::size_t>(place) >= classes) throw nb::value_error("a place is not in 0..classes-1");
  }
  for (const std::int64_t k : counts) {
    if (k < 1 || static_cast<std::size_t>(k) > votes.longest) throw nb::value_error("every k must lie between 1 and the neighbours found");
  }
  std::vector<double> shares(settings * votes.rows * classes);
  std::vector<std::int64_t> winners(settings * votes.rows);
  {
    nb::gil_scoped_release release;
    count_votes(votes, counts.data(), settings, shares.data(), winners.data());
  }
  return nb::make_tuple(own(std::move(shares), {settings, votes.rows, classes}), own(std::move(winners), {settings, votes.rows}));
}

Array won_pairs(const AnyMatrix& scores, const Input<bool>& chosen) {
  const auto& x = scores.array;
  if (chosen.shape(0) != x.shape(1)) throw nb::value_error("the mask needs one entry a row");
  const bool single = x.dtype() == nb::dtype<float>();
  if (!single && x.dtype() != nb::dtype<double>()) throw nb::type_error("scores must be float32 or float64");
  std::vector<double> won;
  {
    nb::gil_scoped_release release;
    if (single) {
      won = pairs_won(static_cast<const float*>(x.data()), x.stride(0), x.stride(1), x.shape(0), chosen.data(), x.shape(1));
    } else {
      won = pairs_won(static_cast<const double*>(x.data()), x.stride(0), x.stride(1), x.shape(0), chosen.data(), x.shape(1));
    }
  }
  const std::size_t settings = won.size();
  return own(std::move(won), {settings});
}

// Copies the rows, so that nothing has to be kept alive.
std::unique_ptr<LogisticPath> make_logistic_path(const Grid& x, const Input<std::int32_t>& labels,
                                                 const std::optional<Input<double>>& weights, std::size_t classes) {
  const std::size_t rows = x.shape(0);
  if (classes < 2) throw nb::value_error("logistic regression needs two classes");
  if (labels.shape(0) != rows) throw nb::value_error("labels and the matrix differ in length");
  for (std::size_t i = 0; i < rows; ++i) {
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes) throw nb::value_error("a label is not in 0..classes-1");
  }
  const LogisticTable table{x.data(), rows, x.shape(1), labels.data(), data_or_null(weights, rows, "weights"), classes == 2 ? 1 : classes};
  nb::gil_scoped_release release;
  return std::make_unique<LogisticPath>(table);
}

Array logistic_array(const LogisticPath& path, std::vector<double> values) {
  return own(std::move(values), {path.outputs(), path.columns() + 1});
}

std::optional<Array> logistic_solve(LogisticPath& path, double penalty) {
  if (!(penalty > 0)) throw nb::value_error("a penalty must be positive");
  bool solved = false;
  {
    nb::gil_scoped_release release;
    solved = path.solve(penalty);
  }
  if (!solved) return std::nullopt;
  return logistic_array(path, path.coefficients());
}

Array logistic_gradient(LogisticPath& path, const Grid& at) {
  const double* from = grid_of(at, path.outputs(), path.columns() + 1, "coefficients");
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = path.gradient(std::vector<double>(from, from + at.size()));
  }
  return logistic_array(path, std::move(found));
}

// The settings of a boosting, written by name from Python: too many for one call.
std::unique_ptr<Booster> make_booster(const Bins& bins, const Input<double>& y, const std::optional<Input<double>>& weights,
                                      const Input<double>& start, const Input<std::int8_t>& monotone, BoostPlan plan,
                                      std::size_t threads) {
  if (y.shape(0) != bins.rows) throw nb::value_error("y and the matrix differ in length");
  if (monotone.shape(0) != 0 && monotone.shape(0) != bins.columns.size()) throw nb::value_error("one direction a column");
  if (plan.outputs < 1 || (plan.loss == Loss::multinomial) != (plan.outputs > 1)) {
    throw nb::value_error("several outputs and the multinomial loss belong together");
  }
  for (std::size_t i = 0; plan.loss == Loss::multinomial && i < bins.rows; ++i) {
    if (!(y.data()[i] >= 0 && y.data()[i] < static_cast<double>(plan.outputs))) throw nb::value_error("a label is not in 0..outputs-1");
  }
  const double* w = data_or_null(weights, bins.rows, "weights");
  std::vector<double> numbers(y.data(), y.data() + bins.rows), first(start.data(), start.data() + start.shape(0));
  std::vector<double> row_weights;
  if (w != nullptr) row_weights.assign(w, w + bins.rows);
  plan.rules.split.monotone.assign(monotone.data(), monotone.data() + monotone.shape(0));
  nb::gil_scoped_release release;
  return std::make_unique<Booster>(bins, std::move(numbers), std::move(row_weights), std::move(first), std::move(plan), threads);
}

using Gradients = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void boost_step(Booster& booster, const Gradients& gradient, const Gradients& hessian, std::size_t threads) {
  for (const Gradients* one : {&gradient, &hessian}) {
    if (one->shape(0) != booster.outputs() || one->shape(1) != booster.rows()) throw nb::value_error("gradients are [output, row]");
  }
  std::vector<float> g(gradient.data(), gradient.data() + gradient.size()), h(hessian.data(), hessian.data() + hessian.size());
  nb::gil_scoped_release release;
  booster.step(g.data(), h.data(), threads);
}

Output<double> boost_scores(const Booster& booster) {
  std::vector<double> copy(booster.scores());
  return own(std::move(copy), {booster.outputs(), booster.rows()});
}

nb::typed<nb::tuple, Output<float>, Output<float>> loss_gradients(const std::string& loss, double alpha, const Input<double>& y,
                                                                  const Grid& scores, std::size_t threads) {
  const LossTarget target{loss_of(loss), alpha, scores.shape(1), scores.shape(0), y.data(), nullptr};
  if (y.shape(0) != target.rows) throw nb::value_error("y and the scores differ in length");
  std::vector<float> gradient(target.rows * target.outputs), hessian(gradient.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    gradients(target, scores.data(), gradient.data(), hessian.data(), pool);
  }
  return nb::make_tuple(own(std::move(gradient), {target.outputs, target.rows}), own(std::move(hessian), {target.outputs, target.rows}));
}

std::vector<std::int32_t> checked_labels(const Bins& bins, const Input<std::int32_t>& labels, int classes) {
  if (labels.shape(0) != bins.rows) throw nb::value_error("labels and the matrix differ in length");
  std::vector<std::int32_t> out(labels.data(), labels.data() + bins.rows);
  for (const std::int32_t label : out) {
    if (label < 0 || label >= classes) throw nb::value_error("a label is not in 0..classes-1");
  }
  return out;
}

std::unique_ptr<Members> two_class_trees(const Bins& bins, const Input<std::int32_t>& labels, std::uint32_t max_depth,
                                         std::uint32_t max_leaf_nodes, double min_samples_leaf, std::size_t threads) {
  BoostRules rules;
  rules.max_depth = max_depth;
  rules.max_leaves = max_leaf_nodes;
  rules.split.min_rows = min_samples_leaf;
  rules.split.min_hessian = 0;
  rules.split.rows_by_hessian = false;
  std::vector<std::int32_t> codes = checked_labels(bins, labels, 2);
  nb::gil_scoped_release release;
  return std::make_unique<TwoClassTrees>(bins, std::move(codes), std::move(rules), threads);
}

std::unique_ptr<Members> stumps(const Bins& bins, const Input<std::int32_t>& labels, int classes, std::size_t threads) {
  for (const Column& column : bins.columns) {
    if (column.categorical) throw nb::value_error("stumps of many classes take numeric columns only");
  }
  std::vector<std::int32_t> codes = checked_labels(bins, labels, classes);
  nb::gil_scoped_release release;
  return std::make_unique<Stumps>(bins, std::move(codes), classes, threads);
}

nb::typed<nb::tuple, Ensemble, Output<bool>> grow_member(Members& members, const Input<double>& weights) {
  if (weights.shape(0) != members.rows()) throw nb::value_error("weights and the matrix differ in length");
  auto wrong = std::make_unique<bool[]>(members.rows());
  Ensemble tree;
  {
    nb::gil_scoped_release release;
    std::vector<Tree> one;
    one.push_back(members.grow(weights.data(), wrong.get()));
    tree = members.ensemble(std::move(one));
  }
  bool* kept = wrong.release();
  nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  const std::size_t shape = members.rows();
  return nb::make_tuple(std::move(tree), Output<bool>(kept, 1, &shape, owner));
}

std::unique_ptr<AdaBoosting> make_ada_boosting(Members& members, const Input<std::int64_t>& rows, const Input<double>& weights,
                                               double total, bool samme, const std::string& when_weak) {
  if (rows.shape(0) != weights.shape(0)) throw nb::value_error("rows and weights differ in length");
  std::vector<Row> which;
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= members.rows()) throw nb::value_error("there is no such row");
    which.push_back(static_cast<Row>(rows.data()[i]));
  }
  AdaRules rules{samme, WhenWeak::stop};
  if (when_weak == "reset") rules.when_weak = WhenWeak::reset;
  else if (when_weak == "invert") rules.when_weak = WhenWeak::invert;
  else if (when_weak != "stop") throw nb::value_error("when_weak is stop, reset or invert");
  std::vector<double> first(weights.data(), weights.data() + weights.shape(0));
  return std::make_unique<AdaBoosting>(members, std::move(which), std::move(first), total, rules);
}

Output<double> shap(const Ensemble& ensemble, const AnyMatrix& x, const AnyMatrix& background, std::size_t trees, std::size_t outputs,
                    bool votes, double scale, std::size_t threads) {
  const Matrix matrix = matrix_of(x), others = matrix_of(background);
  check_columns(ensemble, matrix);
  check_columns(ensemble, others);
  if (others.rows == 0) throw nb::value_error("the background has no rows");
  if (trees > ensemble.trees.size()) throw nb::value_error("there are not so many trees");
  if (ensemble.outputs > 1 ? outputs != static_cast<std::size_t>(ensemble.outputs) : outputs == 0) {
    throw nb::value_error("the trees have another number of outputs");
  }
  std::vector<double> out(matrix.rows * matrix.columns * outputs);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    shap_values(ensemble, matrix, others, {trees, outputs, votes ? Take::votes : Take::values, scale}, out.data(), pool);
  }
  return own(std::move(out), {matrix.rows, matrix.columns, outputs});
}

Output<double> boosted_sums(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<double>& start,
                            const std::vector<std::uint32_t>& rounds, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  check_columns(ensemble, matrix);
  if (start.empty() || ensemble.outputs != 1) throw nb::value_error("these trees are not boosted");
  if (!std::is_sorted(rounds.begin(), rounds.end()) || (!rounds.empty() && rounds.back() * start.size() > ensemble.trees.size())) {
    throw nb::value_error("rounds must ascend and exist");
  }
  std::vector<double> out(rounds.size() * matrix.rows * start.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    predict_sums(ensemble, matrix, start, rounds, out.data(), pool);
  }
  return own(std::move(out), {rounds.size(), matrix.rows, start.size()});
}

}  // namespace
}  // namespace venire

NB_MODULE(_core, m) {
  using namespace venire;
  m.doc() = "The compiled core of venire.";
  // A model in a global variable is alive when Python ends; that is no leak worth a page of warnings.
  nb::set_leak_warnings(false);
  m.def(
      "simd_level", [] { return simd_name(simd_level()); },
      "The widest vector instructions in use: 'baseline', 'avx2' or 'avx512'.");

  nb::class_<Ranks>(m, "Ranks", "All rows sorted once, column by column; bins of any training part follow without sorting.")
      .def_static("of", &make_ranks, "x"_a, "categorical"_a, nb::kw_only(), "threads"_a)
      .def("bins", &narrow_ranks, "weights"_a.none(), nb::kw_only(), "max_bins"_a, "threads"_a,
           "Bins from the rows of positive weight alone; codes for all rows.");

  nb::class_<Bins>(m, "Bins", "A matrix as one byte a value.")
      .def_static("of", &make_bins, "x"_a, "categorical"_a, "weights"_a.none(), nb::kw_only(), "max_bins"_a, "threads"_a)
      .def_prop_ro("rows", [](const Bins& bins) { return bins.rows; })
      .def_prop_ro("codes", &codes_of, nb::rv_policy::move, "Codes, one line a column; 255 is missing.")
      .def("edges", [](const Bins& bins, std::size_t j) { return bins.columns.at(j).edges; }, "column"_a)
      .def("bin_count", [](const Bins& bins, std::size_t j) { return bins.columns.at(j).bins(); }, "column"_a);

  nb::class_<Ensemble>(m, "Forest", "Trees over one set of bins.")
      .def_static("grow", &grow, "bins"_a, "x"_a.none(), nb::kw_only(), "classes"_a, "labels"_a.none(), "y"_a.none(),
                  "weights"_a.none(), "criterion"_a, "max_depth"_a, "min_samples_split"_a, "min_samples_leaf"_a,
                  "min_weight_fraction_leaf"_a, "max_features"_a, "skip_constant"_a, "max_leaf_nodes"_a, "min_impurity_decrease"_a, "ccp_alpha"_a,
                  "multiway"_a, "random_cuts"_a, "among_best"_a, "combined"_a, "sampling"_a, "draws"_a, "seed"_a, "first"_a,
                  "count"_a, "keep_stats"_a, "threads"_a)
      .def_static("from_arrays", &from_arrays, "arrays"_a, "Checks the arrays and builds the trees.")
      .def("to_arrays", &to_arrays)
      .def("extend", &extend, "more"_a)
      .def_static("joined", &joined, "forests"_a, "The trees of forests over the same bins, one after the other.")
      .def("average", &average, "x"_a, "counts"_a, nb::kw_only(), "votes"_a, "threads"_a,
           "Means over the first so many trees: [count, row, output].")
      .def("average_coded", &coded_average, "bins"_a, "rows"_a, "counts"_a, nb::kw_only(), "votes"_a, "threads"_a,
           "The same for rows that are coded already, by their numbers.")
      .def("votes", &weighted_votes, "x"_a, "weights"_a, "counts"_a, nb::kw_only(), "threads"_a,
           "Weight of the first so many trees that say each class: [count, row, class].")
      .def("votes_coded", &coded_votes, "bins"_a, "rows"_a, "weights"_a, "counts"_a, nb::kw_only(), "threads"_a,
           "The same for rows that are coded already, by their numbers.")
      .def("leaves", &leaves, "x"_a, nb::kw_only(), "threads"_a, "The node in which each row ends: [row, tree].")
      .def("out_of_bag", &out_of_bag, "bins"_a, "x"_a.none(), nb::kw_only(), "classes"_a, "labels"_a.none(), "y"_a.none(),
           "weights"_a.none(), "sampling"_a, "draws"_a, "seed"_a, "votes"_a, "threads"_a,
           "Means over the trees that did not see a row; NaN where all did.")
      .def("levels", &levels, "x"_a, "alphas"_a, nb::kw_only(), "threads"_a, "A single tree at pruning levels: [level, row, output].")
      .def("levels_coded", &coded_levels, "bins"_a, "rows"_a, nb::kw_only(), "by"_a, "levels"_a, "threads"_a,
           "A single tree at levels of pruning, depth (minus the depth) or rows (one less than the fewest split): [level, row, output].")
      .def("pruning_path", &path_of, "Levels and the impurity of the leaves at each.")
      .def("pruned", &pruned, "alpha"_a)
      .def("importances", &importances, "Decrease of impurity by tree and column.")
      .def("describe", &describe, "tree"_a)
      .def("shap", &shap, "x"_a, "background"_a, nb::kw_only(), "trees"_a, "outputs"_a, "votes"_a, "scale"_a, "threads"_a,
           "Shapley values against a background: [row, column, output].")
      .def("sizes", &tree_sizes, "tree"_a, "Nodes, leaves, depth.")
      .def_prop_ro("trees", [](const Ensemble& e) { return e.trees.size(); })
      .def("__getstate__", &to_arrays)
      .def("__setstate__", [](Ensemble& self, const Dict& arrays) { new (&self) Ensemble(from_arrays(arrays)); });

  m.def("in_bag", &in_bag, "bins"_a, nb::kw_only(), "classes"_a, "labels"_a.none(), "y"_a.none(), "weights"_a.none(),
        "sampling"_a, "draws"_a, "seed"_a, "count"_a, "Which rows each tree's sample holds: [tree, row].");

  m.def("code_scan", &code_scan, "x"_a, "columns"_a, nb::kw_only(), "threads"_a,
        "The highest code of each column (-1: none), and the first column that holds no codes (-1: none).");
  m.def("bayes_sums", &bayes_sums, "x"_a, "labels"_a, "weights"_a.none(), nb::kw_only(), "classes"_a, "numeric"_a, "categorical"_a,
        "counted"_a, "origin"_a, "categories"_a, "threads"_a,
        "Weight, mean and squares [class, numeric]; table [category, class]; sums [class, counted].");
  m.def("bayes_scores", &bayes_scores, "x"_a, nb::kw_only(), "numeric"_a, "categorical"_a, "counted"_a, "origin"_a, "categories"_a,
        "prior"_a, "mean"_a, "steepness"_a, "height"_a, "table"_a, "rates"_a, "threads"_a,
        "Joint logarithms of classes and rows: [row, class].");
  m.def("nearest", &nearest, "points"_a, "queries"_a, "categorical"_a, nb::kw_only(), "k"_a, "skip_self"_a, "threads"_a,
        "The k nearest points of each query, nearest first: row numbers and squared distances.");
  m.def("near_lists", &near_lists, "points"_a, "rows"_a, nb::kw_only(), "length"_a,
        "For some rows the points near them, in order: row numbers and squared distances in single precision.");
  m.def("scaled_rows", &scaled_rows, "x"_a, nb::kw_only(), "origin"_a, "offset"_a, "spread"_a, "((x - origin) - offset) / spread.");
  m.def("listed_nearest", &listed_nearest, "points"_a, nb::kw_only(), "near"_a, "squared"_a, "norm"_a, "heard"_a, "rows"_a,
        "shrink"_a, "k"_a,
        "The k nearest of some rows among those heard, read off lists, and for how many rows all were looked at.");
  m.def("neighbour_votes", &neighbour_votes, "found"_a, nb::kw_only(), "weights"_a, "places"_a, "classes"_a, "counts"_a,
        "Shares of the votes of the first k neighbours [k, row, class], and the winners [k, row].");
  m.def("won_pairs", &won_pairs, "scores"_a, "chosen"_a,
        "Pairs of a chosen and another row that the chosen one wins, a tie counting half, for scores [setting, row].");

  nb::class_<LogisticPath>(m, "LogisticPath", "Logistic regression under falling penalties, one output for two classes, else one a class.")
      .def_static("of", &make_logistic_path, "x"_a, "labels"_a, "weights"_a.none(), nb::kw_only(), "classes"_a)
      .def("solve", &logistic_solve, "penalty"_a,
           "The optimum under the next, smaller penalty: [output, 1 + column], the intercept first; None if it is out of reach.")
      .def("gradient", &logistic_gradient, "coefficients"_a, "Of the negative log-likelihood, in double precision.");

  nb::class_<BoostPlan>(m, "BoostPlan", "The settings of a boosting.")
      .def(nb::init<>())
      .def_prop_rw("loss", [](const BoostPlan& p) { return loss_name(p.loss); },
                   [](BoostPlan& p, const std::string& name) { p.loss = loss_of(name); })
      .def_rw("alpha", &BoostPlan::alpha)
      .def_rw("outputs", &BoostPlan::outputs)
      .def_rw("learning_rate", &BoostPlan::learning_rate)
      .def_rw("subsample", &BoostPlan::subsample)
      .def_rw("colsample", &BoostPlan::colsample)
      .def_rw("top_share", &BoostPlan::top_share)
      .def_rw("other_share", &BoostPlan::other_share)
      .def_rw("seed", &BoostPlan::seed)
      .def_prop_rw("max_leaf_nodes", [](const BoostPlan& p) { return p.rules.max_leaves; },
                   [](BoostPlan& p, std::uint32_t value) { p.rules.max_leaves = value; })
      .def_prop_rw("max_depth", [](const BoostPlan& p) { return p.rules.max_depth; },
                   [](BoostPlan& p, std::uint32_t value) { p.rules.max_depth = value; })
      .def_prop_rw("min_samples_leaf", [](const BoostPlan& p) { return p.rules.split.min_rows; },
                   [](BoostPlan& p, double value) { p.rules.split.min_rows = value; })
      .def_prop_rw("count_rows", [](const BoostPlan& p) { return p.rules.split.count_rows; },
                   [](BoostPlan& p, bool value) { p.rules.split.count_rows = value; })
      .def_prop_rw("rows_by_hessian", [](const BoostPlan& p) { return p.rules.split.rows_by_hessian; },
                   [](BoostPlan& p, bool value) { p.rules.split.rows_by_hessian = value; })
      .def_prop_rw("group_share", [](const BoostPlan& p) { return p.rules.split.group_share; },
                   [](BoostPlan& p, double value) { p.rules.split.group_share = value; })
      .def_prop_rw("min_hessian", [](const BoostPlan& p) { return p.rules.split.min_hessian; },
                   [](BoostPlan& p, double value) { p.rules.split.min_hessian = value; })
      .def_prop_rw("l2_regularization", [](const BoostPlan& p) { return p.rules.split.l2; },
                   [](BoostPlan& p, double value) { p.rules.split.l2 = value; })
      .def_prop_rw("l1_regularization", [](const BoostPlan& p) { return p.rules.split.l1; },
                   [](BoostPlan& p, double value) { p.rules.split.l1 = value; })
      .def_prop_rw("min_split_gain", [](const BoostPlan& p) { return p.rules.split.min_gain; },
                   [](BoostPlan& p, double value) { p.rules.split.min_gain = value; });

  nb::class_<Booster>(m, "Booster", "Boosting under way: the trees so far and the scores of the training rows.")
      .def_static("of", &make_booster, "bins"_a, "y"_a, "weights"_a.none(), "start"_a, "monotone"_a, "plan"_a, nb::kw_only(),
                  "threads"_a, nb::keep_alive<0, 1>(), "Rows of weight 0 are only kept up to date; an empty start is the loss's own.")
      .def("advance", &Booster::advance, "rounds"_a, nb::kw_only(), "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Adds rounds by the plan's loss.")
      .def("step", &boost_step, "gradient"_a, "hessian"_a, nb::kw_only(), "threads"_a, "Adds a round on gradients [output, row].")
      .def_prop_ro("start", &Booster::start)
      .def("scores", &boost_scores, nb::rv_policy::move, "The present scores: [output, row].")
      .def("forest", &Booster::ensemble, nb::call_guard<nb::gil_scoped_release>(),
           "The trees so far, as many a round as there are outputs.");
  nb::class_<Members>(m, "AdaMembers", "Members of AdaBoost: a tree for the weights of the examples, on one set of bins.")
      .def_static("two_classes", &two_class_trees, "bins"_a, "labels"_a, nb::kw_only(), "max_depth"_a, "max_leaf_nodes"_a,
                  "min_samples_leaf"_a, "threads"_a, nb::keep_alive<0, 1>())
      .def_static("stumps", &stumps, "bins"_a, "labels"_a, nb::kw_only(), "classes"_a, "threads"_a, nb::keep_alive<0, 1>(),
                  "Stumps by Gini impurity on numeric columns.")
      .def("grow", &grow_member, "weights"_a, "The tree for these weights, and which rows it gets wrong.");
  nb::class_<AdaBoosting>(m, "AdaBoosting", "AdaBoost under way: the members kept so far.")
      .def_static("of", &make_ada_boosting, "members"_a, "rows"_a, "weights"_a, nb::kw_only(), "total"_a, "samme"_a, "when_weak"_a,
                  nb::keep_alive<0, 1>(), "Weights of these rows that sum to one; `total` is what they summed to.")
      .def("advance", &AdaBoosting::advance, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
           "At most so many rounds more; false once there is no next one.")
      .def("forest", &AdaBoosting::ensemble, nb::call_guard<nb::gil_scoped_release>(),
           "The members kept; the first alone, if none was better than guessing.")
      .def_prop_ro("alphas", &AdaBoosting::alphas)
      .def_prop_ro("errors", &AdaBoosting::errors)
      .def_prop_ro("alone", &AdaBoosting::alone);
  m.def("loss_gradients", &loss_gradients, "loss"_a, "alpha"_a, "y"_a, "scores"_a, nb::kw_only(), "threads"_a,
        "Gradients and hessians at scores [output, row].");
  m.def("boosted_sums", &boosted_sums, "forest"_a, "x"_a, "start"_a, "rounds"_a, nb::kw_only(), "threads"_a,
        "Scores after the first so many rounds: [place, row, output].");
}
