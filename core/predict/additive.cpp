#include "predict/additive.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "predict/quick_scores.hpp"
#include "predict/walk.hpp"

namespace venire {
namespace {

constexpr std::size_t kBlock = QuickScores::kRows;  // rows coded together
constexpr std::size_t kWorthPreparing = 64;         // rows from which on masks pay for being made
constexpr std::size_t kLanes = 8;
// Below this many walks, starting threads costs more than it gives.
constexpr std::size_t kWorthThreads = 200'000;

inline std::uint32_t step(const Node* nodes, std::uint32_t at, const Code* row) {
  const Node node = nodes[at];
  return node.next(row[node.feature()]);
}

double value_of(const Tree& tree, std::uint32_t node) {
  return tree.values[static_cast<std::size_t>(tree.value[node])];
}

void add_thresholds(const Tree& tree, const Code* codes, std::size_t columns, std::size_t count, double* sums,
                    std::size_t stride) {
  const Node* nodes = tree.nodes.data();
  for (std::size_t i = 0; i < count; i += kLanes) {
    const std::size_t lanes = std::min(kLanes, count - i);
    std::array<std::uint32_t, kLanes> at{};
    std::array<const Code*, kLanes> row;
    for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane] = codes + (i + std::min(lane, lanes - 1)) * columns;
    std::uint32_t moved = 1;
    while (moved != 0) {
      moved = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t next = step(nodes, at[lane], row[lane]);
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[(i + lane) * stride] += value_of(tree, at[lane]);
  }
}

void add_subsets(const Tree& tree, const Code* codes, std::size_t columns, std::size_t count, double* sums,
                 std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i) {
    const Code* row = codes + i * columns;
    std::uint32_t at = 0;
    while (!tree.nodes[at].is_leaf(at)) {
      const Node node = tree.nodes[at];
      if (node.branch() == Branch::subset) {
        const Code code = row[node.feature()];
        at = node.child + (tree.subsets[static_cast<std::size_t>(tree.table[at]) + code / 8] >> (code % 8) & 1u);
      } else {
        at = step(tree.nodes.data(), at, row);
      }
    }
    sums[i * stride] += value_of(tree, at);
  }
}

// Adds tree after tree to the sums of a block, and keeps them after each of the asked rounds.
template <class Add>
void add_rounds(const std::vector<double>& start, const std::vector<std::uint32_t>& rounds, std::size_t rows,
                std::size_t first, std::size_t count, double* out, const Add& add) {
  const std::size_t outputs = start.size();
  std::vector<double> sums(count * outputs);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = start[i % outputs];
  std::size_t done = 0;
  for (std::size_t place = 0; place < rounds.size(); ++place) {
    for (; done < rounds[place] * outputs; ++done) add(done, sums.data() + done % outputs);
    std::copy(sums.begin(), sums.end(), out + (place * rows + first) * outputs);
  }
}

// Runs `one(block, worker)` over blocks of rows, on threads when there is enough to do.
template <class One>
void over_blocks(std::size_t rows, std::size_t trees, Pool& pool, const One& one) {
  const std::size_t blocks = (rows + kBlock - 1) / kBlock;
  if (rows * (trees + 1) < kWorthThreads) {
    for (std::size_t block = 0; block < blocks; ++block) one(block, 0);
  } else {
    pool.run(blocks, one);
  }
}

// Rows of a matrix, coded block by block.
struct MatrixSource {
  const Ensemble& ensemble;
  const Matrix& x;
  std::size_t rows;
  std::optional<Encoder> encoder;

  MatrixSource(const Ensemble& ensemble, const Matrix& x) : ensemble(ensemble), x(x), rows(x.rows) {
    if (rows >= kWorthPreparing) encoder.emplace(ensemble.columns, x.scalar);
  }
  void code(const QuickScores& quick, std::size_t first, std::size_t count, Code* codes) const {
    quick.code(x, first, count, codes);
  }
  void load(Block& block, std::size_t first, std::size_t count) const {
    block.load(ensemble.columns, encoder ? &*encoder : nullptr, x, first, count);
  }
};

struct CodedSource {
  const Bins& bins;
  std::size_t rows;

  explicit CodedSource(const Bins& bins) : bins(bins), rows(bins.rows) {}
  void code(const QuickScores& quick, std::size_t first, std::size_t count, Code* codes) const {
    quick.code(bins, first, count, codes);
  }
  void load(Block& block, std::size_t first, std::size_t count) const { block.load(bins, first, count); }
};

template <class Source>
void sums_of(const Ensemble& ensemble, const Source& source, const std::vector<double>& start,
             const std::vector<std::uint32_t>& rounds, double* out, Pool& pool) {
  const std::size_t outputs = start.size(), columns = ensemble.columns.size(), rows = source.rows;
  const std::size_t trees = rounds.empty() ? 0 : rounds.back() * outputs;
  const auto size_of = [&](std::size_t block) { return std::min(kBlock, rows - block * kBlock); };
  if (rows >= kWorthPreparing && QuickScores::serves(ensemble, trees)) {
    std::vector<std::vector<Code>> codes(pool.threads());
    const QuickScores quick(ensemble, trees);
    over_blocks(rows, trees, pool, [&](std::size_t block, std::size_t worker) {
      const std::size_t first = block * kBlock, count = size_of(block);
      codes[worker].resize(kBlock * columns);
      const Code* coded = codes[worker].data();
      source.code(quick, first, count, codes[worker].data());
      add_rounds(start, rounds, rows, first, count, out,
                 [&](std::size_t tree, double* sums) { quick.add(tree, coded, count, sums, outputs); });
    });
    return;
  }
  std::vector<Block> loaded(pool.threads());
  over_blocks(rows, trees, pool, [&](std::size_t block, std::size_t worker) {
    const std::size_t first = block * kBlock, count = size_of(block);
    Block& room = loaded[worker];
    source.load(room, first, count);
    add_rounds(start, rounds, rows, first, count, out, [&](std::size_t which, double* sums) {
      const Tree& tree = ensemble.trees[which];
      (tree.table.empty() ? add_thresholds : add_subsets)(tree, room.codes.data(), room.stride, count, sums, outputs);
    });
  });
}

}  // namespace

void predict_sums(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& start,
                  const std::vector<std::uint32_t>& rounds, double* out, Pool& pool) {
  sums_of(ensemble, MatrixSource(ensemble, x), start, rounds, out, pool);
}

void sums_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<double>& start,
                const std::vector<std::uint32_t>& rounds, double* out, Pool& pool) {
  sums_of(ensemble, CodedSource(bins), start, rounds, out, pool);
}

}  // namespace venire
