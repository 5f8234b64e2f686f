// Naive Bayes for Python: a look at its codes, the sums over the training rows, and the scores of others.
#include <optional>

#include "bayes/model.hpp"
#include "bayes/path.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

using namespace nb::literals;

namespace venire {
namespace {

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

BayesColumns bayes_columns(const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical,
                           const std::optional<Input<std::uint32_t>>& counted, const Input<double>& origin,
                           const Input<std::int64_t>& categories, std::size_t limit) {
  BayesColumns columns{columns_of(numeric, limit), columns_of(categorical, limit), {}, {}, {0}};
  if (counted) columns.counted = columns_of(*counted, limit);
  if (origin.shape(0) != columns.numeric.size()) throw nb::value_error("one origin a numeric column");
  if (categories.shape(0) != columns.categorical.size())
    throw nb::value_error("one number of categories a categorical column");
  columns.origin.assign(origin.data(), origin.data() + origin.shape(0));
  for (std::size_t j = 0; j < columns.categorical.size(); ++j) {
    if (categories.data()[j] < 0) throw nb::value_error("a number of categories is negative");
    columns.start.push_back(columns.start.back() + static_cast<std::size_t>(categories.data()[j]));
  }
  return columns;
}

void check_labels(const Input<std::int32_t>& labels, std::size_t rows, std::size_t classes) {
  if (labels.shape(0) != rows) throw nb::value_error("labels and the matrix differ in length");
  for (std::size_t i = 0; i < rows; ++i) {
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes) {
      throw nb::value_error("a label is not in 0..classes-1");
    }
  }
}

using MomentArray = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void bayes_moments(const AnyMatrix& x, const Input<std::int32_t>& labels, const std::optional<Input<double>>& weights,
                   const Input<std::uint32_t>& numeric, const Input<double>& origin, const MomentArray& state) {
  const Matrix matrix = matrix_of(x);
  BayesColumns columns{columns_of(numeric, matrix.columns), {}, {}, {}, {0}};
  if (origin.shape(0) != columns.numeric.size()) throw nb::value_error("one origin a numeric column");
  columns.origin.assign(origin.data(), origin.data() + origin.shape(0));
  const std::size_t classes = state.shape(1), cells = classes * columns.numeric.size();
  if (state.shape(0) != 4 || state.shape(2) != columns.numeric.size())
    throw nb::value_error("the state is [4, class, numeric column]");
  check_labels(labels, matrix.rows, classes);
  double* first = state.data();
  const double* w = data_or_null(weights, matrix.rows, "weights");
  nb::gil_scoped_release release;
  add_moments(matrix, labels.data(), w, classes, columns, {first, first + cells, first + 2 * cells, first + 3 * cells});
}

nb::typed<nb::tuple, Array, Array, Array, Array, Array> bayes_sums(
    const AnyMatrix& x, const Input<std::int32_t>& labels, const std::optional<Input<double>>& weights,
    std::size_t classes, const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical,
    const Input<std::uint32_t>& counted, const Input<double>& origin, const Input<std::int64_t>& categories,
    std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const BayesColumns columns = bayes_columns(numeric, categorical, counted, origin, categories, matrix.columns);
  check_labels(labels, matrix.rows, classes);
  const double* w = data_or_null(weights, matrix.rows, "weights");
  BayesSums sums;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    sums = sum_bayes(matrix, labels.data(), w, classes, columns, pool);
  }
  const std::size_t width = columns.numeric.size();
  return nb::make_tuple(own(std::move(sums.weight), {classes, width}), own(std::move(sums.mean), {classes, width}),
                        own(std::move(sums.squares), {classes, width}),
                        own(std::move(sums.table), {columns.categories(), classes}),
                        own(std::move(sums.counted), {classes, columns.counted.size()}));
}

Array bayes_scores(const AnyMatrix& x, const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical,
                   const Input<std::uint32_t>& counted, const Input<double>& origin,
                   const Input<std::int64_t>& categories, const Input<double>& prior, const Grid& mean,
                   const Grid& steepness, const Grid& height, const Grid& table, const Grid& rates,
                   std::size_t threads) {
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

// All checks that keep the loops inside their arrays; the matrix is the table's own, of doubles.
void bayes_path(const AnyMatrix& x, const Input<std::int64_t>& rows,
                const nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>& probabilities,
                const nb::ndarray<std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& labels, std::size_t first,
                std::size_t last, const Input<std::uint32_t>& numeric, const Input<std::uint32_t>& categorical,
                const Input<double>& origin, const Input<std::int64_t>& categories, const Input<std::int16_t>& codes,
                const Input<double>& prior, const Grid& mean, const Cube& steepness, const Cube& height,
                const Cube& table) {
  const Matrix matrix = matrix_of(x);
  if (matrix.scalar != Scalar::f64) throw nb::type_error("the matrix must hold float64");
  const BayesColumns columns = bayes_columns(numeric, categorical, std::nullopt, origin, categories, matrix.columns);
  const std::size_t classes = prior.shape(0), models = probabilities.shape(0), width = columns.numeric.size();
  const std::size_t gaussians = steepness.shape(0);
  const auto shaped = [&](const Cube& given, std::size_t a, std::size_t b, std::size_t c, const char* name) {
    if (given.shape(0) != a || given.shape(1) != b || given.shape(2) != c) {
      throw nb::value_error((std::string(name) + " has another shape").c_str());
    }
    return given.data();
  };
  if (gaussians != 1 && gaussians != models) throw nb::value_error("one set of Gaussians, or one a model");
  if (first > last || last > rows.shape(0)) throw nb::value_error("first and last are not within the rows");
  if (probabilities.shape(1) != rows.shape(0) || labels.shape(0) != models || labels.shape(1) != rows.shape(0)) {
    throw nb::value_error("shares and labels need one place a model and row");
  }
  for (std::size_t i = first; i < last; ++i) {
    if (static_cast<std::uint64_t>(rows.data()[i]) >= matrix.rows)
      throw nb::value_error("a row number is beyond the matrix");
  }
  if (codes.shape(0) != classes || classes == 0) throw nb::value_error("one code a class");
  for (std::size_t c = 0; c < classes; ++c) {
    if (codes.data()[c] < 0 || static_cast<std::size_t>(codes.data()[c]) >= probabilities.shape(2))
      throw nb::value_error("a code is beyond the classes");
  }
  const BayesPath path{models,
                       gaussians,
                       classes,
                       prior.data(),
                       grid_of(mean, classes, width, "mean"),
                       shaped(steepness, gaussians, classes, width, "steepness"),
                       shaped(height, gaussians, classes, width, "height"),
                       shaped(table, models, columns.categories(), classes, "table")};
  const BayesOutputs outputs{probabilities.data(), labels.data(), rows.shape(0), probabilities.shape(2), codes.data()};
  nb::gil_scoped_release release;
  predict_bayes(matrix, rows.data(), first, last, columns, path, outputs);
}

}  // namespace

void bind_bayes(nb::module_& m) {
  m.def("bayes_sums", &bayes_sums, "x"_a, "labels"_a, "weights"_a.none(), nb::kw_only(), "classes"_a, "numeric"_a,
        "categorical"_a, "counted"_a, "origin"_a, "categories"_a, "threads"_a,
        "Weight, mean and squares [class, numeric]; table [category, class]; sums [class, counted].");
  m.def("bayes_moments", &bayes_moments, "x"_a, "labels"_a, "weights"_a.none(), nb::kw_only(), "numeric"_a, "origin"_a,
        "state"_a,
        "Adds rows to the moments of a block: weights, centres (NaN: none yet), sums and squares by class and column.");
  m.def("bayes_scores", &bayes_scores, "x"_a, nb::kw_only(), "numeric"_a, "categorical"_a, "counted"_a, "origin"_a,
        "categories"_a, "prior"_a, "mean"_a, "steepness"_a, "height"_a, "table"_a, "rates"_a, "threads"_a,
        "Joint logarithms of classes and rows: [row, class].");
  m.def("bayes_path", &bayes_path, "x"_a, "rows"_a, "shares"_a, "labels"_a, nb::kw_only(), "first"_a, "last"_a,
        "numeric"_a, "categorical"_a, "origin"_a, "categories"_a, "codes"_a, "prior"_a, "mean"_a, "steepness"_a,
        "height"_a, "table"_a,
        "Write the probabilities [model, row, class] and the likeliest class [model, row] of rows[first:last].");
}

}  // namespace venire
