// Histograms of gradient pairs: per column and bin, the sum over the rows of a node.
//
// Rows are taken a few hundred at a time: their codes are copied out of the table, then pack after pack of eight
// columns is added with its sums in the first-level cache. The rows of a node lie far apart, so those to come are asked
// for meanwhile, a few with every few additions, and the time that memory takes passes unseen. Cost per row and column:
// one load, one addition, one store (about 0.3 ns, the least there is), and 2 to 6 ns a row for its copy. Large nodes
// are shared among threads, each with sums of its own that are added up afterwards: they are integers, so the division
// does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "boost/packed_codes.hpp"

namespace venire {

using PairHistogram = std::vector<Pair>;

class HistogramBuilder {
 public:
  HistogramBuilder(const Packs& packs, Pool& pool) : packs_(packs), pool_(pool), own_(pool.threads()) {}

  // Sums over `count` rows; `rows` null means rows 0 .. count - 1. `pairs` has one entry a row of the table.
  void build(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& out);

  // Takes `count` rows out of the sums of a node that holds them: for a few that will be a leaf, and need no sums of
  // their own.
  void take_out(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& sums) const;
  // Does that cost less than building their sums and subtracting them?
  bool cheaper_out(std::size_t count) const { return count * packs_.lanes < packs_.slots() / 2; }

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
