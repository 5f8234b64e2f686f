// Neighbours for Python: searching them, reading them off lists, counting their votes, and the area their probabilities
// win.
#include <algorithm>
#include <limits>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "neighbors/lists.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/votes.hpp"

using namespace nb::literals;

namespace venire {
namespace {

nb::typed<nb::tuple, Output<std::int64_t>, Array> nearest(const Grid& points, const Grid& queries,
                                                          const Input<bool>& categorical, std::size_t k, bool skip_self,
                                                          std::size_t threads) {
  const Points among{points.data(), points.shape(0), points.shape(1)};
  const Points asked{queries.data(), queries.shape(0), queries.shape(1)};
  if (asked.columns != among.columns) throw nb::value_error("queries and points differ in their columns");
  if (skip_self && asked.rows != among.rows) throw nb::value_error("skip_self needs the points themselves as queries");
  if (k < 1 || k > among.rows - (skip_self ? 1 : 0))
    throw nb::value_error("k must lie between 1 and the number of points");
  const std::vector<bool> mask = mask_of(categorical, among.columns);
  std::vector<std::int64_t> rows(asked.rows * k);
  std::vector<double> squared(rows.size());
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    find_nearest(among, asked, mask, k, skip_self, rows.data(), squared.data(), pool);
  }
  return nb::make_tuple(own(std::move(rows), {asked.rows, k}), own(std::move(squared), {asked.rows, k}));
}

Points points_of(const Grid& grid) { return {grid.data(), grid.shape(0), grid.shape(1)}; }

void check_rows(const Input<std::int64_t>& asked, std::size_t rows) {
  for (std::size_t i = 0; i < asked.shape(0); ++i) {
    if (asked.data()[i] < 0 || static_cast<std::size_t>(asked.data()[i]) >= rows)
      throw nb::value_error("a row is not in the table");
  }
}

nb::typed<nb::tuple, Output<std::int32_t>, Output<float>> near_lists(const Grid& points,
                                                                     const Input<std::int64_t>& rows,
                                                                     std::size_t length) {
  const Points among = points_of(points);
  if (length < 1 || length > among.rows) throw nb::value_error("a list must hold between 1 row and all of them");
  if (among.rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw nb::value_error("too many rows for lists");
  check_rows(rows, among.rows);
  const std::size_t count = rows.shape(0);
  std::vector<std::int32_t> near(count * length);
  std::vector<float> squared(count * length);
  {
    nb::gil_scoped_release release;
    list_near(among, rows.data(), count, length, near.data(), squared.data());
  }
  return nb::make_tuple(own(std::move(near), {count, length}), own(std::move(squared), {count, length}));
}

Array scaled_rows(const Grid& x, const Input<double>& origin, const Input<double>& offset,
                  const Input<double>& spread) {
  const Points rows = points_of(x);
  for (const Input<double>* one : {&origin, &offset, &spread}) {
    if (one->shape(0) != rows.columns) throw nb::value_error("origin, offset and spread need one entry a column");
  }
  std::vector<double> out(rows.rows * rows.columns);
  {
    nb::gil_scoped_release release;
    scale_rows(rows, origin.data(), offset.data(), spread.data(), out.data());
  }
  return own(std::move(out), {rows.rows, rows.columns});
}

nb::typed<nb::tuple, Output<std::int64_t>, nb::int_> listed_nearest(
    const Grid& points, const Table<std::int32_t>& near, const Table<float>& squared, const Input<double>& norm,
    const Input<bool>& eligible, const Input<std::int64_t>& rows, double shrink, std::size_t k) {
  const Points among = points_of(points);
  const NearLists lists{near.data(), squared.data(), norm.data(), near.shape(0), near.shape(1)};
  if (near.shape(0) != among.rows || squared.shape(0) != among.rows || squared.shape(1) != near.shape(1) ||
      norm.shape(0) != among.rows || eligible.shape(0) != among.rows) {
    throw nb::value_error("points, lists, norms and the mask differ in length");
  }
  const auto counted = static_cast<std::size_t>(std::count(eligible.data(), eligible.data() + among.rows, true));
  if (k < 1 || k > counted) throw nb::value_error("k must lie between 1 and the number of rows eligible");
  check_rows(rows, among.rows);
  std::vector<std::int64_t> found(rows.shape(0) * k);
  std::size_t unsure = 0;
  {
    nb::gil_scoped_release release;
    unsure = read_lists(lists, among, eligible.data(), shrink, rows.data(), rows.shape(0), k, found.data());
  }
  return nb::make_tuple(own(std::move(found), {rows.shape(0), k}), unsure);
}

nb::typed<nb::tuple, Output<float>, Output<std::int16_t>> neighbour_votes(const Table<std::int64_t>& found,
                                                                          const Input<double>& weights,
                                                                          const Input<std::int32_t>& labels,
                                                                          std::size_t classes,
                                                                          const std::vector<std::int64_t>& counts) {
  const Votes votes{found.data(), found.shape(0), found.shape(1), weights.data(), labels.data(), classes};
  const std::size_t rows = weights.shape(0), settings = counts.size();
  if (labels.shape(0) != rows) throw nb::value_error("weights and labels differ in length");
  if (classes > std::numeric_limits<std::int16_t>::max()) throw nb::value_error("more than 32,767 classes");
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found.data()[i] < 0 || static_cast<std::size_t>(found.data()[i]) >= rows)
      throw nb::value_error("a row is not in the table");
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes) {
      throw nb::value_error("a label is not in 0..classes-1");
    }
  }
  for (const std::int64_t k : counts) {
    if (k < 1 || static_cast<std::size_t>(k) > votes.longest)
      throw nb::value_error("every k must lie between 1 and the neighbours found");
  }
  std::vector<float> probabilities(settings * votes.rows * classes);
  std::vector<std::int16_t> winners(settings * votes.rows);
  {
    nb::gil_scoped_release release;
    count_votes(votes, counts.data(), settings, probabilities.data(), winners.data());
  }
  return nb::make_tuple(own(std::move(probabilities), {settings, votes.rows, classes}),
                        own(std::move(winners), {settings, votes.rows}));
}

}  // namespace

void bind_neighbors(nb::module_& m) {
  m.def("nearest", &nearest, "points"_a, "queries"_a, "categorical"_a, nb::kw_only(), "k"_a, "skip_self"_a, "threads"_a,
        "The k nearest points of each query, nearest first: row numbers and squared distances.");
  m.def("near_lists", &near_lists, "points"_a, "rows"_a, nb::kw_only(), "length"_a,
        "For some rows the points near them, in order: row numbers and squared distances in single precision.");
  m.def("scaled_rows", &scaled_rows, "x"_a, nb::kw_only(), "origin"_a, "offset"_a, "spread"_a,
        "((x - origin) - offset) / spread.");
  m.def("listed_nearest", &listed_nearest, "points"_a, nb::kw_only(), "near"_a, "squared"_a, "norm"_a, "counted"_a,
        "rows"_a, "shrink"_a, "k"_a,
        "The k nearest of some rows among those eligible, read off lists, and for how many rows all were looked at.");
  m.def("neighbour_votes", &neighbour_votes, "found"_a, nb::kw_only(), "weights"_a, "labels"_a, "classes"_a, "counts"_a,
        "Shares of the votes of the first k neighbours [k, row, class], and the winners [k, row].");
}

}  // namespace venire
