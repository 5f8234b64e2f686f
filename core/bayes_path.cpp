#include "bayes_path.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cpu.hpp"
#include "wide.hpp"

namespace venire {
namespace {

struct Narrow {
  typedef double Lanes __attribute__((vector_size(16)));
  typedef std::int64_t Bits __attribute__((vector_size(16)));
};
struct Wide {
  typedef double Lanes __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));
};
struct Widest {
  typedef double Lanes __attribute__((vector_size(64)));
  typedef std::int64_t Bits __attribute__((vector_size(64)));
};

constexpr std::size_t kTile = 8;     // rows at a time
constexpr std::size_t kAbreast = 5;  // models whose sums stay in registers
constexpr double kLeast = std::numeric_limits<double>::lowest();
constexpr double kNothing = -104.0;  // exp of this and less is 0 in single precision, and lost beside a 1

// One tile of rows, and the sums of every model for it: [model][class][row]. The numbers are the same for any vectors.
template <class Vector>
class Tile {
  using Lanes = typename Vector::Lanes;
  static constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double), kVectors = kTile / kLanes;

 public:
  Tile(const BayesColumns& columns, const BayesPath& path)
      : columns_(columns), path_(path), width_(columns.numeric.size()), values_(width_ * kTile),
        start_(path.gaussians * path.classes), sums_(path.models * path.classes * kTile) {
    // Every numeric value adds its height; a missing one takes it back.
    for (std::size_t k = 0; k < start_.size(); ++k) {
      start_[k] = path.prior[k % path.classes];
      for (std::size_t j = 0; j < width_; ++j) start_[k] += path.height[k * width_ + j];
    }
  }

  // A tile that is not full repeats its last row; who reads the sums knows how many there are.
  VENIRE_INLINE void score(const Matrix& x, const std::int64_t* rows, std::size_t count) {
    const auto* data = static_cast<const double*>(x.data);
    const double* from[kTile];
    for (std::size_t i = 0; i < kTile; ++i) from[i] = data + rows[std::min(i, count - 1)] * x.row_stride;
    load(x, from);
    std::size_t g = 0;
    for (; g + kAbreast <= path_.gaussians; g += kAbreast) weigh<kAbreast>(g);
    for (; g < path_.gaussians; ++g) weigh<1>(g);
    const std::size_t one = path_.classes * kTile;
    for (std::size_t m = path_.gaussians; m < path_.models; ++m) std::copy_n(sums_.data(), one, sums_.data() + m * one);
    for (std::size_t j = 0; j < columns_.categorical.size(); ++j) look_up(x, from, count, j);
  }

  double* sums(std::size_t model) { return sums_.data() + model * path_.classes * kTile; }

 private:
  VENIRE_INLINE void load(const Matrix& x, const double* const* from) {
    for (std::size_t j = 0; j < width_; ++j) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(columns_.numeric[j]) * x.column_stride;
      for (std::size_t i = 0; i < kTile; ++i) values_[j * kTile + i] = from[i][at] - columns_.origin[j];
    }
    std::uint64_t gaps = 0;
    for (const double value : values_) gaps += value != value ? 1 : 0;
    gaps_ = gaps > 0;
  }

  // The sums of G models from the g-th on, for all classes.
  template <std::size_t G>
  VENIRE_INLINE void weigh(std::size_t g) {
    for (std::size_t c = 0; c < path_.classes; ++c) {
      const double* steepness = path_.steepness + (g * path_.classes + c) * width_;
      const std::size_t apart = path_.classes * width_;  // from one model to the next
      Lanes sums[G][kVectors];
      for (std::size_t m = 0; m < G; ++m) {
        for (Lanes& some : sums[m]) some = start_[(g + m) * path_.classes + c] - Lanes{};
      }
      const double* mean = path_.mean + c * width_;
      const double* value = values_.data();
      for (std::size_t j = 0; j < width_; ++j, value += kTile) {
        Lanes square[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) {
          std::memcpy(&square[v], value + v * kLanes, sizeof(Lanes));
          square[v] -= mean[j];
          square[v] *= square[v];
        }
        for (std::size_t m = 0; m < G; ++m) {
          for (std::size_t v = 0; v < kVectors; ++v) sums[m][v] -= steepness[m * apart + j] * square[v];
        }
      }
      for (std::size_t m = 0; m < G; ++m) {
        double* to = sums_.data() + ((g + m) * path_.classes + c) * kTile;
        std::memcpy(to, sums[m], sizeof(sums[m]));
        if (gaps_) around_gaps(c, g + m, to);
      }
    }
  }

  // Rows with a missing value are summed once more, by what they show.
  void around_gaps(std::size_t c, std::size_t g, double* sums) const {
    const std::size_t k = g * path_.classes + c;
    const double *mean = path_.mean + c * width_, *steepness = path_.steepness + k * width_, *height = path_.height + k * width_;
    for (std::size_t i = 0; i < kTile; ++i) {
      if (sums[i] == sums[i]) continue;
      sums[i] = start_[k];
      for (std::size_t j = 0; j < width_; ++j) {
        const double value = values_[j * kTile + i], off = value - mean[j];
        sums[i] -= value == value ? steepness[j] * (off * off) : height[j];
      }
    }
  }

  // A category that is missing, or beyond what was seen in training, says nothing.
  VENIRE_INLINE void look_up(const Matrix& x, const double* const* from, std::size_t count, std::size_t j) {
    const std::size_t begin = columns_.start[j], known = columns_.start[j + 1] - begin, classes = path_.classes;
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(columns_.categorical[j]) * x.column_stride;
    for (std::size_t i = 0; i < count; ++i) {
      const double code = from[i][at];
      if (!(code >= 0 && code < static_cast<double>(known))) continue;
      const double* each = path_.table + (begin + static_cast<std::size_t>(code)) * classes;
      for (std::size_t m = 0; m < path_.models; ++m, each += columns_.categories() * classes) {
        double* to = sums_.data() + m * classes * kTile + i;
        for (std::size_t c = 0; c < classes; ++c) to[c * kTile] += each[c];
      }
    }
  }

  const BayesColumns& columns_;
  const BayesPath& path_;
  std::size_t width_;
  bool gaps_ = false;
  std::vector<double> values_, start_, sums_;  // values: [column][row] from the origin
};

// exp(x) for x in [-104, 0] as 2^n times the series of exp(r), |r| <= ln 2 / 2: relative error below 1e-15. Its own, and not the
// library's: the same bits on every machine, and several at once.
template <class Vector>
VENIRE_INLINE void exponential(typename Vector::Lanes& x) {
  using Lanes = typename Vector::Lanes;
  constexpr double kRound = 6755399441055744.0;  // 1.5 times 2^52: a number near 0 that is added to it is rounded
  const Lanes shifted = x * 1.4426950408889634074 + kRound;
  const Lanes n = shifted - kRound;
  const Lanes r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  Lanes sum = r * (1.0 / 6227020800) + 1.0 / 479001600;
  for (const double part : {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0}) {
    sum = sum * r + part;
  }
  typename Vector::Bits power;
  std::memcpy(&power, &shifted, sizeof power);
  power = (power + 1023) << 52;  // the low bits of `shifted` are n
  Lanes scale;
  std::memcpy(&scale, &power, sizeof scale);
  x = sum * scale;
}

// Finite even where a value is beyond all reason: nothing is more unlikely than that.
template <class Lanes>
VENIRE_INLINE Lanes finite(const Lanes& sum) {
  return sum < kLeast ? Lanes{} + kLeast : sum;
}

// How likely each is beside one of logarithm 0, from logarithms below it.
template <class Vector>
VENIRE_INLINE void likelihood(typename Vector::Lanes& below) {
  using Lanes = typename Vector::Lanes;
  const typename Vector::Bits heard = below > kNothing;
  below = heard ? below : Lanes{};
  exponential<Vector>(below);
  below = heard ? below : Lanes{};
}

// `share_out` of two classes: one of them is the likelier, and only the other takes an exponential. The same bits.
template <class Vector>
VENIRE_INLINE void share_between_two(double* sums, const std::int16_t* codes, std::int16_t* labels) {
  using Lanes = typename Vector::Lanes;
  constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double);
  for (std::size_t v = 0; v < kTile; v += kLanes) {
    Lanes first, second;
    std::memcpy(&first, sums + v, sizeof first);
    std::memcpy(&second, sums + kTile + v, sizeof second);
    first = finite(first);
    const typename Vector::Bits higher = second > first;
    second = finite(second);
    Lanes other = higher ? first - second : second - first;
    likelihood<Vector>(other);
    const Lanes likelier = 1.0 / (1.0 + other);
    other *= likelier;
    first = higher ? other : likelier;
    second = higher ? likelier : other;
    std::memcpy(sums + v, &first, sizeof first);
    std::memcpy(sums + kTile + v, &second, sizeof second);
    for (std::size_t i = 0; i < kLanes; ++i) labels[v + i] = codes[higher[i] != 0];
  }
}

// From the logarithms of a tile [class][row] to the likeliest classes (of equals the first) and the shares, written over them.
template <class Vector>
VENIRE_INLINE void share_out(double* sums, std::size_t classes, const std::int16_t* codes, std::int16_t* labels) {
  using Lanes = typename Vector::Lanes;
  using Bits = typename Vector::Bits;
  constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double);
  for (std::size_t v = 0; v < kTile; v += kLanes) {
    const auto at = [&](std::size_t c) { return sums + c * kTile + v; };
    Lanes top = Lanes{} + kLeast, total = {}, one;
    Bits best = {};
    for (std::size_t c = 0; c < classes; ++c) {
      std::memcpy(&one, at(c), sizeof one);
      const Bits higher = one > top;
      best = higher ? Bits{} + static_cast<std::int64_t>(c) : best;
      top = higher ? one : top;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      std::memcpy(&one, at(c), sizeof one);
      one = finite(one) - top;
      likelihood<Vector>(one);
      total += one;
      std::memcpy(at(c), &one, sizeof one);
    }
    total = 1.0 / total;
    for (std::size_t c = 0; c < classes; ++c) {
      std::memcpy(&one, at(c), sizeof one);
      one *= total;
      std::memcpy(at(c), &one, sizeof one);
    }
    for (std::size_t i = 0; i < kLanes; ++i) labels[v + i] = codes[best[i]];
  }
}

template <class Vector>
VENIRE_INLINE void tell_rows(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                             const BayesColumns& columns, const BayesPath& path, const BayesTold& told) {
  Tile<Vector> tile(columns, path);
  for (std::size_t from = first; from < last; from += kTile) {
    const std::size_t count = std::min(kTile, last - from);
    tile.score(x, rows + from, count);
    for (std::size_t m = 0; m < path.models; ++m) {
      std::int16_t labels[kTile];
      double* sums = tile.sums(m);
      const std::size_t at = m * told.rows + from;
      if (path.classes == 2) {
        share_between_two<Vector>(sums, told.codes, labels);
      } else {
        share_out<Vector>(sums, path.classes, told.codes, labels);
      }
      std::copy_n(labels, count, told.labels + at);
      for (std::size_t i = 0; i < count; ++i) {
        float* to = told.shares + (at + i) * told.classes;
        for (std::size_t c = 0; c < path.classes; ++c) to[told.codes[c]] = static_cast<float>(sums[c * kTile + i]);
      }
    }
  }
}

#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 void tell_wide(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                           const BayesColumns& columns, const BayesPath& path, const BayesTold& told) {
  tell_rows<Wide>(x, rows, first, last, columns, path, told);
}
[[gnu::target("avx512f,avx512dq")]] void tell_widest(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last,
                                                    const BayesColumns& columns, const BayesPath& path, const BayesTold& told) {
  tell_rows<Widest>(x, rows, first, last, columns, path, told);
}
#endif

}  // namespace

void tell_bayes(const Matrix& x, const std::int64_t* rows, std::size_t first, std::size_t last, const BayesColumns& columns,
                const BayesPath& path, const BayesTold& told) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx512) return tell_widest(x, rows, first, last, columns, path, told);
  if (simd_level() >= Simd::avx2) return tell_wide(x, rows, first, last, columns, path, told);
#endif
  tell_rows<Narrow>(x, rows, first, last, columns, path, told);
}

}  // namespace venire
