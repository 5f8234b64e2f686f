// Sparse tables: of each column only the cells whose code is not that of zero are kept, once by column and once by row.
//
//   column j    usual code (that of 0)    rows 3, 17, 40 … with their codes
//   row i                                 columns 5, 81 … with their codes
//
// Columns are cut exactly as those of the same table made dense: the cells that are not stored are zeros with the
// weight of their rows. Cost: a sort of the stored values of each column; ten bytes a stored cell. Nothing is as long
// as the table has cells.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace venire {

struct Bins;
struct Column;

// A borrowed matrix by columns (CSC): the stored cells of column j are start[j] .. start[j + 1], their rows ascend.
struct SparseMatrix {
  std::size_t rows = 0, columns = 0;
  const std::int64_t* start = nullptr;
  const Row* row = nullptr;
  const double* value = nullptr;
};

// Lists of cells: those of line i are start[i] .. start[i + 1], their places ascend.
struct CellLists {
  std::vector<std::size_t> start;
  std::vector<std::uint32_t> place;  // the row of a cell in a column's list, the column in a row's
  std::vector<Code> code;

  std::size_t size(std::size_t line) const { return start[line + 1] - start[line]; }
};

struct SparseCodes {
  std::vector<Code> usual;  // per column; of all cells that are not in the lists
  CellLists columns, rows;

  Code code(Row row, std::uint32_t j) const;
};

// The bins of a sparse matrix of numbers. `weights` may be null (all 1).
Bins bin_sparse(const SparseMatrix& x, const std::int64_t* weights, int max_bins, Pool& pool);

// The codes of a sparse matrix, when the bins are known.
Bins encode_sparse(const SparseMatrix& x, const std::vector<Column>& columns, Pool& pool);

// The same with a code for every cell.
Bins dense_codes(const Bins& bins, Pool& pool);

// Columns of either kind one after the other. The codes of a sparse one are written out, in 20 µs for a million rows,
// and stay until the next is asked for.
class ColumnReader {
 public:
  explicit ColumnReader(const Bins& bins) : bins_(bins) {}
  const Code* column(std::size_t j);

 private:
  const Bins& bins_;
  std::size_t written_ = SIZE_MAX;
  std::vector<Code> codes_;
};

}  // namespace venire
