// The table of codes that gradient histograms are built from.
//
// Codes are kept row after row, eight to a 64-bit word, so that one load gives eight codes and a row of a small node is
// found in one or two cache lines. Each of the eight bytes is a lane: a column, or a bundle of columns of which no row
// has more than one away from its commonest bin (the columns of a one-hot code). A bundle costs one addition for all
// its columns; a column's commonest bin is then what the node has and its other bins have not. A lane's histogram is as
// long as the bins that exist.
//
// Of a large table the columns are given up while it is packed, and a column's codes are then read from its lane: a
// table is not held twice, and a row of a column is found a row's words further on.
//
// A sparse table has no lanes, only places; its sums come from its lists (sparse_sums.hpp).
//
// Cost: a byte a row and lane; one pass over the codes, and for rare columns a bit a row to see whether they meet.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/pages.hpp"
#include "bins/binning.hpp"
#include "boost/partition.hpp"
#include "gradients/gradient_pair.hpp"

namespace venire {

struct Packs {
  // Where a column's sums are: its own lane, or slots `first` .. of a bundle for all bins but the `commonest`.
  struct Place {
    std::uint32_t first = 0;
    std::int32_t commonest = -1;  // of a bundled column; "missing" counts as the bin after the last
  };

  std::size_t rows = 0, lanes = 0, words = 0;
  Large<std::uint64_t> codes;             // row after row, `words` each
  std::vector<std::uint32_t> lane_start;  // per lane: its first slot; the last entry is the number of slots
  std::vector<Place> places;              // per column
  std::vector<std::uint32_t> bins;        // per column, without "missing"
  std::vector<std::uint32_t> cell_slot;   // of a sparse table: of each cell, row after row
  // Of columns that were given up: their lanes, and what their bytes mean.
  std::vector<std::uint32_t> lane_of;
  std::vector<std::array<Code, kCodes>> meaning;

  std::size_t slots() const { return lane_start.back(); }
  bool in_place_of_columns() const { return !meaning.empty(); }
  // The bytes of a column that was given up.
  RowBytes bytes_of(std::size_t column) const;

  // The sum over all rows of a histogram: every row is in one slot of each lane. There is a lane at least.
  Pair total(const Pair* histogram) const {
    Pair total = 0;
    for (std::uint32_t slot = 0; slot < lane_start[1]; ++slot) total += histogram[slot];
    return total;
  }

  // The sums of a column by bin, "missing" last. `buffer` has room for 256 and is used where the column is bundled.
  const Pair* sums_of(std::size_t column, const Pair* histogram, Pair total, Pair* buffer) const {
    const Place& place = places[column];
    if (place.commonest < 0) return histogram + place.first;
    Pair others = 0;
    for (std::uint32_t bin = 0, slot = place.first; bin <= bins[column]; ++bin) {
      if (static_cast<std::int32_t>(bin) == place.commonest) continue;
      others += buffer[bin] = histogram[slot++];
    }
    buffer[place.commonest] = total - others;
    return buffer;
  }
};

// Without bundles every column has a lane of its own, whatever its rows hold.
Packs pack_bins(const Bins& bins, Pool& pool, bool bundles = true);
// The same in the place of the codes, of which nothing is left. Not of a sparse table.
Packs pack_and_take(Bins& bins, Pool& pool);

}  // namespace venire
