#include "boost/sparse_sums.hpp"

#include <algorithm>

namespace venire {

SparseSums::SparseSums(const Bins& bins, const Packs& packs)
    : rows_(bins.sparse.rows), packs_(packs), shared_(packs.slots(), 0), met_(bins.columns.size(), 0) {}

template <class Use>
void SparseSums::over_cells(const Row* rows, std::size_t count, const Use& use) const {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = rows_.start[rows[i]]; at < rows_.start[rows[i] + 1]; ++at) use(rows[i], at);
  }
}

std::size_t SparseSums::cells(const Row* rows, std::size_t count) const {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < count; ++i) cells += rows_.size(rows[i]);
  return cells;
}

void SparseSums::build(const Row* rows, std::size_t count, const Pair* pairs) {
  over_cells(rows, count, [&](Row row, std::size_t at) {
    shared_[packs_.cell_slot[at]] += pairs[row];
    const std::uint32_t column = rows_.place[at];
    if (met_[column] != 0) return;
    met_[column] = 1;
    columns_.push_back(column);
  });
}

void SparseSums::clear() {
  for (const std::uint32_t column : columns_) {
    std::fill_n(shared_.begin() + packs_.places[column].first, packs_.bins[column], Pair{0});
    met_[column] = 0;
  }
  columns_.clear();
}

void SparseSums::build(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& out) const {
  out.assign(packs_.slots(), 0);
  over_cells(rows, count, [&](Row row, std::size_t at) { out[packs_.cell_slot[at]] += pairs[row]; });
}

void SparseSums::take_out(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& sums) const {
  over_cells(rows, count, [&](Row row, std::size_t at) { sums[packs_.cell_slot[at]] -= pairs[row]; });
}

}  // namespace venire
