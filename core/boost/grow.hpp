// One tree on gradient pairs, grown leaf by leaf: always the leaf whose split gains most, until there are enough
// leaves.
//
//   histogram of the root -> best split -> partition its rows -> histogram of the smaller child -> other by difference
//
// The rows of a node are a stretch of one array, in ascending order; splitting a node parts its stretch in two and
// keeps the order. Cost per tree: a histogram pass over about half the rows at each level of the tree, and 1 ns a row
// and level for parting. A sparse table costs its cells instead (sparse_sums.hpp). All sums are integers: the tree is
// the same for any number of threads.
//
// Of a table in parts every sum waits for all of them, so several leaves are parted together: the best that wait, ahead
// of their turn (look_ahead.cpp). What a leaf gains does not depend on the order, so the tree is the same; a leaf whose
// turn does not come is put together again.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "boost/histogram.hpp"
#include "boost/sparse_sums.hpp"
#include "boost/split.hpp"
#include "gradients/pairs.hpp"

namespace venire {

struct BoostRules {
  GainRules split;
  std::uint32_t max_leaves = 31;
  std::uint32_t max_depth = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t min_split_rows = 2;                                        // of a node that may be split
  std::uint32_t max_features = std::numeric_limits<std::uint32_t>::max();  // columns drawn for every node
};

// The rows of a finished leaf.
struct GrownLeaf {
  std::uint32_t node;
  const Row* rows;
  std::size_t count;
};

// What a node of the last tree held, inner ones too.
struct NodeTotal {
  std::uint32_t rows = 0;
  Pair total = 0;
};

class BoostGrower {
 public:
  BoostGrower(const Bins& bins, const Packs& packs, const BoostRules& rules, Pool& pool, const Parts& parts = all_here)
      : bins_(bins), packs_(packs), rules_(rules), pool_(pool), parts_(parts), builder_(packs, pool),
        sparse_(bins.is_sparse() ? std::make_unique<SparseSums>(bins, packs) : nullptr), reader_(bins),
        search_(packs, bins.columns, rules.split) {}

  // `rows` are the rows to grow on, ascending; with `equal_hessians` every row of `rows` has the same. Leaf values are
  // in `values`, one a leaf, not yet scaled by a learning rate. `key` is for columns drawn by node.
  Tree grow(const RowSet& rows, const Slopes& slopes, bool equal_hessians, const std::vector<std::uint32_t>& columns,
            std::uint64_t key);

  // The leaves of the last tree; valid until the next one is grown.
  const std::vector<GrownLeaf>& leaves() const { return leaves_; }
  const std::vector<NodeTotal>& totals() const { return totals_; }

 private:
  struct Open {      // a leaf that may still be split
    BoostNode node;  // with the rows of all parts
    std::uint32_t number = 0, depth = 0;
    std::size_t first = 0, count = 0;  // the rows of this part
    BoostSplit split;
    PairHistogram sums;  // of a sparse table, only those of large nodes
    // Of a table in parts:
    bool sure = true;             // the split has rows enough on both sides, as far as is known before it is parted
    bool parted = false;          // it is, ahead of its turn
    std::size_t left_count = 0;   // then, of this part
    std::uint32_t left_rows = 0;  // and of all parts
    PairHistogram lighter;        // sums of the child with less hessian
    std::vector<std::uint32_t> counts;  // rows by column and bin, where a split had too few
    std::vector<Open> children;         // both, once they are known
  };

  // Null for the root of all rows.
  const Row* rows_of(const Open& open) const;
  RowBytes bytes_of(std::uint32_t column);
  Sides sides_by_bytes(const BoostSplit& split) const;
  template <class Use>
  void over_bytes(const Open& open, std::uint32_t column, const Use& use);
  void count_rows(const Open& open, std::uint32_t column, std::array<std::uint32_t, kCodes>& counts);
  std::size_t rows_right(const Open& open);
  bool large_enough(const Open& open) const;
  bool surely_enough(const Open& open, const Units& units) const;
  void find_split(Open& open, const std::vector<std::uint32_t>& columns, const Units& units);
  void find_split_by(Open& open, const std::vector<std::uint32_t>& columns, const Units& units);
  void offer_all(const Open& open, const Scan& scan, const Pair* sums, const std::vector<std::uint32_t>& columns);
  void begin_sparse(Open& open, const Pair* pairs);
  void find_sparse(Open& open, const Slopes& slopes, const std::vector<std::uint32_t>& columns);
  PairHistogram spare_sums();
  void search_children(Open& parent, Open& left, Open& right, const std::array<bool, 2>& may, const Slopes& slopes,
                       const std::vector<std::uint32_t>& columns);
  void make_children(Open& parent, std::uint32_t number, bool last, const Slopes& slopes,
                     const std::vector<std::uint32_t>& columns);
  void split(std::size_t which, Tree& tree, const Slopes& slopes, const std::vector<std::uint32_t>& columns);
  void add_node(const BoostSplit& split, std::uint32_t number, std::uint32_t child, Tree& tree);
  void close(Tree& tree, const Slopes& slopes);
  std::size_t part(const Open& open);
  bool begin_root(Open& root, const RowSet& rows, const Slopes& slopes);
  bool begin_root_of_parts(Open& root, const RowSet& rows, const Slopes& slopes);

  // look_ahead.cpp
  void look_ahead(const Slopes& slopes, const std::vector<std::uint32_t>& columns);
  std::vector<Open*> next_to_part();
  static void gather(Open& open, std::vector<Open*>& found);
  bool may_have_sums(const Open& open, const Units& units) const;
  void count_all(const std::vector<Open*>& leaves, const std::vector<std::uint32_t>& columns);
  void put_together(Open& open);

  const Bins& bins_;
  const Packs& packs_;
  const BoostRules& rules_;
  Pool& pool_;
  const Parts& parts_;
  HistogramBuilder builder_;
  std::unique_ptr<SparseSums> sparse_;
  ColumnReader reader_;
  GainSearch search_;
  std::uint64_t key_ = 0;  // of the columns drawn for nodes
  bool exact_rows_ = false;
  const RowSet* all_ = nullptr;
  Large<Row> order_, spare_;
  std::vector<Open> open_;
  std::vector<PairHistogram> free_;  // histograms to use again
  std::vector<BoostSplit> offers_;   // of a node, by column
  std::vector<std::uint32_t> met_;   // the columns that a small node of a sparse table has cells in
  std::vector<bool> counted_;        // which of them were searched with counted rows
  std::vector<GrownLeaf> leaves_;
  std::vector<NodeTotal> totals_;
};

}  // namespace venire
