// Logistic regression for Python: a path of falling penalties that is walked step by step.
#include <memory>
#include <optional>

#include "bind_arrays.hpp"
#include "bindings.hpp"
#include "logistic.hpp"

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

}  // namespace

void bind_logistic(nb::module_& m) {
  nb::class_<LogisticPath>(m, "LogisticPath", "Logistic regression under falling penalties, one output for two classes, else one a class.")
      .def_static("of", &make_logistic_path, "x"_a, "labels"_a, "weights"_a.none(), nb::kw_only(), "classes"_a)
      .def("solve", &logistic_solve, "penalty"_a,
           "The optimum under the next, smaller penalty: [output, 1 + column], the intercept first; None if it is out of reach.")
      .def("gradient", &logistic_gradient, "coefficients"_a, "Of the negative log-likelihood, in double precision.");
}

}  // namespace venire
