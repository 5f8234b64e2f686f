#include "predict/predict.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "predict/row_sources.hpp"
#include "predict/stump_votes.hpp"

namespace venire {
namespace {

// A block's codes and sums are read in sequence, its trees at random: the more rows share a fetched tree, the better,
// as long as codes and sums stay within a share of the last-level cache.
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
constexpr std::size_t kFewestRows = 256, kMostRows = 65536;
// Below this many steps down a tree, starting threads costs more than it gives.
constexpr std::size_t kWorthThreads = 200'000;

// How many rows go together: as many as the cache holds, but enough blocks to keep the threads evenly busy.
std::size_t block_rows(const Ensemble& ensemble, std::size_t rows, std::size_t threads) {
  const std::size_t bytes = ensemble.columns.size() + static_cast<std::size_t>(ensemble.outputs) * sizeof(double);
  const std::size_t fair = rows / (4 * threads) + 1;
  return std::clamp(std::min(kBlockBytes / bytes, fair), kFewestRows, kMostRows);
}

// Runs `work(room, first row, rows)` over all blocks, on threads when there is enough to do.
template <class Work>
void over_blocks(const Ensemble& ensemble, std::size_t rows, std::size_t walks, Pool& pool, Work work) {
  const bool threaded = rows * (walks + 1) >= kWorthThreads;
  const std::size_t size = block_rows(ensemble, rows, threaded ? pool.threads() : 1), blocks = (rows + size - 1) / size;
  std::vector<Room> rooms(threaded ? pool.threads() : 1);
  const auto one = [&](std::size_t number, std::size_t worker) {
    work(rooms[worker], number * size, std::min(size, rows - number * size));
  };
  if (threaded) pool.run(blocks, one);
  else
    for (std::size_t b = 0; b < blocks; ++b) one(b, 0);
}

const double* value_at(const Tree& tree, std::uint32_t node, int outputs) {
  return tree.values.data() + static_cast<std::size_t>(tree.value[node]) * static_cast<std::size_t>(outputs);
}

// The class with the largest share in a leaf; of equals the first.
std::ptrdiff_t said_by(const Tree& tree, std::uint32_t node, int outputs) {
  const double* value = value_at(tree, node, outputs);
  return std::max_element(value, value + outputs) - value;
}

void add_leaf(const Tree& tree, std::uint32_t node, int outputs, Take take, double* sum) {
  if (take == Take::votes) {
    sum[said_by(tree, node, outputs)] += 1.0;
  } else {
    const double* value = value_at(tree, node, outputs);
    for (int k = 0; k < outputs; ++k) sum[k] += value[k];
  }
}

std::vector<std::uint32_t> all_of(std::size_t count) {
  std::vector<std::uint32_t> which(count);
  std::iota(which.begin(), which.end(), 0u);
  return which;
}

// Walks all trees, `add(tree number, leaf, sums of a row)` for each row, and `keep(place, row, sums)` after each count.
template <class Rows, class Add, class Keep>
void over_trees(const Ensemble& ensemble, const Rows& source, const std::vector<std::uint32_t>& counts, Pool& pool,
                const Add& add, const Keep& keep) {
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  const std::vector<std::uint32_t> which = all_of(std::min(source.rows, kMostRows));
  over_blocks(ensemble, source.rows, ensemble.trees.size(), pool, [&](Room& room, std::size_t first, std::size_t rows) {
    source.load(first, rows, room.block);
    room.sums.assign(rows * k, 0.0);
    room.leaves.resize(rows);
    std::size_t done = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      for (; done < counts[c]; ++done) {
        source.walk(room, ensemble.trees[done], done, which, rows);
        for (std::size_t i = 0; i < rows; ++i) add(done, room.leaves[i], room.sums.data() + i * k);
      }
      keep(c, (c * source.rows + first) * k, room.sums);
    }
  });
}

template <class Rows>
void average_of(const Ensemble& ensemble, const Rows& source, Take take, const std::vector<std::uint32_t>& counts,
                double* out, Pool& pool) {
  over_trees(
      ensemble, source, counts, pool,
      [&](std::size_t tree, std::uint32_t leaf, double* sum) {
        add_leaf(ensemble.trees[tree], leaf, ensemble.outputs, take, sum);
      },
      [&](std::size_t c, std::size_t at, const std::vector<double>& sums) {
        for (std::size_t i = 0; i < sums.size(); ++i) out[at + i] = sums[i] / static_cast<double>(counts[c]);
      });
}

template <class Rows>
void votes_of(const Ensemble& ensemble, const Rows& source, const std::vector<double>& weights,
              const std::vector<std::uint32_t>& counts, double* out, Pool& pool) {
  over_trees(
      ensemble, source, counts, pool,
      [&](std::size_t tree, std::uint32_t leaf, double* sum) {
        sum[said_by(ensemble.trees[tree], leaf, ensemble.outputs)] += weights[tree];
      },
      [&](std::size_t, std::size_t at, const std::vector<double>& sums) {
        std::copy(sums.begin(), sums.end(), out + at);
      });
}

template <class Rows>
void levels_of(const Ensemble& ensemble, const Rows& source, const std::vector<double>& stop_at,
               const std::vector<double>& levels, double* out, Pool& pool) {
  const Tree& tree = ensemble.trees.front();
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  over_blocks(ensemble, source.rows, levels.size(), pool, [&](Room& room, std::size_t first, std::size_t rows) {
    source.load(first, rows, room.block);
    std::vector<std::uint32_t>& way = room.leaves;
    for (std::size_t i = 0; i < rows; ++i) {
      const Code* row = room.block.row(i);
      const float* scaled = room.block.scaled_row(i);
      way.assign(1, 0);
      for (std::uint32_t next; (next = next_node(tree, way.back(), row, scaled)) != way.back();) way.push_back(next);
      // Higher levels stop higher up, so the stop moves up the way as the levels ascend.
      std::size_t stop = way.size() - 1;
      for (std::size_t level = 0; level < levels.size(); ++level) {
        for (std::size_t up = 0; up < stop; ++up) {
          if (stop_at[way[up]] <= levels[level]) stop = up;
        }
        const double* value = tree.values.data() + static_cast<std::size_t>(tree.value[way[stop]]) * k;
        std::copy(value, value + k, out + (level * source.rows + first + i) * k);
      }
    }
  });
}

}  // namespace

void predict_average(const Ensemble& ensemble, const Matrix& x, Take take, const std::vector<std::uint32_t>& counts,
                     double* out, Pool& pool) {
  average_of(ensemble, Source(ensemble, x), take, counts, out, pool);
}

void average_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows, Take take,
                   const std::vector<std::uint32_t>& counts, double* out, Pool& pool) {
  with_coded(ensemble, bins, rows, pool,
             [&](const auto& source) { average_of(ensemble, source, take, counts, out, pool); });
}

void predict_votes(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& weights,
                   const std::vector<std::uint32_t>& counts, double* out, Pool& pool) {
  votes_of(ensemble, Source(ensemble, x), weights, counts, out, pool);
}

void votes_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows,
                 const std::vector<double>& weights, const std::vector<std::uint32_t>& counts, double* out,
                 Pool& pool) {
  if (only_stumps(ensemble) && !counts.empty() && !bins.is_sparse())
    return stump_votes(ensemble, bins, rows, weights, counts, out, pool);
  with_coded(ensemble, bins, rows, pool,
             [&](const auto& source) { votes_of(ensemble, source, weights, counts, out, pool); });
}

void predict_levels(const Ensemble& ensemble, const Matrix& x, const std::vector<double>& stop,
                    const std::vector<double>& levels, double* out, Pool& pool) {
  levels_of(ensemble, Source(ensemble, x), stop, levels, out, pool);
}

void levels_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows,
                  const std::vector<double>& stop, const std::vector<double>& levels, double* out, Pool& pool) {
  levels_of(ensemble, CodedSource(bins, rows), stop, levels, out, pool);
}

void predict_out_of_bag(const Ensemble& ensemble, const Bins& bins, const Matrix& x, Take take,
                        const std::vector<std::vector<std::uint8_t>>& in_bag, double* out, Pool& pool) {
  const bool combined = uses_combinations(ensemble);
  const auto k = static_cast<std::size_t>(ensemble.outputs);
  over_blocks(ensemble, bins.rows, ensemble.trees.size(), pool, [&](Room& room, std::size_t first, std::size_t rows) {
    room.block.load(bins, first, rows);
    if (combined) room.block.scale(ensemble.columns, x);
    double* sums = out + first * k;
    std::fill(sums, sums + rows * k, 0.0);
    std::vector<std::uint32_t> which(rows), votes(rows, 0);
    room.leaves.resize(rows);
    for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
      std::size_t count = 0;
      for (std::uint32_t i = 0; i < rows; ++i) {
        which[count] = i;
        count += in_bag[t][first + i] == 0 ? 1 : 0;
      }
      room.walker.walk(ensemble.trees[t], room.block, which.data(), count, room.leaves.data());
      for (std::size_t i = 0; i < count; ++i) {
        add_leaf(ensemble.trees[t], room.leaves[i], ensemble.outputs, take, sums + which[i] * k);
        ++votes[which[i]];
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t o = 0; o < k; ++o) {
        double& sum = sums[i * k + o];
        sum = votes[i] > 0 ? sum / votes[i] : std::numeric_limits<double>::quiet_NaN();
      }
    }
  });
}

namespace {

template <class Rows>
void leaves_of(const Ensemble& ensemble, const Rows& source, std::int32_t* out, Pool& pool) {
  const std::size_t trees = ensemble.trees.size();
  const std::vector<std::uint32_t> which = all_of(std::min(source.rows, kMostRows));
  over_blocks(ensemble, source.rows, trees, pool, [&](Room& room, std::size_t first, std::size_t rows) {
    source.load(first, rows, room.block);
    room.leaves.resize(rows);
    for (std::size_t t = 0; t < trees; ++t) {
      source.walk(room, ensemble.trees[t], t, which, rows);
      for (std::size_t i = 0; i < rows; ++i) out[(first + i) * trees + t] = static_cast<std::int32_t>(room.leaves[i]);
    }
  });
}

}  // namespace

void predict_leaves(const Ensemble& ensemble, const Matrix& x, std::int32_t* out, Pool& pool) {
  leaves_of(ensemble, Source(ensemble, x), out, pool);
}

void leaves_coded(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows, std::int32_t* out,
                  Pool& pool) {
  with_coded(ensemble, bins, rows, pool, [&](const auto& source) { leaves_of(ensemble, source, out, pool); });
}

}  // namespace venire
