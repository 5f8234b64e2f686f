#include "bins/sparse_codes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bins/binning.hpp"
#include "bins/edges.hpp"

namespace venire {
namespace {

constexpr std::size_t kTogether = 64;  // columns a task

// The distinct values of a column with their weights; the cells that are not stored weigh what the stored ones leave of
// `total`.
Distinct distinct_of(const SparseMatrix& x, std::size_t j, const std::int64_t* weights, std::int64_t total) {
  std::vector<std::pair<double, std::int64_t>> seen;
  for (auto at = static_cast<std::size_t>(x.start[j]); at < static_cast<std::size_t>(x.start[j + 1]); ++at) {
    const std::int64_t weight = weights == nullptr ? 1 : weights[x.row[at]];
    total -= weight;
    if (weight > 0 && !std::isnan(x.value[at])) seen.emplace_back(x.value[at] + 0.0, weight);
  }
  if (total > 0) seen.emplace_back(0.0, total);
  std::sort(seen.begin(), seen.end());
  Distinct distinct;
  for (const auto& [value, weight] : seen) distinct.add(value, weight);
  return distinct;
}

template <class Work>
void over_columns(std::size_t columns, Pool& pool, const Work& work) {
  pool.run((columns + kTogether - 1) / kTogether, [&](std::size_t task, std::size_t) {
    for (std::size_t j = task * kTogether; j < std::min(columns, (task + 1) * kTogether); ++j) work(j);
  });
}

// Lists by row from those by column: rows are met in the order of the columns.
CellLists turned(const CellLists& columns, std::size_t rows) {
  CellLists out;
  out.start.assign(rows + 1, 0);
  for (const std::uint32_t row : columns.place) ++out.start[row + 1];
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  out.place.resize(columns.place.size());
  out.code.resize(columns.place.size());
  std::vector<std::size_t> next(out.start.begin(), out.start.end() - 1);
  for (std::size_t j = 0; j + 1 < columns.start.size(); ++j) {
    for (std::size_t at = columns.start[j]; at < columns.start[j + 1]; ++at) {
      const std::size_t to = next[columns.place[at]]++;
      out.place[to] = static_cast<std::uint32_t>(j);
      out.code[to] = columns.code[at];
    }
  }
  return out;
}

}  // namespace

Code SparseCodes::code(Row row, std::uint32_t j) const {
  const auto first = rows.place.begin() + static_cast<std::ptrdiff_t>(rows.start[row]);
  const auto last = rows.place.begin() + static_cast<std::ptrdiff_t>(rows.start[row + 1]);
  const auto at = std::lower_bound(first, last, j);
  return at != last && *at == j ? rows.code[static_cast<std::size_t>(at - rows.place.begin())] : usual[j];
}

Bins encode_sparse(const SparseMatrix& x, const Columns& columns, Pool& pool) {
  Bins bins;
  bins.rows = x.rows;
  bins.columns = columns;
  SparseCodes& sparse = bins.sparse;
  sparse.usual.resize(x.columns);
  sparse.columns.start.assign(x.columns + 1, 0);
  std::vector<Code> codes(static_cast<std::size_t>(x.start[x.columns]));
  over_columns(x.columns, pool, [&](std::size_t j) {
    const Column& column = columns[j];
    const Code usual = sparse.usual[j] = column.code(0.0);
    const bool known = column.bins() > 0;  // else no row that counts has a value: nobody will ask
    std::size_t kept = 0;
    for (auto at = static_cast<std::size_t>(x.start[j]); at < static_cast<std::size_t>(x.start[j + 1]); ++at) {
      codes[at] = known ? column.code(x.value[at]) : usual;
      kept += codes[at] != usual ? 1 : 0;
    }
    sparse.columns.start[j + 1] = kept;
  });
  std::partial_sum(sparse.columns.start.begin(), sparse.columns.start.end(), sparse.columns.start.begin());
  sparse.columns.place.resize(sparse.columns.start.back());
  sparse.columns.code.resize(sparse.columns.start.back());
  over_columns(x.columns, pool, [&](std::size_t j) {
    std::size_t to = sparse.columns.start[j];
    for (auto at = static_cast<std::size_t>(x.start[j]); at < static_cast<std::size_t>(x.start[j + 1]); ++at) {
      if (codes[at] == sparse.usual[j]) continue;
      sparse.columns.place[to] = x.row[at];
      sparse.columns.code[to++] = codes[at];
    }
  });
  sparse.rows = turned(sparse.columns, x.rows);
  return bins;
}

Bins bin_sparse(const SparseMatrix& x, const std::int64_t* weights, int max_bins, Pool& pool) {
  const auto rows = static_cast<std::int64_t>(x.rows);
  const std::int64_t total = weights == nullptr ? rows : std::accumulate(weights, weights + rows, std::int64_t{0});
  Columns columns(x.columns);
  over_columns(x.columns, pool,
               [&](std::size_t j) { columns[j] = make_column(distinct_of(x, j, weights, total), false, max_bins); });
  return encode_sparse(x, columns, pool);
}

Bins dense_codes(const Bins& bins, Pool& pool) {
  Bins out;
  out.rows = bins.rows;
  out.columns = bins.columns;
  out.codes.resize(bins.rows * bins.columns.size());
  const CellLists& lists = bins.sparse.columns;
  over_columns(bins.columns.size(), pool, [&](std::size_t j) {
    Code* to = out.codes.data() + j * bins.rows;
    std::fill_n(to, bins.rows, bins.sparse.usual[j]);
    for (std::size_t at = lists.start[j]; at < lists.start[j + 1]; ++at) to[lists.place[at]] = lists.code[at];
  });
  return out;
}

const Code* ColumnReader::column(std::size_t j) {
  if (!bins_.is_sparse()) return bins_.column(j);
  if (written_ == j) return codes_.data();
  codes_.assign(bins_.rows, bins_.sparse.usual[j]);
  const CellLists& lists = bins_.sparse.columns;
  for (std::size_t at = lists.start[j]; at < lists.start[j + 1]; ++at) codes_[lists.place[at]] = lists.code[at];
  written_ = j;
  return codes_.data();
}

}  // namespace venire
