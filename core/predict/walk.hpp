// Walking: rows down trees, on codes.
//
// Rows come in blocks of some ten thousands and each tree is walked by the whole block, so that a tree is fetched from
// memory once a block and stays in the second-level cache meanwhile. Rows of a block go down together, six levels a
// pass and sixteen rows at a time: their loads overlap, a step has no branch (a leaf leads to itself), and rows that
// have arrived leave the list between passes. Cost per row and tree: about 2 ns a level.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "bins/binning.hpp"
#include "bins/encode.hpp"

namespace venire {

// A stretch of rows, ready to walk.
struct Block {
  std::size_t first = 0, count = 0;
  std::size_t stride = 0;  // from one row's codes to the next's
  std::size_t columns = 0;
  std::vector<Code> codes;    // row after row
  std::vector<float> scaled;  // row after row; only for combinations

  const Code* row(std::size_t i) const { return codes.data() + i * stride; }
  const float* scaled_row(std::size_t i) const { return scaled.data() + (scaled.empty() ? 0 : i * columns); }

  // Rows [first, first + count) of a matrix; `encoder` may be null, then each value is looked up plainly.
  void load(const Columns& columns, const Encoder* encoder, const Matrix& x, std::size_t first, std::size_t count);
  void load(const Bins& bins, std::size_t first, std::size_t count);
  void load(const Bins& bins, const Row* rows, std::size_t count);  // rows by their numbers
  void scale(const Columns& columns, const Matrix& x);

 private:
  void shape(std::size_t from, std::size_t rows, std::size_t width);
  template <class RowAt>
  void load_sparse(const SparseCodes& sparse, const RowAt& row_at);
};

// The child a row goes to, or the node itself when it has nowhere to go.
std::uint32_t next_node(const Tree& tree, std::uint32_t at, const Code* row, const float* scaled);

class Walker {
 public:
  // The node in which each of the block's rows `which[0..count)` ends.
  void walk(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count, std::uint32_t* out);

 private:
  void walk_thresholds(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count,
                       std::uint32_t* out);
  static void walk_any(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count,
                       std::uint32_t* out);

  std::vector<std::uint32_t> place_, at_;  // rows still on their way: their place in `out`, and the node they are at
};

}  // namespace venire
