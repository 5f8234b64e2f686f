// Bins and ranks for Python: a matrix and a mask of categorical columns come in, codes and edges can be read.
#include <algorithm>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bins/binning.hpp"
#include "bins/block_binner.hpp"
#include "bins/code_scan.hpp"
#include "bins/edges.hpp"
#include "bins/key_counts.hpp"
#include "splits/target.hpp"

using namespace nb::literals;

namespace venire {
namespace {

std::optional<FixedPoint> units_of(const std::optional<Input<double>>& weights, std::size_t rows) {
  const double* from = data_or_null(weights, rows, "weights");
  if (from == nullptr) return std::nullopt;
  return fixed_point(from, rows, 1);
}

Output<std::int64_t> weight_units(const Input<double>& weights, std::optional<double> total, bool whole) {
  const double* from = weights.data();
  const std::size_t rows = weights.shape(0);
  std::vector<std::int64_t> units =
      std::move((total ? fixed_point(from, rows, 1, *total, whole) : fixed_point(from, rows, 1)).units);
  const std::size_t count = units.size();
  return own(std::move(units), {count});
}

template <auto Make>
auto make_from(const AnyMatrix& x, const Input<bool>& categorical, const std::optional<Input<double>>& weights,
               int max_bins, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const std::vector<bool> mask = mask_of(categorical, matrix.columns);
  if (max_bins < 2 || max_bins > kMaxBins) throw nb::value_error("max_bins must lie in 2..255");
  const std::optional<FixedPoint> units = units_of(weights, matrix.rows);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return Make(matrix, mask, units ? units->units.data() : nullptr, max_bins, pool);
}

Ranks make_ranks(const AnyMatrix& x, const Input<bool>& categorical, std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const std::vector<bool> mask = mask_of(categorical, matrix.columns);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return rank_columns(matrix, mask, pool);
}

Bins narrow_ranks(const Ranks& ranks, const std::optional<Input<double>>& weights, int max_bins, std::size_t threads) {
  if (max_bins < 2 || max_bins > kMaxBins) throw nb::value_error("max_bins must lie in 2..255");
  const std::optional<FixedPoint> units = units_of(weights, ranks.rows);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return bin_ranked(ranks, units ? units->units.data() : nullptr, max_bins, pool);
}

Bins from_sparse(std::size_t rows, const Input<std::int64_t>& start, const Input<Row>& row, const Input<double>& value,
                 const std::optional<Input<double>>& weights, int max_bins, std::size_t threads) {
  const SparseMatrix matrix = sparse_of(rows, start, row, value);
  if (max_bins < 2 || max_bins > kMaxBins) throw nb::value_error("max_bins must lie in 2..255");
  const std::optional<FixedPoint> units = units_of(weights, rows);
  nb::gil_scoped_release release;
  Pool pool(threads);
  return bin_sparse(matrix, units ? units->units.data() : nullptr, max_bins, pool);
}

Bins made_dense(const Bins& bins, std::size_t threads) {
  if (!bins.is_sparse()) throw nb::value_error("these bins are dense");
  nb::gil_scoped_release release;
  Pool pool(threads);
  return dense_codes(bins, pool);
}

Bins beside(const std::vector<const Bins*>& parts) {
  if (parts.empty()) throw nb::value_error("nothing to put side by side");
  for (const Bins* part : parts) {
    if (part->is_sparse()) throw nb::value_error("sparse bins are not put side by side");
    if (part->rows != parts.front()->rows) throw nb::value_error("the parts have different numbers of rows");
  }
  nb::gil_scoped_release release;
  return bins_beside(parts);
}

Output<std::uint8_t> codes_of(const Bins& bins) {
  ColumnReader reader(bins);
  std::vector<std::uint8_t> copy(bins.codes);
  for (std::size_t j = 0; bins.is_sparse() && j < bins.columns.size(); ++j) {
    const Code* codes = reader.column(j);
    copy.insert(copy.end(), codes, codes + bins.rows);
  }
  return own(std::move(copy), {bins.columns.size(), bins.rows});
}

BlockBinner* make_binner(std::size_t rows, std::size_t columns, int max_bins) {
  if (max_bins < 2 || max_bins > kMaxBins) throw nb::value_error("max_bins must lie in 2..255");
  if (rows >= std::numeric_limits<Row>::max()) throw nb::value_error("more than 4,294,967,294 rows");
  if (columns >= Node::kMaxFeatures) throw nb::value_error("more than 1,048,575 columns");
  return new BlockBinner(rows, columns, max_bins);
}

Matrix block_of(const BlockBinner& binner, std::size_t j, std::size_t first, const AnyMatrix& values) {
  const Matrix block = matrix_of(values);
  if (j >= binner.columns() || block.columns != 1 || block.row_stride != 1) {
    throw nb::value_error("a block is one column of the table, its values side by side");
  }
  if (first > binner.rows() || block.rows > binner.rows() - first) throw nb::value_error("more rows than there are");
  return block;
}

template <class T>
void take_block(BlockBinner& binner, std::size_t j, const AnyMatrix& values, const std::optional<Input<T>>& by) {
  const Matrix block = block_of(binner, j, 0, values);
  const auto* each = data_or_null(by, block.rows, "what is kept");
  nb::gil_scoped_release release;
  if constexpr (std::is_same_v<T, bool>) binner.take(j, block, reinterpret_cast<const std::uint8_t*>(each));
  else binner.take(j, block, each);
}

void cut_column(BlockBinner& binner, std::size_t j, bool categorical) {
  if (j >= binner.columns()) throw nb::value_error("there is no such column");
  nb::gil_scoped_release release;
  binner.cut(j, categorical);
}

using CutColumn = nb::typed<nb::tuple, std::vector<double>, std::vector<double>, double, double>;

// A numeric column as numbers: its edges, the centers of its bins, mean and deviation.
CutColumn cut_of(const BlockBinner& binner, std::size_t j) {
  if (j >= binner.columns() || binner.column(j).categorical) throw nb::value_error("there is no such numeric column");
  const Column& column = binner.column(j);
  return CutColumn(nb::make_tuple(column.edges, column.centers, column.mean, column.deviation));
}

void adopt_cut(BlockBinner& binner, std::size_t j, std::vector<double> edges, std::vector<double> centers, double mean,
               double deviation) {
  const bool fits = centers.empty() ? edges.empty() : edges.size() + 1 == centers.size();
  if (j >= binner.columns() || !fits || edges.size() >= static_cast<std::size_t>(kMaxBins) ||
      !std::is_sorted(edges.begin(), edges.end())) {
    throw nb::value_error("these are no cuts of such a column");
  }
  binner.adopt(j, {false, std::move(edges), std::move(centers), {}, mean, deviation});
}

void encode_block(BlockBinner& binner, std::size_t j, std::size_t first, const AnyMatrix& values) {
  const Matrix block = block_of(binner, j, first, values);
  nb::gil_scoped_release release;
  binner.encode(j, first, block);
}

void put_codes(BlockBinner& binner, std::size_t j, std::size_t first, const Input<Code>& codes) {
  const std::size_t count = codes.shape(0);
  if (j >= binner.columns()) throw nb::value_error("there is no such column");
  if (first > binner.rows() || count > binner.rows() - first) throw nb::value_error("more rows than there are");
  const int bins = binner.column(j).bins();
  const bool known = std::all_of(codes.data(), codes.data() + count,
                                 [&](Code code) { return code == kMissing || static_cast<int>(code) < bins; });
  if (!known) throw nb::value_error("a code beyond the bins of its column");
  binner.put(j, first, codes.data(), count);
}

nb::typed<nb::tuple, Output<std::uint64_t>, Output<std::int64_t>> counted_keys(
    const AnyMatrix& column, const std::optional<Input<std::int64_t>>& weights, int known,
    const Input<std::uint64_t>& prefixes, int wanted) {
  const Matrix matrix = matrix_of(column);
  if (matrix.columns != 1 || (matrix.rows > 1 && matrix.row_stride != 1))
    throw nb::value_error("one column, its values side by side");
  const std::int64_t* w = data_or_null(weights, matrix.rows, "weights");
  const std::vector<std::uint64_t> beginnings(prefixes.data(), prefixes.data() + prefixes.shape(0));
  KeyCounts found;
  {
    nb::gil_scoped_release release;
    found = count_keys(matrix, w, known, beginnings, wanted);
  }
  const std::size_t count = found.keys.size();
  return nb::make_tuple(own(std::move(found.keys), {count}), own(std::move(found.counts), {count}));
}

Output<std::uint64_t> ends_of_bins(const Input<std::int64_t>& weights, std::size_t max_bins) {
  std::vector<std::uint64_t> out;
  for (const std::size_t end : bin_ends({weights.data(), weights.data() + weights.shape(0)}, max_bins))
    out.push_back(end);
  const std::size_t count = out.size();
  return own(std::move(out), {count});
}

nb::typed<nb::tuple, Output<std::int64_t>, std::int64_t> code_scan(const AnyMatrix& x,
                                                                   const Input<std::uint32_t>& columns,
                                                                   std::size_t threads) {
  const Matrix matrix = matrix_of(x);
  const ColumnNumbers chosen = columns_of(columns, matrix.columns);
  CodeScan scan;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    scan = scan_codes(matrix, chosen, pool);
  }
  return nb::make_tuple(own(std::move(scan.highest), {chosen.size()}), scan.broken);
}

}  // namespace

void bind_bins(nb::module_& m) {
  nb::class_<Ranks>(m, "Ranks",
                    "All rows sorted once, column by column; bins of any training part follow without sorting.")
      .def_static("of", &make_ranks, "x"_a, "categorical"_a, nb::kw_only(), "threads"_a)
      .def("bins", &narrow_ranks, "weights"_a.none(), nb::kw_only(), "max_bins"_a, "threads"_a,
           "Bins from the rows of positive weight alone; codes for all rows.");

  nb::class_<BlockBinner>(m, "BlockBinner",
                          "Bins of a table that comes in blocks, column by column: taken, cut, then encoded.")
      .def_static("of", &make_binner, "rows"_a, "columns"_a, nb::kw_only(), "max_bins"_a)
      .def("take", &take_block<bool>, "column"_a, "values"_a, "kept"_a.none(),
           "Values that are next in a column; of bytes, 255 is missing.")
      .def("take_weighed", &take_block<std::int64_t>, "column"_a, "values"_a, "units"_a,
           "The same with what each row weighs, in whole units.")
      .def("cut", &cut_column, "column"_a, nb::kw_only(), "categorical"_a, "All of a column was taken.")
      .def("cuts", &cut_of, "column"_a, "Edges, centers, mean and deviation of a numeric column that was cut.")
      .def("adopt", &adopt_cut, "column"_a, "edges"_a, "centers"_a, "mean"_a, "deviation"_a,
           "A numeric column as it was cut elsewhere, from more rows than are here.")
      .def("encode", &encode_block, "column"_a, "first"_a, "values"_a, "The codes of these rows of a cut column.")
      .def("put", &put_codes, "column"_a, "first"_a, "codes"_a,
           "The codes of rows that were encoded elsewhere, by the same cuts.")
      .def("finish", &BlockBinner::finish, "The bins; the binner is empty then.");

  m.def("weight_units", &weight_units, "weights"_a, nb::kw_only(), "total"_a = nb::none(), "whole"_a = false,
        "Weights in whole units, as bins count them; of some of many rows, by what all of them weigh in `total`, and "
        "whether all are whole numbers.");

  nb::class_<Edges>(m, "Edges", "Where the columns of a matrix are cut into bins, without a byte a value.")
      .def_static("of", &make_from<&find_edges>, "x"_a, "categorical"_a, "weights"_a.none(), nb::kw_only(),
                  "max_bins"_a, "threads"_a);

  nb::class_<Bins>(m, "Bins", "A matrix as one byte a value.")
      .def_static("of", &make_from<&bin_columns>, "x"_a, "categorical"_a, "weights"_a.none(), nb::kw_only(),
                  "max_bins"_a, "threads"_a)
      .def_static("beside", &beside, "parts"_a, "The columns of parts with the same rows, side by side.")
      .def_static("of_sparse", &from_sparse, "rows"_a, "start"_a, "row"_a, "value"_a, "weights"_a.none(), nb::kw_only(),
                  "max_bins"_a, "threads"_a,
                  "A matrix of numbers by columns (CSC, rows ascending); only cells unlike zero are kept.")
      .def("dense", &made_dense, nb::kw_only(), "threads"_a, "Sparse bins with a code for every cell.")
      .def_prop_ro("is_sparse", &Bins::is_sparse)
      .def_prop_ro("rows", [](const Bins& bins) { return bins.rows; })
      .def_prop_ro("codes", &codes_of, nb::rv_policy::move, "Codes, one line a column; 255 is missing.")
      .def(
          "edges", [](const Bins& bins, std::size_t j) { return bins.columns.at(j).edges; }, "column"_a)
      .def("bin_count", [](const Bins& bins, std::size_t j) { return bins.columns.at(j).bins(); }, "column"_a);

  m.def("count_keys", &counted_keys, "column"_a, "weights"_a.none(), nb::kw_only(), "known"_a, "prefixes"_a, "wanted"_a,
        "Of the values of a column whose keys begin with one of some prefixes of `known` bits: their first `wanted` "
        "bits, ascending, and how often each is there.");
  m.def("bin_ends", &ends_of_bins, "weights"_a, nb::kw_only(), "max_bins"_a,
        "Which of the values of a column, by number, end a bin, from the weights of all of them in ascending order.");
  m.def("code_scan", &code_scan, "x"_a, "columns"_a, nb::kw_only(), "threads"_a,
        "The highest code of each column (-1: none), and the first column that holds no codes (-1: none).");
}

}  // namespace venire
