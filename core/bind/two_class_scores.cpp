// One score for two classes, for Python: as evidence keeps it.
#include "metrics/two_class_scores.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

using namespace nb::literals;

namespace venire {
namespace {

nb::typed<nb::tuple, Output<float>, Output<std::int16_t>> two_class_predictions(const Grid& scores,
                                                                                const Input<double>& level,
                                                                                std::int16_t first, std::int16_t second,
                                                                                std::size_t classes) {
  const std::size_t settings = scores.shape(0), rows = scores.shape(1);
  if (level.shape(0) != settings) throw nb::value_error("one level a setting");
  for (const std::int16_t code : {first, second}) {
    if (code < 0 || static_cast<std::size_t>(code) >= classes) throw nb::value_error("a class is not in 0..classes-1");
  }
  auto outputs = blank<float>(settings * rows * classes);
  auto labels = blank<std::int16_t>(settings * rows);
  {
    nb::gil_scoped_release release;
    write_two_class_scores(scores.data(), level.data(), settings, rows, first, second, classes, outputs.get(),
                           labels.get());
  }
  return nb::make_tuple(hand_over(std::move(outputs), {settings, rows, classes}),
                        hand_over(std::move(labels), {settings, rows}));
}

}  // namespace

void bind_two_class_scores(nb::module_& m) {
  m.def("two_class_predictions", &two_class_predictions, "scores"_a, nb::kw_only(), "level"_a, "first"_a, "second"_a,
        "classes"_a,
        "Scores [setting, row, class] in single precision and winners [setting, row], from one score for two of the "
        "classes.");
}

}  // namespace venire
