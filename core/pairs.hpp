// A gradient and a hessian as one 64-bit integer, and the table of codes their histograms are built from.
//
// Each round scales its gradients and hessians to whole numbers whose absolute sums stay below 2^31. The gradient is the upper
// half of a pair, the hessian the lower: one addition adds both, a histogram slot is one word, and sums do not depend on
// the order of addition, so neither on the number of threads. A row loses at most half a unit, which is the mean
// absolute gradient times rows / 2^31.
//
// Codes are kept row after row, eight columns to a 64-bit word, so that one load gives eight codes and a row of a small
// node is found in one or two cache lines. Missing is recoded to the slot after a column's last bin: histograms are as long as
// the bins that exist. Cost: 8 bytes a row and eight columns, one pass.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"
#include "types.hpp"

namespace venire {

using Pair = std::uint64_t;
// Half a unit a row may be added by rounding: beyond this many rows the sums could not be kept below 2^31.
constexpr std::size_t kMaxBoostRows = std::size_t{1} << 30;

inline Pair pair_of(std::int32_t gradient, std::int32_t hessian) {
  return (static_cast<Pair>(static_cast<std::int64_t>(gradient)) << 32) + static_cast<std::uint32_t>(hessian);
}
// Hessians are never negative, so the lower half never borrows from the upper.
inline std::int32_t gradient_of(Pair pair) { return static_cast<std::int32_t>(pair >> 32); }
inline std::int32_t hessian_of(Pair pair) { return static_cast<std::int32_t>(pair & 0xFFFFFFFFu); }

// What one whole unit of either half is worth.
struct Units {
  double gradient = 1, hessian = 1;
};

// The largest power of two with which `rows` numbers of this absolute sum stay below 2^31 after rounding.
inline double scale_for(double absolute_sum, std::size_t rows) {
  if (!(absolute_sum > 0) || !std::isfinite(absolute_sum)) return 1;
  const double room = 2147483647.0 - static_cast<double>(rows);
  return std::exp2(std::floor(std::log2(room / absolute_sum)));
}

struct Packs {
  std::size_t rows = 0, columns = 0, words = 0;
  std::vector<std::uint64_t> codes;  // row after row, `words` each
  std::vector<std::uint32_t> start;  // per column: its first histogram slot; the last entry is the number of slots

  std::size_t slots() const { return start.back(); }
  std::uint32_t bins(std::size_t column) const { return start[column + 1] - start[column] - 1; }  // without "missing"
};

inline Packs pack_bins(const Bins& bins, Pool& pool) {
  Packs packs;
  packs.rows = bins.rows;
  packs.columns = bins.columns.size();
  packs.words = (packs.columns + 7) / 8;
  packs.codes.assign(packs.rows * packs.words, 0);
  packs.start.push_back(0);
  for (const Column& column : bins.columns) {
    packs.start.push_back(packs.start.back() + static_cast<std::uint32_t>(column.bins()) + 1);
  }
  constexpr std::size_t kRows = 1 << 14;
  pool.run((packs.rows + kRows - 1) / kRows, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kRows, last = std::min(packs.rows, first + kRows);
    for (std::size_t j = 0; j < packs.columns; ++j) {
      const Code* from = bins.column(j);
      const std::uint64_t missing = packs.bins(j);
      std::uint64_t* to = packs.codes.data() + j / 8;
      for (std::size_t i = first; i < last; ++i) {
        to[i * packs.words] |= (from[i] == kMissing ? missing : from[i]) << (j % 8 * 8);
      }
    }
  });
  return packs;
}

}  // namespace venire
