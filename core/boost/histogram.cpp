#include "boost/histogram.hpp"

#include <algorithm>
#include <array>

#include "base/prefetch.hpp"

namespace venire {
namespace {

constexpr std::size_t kChunk = 384;  // rows: their codes and pairs fit into the first-level cache beside a pack's sums
constexpr std::size_t kAhead = 384;  // rows between asking for a row's codes and using them
constexpr std::size_t kLine = 8;     // words copied together: a cache line
// Below this many additions a parallel region costs more than it gives.
constexpr std::size_t kWorthThreads = 400'000;

// Rows to be asked for, while others are added.
struct Coming {
  const std::uint64_t* codes = nullptr;  // of the table, at the first word of the line
  std::size_t words = 0, last = 0;       // a row's words in the table; the last one copied, counted from the first
  const Row* rows = nullptr;             // null: rows follow each other
  std::size_t first = 0;
  const Pair* pairs = nullptr;  // null: were asked for already

  VENIRE_INLINE void ask(std::size_t i) const {
    const std::size_t row = rows == nullptr ? first + i : rows[i];
    const std::uint64_t* code = codes + row * words;
    prefetch(code);
    if (last != 0) prefetch(code + last);
    if (pairs != nullptr) prefetch(pairs + row);
  }
};

// Adds one pack of `Width` lanes for a chunk of rows, and meanwhile asks for `asked` rows to come.
template <int Width>
void add_pack(const std::uint64_t* codes, std::size_t count, const Pair* pairs, const std::uint32_t* start, Pair* sums,
              const Coming& coming, std::size_t asked, std::size_t from) {
  std::array<Pair*, Width> column;
  for (int c = 0; c < Width; ++c) column[static_cast<std::size_t>(c)] = sums + start[c];
  const auto add = [&](std::size_t i) {
    std::uint64_t word = codes[i];
    const Pair pair = pairs[i];
    for (std::size_t c = 0; c < Width; ++c, word >>= 8) column[c][word & 255] += pair;
  };
  std::size_t i = 0;
  // Spread evenly: memory answers a few requests at a time, and additions fill the time between.
  const std::size_t step = asked == 0 ? count : count / asked;
  for (std::size_t next = 0; next < asked; ++next) {
    coming.ask(from + next);
    for (const std::size_t end = i + step; i < end; ++i) add(i);
  }
  for (; i < count; ++i) add(i);
}

using AddPack = void (*)(const std::uint64_t*, std::size_t, const Pair*, const std::uint32_t*, Pair*, const Coming&,
                         std::size_t, std::size_t);
constexpr std::array<AddPack, 8> kAddPack{add_pack<1>, add_pack<2>, add_pack<3>, add_pack<4>,
                                          add_pack<5>, add_pack<6>, add_pack<7>, add_pack<8>};

// One chunk, copied pack after pack out of the rows' records, a cache line of each at a time.
struct Chunk {
  std::array<Pair, kChunk> pairs;
  std::array<std::array<std::uint64_t, kChunk>, kLine> packs;
};

template <class RowAt>
void copy_line(const std::uint64_t* codes, std::size_t words, std::size_t copied, std::size_t count,
               const RowAt& row_at, Chunk& chunk) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t* code = codes + row_at(i) * words;
    for (std::size_t w = 0; w < copied; ++w) chunk.packs[w][i] = code[w];
  }
}

template <class RowAt>
void copy_line_of(std::size_t copied, const std::uint64_t* codes, std::size_t words, std::size_t count,
                  const RowAt& row_at, Chunk& chunk) {
  switch (copied) {  // loops of known length
    case 1: return copy_line(codes, words, 1, count, row_at, chunk);
    case 2: return copy_line(codes, words, 2, count, row_at, chunk);
    case 4: return copy_line(codes, words, 4, count, row_at, chunk);
    case 8: return copy_line(codes, words, 8, count, row_at, chunk);
    default: return copy_line(codes, words, copied, count, row_at, chunk);
  }
}

// Places [first, last) of `rows`, or of the table when `rows` is null. `Out`: listed rows are taken out of the sums
// instead.
template <bool Out = false>
void add_rows(const Packs& packs, const Row* rows, std::size_t first, std::size_t last, const Pair* pairs, Pair* sums) {
  Chunk chunk;
  const std::size_t words = packs.words;
  for (std::size_t at = first; at < last; at += kChunk) {
    const std::size_t count = std::min(kChunk, last - at);
    const std::size_t ahead = std::min(last, at + kAhead), coming_rows = std::min(kChunk, last - ahead);
    const auto listed = [&](std::size_t i) { return std::size_t{rows[at + i]}; };
    const auto following = [&](std::size_t i) { return at + i; };
    if (rows != nullptr) {
      for (std::size_t i = 0; i < count; ++i) chunk.pairs[i] = Out ? Pair{0} - pairs[listed(i)] : pairs[listed(i)];
    }
    const Pair* chunk_pairs = rows == nullptr ? pairs + at : chunk.pairs.data();
    for (std::size_t word = 0; word < words; word += kLine) {
      const std::size_t copied = std::min(kLine, words - word);
      const std::uint64_t* codes = packs.codes.data() + word;
      if (rows != nullptr) copy_line_of(copied, codes, words, count, listed, chunk);
      else copy_line_of(copied, codes, words, count, following, chunk);
      const bool within_a_line = kLine % words == 0 || words % kLine == 0;
      const Coming coming{codes,
                          words,
                          within_a_line ? 0 : copied - 1,
                          rows == nullptr ? nullptr : rows + ahead,
                          ahead,
                          word == 0 ? pairs : nullptr};
      for (std::size_t w = 0; w < copied; ++w) {
        const std::size_t lane = (word + w) * 8, width = std::min<std::size_t>(8, packs.lanes - lane);
        const std::size_t from = coming_rows * w / copied, asked = coming_rows * (w + 1) / copied - from;
        kAddPack[width - 1](chunk.packs[w].data(), count, chunk_pairs, packs.lane_start.data() + lane, sums, coming,
                            asked, from);
      }
    }
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

void HistogramBuilder::take_out(const Row* rows, std::size_t count, const Pair* pairs, PairHistogram& sums) const {
  add_rows<true>(packs_, rows, 0, count, pairs, sums.data());
}

}  // namespace venire
