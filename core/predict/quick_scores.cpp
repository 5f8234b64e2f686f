#include "predict/quick_scores.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/cpu.hpp"
#include "base/wide.hpp"

#if VENIRE_HAS_AVX2
#include <immintrin.h>
#endif

namespace venire {
namespace {

constexpr std::size_t kMostLeaves = 64;
constexpr std::size_t kLanes = 8;

template <class Mask>
VENIRE_INLINE void cut_rows(const Code* codes, std::size_t count, std::uint8_t shift, std::uint8_t cut, Mask keep,
                            Mask* left) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = static_cast<Mask>(static_cast<Code>(codes[i] + shift));
    left[i] &= code > cut ? keep : ~Mask{0};
  }
}

template <class Mask>
void cut_narrow(const Code* codes, std::size_t count, std::uint8_t shift, std::uint8_t cut, Mask keep, Mask* left) {
  cut_rows(codes, count, shift, cut, keep, left);
}
#if VENIRE_HAS_AVX2
template <class Mask>
VENIRE_AVX2 void cut_wide(const Code* codes, std::size_t count, std::uint8_t shift, std::uint8_t cut, Mask keep,
                          Mask* left) {
  cut_rows(codes, count, shift, cut, keep, left);
}
#endif

#if VENIRE_HAS_AVX2
// A comparison gives a bit a row, and the bits say which masks lose leaves.
template <class Mask>
[[gnu::target("avx512f,avx512bw,avx512vl")]] void cut_avx512(const Code* codes, std::size_t count, std::uint8_t shift,
                                                             std::uint8_t cut, Mask keep, Mask* left) {
  constexpr std::size_t kRowsAtOnce = 64, kMasks = 64 / sizeof(Mask);
  const __m512i bound = _mm512_set1_epi8(static_cast<char>(cut)), more = _mm512_set1_epi8(static_cast<char>(shift));
  std::size_t i = 0;
  for (; i + kRowsAtOnce <= count; i += kRowsAtOnce) {
    const __m512i code = _mm512_add_epi8(_mm512_loadu_si512(codes + i), more);
    const std::uint64_t right = _mm512_cmpgt_epu8_mask(code, bound);
    for (std::size_t part = 0; part < kRowsAtOnce; part += kMasks) {
      Mask* to = left + i + part;
      const __m512i before = _mm512_loadu_si512(to);
      if constexpr (sizeof(Mask) == 4) {
        const auto some = static_cast<__mmask16>(right >> part);
        _mm512_storeu_si512(
            to, _mm512_mask_and_epi32(before, some, before, _mm512_set1_epi32(static_cast<std::int32_t>(keep))));
      } else {
        const auto some = static_cast<__mmask8>(right >> part);
        _mm512_storeu_si512(
            to, _mm512_mask_and_epi64(before, some, before, _mm512_set1_epi64(static_cast<std::int64_t>(keep))));
      }
    }
  }
  cut_rows(codes + i, count - i, shift, cut, keep, left + i);
}
#endif

template <class Mask>
auto cut_kernel() {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx512) return cut_avx512<Mask>;
  if (simd_level() >= Simd::avx2) return cut_wide<Mask>;
#endif
  return cut_narrow<Mask>;
}

// The number of edges below each of eight values: eight searches in step, so that their loads overlap.
template <class T>
void search_lanes(const double* edges, std::size_t count, const T* from, std::ptrdiff_t stride, Code* out) {
  std::array<double, kLanes> x;
  std::array<std::size_t, kLanes> base{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    x[lane] = static_cast<double>(from[static_cast<std::ptrdiff_t>(lane) * stride]);
  for (std::size_t size = count; size > 1; size -= size / 2) {
    const std::size_t half = size / 2;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      base[lane] += half * static_cast<std::size_t>(edges[base[lane] + half - 1] < x[lane]);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t below = base[lane] + static_cast<std::size_t>(edges[base[lane]] < x[lane]);
    out[lane] = std::isnan(x[lane]) ? kMissing : static_cast<Code>(below);
  }
}

template <class T>
void code_column(const Column& column, const T* from, std::ptrdiff_t stride, std::size_t count, Code* out) {
  std::size_t i = 0;
  if (!column.categorical && !column.edges.empty()) {
    for (; i + kLanes <= count; i += kLanes) {
      search_lanes(column.edges.data(), column.edges.size(), from + static_cast<std::ptrdiff_t>(i) * stride, stride,
                   out + i);
    }
  }
  for (; i < count; ++i) out[i] = column.code(static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * stride]));
}

std::size_t leaf_count(const Tree& tree) { return (tree.nodes.size() + 1) / 2; }

}  // namespace

bool QuickScores::serves(const Tree& tree) {
  return tree.slots.empty() && tree.terms.empty() && leaf_count(tree) <= kMostLeaves;
}

bool QuickScores::serves(const Ensemble& ensemble, std::size_t count) {
  return std::all_of(ensemble.trees.begin(), ensemble.trees.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const Tree& tree) { return serves(tree); });
}

QuickScores::QuickScores(const Ensemble& ensemble, std::size_t count)
    : columns_(ensemble.columns), used_(columns_.size(), false) {
  for (std::size_t t = 0; t < count; ++t) prepare(ensemble.trees[t]);
}

QuickScores::QuickScores(const Columns& columns, const Tree& tree) : columns_(columns), used_(columns.size(), false) {
  prepare(tree);
}

// Children have higher numbers than their parents: sizes from the end, places from the root.
void QuickScores::prepare(const Tree& tree) {
  const std::size_t count = tree.nodes.size();
  std::vector<std::uint32_t> leaves(count, 1), first(count, 0);
  for (std::uint32_t node = static_cast<std::uint32_t>(count); node-- > 0;) {
    const Node& one = tree.nodes[node];
    if (!one.is_leaf(node)) leaves[node] = leaves[one.child] + leaves[one.child + 1];
  }
  const std::size_t values = values_.size();
  values_.resize(values + leaves[0]);
  for (std::uint32_t node = 0; node < count; ++node) {
    const Node& one = tree.nodes[node];
    if (one.is_leaf(node)) {
      values_[values + first[node]] = tree.values[static_cast<std::size_t>(tree.value[node])];
      continue;
    }
    first[one.child] = first[node];
    first[one.child + 1] = first[node] + leaves[one.child];
    const std::uint64_t gone =
        (leaves[one.child] == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << leaves[one.child]) - 1) << first[node];
    Test test{one.feature(), -1, static_cast<std::uint8_t>(one.missing_left() ? 1 : 0), one.cut(), ~gone};
    if (one.branch() == Branch::subset) {
      test.subset = static_cast<std::int32_t>(sides_.size());
      const std::uint8_t* bits = tree.subsets.data() + tree.table[node];
      for (int code = 0; code < kCodes; ++code) sides_.push_back(bits[code / 8] >> (code % 8) & 1u);
    }
    used_[test.feature] = true;
    tests_.push_back(test);
  }
  test_start_.push_back(tests_.size());
  value_start_.push_back(values_.size());
}

void QuickScores::code(const Matrix& x, std::size_t first, std::size_t count, Code* codes) const {
  with_scalar(x, [&](auto* data) {
    for (std::size_t j = 0; j < used_.size(); ++j) {
      if (!used_[j]) continue;
      const auto* from =
          data + static_cast<std::ptrdiff_t>(j) * x.column_stride + static_cast<std::ptrdiff_t>(first) * x.row_stride;
      code_column(columns_[j], from, x.row_stride, count, codes + j * kRows);
    }
  });
}

void QuickScores::code(const Bins& bins, std::size_t first, std::size_t count, Code* codes) const {
  for (std::size_t j = 0; j < used_.size(); ++j) {
    if (!used_[j]) continue;
    if (bins.is_sparse()) std::fill_n(codes + j * kRows, count, bins.sparse.usual[j]);
    else std::copy_n(bins.column(j) + first, count, codes + j * kRows);
  }
  if (!bins.is_sparse()) return;
  const CellLists& rows = bins.sparse.rows;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = rows.start[first + i]; at < rows.start[first + i + 1]; ++at) {
      if (used_[rows.place[at]]) codes[rows.place[at] * kRows + i] = rows.code[at];
    }
  }
}

namespace {

template <class Mask, class Tests>
void add_masked(const Tests& tests, std::size_t first, std::size_t last, const std::uint8_t* sides,
                const double* values, const Code* codes, std::size_t column_stride, std::size_t count, double* sums,
                std::size_t stride) {
  std::array<Mask, QuickScores::kRows> left;
  std::fill_n(left.begin(), count, ~Mask{0});
  const auto cut = cut_kernel<Mask>();
  for (std::size_t t = first; t < last; ++t) {
    const auto& test = tests[t];
    const Code* column = codes + test.feature * column_stride;
    const auto keep = static_cast<Mask>(test.keep);
    if (test.subset < 0) {
      cut(column, count, test.shift, test.cut, keep, left.data());
    } else {
      const std::uint8_t* right = sides + test.subset;
      for (std::size_t i = 0; i < count; ++i) left[i] &= right[column[i]] != 0 ? keep : ~Mask{0};
    }
  }
  for (std::size_t i = 0; i < count; ++i) sums[i * stride] += values[std::countr_zero(left[i])];
}

}  // namespace

void QuickScores::add(std::size_t which, const Code* codes, std::size_t column_stride, std::size_t count, double* sums,
                      std::size_t stride) const {
  const std::size_t first = test_start_[which], last = test_start_[which + 1];
  const double* values = values_.data() + value_start_[which];
  const std::size_t leaves = value_start_[which + 1] - value_start_[which];
  const auto add_any =
      leaves <= 32 ? add_masked<std::uint32_t, std::vector<Test>> : add_masked<std::uint64_t, std::vector<Test>>;
  add_any(tests_, first, last, sides_.data(), values, codes, column_stride, count, sums, stride);
}

}  // namespace venire
