// From the logarithms of a tile of rows to probabilities and to the likeliest class, in naive Bayes along a path.
//
// The same bits for any vectors. Cost: an exponential a row and class, of two classes one a row.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "base/wide.hpp"
#include "bayes/tile.hpp"

namespace venire {

constexpr double kLeast = std::numeric_limits<double>::lowest();
constexpr double kNothing = -104.0;  // exp of this and less is 0 in single precision, and lost beside a 1

// exp(x) for x in [-104, 0] as 2^n times the series of exp(r), |r| <= ln 2 / 2: relative error below 3e-14, for what
// ends in single precision. Its own, and not the library's: the same bits on every machine, and several at once. Four
// terms at a time: term by term each would wait for the last.
template <class Vector>
VENIRE_INLINE void exponential(typename Vector::Lanes& x) {
  using Lanes = typename Vector::Lanes;
  constexpr double kRound = 6755399441055744.0;  // 1.5 times 2^52: a number near 0 that is added to it is rounded
  const Lanes shifted = x * 1.4426950408889634074 + kRound;
  const Lanes n = shifted - kRound;
  const Lanes r = x - n * 0.69314718055994530942;
  const Lanes square = r * r, fourth = square * square;
  const Lanes from_0 = (r + 1.0) + square * (r * (1.0 / 6) + 0.5);
  const Lanes from_4 = (r * (1.0 / 120) + 1.0 / 24) + square * (r * (1.0 / 5040) + 1.0 / 720);
  const Lanes from_8 = (r * (1.0 / 362880) + 1.0 / 40320) + square * (r * (1.0 / 39916800) + 1.0 / 3628800);
  typename Vector::Bits power;
  std::memcpy(&power, &shifted, sizeof power);
  power = (power + 1023) << 52;  // the low bits of `shifted` are n
  Lanes scale;
  std::memcpy(&scale, &power, sizeof scale);
  x = (from_0 + fourth * (from_4 + fourth * from_8)) * scale;
}

// Finite even where a value is beyond all reason: nothing is more unlikely than that.
template <class Lanes>
VENIRE_INLINE void make_finite(Lanes& sum) {
  sum = sum < kLeast ? Lanes{} + kLeast : sum;
}

// How likely each is beside one of logarithm 0, from logarithms below it.
template <class Vector>
VENIRE_INLINE void likelihood(typename Vector::Lanes& below) {
  using Lanes = typename Vector::Lanes;
  const typename Vector::Bits counts = below > kNothing;
  below = counts ? below : Lanes{};
  exponential<Vector>(below);
  below = counts ? below : Lanes{};
}

// What two classes lead to, a tile of M models: probabilities [model][row][class], labels [model][row].
template <std::size_t M>
struct Pairs {
  float probabilities[M * kTile * 2];
  std::int16_t labels[M * kTile];
};

// `probabilities_from_logarithms` of two classes and M models: one class is the likelier, and only the other takes an
// exponential. The same bits.
template <class Vector, std::size_t M>
VENIRE_INLINE void share_between_two(const double* sums, std::int16_t first_code, std::int16_t second_code,
                                     Pairs<M>& to) {
  using Lanes = typename Vector::Lanes;
  using Singles = typename Vector::Singles;
  using Shorts = typename Vector::Shorts;
  constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double), kVectors = kTile / kLanes, kAll = M * kVectors;
  Lanes other[kAll];
  typename Vector::Bits higher[kAll];
  for (std::size_t k = 0; k < kAll; ++k) {
    const double* from = sums + k / kVectors * 2 * kTile + k % kVectors * kLanes;
    Lanes first, second;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&second, from + kTile, sizeof second);
    make_finite(first);
    make_finite(second);
    const Lanes ahead = second - first;
    higher[k] = ahead > 0.0;
    other[k] = higher[k] ? -ahead : ahead;
  }
  for (Lanes& below : other) likelihood<Vector>(below);
  float both[2][M * kTile];
  for (std::size_t k = 0; k < kAll; ++k) {
    const Lanes likelier = 1.0 / (1.0 + other[k]);
    other[k] *= likelier;
    const Singles first = __builtin_convertvector(higher[k] ? other[k] : likelier, Singles);
    const Singles second = __builtin_convertvector(higher[k] ? likelier : other[k], Singles);
    std::memcpy(both[0] + k * kLanes, &first, sizeof first);
    std::memcpy(both[1] + k * kLanes, &second, sizeof second);
    const Shorts chosen = __builtin_convertvector(higher[k], Shorts);
    const Shorts label = (chosen & second_code) | (~chosen & first_code);
    std::memcpy(to.labels + k * kLanes, &label, sizeof label);
  }
  for (std::size_t i = 0; i < M * kTile; ++i) {
    to.probabilities[2 * i] = both[0][i];
    to.probabilities[2 * i + 1] = both[1][i];
  }
}

// From the logarithms of a tile [class][row] to the likeliest classes (of equals the first) and the probabilities,
// written over them.
template <class Vector>
VENIRE_INLINE void probabilities_from_logarithms(double* sums, std::size_t classes, const std::int16_t* codes,
                                                 std::int16_t* labels) {
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
      make_finite(one);
      one -= top;
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

}  // namespace venire
