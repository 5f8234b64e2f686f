// Where rows come from when they are predicted: a matrix, a table of codes, or the cells of a sparse table.
//
// A source loads the rows of a block and walks them down a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "bins/binning.hpp"
#include "bins/encode.hpp"
#include "forest/ensemble.hpp"
#include "predict/usual_paths.hpp"
#include "predict/walk.hpp"

namespace venire {

// Below this many rows, preparing the encoder costs more than it gives.
inline constexpr std::size_t kWorthEncoder = 48;

inline bool uses_combinations(const Ensemble& ensemble) {
  return std::any_of(ensemble.trees.begin(), ensemble.trees.end(), [](const Tree& t) { return !t.terms.empty(); });
}

// One worker's room.
struct Room {
  Block block;
  Walker walker;
  std::vector<std::uint32_t> leaves;
  std::vector<double> sums;
};

// Walks the rows of a block that was loaded.
struct Walked {
  static void walk(Room& room, const Tree& tree, std::size_t, const std::vector<std::uint32_t>& which,
                   std::size_t count) {
    room.walker.walk(tree, room.block, which.data(), count, room.leaves.data());
  }
};

// Loads the blocks of a matrix.
class Source : public Walked {
 public:
  Source(const Ensemble& ensemble, const Matrix& x)
      : rows(x.rows), ensemble_(ensemble), x_(x), combined_(uses_combinations(ensemble)) {
    if (x.rows >= kWorthEncoder) encoder_.emplace(ensemble.columns, x.scalar);
  }
  void load(std::size_t first, std::size_t count, Block& block) const {
    block.load(ensemble_.columns, encoder_ ? &*encoder_ : nullptr, x_, first, count);
    if (combined_) block.scale(ensemble_.columns, x_);
  }

  const std::size_t rows;

 private:
  const Ensemble& ensemble_;
  const Matrix& x_;
  const bool combined_;
  std::optional<Encoder> encoder_;
};

// Loads the blocks of rows that are coded already.
class CodedSource : public Walked {
 public:
  CodedSource(const Bins& bins, const std::vector<Row>& which) : rows(which.size()), bins_(bins), which_(which) {}
  void load(std::size_t first, std::size_t count, Block& block) const {
    block.load(bins_, which_.data() + first, count);
  }

  const std::size_t rows;

 private:
  const Bins& bins_;
  const std::vector<Row>& which_;
};

// Rows of a sparse table that go along the usual paths of the trees: nothing is loaded.
class CellSource {
 public:
  CellSource(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& which, Pool& pool)
      : rows(which.size()), cells_(bins.sparse.rows), which_(which), paths_(ensemble.trees.size()) {
    pool.run(paths_.size(),
             [&](std::size_t t, std::size_t) { paths_[t].emplace(ensemble.trees[t], bins.sparse.usual); });
  }
  static void load(std::size_t first, std::size_t count, Block& block) {
    block.first = first;
    block.count = count;
  }
  void walk(Room& room, const Tree&, std::size_t t, const std::vector<std::uint32_t>& which, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      room.leaves[i] = paths_[t]->leaf(cells_, which_[room.block.first + which[i]]);
  }

  const std::size_t rows;

 private:
  const CellLists& cells_;
  const std::vector<Row>& which_;
  std::vector<std::optional<UsualPaths>> paths_;
};

// `work` with the source of rows that are coded already.
template <class Work>
void with_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows, Pool& pool,
                const Work& work) {
  if (UsualPaths::serve(ensemble, bins)) work(CellSource(ensemble, bins, rows, pool));
  else work(CodedSource(bins, rows));
}

}  // namespace venire
