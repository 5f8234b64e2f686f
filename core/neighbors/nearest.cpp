#include "neighbors/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/cpu.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kBlock = 256;  // points whose distances are summed together; a few kilobytes of sums
constexpr std::size_t kGroup = 32;   // queries that share a block of points while it is in the cache

using Neighbour = std::pair<double, std::int64_t>;  // compares by (distance, row number)

// Points by blocks of rows, inside a block column after column: [block][column][row]. The last block is filled with
// zeros.
struct Blocks {
  std::vector<double> data;
  std::size_t rows, columns;
  bool gaps = false;

  Blocks(const Points& points, Pool& pool) : rows(points.rows), columns(points.columns) {
    data.assign(count() * columns * kBlock, 0.0);
    std::vector<std::uint8_t> found(count(), 0);
    pool.run(count(), [&](std::size_t b, std::size_t) {
      for (std::size_t i = b * kBlock; i < std::min((b + 1) * kBlock, rows); ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const double value = points.data[i * columns + j];
          data[(b * columns + j) * kBlock + i - b * kBlock] = value;
          if (value != value) found[b] = 1;
        }
      }
    });
    gaps = std::any_of(found.begin(), found.end(), [](std::uint8_t one) { return one != 0; });
  }

  std::size_t count() const { return (rows + kBlock - 1) / kBlock; }
  const double* block(std::size_t b) const { return data.data() + b * columns * kBlock; }
};

struct Job {
  const std::vector<bool>& categorical;
  std::size_t columns;
};

// Columns are added up in order, so that a distance has the same bits on every machine and in every block.
VENIRE_INLINE void plain_distances(const Job& job, const double* block, const double* query, double* sums) {
  std::fill_n(sums, kBlock, 0.0);
  for (std::size_t j = 0; j < job.columns; ++j) {
    const double* column = block + j * kBlock;
    const double q = query[j];
    if (job.categorical[j]) {
      for (std::size_t i = 0; i < kBlock; ++i) sums[i] += column[i] != q ? 1.0 : 0.0;
    } else {
      for (std::size_t i = 0; i < kBlock; ++i) sums[i] += (column[i] - q) * (column[i] - q);
    }
  }
}

VENIRE_INLINE void gapped_distances(const Job& job, const double* block, const double* query, double* sums) {
  double shared[kBlock] = {};
  std::fill_n(sums, kBlock, 0.0);
  for (std::size_t j = 0; j < job.columns; ++j) {
    const double* column = block + j * kBlock;
    const double q = query[j];
    if (q != q) continue;
    if (job.categorical[j]) {
      for (std::size_t i = 0; i < kBlock; ++i) {
        const bool there = column[i] == column[i];
        sums[i] += there && column[i] != q ? 1.0 : 0.0;
        shared[i] += there ? 1.0 : 0.0;
      }
    } else {
      for (std::size_t i = 0; i < kBlock; ++i) {
        const bool there = column[i] == column[i];
        sums[i] += there ? (column[i] - q) * (column[i] - q) : 0.0;
        shared[i] += there ? 1.0 : 0.0;
      }
    }
  }
  const auto all = static_cast<double>(job.columns);
  for (std::size_t i = 0; i < kBlock; ++i) {
    sums[i] = shared[i] > 0 ? sums[i] * (all / shared[i]) : std::numeric_limits<double>::infinity();
  }
}

using Distances = void (*)(const Job&, const double*, const double*, double*);

void plain_narrow(const Job& job, const double* block, const double* query, double* sums) {
  plain_distances(job, block, query, sums);
}
void gapped_narrow(const Job& job, const double* block, const double* query, double* sums) {
  gapped_distances(job, block, query, sums);
}
#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 void plain_wide(const Job& job, const double* block, const double* query, double* sums) {
  plain_distances(job, block, query, sums);
}
VENIRE_AVX2 void gapped_wide(const Job& job, const double* block, const double* query, double* sums) {
  gapped_distances(job, block, query, sums);
}
#endif

Distances distances_for(bool gaps) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return gaps ? gapped_wide : plain_wide;
#endif
  return gaps ? gapped_narrow : plain_narrow;
}

// The best so far, the worst of them on top.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) { heap_.reserve(k); }

  void offer(const double* squared, std::size_t count, std::int64_t first, std::int64_t skipped) {
    for (std::size_t i = 0; i < count;) {
      // Once some are here, most rows are too far away: many are passed over together.
      if (heap_.size() == k_ && count - i >= kTogether && !any_below(squared + i, heap_.front().first)) {
        i += kTogether;
        continue;
      }
      for (const std::size_t end = std::min(i + kTogether, count); i < end; ++i)
        offer_one(squared[i], first + static_cast<std::int64_t>(i), skipped);
    }
  }

  void write(std::int64_t* rows, double* squared) {
    std::sort_heap(heap_.begin(), heap_.end());
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      squared[i] = heap_[i].first;
      rows[i] = heap_[i].second;
    }
  }

 private:
  static constexpr std::size_t kTogether = 16;

  static bool any_below(const double* squared, double bound) {
    std::int64_t below = 0;
    for (std::size_t i = 0; i < kTogether; ++i) below += squared[i] < bound ? 1 : 0;
    return below > 0;
  }

  // Rows come in order, so that of two equal distances the earlier one is already here.
  void offer_one(double squared, std::int64_t row, std::int64_t skipped) {
    if (row == skipped) return;
    if (heap_.size() < k_) {
      heap_.emplace_back(squared, row);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (squared < heap_.front().first) {
      replace_worst({squared, row});
    }
  }

  // The larger of two children moves up until the new one is not below any.
  void replace_worst(const Neighbour& fresh) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < k_; child = 2 * at + 1) {
      child += child + 1 < k_ && heap_[child] < heap_[child + 1] ? 1 : 0;
      if (!(fresh < heap_[child])) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = fresh;
  }

  std::size_t k_;
  std::vector<Neighbour> heap_;
};

bool has_gaps(const double* values, std::size_t count) {
  return std::any_of(values, values + count, [](double value) { return value != value; });
}

}  // namespace

void find_nearest(const Points& points, const Points& queries, const std::vector<bool>& categorical, std::size_t k,
                  bool skip_self, std::int64_t* rows, double* squared, Pool& pool) {
  const Blocks blocks(points, pool);
  const Job job{categorical, points.columns};
  pool.run((queries.rows + kGroup - 1) / kGroup, [&](std::size_t group, std::size_t) {
    const std::size_t first = group * kGroup, last = std::min(first + kGroup, queries.rows);
    std::vector<Nearest> nearest(last - first, Nearest(k));
    std::vector<Distances> measure;
    for (std::size_t q = first; q < last; ++q) {
      measure.push_back(distances_for(blocks.gaps || has_gaps(queries.data + q * queries.columns, queries.columns)));
    }
    double sums[kBlock];
    for (std::size_t b = 0; b < blocks.count(); ++b) {
      const std::size_t count = std::min(kBlock, blocks.rows - b * kBlock);
      for (std::size_t q = first; q < last; ++q) {
        measure[q - first](job, blocks.block(b), queries.data + q * queries.columns, sums);
        const std::int64_t skipped = skip_self ? static_cast<std::int64_t>(q) : -1;
        nearest[q - first].offer(sums, count, static_cast<std::int64_t>(b * kBlock), skipped);
      }
    }
    for (std::size_t q = first; q < last; ++q) nearest[q - first].write(rows + q * k, squared + q * k);
  });
}

}  // namespace venire
