// Sums over rows for Python: arrays that are added to, where a block of rows begins or goes on.
#include <optional>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "sums/row_sums.hpp"

using namespace nb::literals;

namespace venire {
namespace {

using Added = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

SummedRows rows_of(const Grid& x, const std::optional<Input<double>>& weights) {
  return {x.data(), x.shape(0), x.shape(1), data_or_null(weights, x.shape(0), "weights")};
}

void check_square(const Added& out, std::size_t size) {
  if (out.shape(0) != size || out.shape(1) != size) throw nb::value_error("the sums have another shape");
}

void add_row_products(const Grid& x, const std::optional<Input<double>>& weights, const Added& out) {
  const SummedRows rows = rows_of(x, weights);
  check_square(out, rows.columns);
  nb::gil_scoped_release release;
  add_products(rows, out.data());
}

void add_row_slopes(const Grid& x, const Input<std::int32_t>& labels, const std::optional<Input<double>>& weights,
                    const Grid& coefficients, const Added& gradient, const Added& curvature) {
  const SummedRows rows = rows_of(x, weights);
  const std::size_t outputs = coefficients.shape(0);
  if (coefficients.shape(1) != rows.columns || labels.shape(0) != rows.rows || outputs == 0)
    throw nb::value_error("labels, coefficients and rows do not match");
  if (gradient.shape(0) != outputs || gradient.shape(1) != rows.columns)
    throw nb::value_error("the gradient has another shape");
  check_square(curvature, outputs * rows.columns);
  nb::gil_scoped_release release;
  add_logistic(rows, labels.data(), coefficients.data(), outputs, {gradient.data(), curvature.data()});
}

}  // namespace

void bind_sums(nb::module_& m) {
  m.def("add_products", &add_row_products, "x"_a, "weights"_a.none(), "out"_a,
        "Adds the cross-products of columns to the upper triangle of `out`, row by row.");
  m.def("add_logistic", &add_row_slopes, "x"_a, "labels"_a, "weights"_a.none(), "coefficients"_a, "gradient"_a,
        "curvature"_a,
        "Adds the gradient and the curvature of the negative log-likelihood at these coefficients, row by row; of the "
        "curvature the upper triangle of each block of two outputs, the first not after the second.");
}

}  // namespace venire
