// Histograms of gradient pairs: per column and bin, the sum over the rows of a node.
//
// Rows are taken a thousand at a time, so that their codes wait in the second-level cache while pack after pack of
// eight columns is added with its histograms in the first. Cost per row and column: one load, one addition, one
// store (about 0.5 ns). Large nodes are shared among threads, each with sums of its own that are added up afterwards:
// they are integers, so the division does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "packs.hpp"

namespace venire {

using PairHistogram = std::vector<Pair>;

class HistogramBuilder {
 public:
  HistogramBuilder(const Packs& packs, Pool& pool) : packs_(packs), pool_(pool), own_(pool.threads()) {}

  // Sums over `count` rows; `rows` null means rows 0 .. count - 1. `pairs` has one entry a row of the table.
  void build(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& out);


 private:
  const Packs& packs_;
  Pool& pool_;
  std::vector<PairHistogram> own_;
};

// The other child: what the parent has and one child has not.
inline void subtract(PairHistogram& parent, const PairHistogram& child) {
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] -= child[i];
}

}  // namespace venire
