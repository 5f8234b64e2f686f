// Bins of a table that is not in memory: every column comes in blocks of rows, once to see where it is cut, and once
// more to be encoded.
//
// The bins are those of binning.hpp for the same rows, bit for bit. Bytes are codes, of which 255 is missing: so a
// column of categories is kept. Columns are independent, and different threads may each have one.
//
// Cost per value: as in memory, a sort of 4- or 8-byte keys and an encoding. Memory: a byte a value for the codes, and
// for each column under way its keys and as much again; of rows that weigh differently, keys beside their weights.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bins/binning.hpp"

namespace venire {

class BlockBinner {
 public:
  BlockBinner(std::size_t rows, std::size_t columns, int max_bins);
  BlockBinner(const BlockBinner&) = delete;
  BlockBinner& operator=(const BlockBinner&) = delete;
  ~BlockBinner();

  std::size_t rows() const { return bins_.rows; }
  std::size_t columns() const { return bins_.columns.size(); }

  // So many values of column j; one that is not kept has no say. Null: all are. Blocks of a column have one scalar.
  void take(std::size_t j, const Matrix& block, const std::uint8_t* kept);
  // The same with what each row weighs, in whole units; 0 is not kept.
  void take(std::size_t j, const Matrix& block, const std::int64_t* weights);
  // All of column j was taken.
  void cut(std::size_t j, bool categorical);
  // Column j as it was cut; and the same cut elsewhere, from more rows than are here.
  const Column& column(std::size_t j) const { return bins_.columns[j]; }
  void adopt(std::size_t j, Column column) { bins_.columns[j] = std::move(column); }
  // The codes of rows first, first + 1, … of column j, which was cut.
  void encode(std::size_t j, std::size_t first, const Matrix& block);

  // The same of rows that were encoded elsewhere.
  void put(std::size_t j, std::size_t first, const Code* codes, std::size_t count);

  // The bins; nothing is left behind.
  Bins finish() { return std::move(bins_); }

 private:
  struct Taken;

  Bins bins_;
  int max_bins_;
  std::vector<std::unique_ptr<Taken>> taken_;  // of columns under way
};

}  // namespace venire
