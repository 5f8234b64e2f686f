// The values that cross from one stage to the next, and every number width with its reason.
//
//   matrix --binning--> Bins --histogram, split, grow--> Tree --prune--> Tree --predict--> numbers
//
// A tree never looks at raw values: a cut "x <= 2.5" is stored as "code <= 7", and 2.5 is edge 7 of the column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace venire {

// A bin code: 0..254 are values, 255 is missing. One byte, so that a column of a million rows is one megabyte and
// 64 rows share a cache line.
using Code = std::uint8_t;
constexpr Code kMissing = 255;
constexpr int kCodes = 256;
constexpr int kMaxBins = 255;
// A many-way split maps 254 values and "missing" to child slots 1..255; slot 0 means "never seen here".
constexpr int kMaxCategoryBins = 254;

// A row number. Four billion rows of one-byte codes are beyond one machine's tables.
using Row = std::uint32_t;

// Sums of weights are integers, so that they do not depend on the order of addition. Narrow ones when the whole
// weight of the table fits (it does for unweighted tables up to 4 billion rows), wide ones otherwise.
using NarrowSum = std::uint32_t;
using WideSum = std::int64_t;
// Weights and targets in fixed point keep their total below 2^61: one bit is the sign, one is room for rounding.
constexpr int kSumBits = 61;

enum class Scalar { f32, f64, i32, i64, u8 };

// A borrowed matrix of any supported scalar and any strides (counted in elements).
struct Matrix {
  const void* data = nullptr;
  Scalar scalar = Scalar::f64;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 0;
};

// Columns of a matrix, by number.
using ColumnNumbers = std::vector<std::uint32_t>;

// Calls `use(pointer to the typed first element)`: the one place where the scalar type is decided.
template <class Use>
decltype(auto) with_scalar(const Matrix& x, Use&& use) {
  switch (x.scalar) {
    case Scalar::f32: return use(static_cast<const float*>(x.data));
    case Scalar::i32: return use(static_cast<const std::int32_t*>(x.data));
    case Scalar::i64: return use(static_cast<const std::int64_t*>(x.data));
    case Scalar::u8: return use(static_cast<const std::uint8_t*>(x.data));
    default: return use(static_cast<const double*>(x.data));
  }
}

// How a node sends a row on. `threshold` is the hot one; the others read a side table.
enum class Branch : std::uint8_t { threshold = 0, subset = 1, multiway = 2, oblique = 3 };

// Eight bytes, so that a full tree of a hundred thousand nodes stays in the second-level cache.
//
// A row goes to `child + (Code(code + missing_left) > cut)`, see `next`: adding one wraps "missing" (255) round to 0,
// so the learned direction of missing values costs no branch. A leaf is a threshold node that points at itself (child =
// own number, cut = 255): walking on changes nothing.
struct Node {
  std::uint32_t child = 0;
  std::uint32_t packed = 0;  // feature << 12 | branch << 9 | missing_left << 8 | cut

  static constexpr std::uint32_t kMaxFeatures = 1u << 20;

  static Node make(std::uint32_t child, std::uint32_t feature, Branch branch, bool missing_left, Code cut) {
    return {child, feature << 12 | static_cast<std::uint32_t>(branch) << 9 | (missing_left ? 256u : 0u) | cut};
  }
  static Node leaf(std::uint32_t self) { return make(self, 0, Branch::threshold, false, 255); }

  std::uint32_t feature() const { return packed >> 12; }
  Branch branch() const { return static_cast<Branch>(packed >> 9 & 3u); }
  bool missing_left() const { return (packed >> 8 & 1u) != 0; }
  Code cut() const { return static_cast<Code>(packed); }
  bool is_leaf(std::uint32_t self) const { return child == self; }
  // Where a threshold sends a row with this code.
  std::uint32_t next(Code code) const {
    return child + (static_cast<Code>(code + (missing_left() ? 1 : 0)) > cut() ? 1u : 0u);
  }
};

// One weighted attribute of a linear combination.
struct Term {
  std::uint32_t feature;
  float coefficient;
};

// What growing knew about a node; kept for single trees (text, rules, pruning), left out of forests.
struct NodeStats {
  std::uint32_t rows;
  double weight;
  double impurity;
};

struct Tree {
  std::vector<Node> nodes;          // children of a node are neighbours
  std::vector<std::int32_t> value;  // per node: a row of `values`; -1 for inner nodes without one
  std::vector<double> values;       // rows of `outputs` numbers; with classes, the first ones are the pure leaves
  // Side tables, empty when no node needs them. `table[node]` is an offset into the one its branch names.
  std::vector<std::int32_t> table;
  std::vector<std::uint8_t> subsets;  // 256 bits a node: set = right
  std::vector<std::uint8_t> slots;    // 256 bytes a node: child slot + 1, or 0
  std::vector<std::int32_t> term_start;
  std::vector<Term> terms;
  std::vector<double> term_cut;    // the threshold of a combination
  std::vector<NodeStats> stats;    // per node, or empty
  std::vector<double> importance;  // per feature: decrease of impurity times share of weight

  // Children of an inner node.
  std::uint32_t children(std::uint32_t node) const;
};

}  // namespace venire
