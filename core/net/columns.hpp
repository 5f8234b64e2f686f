// Columns as nets want them: a number drawn in and in pieces, whether it is missing, a column for each category.
//
// What is learned of the columns, and why they are written so, is said in `models/net/columns.py`. Rows are written
// [column][row], so that a column is one loop over rows without a rest; all sums are of doubles, rounded once to single
// precision. Cost per row: about 2 ns a number and 0.3 ns a piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace venire {

class NetColumns {
 public:
  // A number of the table: its column, its middle and spread, and the edges of its pieces, rising; `gap` if a column
  // says that it is missing.
  void add_number(std::uint32_t column, double centre, double spread, bool gap, const double* edges, std::size_t count);
  // A column of codes, and those that have a column of their own.
  void add_category(std::uint32_t column, const std::int64_t* levels, std::size_t count);

  std::size_t width() const { return width_ < 1 ? 1 : width_; }  // columns that a net sees

  std::size_t reach() const { return reach_; }  // columns that the table has at least

  // Rows [first, first + rows) of a matrix: out[column * rows + row].
  void write(const Matrix& x, std::size_t first, std::size_t rows, float* out) const;

 private:
  struct Number {
    std::uint32_t column;
    double centre, spread;
    bool gap;
    std::size_t first_piece, end_piece;
  };
  struct Piece {
    double low, width;
  };
  struct Category {
    std::uint32_t column;
    std::vector<double> levels;
  };
  std::vector<Number> numbers_;
  std::vector<Piece> pieces_;
  std::vector<Category> categories_;
  std::size_t width_ = 0, reach_ = 0;
};

// All rows of a matrix: out[row * width + column].
void write_rows(const NetColumns& columns, const Matrix& x, float* out);

}  // namespace venire
