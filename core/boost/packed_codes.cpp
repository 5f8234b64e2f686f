#include "boost/packed_codes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace venire {
namespace {

constexpr std::uint32_t kMostBundledBins = 16;  // columns of more bins keep a lane of their own
// Looked at for each column: a bound on the time, not on the result's truth.
constexpr std::size_t kMostBundles = 64;
constexpr std::uint32_t kMostSlots = kCodes;  // of a bundle: codes are bytes

using Bits = std::vector<std::uint64_t>;

struct Rare {
  std::uint32_t commonest;
  Bits away;  // a bit a row: not in the commonest bin
};

struct Bundle {
  std::vector<std::size_t> columns;
  Bits taken;
  std::uint32_t slots = 1;  // slot 0: every column in its commonest bin
};

std::uint32_t slot_of(Code code, std::uint32_t bins) { return code == kMissing ? bins : code; }

// A column of few bins with at least half of the rows in one of them.
std::optional<Rare> rare_column(const Bins& bins, std::size_t j, std::uint32_t count) {
  if (count + 1 > kMostBundledBins) return std::nullopt;
  const Code* codes = bins.column(j);
  std::array<std::size_t, kCodes> seen{};
  for (std::size_t i = 0; i < bins.rows; ++i) ++seen[slot_of(codes[i], count)];
  const auto most = std::max_element(seen.begin(), seen.end());
  if (*most * 2 < bins.rows) return std::nullopt;
  Rare rare{static_cast<std::uint32_t>(most - seen.begin()), Bits((bins.rows + 63) / 64, 0)};
  for (std::size_t i = 0; i < bins.rows; ++i) {
    rare.away[i / 64] |= std::uint64_t{slot_of(codes[i], count) != rare.commonest} << (i % 64);
  }
  return rare;
}

bool meet(const Bits& a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) return true;
  }
  return false;
}

// Columns into bundles, first fit; a bundle of one is a column with a lane of its own.
std::vector<Bundle> make_bundles(const Bins& bins, bool bundled, Packs& packs, Pool& pool) {
  std::vector<std::optional<Rare>> rare(packs.bins.size());
  pool.run(bundled ? rare.size() : 0,
           [&](std::size_t j, std::size_t) { rare[j] = rare_column(bins, j, packs.bins[j]); });
  std::vector<Bundle> bundles;
  std::vector<std::size_t> open;  // bundles that may take more columns
  for (std::size_t j = 0; j < rare.size(); ++j) {
    const auto fits = [&](std::size_t at) {
      return bundles[at].slots + packs.bins[j] <= kMostSlots && !meet(bundles[at].taken, rare[j]->away);
    };
    const auto found = rare[j] ? std::find_if(open.begin(), open.end(), fits) : open.end();
    if (found != open.end()) {
      Bundle& bundle = bundles[*found];
      bundle.columns.push_back(j);
      bundle.slots += packs.bins[j];
      for (std::size_t i = 0; i < bundle.taken.size(); ++i) bundle.taken[i] |= rare[j]->away[i];
    } else {
      bundles.push_back({{j}, {}, 1 + packs.bins[j]});
      if (rare[j] && open.size() < kMostBundles) {
        open.push_back(bundles.size() - 1);
        bundles.back().taken = rare[j]->away;
      }
    }
    if (rare[j]) {
      packs.places[j].commonest = static_cast<std::int32_t>(rare[j]->commonest);
      rare[j]->away = {};
    }
  }
  return bundles;
}

void place_columns(const std::vector<Bundle>& bundles, Packs& packs) {
  packs.lane_start.push_back(0);
  for (const Bundle& bundle : bundles) {
    std::uint32_t first = packs.lane_start.back();
    const bool alone = bundle.columns.size() == 1;
    if (!alone) ++first;
    for (std::size_t j : bundle.columns) {
      packs.places[j].first = first;
      if (alone) packs.places[j].commonest = -1;
      first += packs.bins[j];
    }
    packs.lane_start.push_back(packs.lane_start.back() + bundle.slots);
  }
}

// The byte of a row in the lane of column j; 0 where a bundled column is in its commonest bin.
std::array<std::uint64_t, kCodes> bytes_of(const Packs& packs, std::size_t j, std::uint32_t lane_first) {
  std::array<std::uint64_t, kCodes> bytes{};
  const Packs::Place& place = packs.places[j];
  for (int code = 0; code < kCodes; ++code) {
    const std::uint32_t slot = slot_of(static_cast<Code>(code), packs.bins[j]);
    auto& byte = bytes[static_cast<std::size_t>(code)];
    if (slot > packs.bins[j]) continue;  // no row has this code
    if (place.commonest < 0) byte = slot;
    else if (static_cast<std::int32_t>(slot) != place.commonest) {
      byte = place.first - lane_first + slot - (static_cast<std::int32_t>(slot) > place.commonest ? 1u : 0u);
    }
  }
  return bytes;
}

// No lanes: every column is placed as one of a bundle is, with zero as its commonest bin.
void place_sparse(const Bins& bins, Packs& packs) {
  std::uint32_t first = 0;
  for (std::size_t j = 0; j < packs.bins.size(); ++j) {
    packs.places[j] = {first, static_cast<std::int32_t>(slot_of(bins.sparse.usual[j], packs.bins[j]))};
    first += packs.bins[j];
  }
  packs.lane_start.push_back(first);
  const CellLists& cells = bins.sparse.rows;
  packs.cell_slot.resize(cells.place.size());
  for (std::size_t at = 0; at < cells.place.size(); ++at) {
    const std::uint32_t column = cells.place[at], slot = slot_of(cells.code[at], packs.bins[column]);
    const Packs::Place& place = packs.places[column];
    packs.cell_slot[at] = place.first + slot - (static_cast<std::int32_t>(slot) > place.commonest ? 1u : 0u);
  }
}

constexpr std::size_t kTaskRows = 1 << 14;
constexpr std::size_t kGivenUp = std::size_t{1} << 22;  // rows that are packed before their columns are given up

// The words of rows [begin, end).
void pack_rows(const Bins& bins, const std::vector<Bundle>& bundles, std::size_t begin, std::size_t end, Packs& packs,
               Pool& pool) {
  pool.run((end - begin + kTaskRows - 1) / kTaskRows, [&](std::size_t part, std::size_t) {
    const std::size_t first = begin + part * kTaskRows, last = std::min(end, first + kTaskRows);
    std::uint64_t* words = packs.codes.data();
    std::fill(words + first * packs.words, words + last * packs.words, std::uint64_t{0});
    for (std::size_t lane = 0; lane < packs.lanes; ++lane) {
      for (std::size_t j : bundles[lane].columns) {
        const Code* from = bins.column(j);
        const auto bytes = bytes_of(packs, j, packs.lane_start[lane]);
        std::uint64_t* to = words + lane / 8;
        for (std::size_t i = first; i < last; ++i) to[i * packs.words] |= bytes[from[i]] << (lane % 8 * 8);
      }
    }
  });
}

std::vector<Bundle> lay_out(const Bins& bins, bool bundled, Packs& packs, Pool& pool) {
  const std::vector<Bundle> bundles = make_bundles(bins, bundled, packs, pool);
  place_columns(bundles, packs);
  packs.lanes = bundles.size();
  packs.words = (packs.lanes + 7) / 8;
  packs.codes.resize(packs.rows * packs.words);
  return bundles;
}

Packs empty_packs(const Bins& bins) {
  Packs packs;
  packs.rows = bins.rows;
  for (const Column& column : bins.columns) packs.bins.push_back(static_cast<std::uint32_t>(column.bins()));
  packs.places.resize(bins.columns.size());
  return packs;
}

// From the bytes of a lane back to the codes of one of its columns. All bytes that are not its own are its commonest
// bin; a lane of its own has no others.
std::array<Code, kCodes> meaning_of(const Packs& packs, std::size_t j, std::uint32_t lane_first) {
  const auto bytes = bytes_of(packs, j, lane_first);
  const auto code_of = [&](std::uint32_t slot) { return slot == packs.bins[j] ? kMissing : static_cast<Code>(slot); };
  const std::int32_t commonest = packs.places[j].commonest;
  std::array<Code, kCodes> codes{};
  codes.fill(commonest < 0 ? kMissing : code_of(static_cast<std::uint32_t>(commonest)));
  for (std::uint32_t slot = 0; slot <= packs.bins[j]; ++slot) {
    if (static_cast<std::int32_t>(slot) != commonest) codes[bytes[code_of(slot)]] = code_of(slot);
  }
  return codes;
}

}  // namespace

RowBytes Packs::bytes_of(std::size_t column) const {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::size_t lane = lane_of[column], byte = lane % kWord;
  const std::size_t at = std::endian::native == std::endian::little ? byte : kWord - 1 - byte;
  return {reinterpret_cast<const Code*>(codes.data()) + lane / kWord * kWord + at, words * kWord};
}

Packs pack_bins(const Bins& bins, Pool& pool, bool bundled) {
  Packs packs = empty_packs(bins);
  if (bins.is_sparse()) {
    place_sparse(bins, packs);
    return packs;
  }
  const std::vector<Bundle> bundles = lay_out(bins, bundled, packs, pool);
  pack_rows(bins, bundles, 0, packs.rows, packs, pool);
  return packs;
}

Packs pack_and_take(Bins& bins, Pool& pool) {
  Packs packs = empty_packs(bins);
  const std::vector<Bundle> bundles = lay_out(bins, true, packs, pool);
  packs.lane_of.resize(bins.columns.size());
  packs.meaning.resize(bins.columns.size());
  for (std::size_t lane = 0; lane < packs.lanes; ++lane) {
    for (const std::size_t j : bundles[lane].columns) {
      packs.lane_of[j] = static_cast<std::uint32_t>(lane);
      packs.meaning[j] = meaning_of(packs, j, packs.lane_start[lane]);
    }
  }
  for (std::size_t first = 0; first < packs.rows; first += kGivenUp) {
    const std::size_t last = std::min(packs.rows, first + kGivenUp);
    pack_rows(bins, bundles, first, last, packs, pool);
    for (std::size_t j = 0; j < bins.columns.size(); ++j)
      forget(bins.codes.data() + j * bins.rows + first, last - first);
  }
  bins.codes = {};
  return packs;
}

}  // namespace venire
