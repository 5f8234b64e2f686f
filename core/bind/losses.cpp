// Losses for Python: the area under the curve, and what labels and probabilities lose.
#include <optional>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "metrics/areas.hpp"
#include "metrics/losses.hpp"

using namespace nb::literals;

namespace venire {
namespace {

template <class T>
using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Array won_pairs(const AnyMatrix& scores, const Input<bool>& chosen) {
  const auto& x = scores.array;
  if (chosen.shape(0) != x.shape(1)) throw nb::value_error("the mask needs one entry a row");
  if (x.shape(1) >= std::numeric_limits<Row>::max()) throw nb::value_error("more than 4,294,967,294 rows");
  const bool single = x.dtype() == nb::dtype<float>();
  if (!single && x.dtype() != nb::dtype<double>()) throw nb::type_error("scores must be float32 or float64");
  std::vector<double> won;
  {
    nb::gil_scoped_release release;
    if (single) {
      won = pairs_won(static_cast<const float*>(x.data()), x.stride(0), x.stride(1), x.shape(0), chosen.data(),
                      x.shape(1));
    } else {
      won = pairs_won(static_cast<const double*>(x.data()), x.stride(0), x.stride(1), x.shape(0), chosen.data(),
                      x.shape(1));
    }
  }
  const std::size_t settings = won.size();
  return own(std::move(won), {settings});
}

template <class T>
ProbabilityTable<T> probabilities_of(const Cube<T>& given, const Input<std::int32_t>& y,
                                     const std::optional<Input<double>>& weights) {
  const std::size_t rows = given.shape(1), classes = given.shape(2);
  if (y.shape(0) != rows) throw nb::value_error("one class a row");
  for (std::size_t i = 0; i < rows; ++i) {
    if (y.data()[i] < 0 || static_cast<std::size_t>(y.data()[i]) >= classes)
      throw nb::value_error("a class is not in 0..classes-1");
  }
  return {given.data(), given.shape(0), rows, classes, y.data(), data_or_null(weights, rows, "weights")};
}

template <class T>
Array log_losses_of(const Cube<T>& given, const Input<std::int32_t>& y, const std::optional<Input<double>>& weights,
                    double floor) {
  const ProbabilityTable<T> probabilities = probabilities_of(given, y, weights);
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = log_losses(probabilities, static_cast<T>(floor));
  }
  return own(std::move(found), {probabilities.settings});
}

template <class T>
Array squared_losses_of(const Cube<T>& given, const Input<std::int32_t>& y,
                        const std::optional<Input<double>>& weights) {
  const ProbabilityTable<T> probabilities = probabilities_of(given, y, weights);
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = squared_losses(probabilities);
  }
  return own(std::move(found), {probabilities.settings});
}

// The smallest and the largest label, or 0.
template <class T>
std::pair<T, T> ends(const T* labels, std::size_t count) {
  T least = 0, most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    least = labels[i] < least ? labels[i] : least;
    most = labels[i] > most ? labels[i] : most;
  }
  return {least, most};
}

template <class T>
nb::typed<nb::tuple, Array, Array> label_counts(const Table<T>& labels, const Input<std::int32_t>& y,
                                                const std::optional<Input<double>>& weights, std::size_t classes) {
  const std::size_t settings = labels.shape(0), rows = labels.shape(1);
  if (y.shape(0) != rows) throw nb::value_error("one class a row");
  const auto [least, most] = ends(labels.data(), settings * rows);
  if (least < 0 || static_cast<std::size_t>(most) >= classes) throw nb::value_error("a label is not in 0..classes-1");
  const double* w = data_or_null(weights, rows, "weights");
  LabelCounts counts;
  {
    nb::gil_scoped_release release;
    counts = count_labels(labels.data(), settings, rows, classes, y.data(), w);
  }
  return nb::make_tuple(own(std::move(counts.given), {settings, classes}),
                        own(std::move(counts.right), {settings, classes}));
}

template <class T>
Array wrong_labels(const Table<T>& labels, const Input<std::int32_t>& y) {
  if (y.shape(0) != labels.shape(1)) throw nb::value_error("one class a row");
  std::vector<double> wrong;
  {
    nb::gil_scoped_release release;
    wrong = count_wrong(labels.data(), labels.shape(0), labels.shape(1), y.data());
  }
  return own(std::move(wrong), {labels.shape(0)});
}

template <class T>
void define_labels(nb::module_& m) {
  m.def("wrong_labels", &wrong_labels<T>, nb::arg("labels").noconvert(), "y"_a,
        "The number of rows whose label is not `y`: [setting], for labels [setting, row].");
  m.def("label_counts", &label_counts<T>, nb::arg("labels").noconvert(), "y"_a, nb::kw_only(), "weights"_a.none(),
        "classes"_a,
        "The (weighted) rows given each label, and those rightly: [setting, class] each, for labels [setting, row].");
}

template <class T>
void define(nb::module_& m) {
  m.def(
      "log_losses", &log_losses_of<T>, nb::arg("shares").noconvert(), "y"_a, nb::kw_only(), "weights"_a.none(),
      "floor"_a,
      "The sum over rows of the log loss, for probabilities [setting, row, class] clipped to [floor, 1] and rescaled.");
  m.def("squared_losses", &squared_losses_of<T>, nb::arg("shares").noconvert(), "y"_a, nb::kw_only(),
        "weights"_a.none(),
        "The sum over rows of the squared distance from the truth, for probabilities [setting, row, class].");
}

}  // namespace

void bind_losses(nb::module_& m) {
  m.def("won_pairs", &won_pairs, "scores"_a, "chosen"_a,
        "Pairs of a chosen and another row that the chosen one wins, a tie counting half, for scores [setting, row].");
  define_labels<std::int16_t>(m);
  define_labels<std::int32_t>(m);
  define<float>(m);
  define<double>(m);
}

}  // namespace venire
