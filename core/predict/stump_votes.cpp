#include "predict/stump_votes.hpp"

#include <algorithm>
#include <array>

#include "base/cpu.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kTile = 256;  // rows

// A stump as it is asked: codes that step above the cut go right.
struct Asked {
  std::size_t column = 0;  // among those that are asked at all
  Code step = 0, cut = 0;
  std::size_t left = 0, right = 0;  // classes
  double weight = 0;
};

struct Questions {
  std::vector<std::uint32_t> columns;
  std::vector<Asked> stumps;
};

std::size_t said_by(const Tree& tree, std::uint32_t node, std::size_t classes) {
  const double* value = tree.values.data() + static_cast<std::size_t>(tree.value[node]) * classes;
  return static_cast<std::size_t>(std::max_element(value, value + classes) - value);
}

Questions questions(const Ensemble& ensemble, const std::vector<double>& weights, std::size_t count) {
  const auto classes = static_cast<std::size_t>(ensemble.outputs);
  constexpr auto kUnknown = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(ensemble.columns.size(), kUnknown);
  Questions out;
  for (std::size_t t = 0; t < count; ++t) {
    const Tree& tree = ensemble.trees[t];
    const Node& root = tree.nodes.front();
    Asked asked;
    asked.weight = weights[t];
    if (root.is_leaf(0)) {
      asked.left = asked.right = said_by(tree, 0, classes);
    } else {
      if (place[root.feature()] == kUnknown) {
        place[root.feature()] = out.columns.size();
        out.columns.push_back(root.feature());
      }
      asked.column = place[root.feature()];
      asked.step = root.missing_left() ? 1 : 0;  // "missing", the highest code, steps round to 0
      asked.cut = root.cut();
      asked.left = said_by(tree, root.child, classes);
      asked.right = said_by(tree, root.child + 1, classes);
    }
    out.stumps.push_back(asked);
  }
  return out;
}

VENIRE_INLINE void add_split(const Code* codes, Code step, Code cut, double weight, double* __restrict left,
                             double* __restrict right) {
  for (std::size_t i = 0; i < kTile; ++i) {
    const bool goes_right = static_cast<Code>(codes[i] + step) > cut;
    left[i] += goes_right ? 0.0 : weight;
    right[i] += goes_right ? weight : 0.0;
  }
}

void split_narrow(const Asked& asked, const Code* codes, double* left, double* right) {
  add_split(codes, asked.step, asked.cut, asked.weight, left, right);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void split_wide(const Asked& asked, const Code* codes, double* left, double* right) {
  add_split(codes, asked.step, asked.cut, asked.weight, left, right);
}
#endif

// Rows [first, first + count) of the list; `out` is [count of stumps, row, class] of all rows.
struct Tile {
  std::vector<Code> codes;   // [column asked, row of the tile]
  std::vector<double> sums;  // [class, row of the tile]

  void load(const Bins& bins, const Questions& asked, const Row* rows, std::size_t count) {
    codes.assign(asked.columns.size() * kTile, 0);
    for (std::size_t c = 0; c < asked.columns.size(); ++c) {
      const Code* column = bins.column(asked.columns[c]);
      for (std::size_t i = 0; i < count; ++i) codes[c * kTile + i] = column[rows[i]];
    }
  }

  void add(const Asked& asked) {
    double* left = sums.data() + asked.left * kTile;
    double* right = sums.data() + asked.right * kTile;
    if (asked.left == asked.right) {
      for (std::size_t i = 0; i < kTile; ++i) left[i] += asked.weight;
      return;
    }
    const Code* column = codes.data() + asked.column * kTile;
#if VENIRE_HAS_AVX2
    if (simd_level() >= Simd::avx2) return split_wide(asked, column, left, right);
#endif
    split_narrow(asked, column, left, right);
  }

  void write(std::size_t count, std::size_t classes, double* out) const {
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t i = 0; i < count; ++i) out[i * classes + c] = sums[c * kTile + i];
    }
  }
};

}  // namespace

bool only_stumps(const Ensemble& ensemble) {
  return std::all_of(ensemble.trees.begin(), ensemble.trees.end(), [](const Tree& tree) {
    return tree.nodes.size() == 1 || (tree.nodes.size() == 3 && tree.nodes.front().branch() == Branch::threshold);
  });
}

void stump_votes(const Ensemble& ensemble, const Bins& bins, const std::vector<Row>& rows,
                 const std::vector<double>& weights, const std::vector<std::uint32_t>& counts, double* out,
                 Pool& pool) {
  const auto classes = static_cast<std::size_t>(ensemble.outputs);
  const Questions asked = questions(ensemble, weights, counts.back());
  std::vector<Tile> tiles(pool.threads());
  pool.run((rows.size() + kTile - 1) / kTile, [&](std::size_t task, std::size_t worker) {
    Tile& tile = tiles[worker];
    const std::size_t first = task * kTile, count = std::min(kTile, rows.size() - first);
    tile.load(bins, asked, rows.data() + first, count);
    tile.sums.assign(classes * kTile, 0.0);
    std::size_t stump = 0;
    for (std::size_t place = 0; place < counts.size(); ++place) {
      for (; stump < counts[place]; ++stump) tile.add(asked.stumps[stump]);
      tile.write(count, classes, out + (place * rows.size() + first) * classes);
    }
  });
}

}  // namespace venire
