// Nets for Python: a pack that is trained epoch by epoch, and what trained nets say.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "net/columns.hpp"
#include "net/pack.hpp"
#include "net/predict.hpp"

using namespace nb::literals;

namespace venire {
namespace {

constexpr std::uint32_t kMostUnits = 1u << 14;  // of a layer, and of a table's columns 2^20 (`matrix_of`)

NetSettings make_settings(const std::vector<std::uint32_t>& hidden, float learning_rate, float weight_decay,
                          float dropout, float smoothing, std::int32_t held, std::uint64_t seed) {
  for (const std::uint32_t units : hidden) {
    if (units < 1 || units > kMostUnits) throw nb::value_error("a hidden layer has from 1 to 16384 units");
  }
  if (!(learning_rate > 0) || !(weight_decay >= 0)) throw nb::value_error("a rate must be above 0, a decay not below");
  if (!(dropout >= 0 && dropout < 1)) throw nb::value_error("dropout must be in [0, 1)");
  if (!(smoothing >= 0 && smoothing < 1)) throw nb::value_error("smoothing must be in [0, 1)");
  return {hidden, learning_rate, weight_decay, dropout, smoothing, held, seed};
}

void check_labels(const Input<std::int32_t>& labels, std::size_t rows, std::size_t classes) {
  if (classes < 2) throw nb::value_error("labels need at least two classes");
  if (labels.shape(0) != rows) throw nb::value_error("labels and the matrix differ in length");
  for (std::size_t i = 0; i < rows; ++i) {
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes) {
      throw nb::value_error("a label is not in 0..classes-1");
    }
  }
}

using Labels = std::optional<Input<std::int32_t>>;
using Values = std::optional<Input<float>>;

// Either labels or values, as long as the table.
void check_target(const Labels& labels, const Values& values, std::size_t rows, std::size_t classes) {
  if (labels.has_value() == values.has_value()) throw nb::value_error("give labels or values, and not both");
  if (labels) check_labels(*labels, rows, classes);
  if (values && classes != 0) throw nb::value_error("values have no classes");
  data_or_null(values, rows, "values");
}

std::size_t count_parts(const Input<std::int32_t>& parts, std::size_t rows) {
  if (parts.shape(0) != rows) throw nb::value_error("parts and the matrix differ in length");
  std::int32_t highest = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int32_t part = parts.data()[i];
    if (part < 0 || static_cast<std::size_t>(part) >= rows) throw nb::value_error("a part is not in 0..rows-1");
    highest = std::max(highest, part);
  }
  return static_cast<std::size_t>(highest) + 1;
}

// A member must have rows to learn from, and rows to be judged by.
void check_held(const std::vector<NetSettings>& members, const Input<std::int32_t>& parts) {
  for (const NetSettings& member : members) {
    if (member.held < 0) continue;
    std::size_t held = 0;
    for (std::size_t i = 0; i < parts.shape(0); ++i) held += parts.data()[i] == member.held;
    if (held == 0 || held == parts.shape(0)) throw nb::value_error("a part held back has no rows, or all of them");
  }
}

std::unique_ptr<NetPack> make_pack(const Table<float>& x, const Labels& labels, const Values& values,
                                   const std::optional<Input<float>>& weights, const Input<std::int32_t>& parts,
                                   std::size_t classes, const std::vector<NetSettings>& members, std::size_t batch,
                                   std::size_t patience, std::pair<float, float> betas, std::uint64_t seed) {
  const std::size_t rows = x.shape(0);
  if (rows < 1 || rows >= std::numeric_limits<Row>::max()) throw nb::value_error("a pack needs rows, below 2^32");
  if (x.shape(1) < 1 || x.shape(1) >= Node::kMaxFeatures) throw nb::value_error("a pack needs columns, below 2^20");
  if (members.empty()) throw nb::value_error("a pack has at least one member");
  if (batch < 1 || patience < 1) throw nb::value_error("a batch has at least one row, and patience one epoch");
  check_target(labels, values, rows, classes);
  const std::size_t part_count = count_parts(parts, rows);
  check_held(members, parts);
  const NetTable table{x.data(),
                       rows,
                       x.shape(1),
                       labels ? labels->data() : nullptr,
                       values ? values->data() : nullptr,
                       data_or_null(weights, rows, "weights"),
                       parts.data(),
                       part_count,
                       classes};
  nb::gil_scoped_release release;
  return std::make_unique<NetPack>(table, members, NetTraining{batch, patience, betas.first, betas.second, seed});
}

Output<double> run_epoch(NetPack& pack, const Input<float>& factors, std::size_t threads) {
  if (factors.shape(0) != pack.batches()) throw nb::value_error("factors need one number a batch");
  {
    nb::gil_scoped_release release;
    pack.run_epoch(factors.data(), threads);
  }
  std::vector<double> losses;
  losses.reserve(pack.members());
  for (std::size_t m = 0; m < pack.members(); ++m) losses.push_back(pack.member(m).loss);
  return own(std::move(losses), {pack.members()});
}

const NetMember& member_of(const NetPack& pack, std::size_t m) {
  if (m >= pack.members()) throw nb::index_error("there is no such member");
  return pack.member(m);
}

Output<float> parameters_of(const NetPack& pack, std::size_t m) {
  const NetMember& member = member_of(pack, m);
  std::vector<float> plain(member.shape.plain());
  member.shape.strip((member.settings.held < 0 ? member.weights : member.best).data(), plain.data());
  const std::size_t floats = plain.size();
  return own(std::move(plain), {floats});
}

NetShape shape_of(const std::vector<std::uint32_t>& sizes, std::size_t columns, std::size_t weights) {
  if (sizes.size() < 2 || sizes.front() != columns) throw nb::value_error("sizes begin with the columns of x");
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    if (sizes[l] < 1 || (l > 0 && sizes[l] > kMostUnits)) throw nb::value_error("a layer has from 1 to 16384 units");
  }
  NetShape shape(sizes);
  if (weights != shape.plain()) throw nb::value_error("weights are not those of a net of these sizes");
  return shape;
}

Output<float> predicted(const Table<float>& x, const std::vector<std::uint32_t>& sizes, const Input<float>& weights,
                        bool classes, std::size_t threads) {
  const NetShape shape = shape_of(sizes, x.shape(1), weights.shape(0));
  auto out = blank<float>(x.shape(0) * shape.outputs());
  {
    nb::gil_scoped_release release;
    predict_net({x.data(), x.shape(0), classes}, shape, weights.data(), threads, out.get());
  }
  return hand_over(std::move(out), {x.shape(0), shape.outputs()});
}

// Edges and levels of all columns lie one after the other; `starts` says where those of each begin and the last end.
void check_starts(const Input<std::int64_t>& starts, std::size_t columns, std::size_t values) {
  const std::int64_t* at = starts.data();
  if (starts.shape(0) != columns + 1 || at[0] != 0 || at[columns] != static_cast<std::int64_t>(values) ||
      !std::is_sorted(at, at + columns + 1)) {
    throw nb::value_error("the edges or levels of the columns do not follow each other");
  }
}

std::unique_ptr<NetColumns> make_columns(const Input<std::uint32_t>& numeric, const Input<double>& centre,
                                         const Input<double>& spread, const Input<bool>& gaps,
                                         const Input<std::int64_t>& edge_starts, const Input<double>& edges,
                                         const Input<std::uint32_t>& categorical,
                                         const Input<std::int64_t>& level_starts, const Input<std::int64_t>& levels) {
  const std::size_t numbers = numeric.shape(0);
  if (centre.shape(0) != numbers || spread.shape(0) != numbers || gaps.shape(0) != numbers)
    throw nb::value_error("what is known of numbers differs in length");
  check_starts(edge_starts, numbers, edges.shape(0));
  check_starts(level_starts, categorical.shape(0), levels.shape(0));
  auto columns = std::make_unique<NetColumns>();
  for (std::size_t j = 0; j < numbers; ++j) {
    const std::int64_t first = edge_starts.data()[j], last = edge_starts.data()[j + 1];
    columns->add_number(numeric.data()[j], centre.data()[j], spread.data()[j], gaps.data()[j], edges.data() + first,
                        static_cast<std::size_t>(last - first));
  }
  for (std::size_t j = 0; j < categorical.shape(0); ++j) {
    const std::int64_t first = level_starts.data()[j], last = level_starts.data()[j + 1];
    columns->add_category(categorical.data()[j], levels.data() + first, static_cast<std::size_t>(last - first));
  }
  return columns;
}

Matrix checked_matrix(const NetColumns& columns, const AnyMatrix& x) {
  const Matrix matrix = matrix_of(x);
  if (columns.reach() > matrix.columns) throw nb::value_error("a column number is beyond the matrix");
  return matrix;
}

Output<float> written(const NetColumns& columns, const AnyMatrix& x) {
  const Matrix matrix = checked_matrix(columns, x);
  auto out = blank<float>(matrix.rows * columns.width());
  {
    nb::gil_scoped_release release;
    write_rows(columns, matrix, out.get());
  }
  return hand_over(std::move(out), {matrix.rows, columns.width()});
}

Output<double> summed(const NetColumns& columns, const AnyMatrix& x, const std::vector<std::uint32_t>& sizes,
                      const Table<float>& weights, bool classes, std::size_t threads) {
  const Matrix matrix = checked_matrix(columns, x);
  const NetShape shape = shape_of(sizes, columns.width(), weights.shape(1));
  auto out = blank<double>(matrix.rows * shape.outputs());
  {
    nb::gil_scoped_release release;
    sum_nets(columns, matrix, shape, weights.data(), weights.shape(0), classes, threads, out.get());
  }
  return hand_over(std::move(out), {matrix.rows, shape.outputs()});
}

nb::typed<nb::tuple, double, Output<float>> gradient_of(const Table<float>& x, const std::vector<std::uint32_t>& sizes,
                                                        const Input<float>& weights, const Labels& labels,
                                                        const Values& values, const Input<float>& row_weights,
                                                        float smoothing) {
  const NetShape shape = shape_of(sizes, x.shape(1), weights.shape(0));
  if (x.shape(0) < 1) throw nb::value_error("a gradient needs rows");
  check_target(labels, values, x.shape(0), labels ? shape.outputs() : 0);
  if (values && shape.outputs() != 1) throw nb::value_error("values have one output");
  if (row_weights.shape(0) != x.shape(0)) throw nb::value_error("weights and the matrix differ in length");
  auto gradient = blank<float>(shape.plain());
  const double loss =
      net_gradient({x.data(), x.shape(0), labels.has_value()}, shape, weights.data(), labels ? labels->data() : nullptr,
                   values ? values->data() : nullptr, row_weights.data(), smoothing, gradient.get());
  return nb::make_tuple(loss, hand_over(std::move(gradient), {shape.plain()}));
}

}  // namespace

void bind_net(nb::module_& m) {
  nb::class_<NetSettings>(m, "NetSettings", "What one member of a pack of nets is like.")
      .def_static("of", &make_settings, nb::kw_only(), "hidden"_a, "learning_rate"_a, "weight_decay"_a, "dropout"_a,
                  "smoothing"_a, "held"_a, "seed"_a);
  nb::class_<NetPack>(m, "NetPack", "Nets with settings of their own, trained side by side on the same batches.")
      .def_static("of", &make_pack, "x"_a, "labels"_a.none(), "values"_a.none(), "weights"_a.none(), "parts"_a,
                  nb::kw_only(), "classes"_a, "members"_a, "batch"_a, "patience"_a, "betas"_a, "seed"_a)
      .def_prop_ro("batches", &NetPack::batches, "Of one epoch.")
      .def_prop_ro("stopped", &NetPack::stopped, "Whether every member has stopped.")
      .def("run_epoch", &run_epoch, "factors"_a, nb::kw_only(), "threads"_a,
           "Train all members that have not stopped; the loss of each on the part that it holds back.")
      .def("parameters", &parameters_of, "member"_a,
           "The weights of a member's best epoch: of each layer [value taken, unit], then the shifts.")
      .def("best_epoch", [](const NetPack& pack, std::size_t k) { return member_of(pack, k).best_epoch; }, "member"_a);
  m.def("net_predict", &predicted, "x"_a, "sizes"_a, "weights"_a, nb::kw_only(), "classes"_a, "threads"_a,
        "What a net says: probabilities [row, class], or values [row, 1].");
  nb::class_<NetColumns>(m, "NetColumns", "Columns of a table as nets want them.")
      .def_static("of", &make_columns, nb::kw_only(), "numeric"_a, "centre"_a, "spread"_a, "gaps"_a, "edge_starts"_a,
                  "edges"_a, "categorical"_a, "level_starts"_a, "levels"_a)
      .def_prop_ro("width", &NetColumns::width, "How many columns a net sees.")
      .def("write", &written, "x"_a, "These rows for a net: [row, width].");
  m.def("sum_nets", &summed, "columns"_a, "x"_a, "sizes"_a, "weights"_a, nb::kw_only(), "classes"_a, "threads"_a,
        "The sum of what nets with these weights [net, weight] say of rows of a table: [row, output].");
  m.def("net_gradient", &gradient_of, "x"_a, "sizes"_a, "weights"_a, "labels"_a.none(), "values"_a.none(),
        "row_weights"_a, nb::kw_only(), "smoothing"_a, "The mean loss of all rows, and its gradient by the weights.");
}

}  // namespace venire
