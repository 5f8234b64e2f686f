// Boosted trees of up to 64 leaves, asked without walking (after QuickScorer, Lucchese and others 2015).
//
// Leaves are numbered from left to right. Every node has a mask without the leaves of its left subtree; a row that goes
// right at a node, whether it comes past it or not, loses those leaves, and the first leaf left is its own. So a node
// is one compare and one `and` for a whole block of rows, without a branch, and the loop over rows is compiled for wide
// vectors. Rows are coded column after column. Cost: about 0.05 ns per row and node, 2 ns per row and numeric column
// for coding.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/ensemble.hpp"

namespace venire {

class QuickScores {
 public:
  static constexpr std::size_t kRows = 512;  // of a block: its codes and masks stay in the first caches

  // Is a tree, or are the first `count` trees of an ensemble, of a kind and size that can be asked so?
  static bool serves(const Tree& tree);
  static bool serves(const Ensemble& ensemble, std::size_t count);
  QuickScores(const Ensemble& ensemble, std::size_t count);
  QuickScores(const Columns& columns, const Tree& tree);

  // Codes of rows first .. first + count of the matrix: codes[column * kRows + row].
  void code(const Matrix& x, std::size_t first, std::size_t count, Code* codes) const;
  // The same of a coded table, of either kind.
  void code(const Bins& bins, std::size_t first, std::size_t count, Code* codes) const;

  // Adds what tree `which` says about `count` coded rows to sums[row * stride].
  void add(std::size_t which, const Code* codes, std::size_t count, double* sums, std::size_t stride) const {
    add(which, codes, kRows, count, sums, stride);
  }
  // The same for at most `kRows` rows of a coded table: codes[column * column_stride + row].
  void add(std::size_t which, const Code* codes, std::size_t column_stride, std::size_t count, double* sums,
           std::size_t stride) const;

 private:
  struct Test {
    std::uint32_t feature;
    std::int32_t subset;  // first byte of a table of sides in `sides_`, or -1 for a threshold
    std::uint8_t shift, cut;
    std::uint64_t keep;  // leaves that a row going right keeps
  };
  void prepare(const Tree& tree);

  const Columns& columns_;
  std::vector<bool> used_;
  std::vector<Test> tests_;
  std::vector<std::size_t> test_start_{0}, value_start_{0};
  std::vector<double> values_;
  std::vector<std::uint8_t> sides_;  // 256 a subset
};

}  // namespace venire
