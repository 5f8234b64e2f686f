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

// Where the predictions of a tile go: from the `from`-th on, `count` of them.
struct Place {
  std::size_t from, count;
};

// M models of two classes. Two that are all there are, as they mostly are, need no place to be looked up.
template <std::size_t M, class Vector>
VENIRE_INLINE void write_two_classes(BayesTile<Vector>& tile, std::size_t model, Place place,
                                     const BayesOutputs& outputs) {
  const std::int16_t first = outputs.codes[0], second = outputs.codes[1];
  Pairs<M> pairs;
  share_between_two<Vector, M>(tile.sums(model), first, second, pairs);
  for (std::size_t m = 0; m < M; ++m) {
    const std::size_t at = (model + m) * outputs.rows + place.from;
    const float* probabilities = pairs.probabilities + m * kTile * 2;
    const std::int16_t* labels = pairs.labels + m * kTile;
    float* to = outputs.probabilities + at * outputs.classes;
    if (place.count == kTile && outputs.classes == 2 && first == 0 && second == 1) {
      std::memcpy(outputs.labels + at, labels, kTile * sizeof *labels);
      std::memcpy(to, probabilities, kTile * 2 * sizeof *probabilities);
      continue;
    }
    std::copy_n(labels, place.count, outputs.labels + at);
    for (std::size_t i = 0; i < place.count; ++i, to += outputs.classes) {
      to[first] = probabilities[2 * i];
      to[second] = probabilities[2 * i + 1];
    }
  }
}

// One model of any number of classes.
template <class Vector>
VENIRE_INLINE void write_probabilities(BayesTile<Vector>& tile, std::size_t model, Place place, const BayesPath& path,
                                       const BayesOutputs& outputs) {
  std::int16_t labels[kTile];
  double* sums = tile.sums(model);
  probabilities_from_logarithms<Vector>(sums, path.classes, outputs.codes, labels);
  const std::size_t at = model * outputs.rows + place.from;
  std::copy_n(labels, place.count, outputs.labels + at);
  for (std::size_t i = 0; i < place.count; ++i) {
    float* to = outputs.probabilities + (at + i) * outputs.classes;
    for (std::size_t c = 0; c < path.classes; ++c) to[outputs.codes[c]] = static_cast<float>(sums[c * kTile + i]);
  }
}

template <class Vector>
VENIRE_INLINE void predict_rows(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                                const BayesColumns& columns, const BayesPath& path, const BayesOutputs& outputs) {
  constexpr std::size_t kTogether = Vector::kTogether;
  BayesTile<Vector> tile(columns, path);
  for (std::size_t from = first; from < last; from += kTile) {
    const std::size_t count = std::min(kTile, last - from);
    tile.score(x, rows + from, count);
    if (path.classes != 2) {
      for (std::size_t m = 0; m < path.models; ++m) write_probabilities(tile, m, {from, count}, path, outputs);
      continue;
    }
    std::size_t m = 0;
    for (; m + kTogether <= path.models; m += kTogether) write_two_classes<kTogether>(tile, m, {from, count}, outputs);
    for (; m < path.models; ++m) write_two_classes<1>(tile, m, {from, count}, outputs);
  }
}

#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 void predict_wide(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                              const BayesColumns& columns, const BayesPath& path, const BayesOutputs& outputs) {
  predict_rows<BayesWide>(x, rows, first, last, columns, path, outputs);
}
[[gnu::target("avx512f,avx512dq")]] void predict_widest(const Matrix& x, const std::int64_t* rows, std::size_t first,
                                                        std::size_t last, const BayesColumns& columns,
                                                        const BayesPath& path, const BayesOutputs& outputs) {
  predict_rows<BayesWidest>(x, rows, first, last, columns, path, outputs);
}
#endif

}  // namespace

void predict_bayes(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                   const BayesColumns& columns, const BayesPath& path, const BayesOutputs& outputs) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx512) return predict_widest(x, rows, first, last, columns, path, outputs);
  if (simd_level() >= Simd::avx2) return predict_wide(x, rows, first, last, columns, path, outputs);
#endif
  predict_rows<BayesNarrow>(x, rows, first, last, columns, path, outputs);
}

}  // namespace venire
