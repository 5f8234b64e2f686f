// AdaBoost for Python: members that grow a tree for weights, and the rounds over them.
#include <limits>
#include <memory>
#include <string>

#include "adaboost/members.hpp"
#include "adaboost/rounds.hpp"
#include "adaboost/stumps.hpp"
#include "adaboost/two_class_trees.hpp"
#include "adaboost/vote_probabilities.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

using namespace nb::literals;

namespace venire {
namespace {

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

std::unique_ptr<AdaBoosting> make_ada_boosting(Members& members, const Input<std::int64_t>& rows,
                                               const Input<double>& weights, double total, bool samme,
                                               const std::string& when_weak) {
  if (rows.shape(0) != weights.shape(0)) throw nb::value_error("rows and weights differ in length");
  std::vector<Row> which;
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= members.rows())
      throw nb::value_error("there is no such row");
    which.push_back(static_cast<Row>(rows.data()[i]));
  }
  AdaRules rules{samme, WhenWeak::stop};
  if (when_weak == "reset") rules.when_weak = WhenWeak::reset;
  else if (when_weak == "invert") rules.when_weak = WhenWeak::invert;
  else if (when_weak != "stop") throw nb::value_error("when_weak is stop, reset or invert");
  std::vector<double> first(weights.data(), weights.data() + weights.shape(0));
  return std::make_unique<AdaBoosting>(members, std::move(which), std::move(first), total, rules);
}

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

nb::typed<nb::tuple, Output<float>, Output<std::int16_t>> probabilities_of_votes(
    const Cube& votes, const std::vector<std::size_t>& places) {
  const std::size_t rows = votes.shape(1), classes = votes.shape(2);
  if (classes < 1 || classes > std::numeric_limits<std::int16_t>::max())
    throw nb::value_error("classes must be 1 to 32,767");
  for (const std::size_t place : places) {
    if (place >= votes.shape(0)) throw nb::value_error("there is no such place");
  }
  std::vector<float> probabilities(places.size() * rows * classes);
  std::vector<std::int16_t> winners(places.size() * rows);
  {
    nb::gil_scoped_release release;
    for (std::size_t s = 0; s < places.size(); ++s) {
      const double* from = votes.data() + places[s] * rows * classes;
      vote_probabilities(from, rows, classes, probabilities.data() + s * rows * classes, winners.data() + s * rows);
    }
  }
  return nb::make_tuple(own(std::move(probabilities), {places.size(), rows, classes}),
                        own(std::move(winners), {places.size(), rows}));
}

}  // namespace

void bind_adaboost(nb::module_& m) {
  nb::class_<Members>(m, "AdaMembers",
                      "Members of AdaBoost: a tree for the weights of the examples, on one set of bins.")
      .def_static("two_classes", &two_class_trees, "bins"_a, "labels"_a, nb::kw_only(), "max_depth"_a,
                  "max_leaf_nodes"_a, "min_samples_leaf"_a, "threads"_a, nb::keep_alive<0, 1>())
      .def_static("stumps", &stumps, "bins"_a, "labels"_a, nb::kw_only(), "classes"_a, "threads"_a,
                  nb::keep_alive<0, 1>(), "Stumps by Gini impurity on numeric columns.")
      .def("grow", &grow_member, "weights"_a, "The tree for these weights, and which rows it gets wrong.");

  m.def("vote_shares", &probabilities_of_votes, "votes"_a, "places"_a,
        "Class probabilities, in proportion to exp(2 votes), and the largest of them, for some places of votes [place, "
        "row, class].");

  nb::class_<AdaBoosting>(m, "AdaBoosting", "AdaBoost under way: the members kept so far.")
      .def_static("of", &make_ada_boosting, "members"_a, "rows"_a, "weights"_a, nb::kw_only(), "total"_a, "samme"_a,
                  "when_weak"_a, nb::keep_alive<0, 1>(),
                  "Weights of these rows that sum to one; `total` is what they summed to.")
      .def("advance", &AdaBoosting::advance, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
           "At most so many rounds more; false once there is no next one.")
      .def("forest", &AdaBoosting::ensemble, nb::call_guard<nb::gil_scoped_release>(),
           "The members kept; the first alone, if none was better than guessing.")
      .def_prop_ro("alphas", &AdaBoosting::alphas)
      .def_prop_ro("errors", &AdaBoosting::errors)
      .def_prop_ro("alone", &AdaBoosting::alone);
}

}  // namespace venire
