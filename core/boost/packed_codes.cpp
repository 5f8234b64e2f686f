#include "boost/packed_codes.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

Packs pack_bins(const Bins& bins, Pool& pool, bool bundled) {
  Packs packs;
  packs.rows = bins.rows;
  for (const Column& column : bins.columns) packs.bins.push_back(static_cast<std::uint32_t>(column.bins()));
  packs.places.resize(bins.columns.size());
  if (bins.is_sparse()) {
    place_sparse(bins, packs);
    return packs;
  }
  const std::vector<Bundle> bundles = make_bundles(bins, bundled, packs, pool);
  place_columns(bundles, packs);
  packs.lanes = bundles.size();
  packs.words = (packs.lanes + 7) / 8;
  packs.codes.assign(packs.rows * packs.words, 0);
  constexpr std::size_t kRows = 1 << 14;
  pool.run((packs.rows + kRows - 1) / kRows, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kRows, last = std::min(packs.rows, first + kRows);
    for (std::size_t lane = 0; lane < packs.lanes; ++lane) {
      for (std::size_t j : bundles[lane].columns) {
        const Code* from = bins.column(j);
        const auto bytes = bytes_of(packs, j, packs.lane_start[lane]);
        std::uint64_t* to = packs.codes.data() + lane / 8;
        for (std::size_t i = first; i < last; ++i) to[i * packs.words] |= bytes[from[i]] << (lane % 8 * 8);
      }
    }
  });
  return packs;
}

}  // namespace venire
