// Histograms of gradient pairs of a sparse table: sums over the cells that are not usual, column by column; the usual
// bin of a column has what the others leave of the node's total (Packs::sums_of).
//
//   small node    its rows' cells are added into one histogram that all nodes share; only the columns met are searched
//   large node    keeps its histogram; a small child's cells are taken out of it, and the large child has the rest
//
// A node is large when its cells are a fourth of the slots or more. Leaves have no row in common, so few are: kept
// histograms take no more than four times the cells of the table. Cost: 2 to 4 ns a cell; sums are whole numbers, so
// the order does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "boost/histogram.hpp"

namespace venire {

class SparseSums {
 public:
  SparseSums(const Bins& bins, const Packs& packs);

  // The cells of these rows.
  std::size_t cells(const Row* rows, std::size_t count) const;
  bool is_large(std::size_t cells) const { return cells * 4 >= shared_.size(); }

  // The sums of a small node, in the shared histogram until `clear`; and which columns it met.
  void build(const Row* rows, std::size_t count, const Pair* pairs);
  void clear();
  const PairHistogram& shared() const { return shared_; }
  bool met(std::uint32_t column) const { return met_[column] != 0; }

  // The sums of a large node.
  void build(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& out) const;
  void take_out(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& sums) const;

 private:
  template <class Use>
  void over_cells(const Row* rows, std::size_t count, const Use& use) const;

  const CellLists& rows_;
  const Packs& packs_;
  PairHistogram shared_;
  std::vector<std::uint8_t> met_;
  std::vector<std::uint32_t> columns_;  // those met
};

}  // namespace venire
