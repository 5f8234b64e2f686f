// What a forest says of rows, given as a matrix or as codes already there: means, votes, leaves, pruning levels,
// Shapley values.
#include <algorithm>
#include <string>

#include "bind/forest.hpp"
#include "predict/shap.hpp"
#include "tree/prune.hpp"

using namespace nb::literals;

namespace venire {
namespace {

void check_counts(const Ensemble& ensemble, const std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool ascends = counts[i] > (i == 0 ? 0 : counts[i - 1]);
    if (!ascends || counts[i] > ensemble.trees.size())
      throw nb::value_error("counts must ascend within 1..number of trees");
  }
}

Output<double> average(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<std::uint32_t>& counts,
                       bool votes, std::size_t threads) {
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

Bins encoded(const Ensemble& ensemble, std::size_t rows, const Input<std::int64_t>& start, const Input<Row>& row,
             const Input<double>& value, std::size_t threads) {
  const SparseMatrix matrix = sparse_of(rows, start, row, value);
  if (matrix.columns != ensemble.columns.size())
    throw nb::value_error("the matrix has another number of columns than the trees");
  nb::gil_scoped_release release;
  Pool pool(threads);
  return encode_sparse(matrix, ensemble.columns, pool);
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
    if (row < 0 || static_cast<std::uint64_t>(row) >= bins.rows)
      throw nb::value_error("a row number is beyond the bins");
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

Output<double> coded_levels(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows,
                            const std::string& by, const std::vector<double>& levels, std::size_t threads) {
  const std::vector<Row> which = coded_rows(ensemble, bins, rows);
  const Tree& tree = only_tree(ensemble);
  const StopBy how = stop_by(by);
  if (!std::is_sorted(levels.begin(), levels.end())) throw nb::value_error("levels must ascend");
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<double> out(levels.size() * which.size() * k);
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    levels_coded(ensemble, bins, which, stops_of(tree, how), how == StopBy::pruning ? as_grown_first(levels) : levels,
                 out.data(), pool);
  }
  return own(std::move(out), {levels.size(), which.size(), k});
}

Output<std::int32_t> coded_leaves(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows,
                                  std::size_t threads) {
  const std::vector<Row> which = coded_rows(ensemble, bins, rows);
  std::vector<std::int32_t> out(which.size() * ensemble.trees.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    leaves_coded(ensemble, bins, which, out.data(), pool);
  }
  return own(std::move(out), {which.size(), ensemble.trees.size()});
}

void check_votes(const Ensemble& ensemble, const std::vector<double>& weights,
                 const std::vector<std::uint32_t>& counts) {
  if (!ensemble.classes) throw nb::value_error("these trees do not vote for classes");
  if (weights.size() != ensemble.trees.size()) throw nb::value_error("one weight a tree");
  check_counts(ensemble, counts);
}

Output<double> coded_votes(const Ensemble& ensemble, const Bins& bins, const Input<std::int64_t>& rows,
                           const std::vector<double>& weights, const std::vector<std::uint32_t>& counts,
                           std::size_t threads) {
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

Output<double> levels(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<double>& alphas,
                      std::size_t threads) {
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

Output<double> shap(const Ensemble& ensemble, const AnyMatrix& x, const AnyMatrix& background, std::size_t trees,
                    std::size_t outputs, bool votes, double scale, std::size_t threads) {
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
    shap_values(ensemble, matrix, others, {trees, outputs, votes ? Take::votes : Take::values, scale}, out.data(),
                pool);
  }
  return own(std::move(out), {matrix.rows, matrix.columns, outputs});
}

}  // namespace

void bind_predict(ForestClass& forest) {
  forest
      .def("average", &average, "x"_a, "counts"_a, nb::kw_only(), "votes"_a, "threads"_a,
           "Means over the first so many trees: [count, row, output].")
      .def("average_coded", &coded_average, "bins"_a, "rows"_a, "counts"_a, nb::kw_only(), "votes"_a, "threads"_a,
           "The same for rows that are coded already, by their numbers.")
      .def("votes", &weighted_votes, "x"_a, "weights"_a, "counts"_a, nb::kw_only(), "threads"_a,
           "Weight of the first so many trees that say each class: [count, row, class].")
      .def("votes_coded", &coded_votes, "bins"_a, "rows"_a, "weights"_a, "counts"_a, nb::kw_only(), "threads"_a,
           "The same for rows that are coded already, by their numbers.")
      .def("leaves", &leaves, "x"_a, nb::kw_only(), "threads"_a, "The node in which each row ends: [row, tree].")
      .def("leaves_coded", &coded_leaves, "bins"_a, "rows"_a, nb::kw_only(), "threads"_a,
           "The same for rows that are coded already, by their numbers.")
      .def("encode", &encoded, "rows"_a, "start"_a, "row"_a, "value"_a, nb::kw_only(), "threads"_a,
           "The codes of a sparse matrix by columns (CSC, rows ascending), in the bins of these trees.")
      .def("levels", &levels, "x"_a, "alphas"_a, nb::kw_only(), "threads"_a,
           "A single tree at pruning levels: [level, row, output].")
      .def("levels_coded", &coded_levels, "bins"_a, "rows"_a, nb::kw_only(), "by"_a, "levels"_a, "threads"_a,
           "A single tree at levels of pruning, depth (minus the depth) or rows (one less than the fewest split): "
           "[level, row, output].")
      .def("shap", &shap, "x"_a, "background"_a, nb::kw_only(), "trees"_a, "outputs"_a, "votes"_a, "scale"_a,
           "threads"_a, "Shapley values against a background: [row, column, output].");
}

}  // namespace venire
