// Binning: every column becomes one byte a row.
//
// Numeric columns with at most `max_bins` distinct values get one bin a value, cut at the midpoints between
// neighbours, so a tree on bins is then the exact tree. Others are cut so that bins carry about the same weight; a
// value heavier than a bin keeps a bin of its own. A cut between a and b lies in [a, b), and a row is left of it when x
// <= cut. Categorical columns hold codes 0, 1, …: a bin a code, in code order; beyond 254 codes, the 253 heaviest (ties
// to the lower code) keep theirs and the rest share the last. NaN, negative and unseen codes are "missing".
//
// Micro-bins: `rank_columns` sorts all rows once, without weights or targets; `bin_ranked` then derives the bins of
// any training part from its own rows alone (weight 0 is "not in it"), equal to binning that part from scratch.
//
// Cost per value: a radix sort of 4- or 8-byte keys (about 6 ns; keys.hpp), the cuts (edges.hpp), then encoding
// (encode.hpp). Ranked: two table look-ups. Columns are independent and run in parallel.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "bins/sparse_codes.hpp"

namespace venire {

struct Column {
  bool categorical = false;
  std::vector<double> edges;       // numeric: cut i separates bin i from bin i + 1
  std::vector<double> centers;     // numeric: a typical value of each bin; the value itself when bins are exact
  std::vector<Code> bin_of;        // categorical: bin of each code, kMissing when unseen
  double mean = 0, deviation = 1;  // numeric, weighted; combinations of attributes are taken on this scale

  int bins() const;
  Code code(double x) const;
  bool operator==(const Column&) const = default;
};

using Columns = std::vector<Column>;

struct Bins {
  std::size_t rows = 0;
  Columns columns;
  std::vector<Code> codes;  // column after column; none of a sparse table
  SparseCodes sparse;       // of a sparse table instead

  bool is_sparse() const { return !sparse.usual.empty(); }
  // Of a dense table; of both kinds: ColumnReader.
  const Code* column(std::size_t j) const { return codes.data() + j * rows; }
  // One cell; of a sparse table, found among those of its row.
  Code code(Row row, std::uint32_t j) const { return is_sparse() ? sparse.code(row, j) : column(j)[row]; }
};

struct Ranks {
  struct OneColumn {
    bool categorical = false;
    std::vector<double> values;       // distinct, ascending
    std::vector<std::uint32_t> rank;  // per row; values.size() when missing
  };
  std::size_t rows = 0;
  std::vector<OneColumn> columns;
};

// `weights` may be null (all 1); rows of weight 0 do not shape the bins. `categorical` has one entry a column.
Bins bin_columns(const Matrix& x, const std::vector<bool>& categorical, const std::int64_t* weights, int max_bins,
                 Pool& pool);

// The same without codes: where columns are cut, and nothing a row.
struct Edges {
  Bins bins;
};
Edges find_edges(const Matrix& x, const std::vector<bool>& categorical, const std::int64_t* weights, int max_bins,
                 Pool& pool);

// Columns of the same rows side by side.
Bins bins_beside(const std::vector<const Bins*>& parts);

Ranks rank_columns(const Matrix& x, const std::vector<bool>& categorical, Pool& pool);
Bins bin_ranked(const Ranks& ranks, const std::int64_t* weights, int max_bins, Pool& pool);

}  // namespace venire
