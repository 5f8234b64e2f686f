// How mixed is a set of rows? Written as a score of sums, higher is better, such that
//
//   score(left) + score(right) − score(parent) = W·I(parent) − W_l·I(left) − W_r·I(right)
//
// with W the weight and I the impurity: the gain of a split in units of weight. Terms that are the same on both sides
// of the subtraction are left out, which saves work and digits. Sets are never empty: weights are positive.
// Cost: one division, or one logarithm a class.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/types.hpp"

namespace venire {

enum class Criterion { entropy, gain_ratio, gini, error, variance, absolute, poisson };

// x·log2(x), 0 at 0; the small whole numbers that fill deep nodes come from a table.
inline double x_log2_x(double x) {
  static constexpr int kKnown = 2048;
  static const std::array<double, kKnown> known = [] {
    std::array<double, kKnown> t{};
    for (int i = 1; i < kKnown; ++i) t[static_cast<std::size_t>(i)] = i * std::log2(static_cast<double>(i));
    return t;
  }();
  if (x >= 0 && x < kKnown) {  // what rounding leaves of an emptied side may lie below 0
    const int whole = static_cast<int>(x);
    if (static_cast<double>(whole) == x) return known[static_cast<std::size_t>(whole)];
  }
  return x > 0 ? x * std::log2(x) : 0.0;
}

// Sums of a set of rows with classes are the weights of the classes. W − Σ w²/W.
struct Gini {
  static constexpr bool kClasses = true;
  static double score(const double* sums, int count, double weight) {
    double squares = 0;
    for (int k = 0; k < count; ++k) squares += sums[k] * sums[k];
    return squares / weight;
  }
  static double impurity(const double* sums, int count, double weight) {
    return 1.0 - score(sums, count, weight) / weight;
  }
};

// W·log W − Σ w·log w, in bits.
struct Entropy {
  static constexpr bool kClasses = true;
  static double score(const double* sums, int count, double weight) {
    double own = 0;
    for (int k = 0; k < count; ++k) own += x_log2_x(sums[k]);
    return own - x_log2_x(weight);
  }
  static double impurity(const double* sums, int count, double weight) {
    return std::max(0.0, -score(sums, count, weight) / weight);
  }
};

// W − max w: the weight of the rows that the majority gets wrong.
struct Misclassified {
  static constexpr bool kClasses = true;
  static double score(const double* sums, int count, double) { return *std::max_element(sums, sums + count); }
  static double impurity(const double* sums, int count, double weight) {
    return 1.0 - score(sums, count, weight) / weight;
  }
};

// Sums are (weight, moment) with targets centred: Σ w(y − mean)² = Σ wy² − moment²/weight.
struct Variance {
  static constexpr bool kClasses = false;
  static double score(const double* sums, int, double weight) { return sums[1] * sums[1] / weight; }
};

// Sums are (weight, moment) with targets as they are, none negative: half the Poisson deviance, Σ w·y·log(y / mean) =
// Σ wy·log y − moment·log(moment / weight). A side whose targets are all 0 would predict 0, which no later row may
// contradict: it is no side.
struct Poisson {
  static constexpr bool kClasses = false;
  static double score(const double* sums, int, double weight) {
    return sums[1] > 0 ? sums[1] * std::log(sums[1] / weight) : -std::numeric_limits<double>::infinity();
  }
};

// Several targets at once: sums are the weight and a moment a target, all in the same unit. The variances add up; with
// an indicator of each class for a target, so do the Gini impurities of several targets with classes.
struct JointVariance {
  static constexpr bool kClasses = false;
  static double score(const double* sums, int count, double weight) {
    double squares = 0;
    for (int k = 1; k < count; ++k) squares += sums[k] * sums[k];
    return squares / weight;
  }
};

// Moments are the weights of the classes of several targets, each of which has the whole weight: its entropies added
// up, in bits.
struct JointEntropy {
  static constexpr bool kClasses = false;
  static double score(const double* sums, int count, double weight) {
    double own = 0, all = 0;
    for (int k = 1; k < count; ++k) {
      own += x_log2_x(sums[k]);
      all += sums[k];
    }
    return own - std::nearbyint(all / weight) * x_log2_x(weight);
  }
};

}  // namespace venire
