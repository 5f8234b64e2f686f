#include "predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "combine.hpp"

namespace venire {
namespace {

constexpr std::size_t kBlock = 512;  // rows coded together: 512 rows of 50 columns stay in the first caches
constexpr std::size_t kLanes = 8;
// Below this many steps down a tree, starting threads costs more than it gives.
constexpr std::size_t kWorthThreads = 200'000;

// A stretch of rows, ready to walk.
struct Block {
  std::size_t first = 0, count = 0, columns = 0;
  std::vector<Code> codes;   // row after row
  std::vector<float> scaled; // row after row; only for combinations
};

bool uses_combinations(const Ensemble& ensemble) {
  return std::any_of(ensemble.trees.begin(), ensemble.trees.end(), [](const Tree& t) { return !t.terms.empty(); });
}

void scale_rows(const Columns& columns, const Matrix& x, Block& block) {
  block.scaled.resize(block.count * columns.size());
  with_scalar(x, [&](auto* data) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].categorical) continue;
      const auto* from = data + static_cast<std::ptrdiff_t>(j) * x.column_stride +
                         static_cast<std::ptrdiff_t>(block.first) * x.row_stride;
      for (std::size_t i = 0; i < block.count; ++i, from += x.row_stride) {
        block.scaled[i * columns.size() + j] = Standardised::scaled(columns[j], static_cast<double>(*from));
      }
    }
  });
}

void load(const Ensemble& ensemble, const Matrix& x, bool combined, std::size_t number, Block& block) {
  block.first = number * kBlock;
  block.count = std::min(kBlock, x.rows - block.first);
  block.columns = ensemble.columns.size();
  block.codes.resize(block.count * block.columns);
  encode_rows(ensemble.columns, x, block.first, block.first + block.count, block.codes.data());
  if (combined) scale_rows(ensemble.columns, x, block);
}

void load(const Bins& bins, std::size_t number, Block& block) {
  block.first = number * kBlock;
  block.count = std::min(kBlock, bins.rows - block.first);
  block.columns = bins.columns.size();
  block.codes.resize(block.count * block.columns);
  for (std::size_t j = 0; j < block.columns; ++j) {
    const Code* from = bins.column(j) + block.first;
    for (std::size_t i = 0; i < block.count; ++i) block.codes[i * block.columns + j] = from[i];
  }
}

inline std::uint32_t step(const Node* nodes, std::uint32_t at, const Code* row) {
  const Node node = nodes[at];
  const Code code = static_cast<Code>(row[node.feature()] + (node.missing_left() ? 1 : 0));
  return node.child + (code > node.cut() ? 1u : 0u);
}

void walk_thresholds(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count,
                     std::uint32_t* out) {
  const Node* nodes = tree.nodes.data();
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::array<std::uint32_t, kLanes> at{};
    std::array<const Code*, kLanes> row;
    for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane] = block.codes.data() + which[i + lane] * block.columns;
    std::uint32_t moved = 1;
    while (moved != 0) {
      moved = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t next = step(nodes, at[lane], row[lane]);
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    std::copy(at.begin(), at.end(), out + i);
  }
  for (; i < count; ++i) {
    const Code* row = block.codes.data() + which[i] * block.columns;
    std::uint32_t at = 0;
    while (!nodes[at].is_leaf(at)) at = step(nodes, at, row);
    out[i] = at;
  }
}

// The child a row goes to, or the node itself when it has nowhere to go.
std::uint32_t next_node(const Tree& tree, std::uint32_t at, const Code* row, const float* scaled) {
  const Node node = tree.nodes[at];
  switch (node.branch()) {
    case Branch::subset: {
      const Code code = row[node.feature()];
      return node.child + (tree.subsets[static_cast<std::size_t>(tree.table[at]) + code / 8] >> (code % 8) & 1u);
    }
    case Branch::multiway: {
      const std::uint8_t slot = tree.slots[static_cast<std::size_t>(tree.table[at]) + row[node.feature()]];
      return slot == 0 ? at : node.child + slot - 1u;
    }
    case Branch::oblique: {
      const auto which = static_cast<std::size_t>(tree.table[at]);
      double sum = 0;
      for (std::int32_t t = tree.term_start[which]; t < tree.term_start[which + 1]; ++t) {
        const Term& term = tree.terms[static_cast<std::size_t>(t)];
        sum += static_cast<double>(term.coefficient) * static_cast<double>(scaled[term.feature]);
      }
      return node.child + (sum > tree.term_cut[which] ? 1u : 0u);
    }
    default: return step(tree.nodes.data(), at, row);
  }
}

void walk(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count, std::uint32_t* out) {
  if (tree.table.empty()) return walk_thresholds(tree, block, which, count, out);
  for (std::size_t i = 0; i < count; ++i) {
    const Code* row = block.codes.data() + which[i] * block.columns;
    const float* scaled = block.scaled.data() + (block.scaled.empty() ? 0 : which[i] * block.columns);
    std::uint32_t at = 0;
    while (true) {
      const std::uint32_t next = next_node(tree, at, row, scaled);
      if (next == at) break;
      at = next;
    }
    out[i] = at;
  }
}

void add_leaf(const Tree& tree, std::uint32_t node, int outputs, Take take, double* sum) {
  const double* value = tree.values.data() + static_cast<std::size_t>(tree.value[node]) * static_cast<std::size_t>(outputs);
  if (take == Take::votes) {
    sum[std::max_element(value, value + outputs) - value] += 1.0;
  } else {
    for (int k = 0; k < outputs; ++k) sum[k] += value[k];
  }
}

// Runs `work(block number, worker)` over all blocks, on threads when there is enough to do.
template <class Work>
void over_blocks(std::size_t rows, std::size_t trees, Pool& pool, Work work) {
  const std::size_t blocks = (rows + kBlock - 1) / kBlock;
  if (rows * (trees + 1) < kWorthThreads) {
    for (std::size_t b = 0; b < blocks; ++b) work(b, 0);
  } else {
    pool.run(blocks, work);
  }
}

std::vector<std::uint32_t> all_of(std::size_t count) {
  std::vector<std::uint32_t> which(count);
  std::iota(which.begin(), which.end(), 0u);
  return which;
}

}  // namespace

void predict_average(const Ensemble& ensemble, const Matrix& x, Take take, const std::vector<std::uint32_t>& counts,
                     double* out, Pool& pool) {
  const bool combined = uses_combinations(ensemble);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<Block> blocks(pool.threads());
  const std::vector<std::uint32_t> which = all_of(kBlock);
  over_blocks(x.rows, ensemble.trees.size(), pool, [&](std::size_t number, std::size_t worker) {
    Block& block = blocks[worker];
    load(ensemble, x, combined, number, block);
    std::vector<double> sums(block.count * k, 0.0);
    std::array<std::uint32_t, kBlock> leaves;
    std::size_t done = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      for (; done < counts[c]; ++done) {
        const Tree& tree = ensemble.trees[done];
        walk(tree, block, which.data(), block.count, leaves.data());
        for (std::size_t i = 0; i < block.count; ++i) add_leaf(tree, leaves[i], ensemble.outputs, take, sums.data() + i * k);
      }
      double* to = out + (c * x.rows + block.first) * k;
      for (std::size_t i = 0; i < sums.size(); ++i) to[i] = sums[i] / static_cast<double>(counts[c]);
    }
  });
}

void predict_out_of_bag(const Ensemble& ensemble, const Bins& bins, const Matrix& x, Take take,
                        const std::vector<std::vector<std::uint8_t>>& in_bag, double* out, Pool& pool) {
  const bool combined = uses_combinations(ensemble);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<Block> blocks(pool.threads());
  over_blocks(bins.rows, ensemble.trees.size(), pool, [&](std::size_t number, std::size_t worker) {
    Block& block = blocks[worker];
    load(bins, number, block);
    if (combined) scale_rows(ensemble.columns, x, block);
    double* sums = out + block.first * k;
    std::fill(sums, sums + block.count * k, 0.0);
    std::array<std::uint32_t, kBlock> which, leaves, votes{};
    for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
      std::size_t count = 0;
      for (std::uint32_t i = 0; i < block.count; ++i) {
        which[count] = i;
        count += in_bag[t][block.first + i] == 0 ? 1 : 0;
      }
      walk(ensemble.trees[t], block, which.data(), count, leaves.data());
      for (std::size_t i = 0; i < count; ++i) {
        add_leaf(ensemble.trees[t], leaves[i], ensemble.outputs, take, sums + which[i] * k);
        ++votes[which[i]];
      }
    }
    for (std::size_t i = 0; i < block.count; ++i) {
      for (std::size_t o = 0; o < k; ++o) {
        double& sum = sums[i * k + o];
        sum = votes[i] > 0 ? sum / votes[i] : std::numeric_limits<double>::quiet_NaN();
      }
    }
  });
}

void predict_leaves(const Ensemble& ensemble, const Matrix& x, std::int32_t* out, Pool& pool) {
  const bool combined = uses_combinations(ensemble);
  std::vector<Block> blocks(pool.threads());
  const std::vector<std::uint32_t> which = all_of(kBlock);
  const std::size_t trees = ensemble.trees.size();
  over_blocks(x.rows, trees, pool, [&](std::size_t number, std::size_t worker) {
    Block& block = blocks[worker];
    load(ensemble, x, combined, number, block);
    std::array<std::uint32_t, kBlock> leaves;
    for (std::size_t t = 0; t < trees; ++t) {
      walk(ensemble.trees[t], block, which.data(), block.count, leaves.data());
      for (std::size_t i = 0; i < block.count; ++i) out[(block.first + i) * trees + t] = static_cast<std::int32_t>(leaves[i]);
    }
  });
}

void predict_levels(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& collapse,
                    const std::vector<double>& alphas, double* out, Pool& pool) {
  const bool combined = uses_combinations(ensemble);
  const Tree& tree = ensemble.trees.front();
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  std::vector<Block> blocks(pool.threads());
  over_blocks(x.rows, alphas.size(), pool, [&](std::size_t number, std::size_t worker) {
    Block& block = blocks[worker];
    load(ensemble, x, combined, number, block);
    std::vector<std::uint32_t> way;
    for (std::size_t i = 0; i < block.count; ++i) {
      const Code* row = block.codes.data() + i * block.columns;
      const float* scaled = block.scaled.data() + (block.scaled.empty() ? 0 : i * block.columns);
      way.assign(1, 0);
      for (std::uint32_t next; (next = next_node(tree, way.back(), row, scaled)) != way.back();) way.push_back(next);
      // Higher levels stop higher up, so the stop moves up the way as the levels ascend.
      std::size_t stop = way.size() - 1;
      for (std::size_t level = 0; level < alphas.size(); ++level) {
        for (std::size_t up = 0; alphas[level] > 0 && up < stop; ++up) {
          if (collapse[way[up]] <= alphas[level]) stop = up;
        }
        const double* value = tree.values.data() + static_cast<std::size_t>(tree.value[way[stop]]) * k;
        std::copy(value, value + k, out + (level * x.rows + block.first + i) * k);
      }
    }
  });
}

}  // namespace venire
