// The parts of the Python module, one a stage. Files called bind* are the only ones that know Python: they check what
// arrives, release the GIL for the work, and wrap what comes out.
#pragma once

#include <nanobind/nanobind.h>

namespace venire {

void bind_bins(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_bayes(nanobind::module_& m);
void bind_sums(nanobind::module_& m);
void bind_neighbors(nanobind::module_& m);
void bind_two_class_scores(nanobind::module_& m);
void bind_losses(nanobind::module_& m);
void bind_packing(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_logistic(nanobind::module_& m);
void bind_net(nanobind::module_& m);
void bind_boosting(nanobind::module_& m);
void bind_adaboost(nanobind::module_& m);

}  // namespace venire
