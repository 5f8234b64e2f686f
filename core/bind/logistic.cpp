// Logistic regression for Python: a path of falling penalties that is walked step by step.
#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "logistic/path.hpp"
#include "logistic/predict.hpp"

using namespace nb::literals;

namespace venire {
namespace {

// Copies the rows, so that nothing has to be kept alive.
std::unique_ptr<LogisticPath> make_logistic_path(const Grid& x, const Input<std::int32_t>& labels,
                                                 const std::optional<Input<double>>& weights, std::size_t classes) {
  const std::size_t rows = x.shape(0);
  if (classes < 2) throw nb::value_error("logistic regression needs two classes");
  if (labels.shape(0) != rows) throw nb::value_error("labels and the matrix differ in length");
  for (std::size_t i = 0; i < rows; ++i) {
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes) {
      throw nb::value_error("a label is not in 0..classes-1");
    }
  }
  const LogisticTable table{
      x.data(), rows, x.shape(1), labels.data(), data_or_null(weights, rows, "weights"), classes == 2 ? 1 : classes};
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

// Several penalties in one go, [penalty][output][1 + column].
using Cancel = nb::typed<nb::callable, void()>;

std::optional<Array> logistic_solve_all(LogisticPath& path, const Input<double>& penalties,
                                        const std::optional<Cancel>& cancel) {
  const std::size_t count = penalties.shape(0);
  for (std::size_t s = 0; s < count; ++s) {
    if (!(penalties.data()[s] > 0)) throw nb::value_error("a penalty must be positive");
  }
  LogisticPath::Ask ask;
  if (cancel) {
    ask = [&] {
      nb::gil_scoped_acquire held;
      (*cancel)();
    };
  }
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found.reserve(count * path.outputs() * (path.columns() + 1));
    for (std::size_t s = 0; s < count; ++s) {
      if (!path.solve(penalties.data()[s], ask)) return std::nullopt;
      const std::vector<double> at = path.coefficients();
      found.insert(found.end(), at.begin(), at.end());
    }
  }
  return own(std::move(found), {count, path.outputs(), path.columns() + 1});
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

using Coefficients = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

nb::typed<nb::tuple, Output<float>, Output<std::int16_t>> predicted(const Grid& x, const Coefficients& coefficients) {
  const LogisticQuery query{
      x.data(), x.shape(0), x.shape(1), coefficients.data(), coefficients.shape(0), coefficients.shape(1)};
  if (coefficients.shape(2) != query.columns + 1)
    throw nb::value_error("coefficients and the matrix differ in columns");
  if (query.outputs == 0) throw nb::value_error("coefficients have no outputs");
  auto probabilities = blank<float>(query.penalties * query.rows * query.classes());
  auto likeliest = blank<std::int16_t>(query.penalties * query.rows);
  {
    nb::gil_scoped_release release;
    predict_logistic(query, probabilities.get(), likeliest.get());
  }
  return nb::make_tuple(hand_over(std::move(probabilities), {query.penalties, query.rows, query.classes()}),
                        hand_over(std::move(likeliest), {query.penalties, query.rows}));
}

}  // namespace

void bind_logistic(nb::module_& m) {
  nb::class_<LogisticPath>(m, "LogisticPath",
                           "Logistic regression under falling penalties, one output for two classes, else one a class.")
      .def_static("of", &make_logistic_path, "x"_a, "labels"_a, "weights"_a.none(), nb::kw_only(), "classes"_a)
      .def("solve", &logistic_solve, "penalty"_a,
           "The optimum under the next, smaller penalty: [output, 1 + column], the intercept first; None if it is out "
           "of reach.")
      .def("solve_all", &logistic_solve_all, "penalties"_a, "cancel"_a = nb::none(),
           "The same for penalties that fall, one after the other: [penalty, output, 1 + column]. Whatever `cancel()` "
           "raises, called before every step, ends it.")
      .def("gradient", &logistic_gradient, "coefficients"_a, "Of the negative log-likelihood, in double precision.");
  m.def("logistic_answers", &predicted, "x"_a, "coefficients"_a,
        "Under penalties with coefficients [penalty, output, 1 + column]: probabilities [penalty, row, class], the "
        "likeliest class [penalty, row].");
}

}  // namespace venire
