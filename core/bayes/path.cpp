#include "bayes/path.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "bayes/probabilities.hpp"
#include "bayes/tile.hpp"

namespace venire {
namespace {

// Where a tile of rows is told: from the `from`-th on, `count` of them.
struct Place {
  std::size_t from, count;
};

// M models of two classes. Two that are all there are, as they mostly are, need no place to be looked up.
template <std::size_t M, class Vector>
VENIRE_INLINE void tell_pairs(BayesTile<Vector>& tile, std::size_t model, Place place, const BayesTold& told) {
  const std::int16_t first = told.codes[0], second = told.codes[1];
  Pairs<M> pairs;
  share_between_two<Vector, M>(tile.sums(model), first, second, pairs);
  for (std::size_t m = 0; m < M; ++m) {
    const std::size_t at = (model + m) * told.rows + place.from;
    const float* shares = pairs.shares + m * kTile * 2;
    const std::int16_t* labels = pairs.labels + m * kTile;
    float* to = told.shares + at * told.classes;
    if (place.count == kTile && told.classes == 2 && first == 0 && second == 1) {
      std::memcpy(told.labels + at, labels, kTile * sizeof *labels);
      std::memcpy(to, shares, kTile * 2 * sizeof *shares);
      continue;
    }
    std::copy_n(labels, place.count, told.labels + at);
    for (std::size_t i = 0; i < place.count; ++i, to += told.classes) {
      to[first] = shares[2 * i];
      to[second] = shares[2 * i + 1];
    }
  }
}

// One model of any number of classes.
template <class Vector>
VENIRE_INLINE void tell_shares(BayesTile<Vector>& tile, std::size_t model, Place place, const BayesPath& path, const BayesTold& told) {
  std::int16_t labels[kTile];
  double* sums = tile.sums(model);
  share_out<Vector>(sums, path.classes, told.codes, labels);
  const std::size_t at = model * told.rows + place.from;
  std::copy_n(labels, place.count, told.labels + at);
  for (std::size_t i = 0; i < place.count; ++i) {
    float* to = told.shares + (at + i) * told.classes;
    for (std::size_t c = 0; c < path.classes; ++c) to[told.codes[c]] = static_cast<float>(sums[c * kTile + i]);
  }
}

template <class Vector>
VENIRE_INLINE void tell_rows(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                             const BayesColumns& columns, const BayesPath& path, const BayesTold& told) {
  constexpr std::size_t kTogether = Vector::kTogether;
  BayesTile<Vector> tile(columns, path);
  for (std::size_t from = first; from < last; from += kTile) {
    const std::size_t count = std::min(kTile, last - from);
    tile.score(x, rows + from, count);
    if (path.classes != 2) {
      for (std::size_t m = 0; m < path.models; ++m) tell_shares(tile, m, {from, count}, path, told);
      continue;
    }
    std::size_t m = 0;
    for (; m + kTogether <= path.models; m += kTogether) tell_pairs<kTogether>(tile, m, {from, count}, told);
    for (; m < path.models; ++m) tell_pairs<1>(tile, m, {from, count}, told);
  }
}

#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 void tell_wide(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                           const BayesColumns& columns, const BayesPath& path, const BayesTold& told) {
  tell_rows<BayesWide>(x, rows, first, last, columns, path, told);
}
[[gnu::target("avx512f,avx512dq")]] void tell_widest(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                                                    const BayesColumns& columns, const BayesPath& path, const BayesTold& told) {
  tell_rows<BayesWidest>(x, rows, first, last, columns, path, told);
}
#endif

}  // namespace

void tell_bayes(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last, const BayesColumns& columns,
                const BayesPath& path, const BayesTold& told) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx512) return tell_widest(x, rows, first, last, columns, path, told);
  if (simd_level() >= Simd::avx2) return tell_wide(x, rows, first, last, columns, path, told);
#endif
  tell_rows<BayesNarrow>(x, rows, first, last, columns, path, told);
}

}  // namespace venire
