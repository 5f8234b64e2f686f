#include "boost_histogram.hpp"

#include <algorithm>
#include <array>

namespace venire {
namespace {

constexpr std::size_t kChunk = 1024;
// Below this many additions a parallel region costs more than it gives.
constexpr std::size_t kWorthThreads = 400'000;

inline void prefetch(const void* at) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(at);
#else
  (void)at;
#endif
}

// Adds one pack of `Width` lanes for a chunk of rows. `Indexed` rows are listed, others follow each other.
template <int Width, bool Indexed>
void add_pack(const std::uint64_t* codes, std::size_t words, const Row* rows, std::size_t count, const Pair* pairs,
              const std::uint32_t* start, Pair* sums) {
  std::array<Pair*, Width> column;
  for (int c = 0; c < Width; ++c) column[static_cast<std::size_t>(c)] = sums + start[c];
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = codes[(Indexed ? std::size_t{rows[i]} : i) * words];
    const Pair pair = pairs[i];
    for (std::size_t c = 0; c < Width; ++c, word >>= 8) column[c][word & 255] += pair;
  }
}

template <bool Indexed>
using AddPack = void (*)(const std::uint64_t*, std::size_t, const Row*, std::size_t, const Pair*, const std::uint32_t*, Pair*);

template <bool Indexed>
AddPack<Indexed> add_pack_of(std::size_t width) {
  static constexpr std::array<AddPack<Indexed>, 8> kernels{
      add_pack<1, Indexed>, add_pack<2, Indexed>, add_pack<3, Indexed>, add_pack<4, Indexed>,
      add_pack<5, Indexed>, add_pack<6, Indexed>, add_pack<7, Indexed>, add_pack<8, Indexed>};
  return kernels[width - 1];
}

template <bool Indexed>
void add_packs(const Packs& packs, const Row* rows, std::size_t first, std::size_t count, const Pair* pairs, Pair* sums) {
  const std::uint64_t* codes = packs.codes.data() + (Indexed ? 0 : first * packs.words);
  for (std::size_t word = 0; word < packs.words; ++word) {
    const std::size_t width = std::min<std::size_t>(8, packs.lanes - word * 8);
    add_pack_of<Indexed>(width)(codes + word, packs.words, rows, count, pairs, packs.lane_start.data() + word * 8, sums);
  }
}

void add_rows(const Packs& packs, const Row* rows, std::size_t first, std::size_t last, const Pair* pairs, Pair* sums) {
  std::array<Pair, kChunk> gathered;
  for (std::size_t at = first; at < last; at += kChunk) {
    const std::size_t count = std::min(kChunk, last - at);
    if (rows == nullptr) {
      add_packs<false>(packs, nullptr, at, count, pairs + at, sums);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = rows[at + i];
      gathered[i] = pairs[row];
      prefetch(packs.codes.data() + row * packs.words);
    }
    add_packs<true>(packs, rows + at, 0, count, gathered.data(), sums);
  }
}

}  // namespace

void HistogramBuilder::build(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& out) {
  out.assign(packs_.slots(), 0);
  if (pool_.threads() == 1 || count * packs_.lanes < kWorthThreads) {
    add_rows(packs_, rows, 0, count, pairs, out.data());
    return;
  }
  const std::size_t tasks = pool_.threads() * 4;
  const std::size_t share = (count / tasks / kChunk + 1) * kChunk;
  for (PairHistogram& own : own_) own.clear();
  pool_.run(tasks, [&](std::size_t task, std::size_t worker) {
    const std::size_t first = std::min(count, task * share), last = std::min(count, first + share);
    PairHistogram& own = worker == 0 ? out : own_[worker];
    if (own.empty()) own.assign(packs_.slots(), 0);
    add_rows(packs_, rows, first, last, pairs, own.data());
  });
  for (const PairHistogram& own : own_) {
    for (std::size_t i = 0; i < own.size(); ++i) out[i] += own[i];
  }
}

}  // namespace venire
