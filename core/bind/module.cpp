// The Python module: its parts in order, a class before the functions that take it.
#include "bind/module.hpp"

#include "base/cpu.hpp"
#include "bind/arrays.hpp"

NB_MODULE(_core, m) {
  using namespace venire;
  m.doc() = "The compiled core of venire.";
  // A model in a global variable is alive when Python ends; that is no leak worth a page of warnings.
  nb::set_leak_warnings(false);
  m.def(
      "simd_level", [] { return simd_name(simd_level()); },
      "The widest vector instructions in use: 'baseline', 'avx2' or 'avx512'.");

  bind_bins(m);
  bind_forest(m);
  bind_bayes(m);
  bind_sums(m);
  bind_neighbors(m);
  bind_two_class_scores(m);
  bind_losses(m);
  bind_packing(m);
  bind_text(m);
  bind_logistic(m);
  bind_net(m);
  bind_boosting(m);
  bind_adaboost(m);
}
