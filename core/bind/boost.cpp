// Boosting for Python: a plan, a booster that goes on round by round, and the scores its trees give.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "bind/forest.hpp"
#include "bind/module.hpp"
#include "boost/rounds.hpp"
#include "gradients/gradient.hpp"
#include "predict/additive.hpp"

using namespace nb::literals;

namespace venire {
namespace {

void check_input(const Bins& bins, const Input<double>& y, const Input<std::int8_t>& monotone, const BoostPlan& plan) {
  if (y.shape(0) != bins.rows) throw nb::value_error("y and the matrix differ in length");
  if (monotone.shape(0) != 0 && monotone.shape(0) != bins.columns.size())
    throw nb::value_error("one direction a column");
  if (plan.outputs < 1 || (plan.loss == Loss::multinomial) != (plan.outputs > 1)) {
    throw nb::value_error("several outputs and the multinomial loss belong together");
  }
  for (std::size_t i = 0; plan.loss == Loss::multinomial && i < bins.rows; ++i) {
    if (!(y.data()[i] >= 0 && y.data()[i] < static_cast<double>(plan.outputs)))
      throw nb::value_error("a label is not in 0..outputs-1");
  }
}

// The numbers of an array, which lasts as long as somebody looks at them.
Booster::Numbers held(const Input<double>& array) {
  return {array.data(), [array](const double*) {}};
}

std::unique_ptr<Booster> make_booster(Bins& bins, const Input<double>& y, const std::optional<Input<double>>& weights,
                                      const Input<double>& start, const Input<std::int8_t>& monotone, BoostPlan plan,
                                      std::size_t threads, bool take) {
  check_input(bins, y, monotone, plan);
  const double* w = data_or_null(weights, bins.rows, "weights");
  std::vector<double> first(start.data(), start.data() + start.shape(0));
  std::vector<double> row_weights;
  if (w != nullptr) row_weights.assign(w, w + bins.rows);
  plan.rules.split.monotone.assign(monotone.data(), monotone.data() + monotone.shape(0));
  Booster::Numbers numbers = held(y);
  nb::gil_scoped_release release;
  if (take) {
    return std::make_unique<Booster>(std::exchange(bins, Bins()), std::move(numbers), std::move(row_weights),
                                     std::move(first), std::move(plan), threads);
  }
  return std::make_unique<Booster>(bins, std::move(numbers), std::move(row_weights), std::move(first), std::move(plan),
                                   threads);
}

using Counts = Input<std::uint64_t>;
using AddUp = nb::typed<nb::callable, Counts(Counts)>;

// The sums over all parts are Python's business: it may hold the lock as long as it takes.
std::unique_ptr<Booster> make_part(const Bins& bins, const Input<double>& y,
                                   const std::optional<Input<double>>& weights, const Input<double>& start,
                                   const Input<std::int8_t>& monotone, BoostPlan plan,
                                   const std::vector<std::size_t>& first, std::size_t part, const AddUp& add,
                                   std::size_t threads) {
  check_input(bins, y, monotone, plan);
  const auto ask = [add](std::uint64_t* numbers, std::size_t count) {
    nb::gil_scoped_acquire held;
    const auto sums = nb::cast<Counts>(add(own(std::vector<std::uint64_t>(numbers, numbers + count), {count})));
    if (sums.shape(0) != count) throw nb::value_error("the sums of the parts have another length");
    std::copy_n(sums.data(), count, numbers);
  };
  Parts parts(first, part, ask);
  std::vector<double> scores(start.data(), start.data() + start.shape(0));
  const double* w = data_or_null(weights, bins.rows, "weights");
  std::vector<double> row_weights;
  if (w != nullptr) row_weights.assign(w, w + bins.rows);
  Booster::Numbers numbers = held(y);
  plan.rules.split.monotone.assign(monotone.data(), monotone.data() + monotone.shape(0));
  nb::gil_scoped_release release;
  return std::make_unique<Booster>(bins, std::move(numbers), std::move(row_weights), std::move(scores), std::move(plan),
                                   threads, std::move(parts));
}

using GoOn = nb::typed<nb::callable, bool()>;

// Asks Python after a round, whoever holds the lock meanwhile; empty where nobody is to be asked.
Booster::GoOn asking(const std::optional<GoOn>& go_on) {
  if (!go_on) return {};
  return [&] {
    nb::gil_scoped_acquire held;
    return static_cast<bool>(nb::bool_((*go_on)()));
  };
}

void advance(Booster& booster, std::uint32_t rounds, std::size_t threads, const std::optional<GoOn>& go_on) {
  const Booster::GoOn ask = asking(go_on);
  nb::gil_scoped_release release;
  booster.advance(rounds, threads, ask);
}

using Gradients = Table<float>;
using MakeGradients = nb::typed<nb::callable, std::pair<Gradients, Gradients>()>;

void advance_by(Booster& booster, const MakeGradients& make, std::uint32_t rounds, std::size_t threads,
                const std::optional<GoOn>& go_on) {
  const Booster::GoOn ask = asking(go_on);
  const auto fill = [&](float* gradient, float* hessian) {
    nb::gil_scoped_acquire held;
    const auto made = nb::cast<std::pair<Gradients, Gradients>>(make());
    for (const auto& [from, to] : {std::pair{made.first, gradient}, {made.second, hessian}}) {
      if (from.shape(0) != booster.outputs() || from.shape(1) != booster.rows())
        throw nb::value_error("gradients are [output, row]");
      std::copy_n(from.data(), from.size(), to);
    }
  };
  nb::gil_scoped_release release;
  booster.advance_by(fill, rounds, threads, ask);
}

void resume(Booster& booster, const Grid& scores, std::uint64_t round) {
  if (scores.shape(0) != booster.outputs() || scores.shape(1) != booster.rows())
    throw nb::value_error("scores are [output, row]");
  booster.resume({scores.data(), scores.data() + scores.size()}, round);
}

nb::typed<nb::tuple, Output<double>, Output<double>, Output<double>> boost_losses(const Booster& booster) {
  const auto copy = [](std::vector<double> numbers) {
    const std::size_t count = numbers.size();
    return own(std::move(numbers), {count});
  };
  const RoundLosses& kept = booster.losses();
  return nb::make_tuple(copy(kept.train), copy(kept.others), copy(kept.others_before));
}

Output<double> boost_scores(const Booster& booster) {
  std::vector<double> copy(booster.scores());
  return own(std::move(copy), {booster.outputs(), booster.rows()});
}

nb::typed<nb::tuple, Output<float>, Output<float>> loss_gradients(const std::string& loss, double alpha,
                                                                  const Input<double>& y, const Grid& scores,
                                                                  std::size_t threads) {
  const LossTarget target{loss_of(loss), alpha, scores.shape(1), scores.shape(0), y.data(), nullptr};
  if (y.shape(0) != target.rows) throw nb::value_error("y and the scores differ in length");
  std::vector<float> gradient(target.rows * target.outputs), hessian(gradient.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    gradients(target, scores.data(), gradient.data(), hessian.data(), pool);
  }
  return nb::make_tuple(own(std::move(gradient), {target.outputs, target.rows}),
                        own(std::move(hessian), {target.outputs, target.rows}));
}

void check_rounds(const Ensemble& ensemble, const std::vector<double>& start,
                  const std::vector<std::uint32_t>& rounds) {
  if (start.empty() || ensemble.outputs != 1) throw nb::value_error("these trees are not boosted");
  if (!std::is_sorted(rounds.begin(), rounds.end()) ||
      (!rounds.empty() && rounds.back() * start.size() > ensemble.trees.size())) {
    throw nb::value_error("rounds must ascend and exist");
  }
}

Output<double> boosted_sums(const Ensemble& ensemble, const AnyMatrix& x, const std::vector<double>& start,
                            const std::vector<std::uint32_t>& rounds, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  check_columns(ensemble, matrix);
  check_rounds(ensemble, start, rounds);
  std::vector<double> out(rounds.size() * matrix.rows * start.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    predict_sums(ensemble, matrix, start, rounds, out.data(), pool);
  }
  return own(std::move(out), {rounds.size(), matrix.rows, start.size()});
}

Output<double> boosted_sums_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<double>& start,
                                  const std::vector<std::uint32_t>& rounds, std::size_t threads) {
  if (bins.columns.size() != ensemble.columns.size()) throw nb::value_error("other bins than the trees were grown on");
  check_rounds(ensemble, start, rounds);
  std::vector<double> out(rounds.size() * bins.rows * start.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    sums_coded(ensemble, bins, start, rounds, out.data(), pool);
  }
  return own(std::move(out), {rounds.size(), bins.rows, start.size()});
}

// The settings of a boosting, written by name from Python: too many for one call.
void bind_plan(nb::module_& m) {
  nb::class_<BoostPlan>(m, "BoostPlan", "The settings of a boosting.")
      .def(nb::init<>())
      .def_prop_rw(
          "loss", [](const BoostPlan& p) { return loss_name(p.loss); },
          [](BoostPlan& p, const std::string& name) { p.loss = loss_of(name); })
      .def_rw("alpha", &BoostPlan::alpha)
      .def_rw("outputs", &BoostPlan::outputs)
      .def_rw("learning_rate", &BoostPlan::learning_rate)
      .def_rw("subsample", &BoostPlan::subsample)
      .def_rw("colsample", &BoostPlan::colsample)
      .def_rw("top_share", &BoostPlan::top_share)
      .def_rw("other_share", &BoostPlan::other_share)
      .def_rw("levels", &BoostPlan::levels)
      .def_rw("seed", &BoostPlan::seed)
      .def_rw("keep_losses", &BoostPlan::keep_losses)
      .def_prop_rw(
          "max_leaf_nodes", [](const BoostPlan& p) { return p.rules.max_leaves; },
          [](BoostPlan& p, std::uint32_t value) { p.rules.max_leaves = value; })
      .def_prop_rw(
          "max_depth", [](const BoostPlan& p) { return p.rules.max_depth; },
          [](BoostPlan& p, std::uint32_t value) { p.rules.max_depth = value; })
      .def_prop_rw(
          "min_samples_split", [](const BoostPlan& p) { return p.rules.min_split_rows; },
          [](BoostPlan& p, std::uint32_t value) { p.rules.min_split_rows = value; })
      .def_prop_rw(
          "max_features", [](const BoostPlan& p) { return p.rules.max_features; },
          [](BoostPlan& p, std::uint32_t value) { p.rules.max_features = value; })
      .def_prop_rw(
          "min_samples_leaf", [](const BoostPlan& p) { return p.rules.split.min_rows; },
          [](BoostPlan& p, double value) { p.rules.split.min_rows = value; })
      .def_prop_rw(
          "count_rows", [](const BoostPlan& p) { return p.rules.split.count_rows; },
          [](BoostPlan& p, bool value) { p.rules.split.count_rows = value; })
      .def_prop_rw(
          "rows_by_hessian", [](const BoostPlan& p) { return p.rules.split.rows_by_hessian; },
          [](BoostPlan& p, bool value) { p.rules.split.rows_by_hessian = value; })
      .def_prop_rw(
          "group_share", [](const BoostPlan& p) { return p.rules.split.group_share; },
          [](BoostPlan& p, double value) { p.rules.split.group_share = value; })
      .def_prop_rw(
          "min_hessian", [](const BoostPlan& p) { return p.rules.split.min_hessian; },
          [](BoostPlan& p, double value) { p.rules.split.min_hessian = value; })
      .def_prop_rw(
          "l2_regularization", [](const BoostPlan& p) { return p.rules.split.l2; },
          [](BoostPlan& p, double value) { p.rules.split.l2 = value; })
      .def_prop_rw(
          "l1_regularization", [](const BoostPlan& p) { return p.rules.split.l1; },
          [](BoostPlan& p, double value) { p.rules.split.l1 = value; })
      .def_prop_rw(
          "min_split_gain", [](const BoostPlan& p) { return p.rules.split.min_gain; },
          [](BoostPlan& p, double value) { p.rules.split.min_gain = value; });
}

}  // namespace

void bind_boosting(nb::module_& m) {
  bind_plan(m);

  nb::class_<Booster>(m, "Booster", "Boosting under way: the trees so far and the scores of the training rows.")
      .def_static("of", &make_booster, "bins"_a, "y"_a, "weights"_a.none(), "start"_a, "monotone"_a, "plan"_a,
                  nb::kw_only(), "threads"_a, "take"_a = false, nb::keep_alive<0, 1>(),
                  "Rows of weight 0 are only kept up to date; an empty start is the loss's own. With `take` the bins "
                  "are the booster's from now on, which saves memory: what was given holds no table any more.")
      .def_static("of_part", &make_part, "bins"_a, "y"_a, "weights"_a.none(), "start"_a, "monotone"_a, "plan"_a,
                  nb::kw_only(), "first"_a, "part"_a, "add"_a, "threads"_a, nb::keep_alive<0, 1>(),
                  "One of several that grow the same trees, each on its own part of the rows. `first` has the first "
                  "row of each part, and all rows; `add(numbers)` gives the sums over all parts.")
      .def("advance", &advance, "rounds"_a, nb::kw_only(), "threads"_a, "go_on"_a = nb::none(),
           "Adds rounds by the plan's loss, no more once `go_on()`, asked after each, is false.")
      .def("advance_by", &advance_by, "gradients"_a, "rounds"_a, nb::kw_only(), "threads"_a, "go_on"_a = nb::none(),
           "Adds rounds on what `gradients()` gives before each: gradients and hessians, [output, row].")
      .def("resume", &resume, "scores"_a, "round"_a,
           "Goes on from scores [output, row], as after so many rounds; before the first round of its own.")
      .def("losses", &boost_losses, nb::rv_policy::move,
           "With `keep_losses`, the mean losses after every round: of its rows, of the others, and of those before it.")
      .def_prop_ro("start", &Booster::start)
      .def("scores", &boost_scores, nb::rv_policy::move, "The present scores: [output, row].")
      .def("forest", &Booster::ensemble, nb::call_guard<nb::gil_scoped_release>(),
           "The trees so far, as many a round as there are outputs.");

  m.def("loss_gradients", &loss_gradients, "loss"_a, "alpha"_a, "y"_a, "scores"_a, nb::kw_only(), "threads"_a,
        "Gradients and hessians at scores [output, row].");
  m.def("boosted_sums", &boosted_sums, "forest"_a, "x"_a, "start"_a, "rounds"_a, nb::kw_only(), "threads"_a,
        "Scores after the first so many rounds: [place, row, output].");
  m.def("boosted_sums_coded", &boosted_sums_coded, "forest"_a, "bins"_a, "start"_a, "rounds"_a, nb::kw_only(),
        "threads"_a, "The same for the rows of a table that is coded already.");
}

}  // namespace venire
