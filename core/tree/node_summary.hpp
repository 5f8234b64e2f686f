// Summaries: what a node would predict if it were a leaf, and how mixed it is. Cost: the sums are there already;
// numbers need a pass for their range, and a second one for the impurity when it is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "splits/absolute_deviation.hpp"
#include "splits/histogram.hpp"
#include "tree/grow.hpp"

namespace venire {

// What a node would predict if it were a leaf.
struct Summary {
  bool pure = false;
  int pure_class = -1;
  double impurity = 0;
  std::vector<double> value;
};

inline double weight_unit(const Training& training) { return training.weights.empty() ? 1.0 : training.weights.unit; }

// The means of several targets, and the mean of their impurities.
template <class Impurity>
void summarise_several(const std::vector<double>& total, double weight, const SeveralItem* items, std::size_t count,
                       const Training& training, bool with_impurity, Summary& out) {
  const std::size_t targets = out.value.size();
  const double* first = items[0].y;
  out.pure = true;
  for (std::size_t i = 1; out.pure && i < count; ++i) out.pure = std::equal(first, first + targets, items[i].y);
  const double unit = training.moments.unit / (weight * weight_unit(training));
  for (std::size_t k = 0; k < targets; ++k) {
    out.value[k] = out.pure ? first[k] : training.centers[k] + total[k + 1] * unit;
  }
  out.impurity = 0;
  if (!with_impurity || out.pure) return;
  if constexpr (std::is_same_v<Impurity, JointEntropy>) {
    for (const double share : out.value) out.impurity -= x_log2_x(share);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      double squares = 0;
      for (std::size_t k = 0; k < targets; ++k) {
        const double away = items[i].y[k] - out.value[k];
        squares += away * away;
      }
      out.impurity += static_cast<double>(items[i].weight) * squares / weight;
    }
  }
  out.impurity /= training.joint;
}

template <class Item, class Impurity, int Channels>
void summarise(const Histogram<Item, Impurity, Channels>& groups, const Item* items, std::size_t count,
               const Training& training, bool with_impurity, Summary& out) {
  const std::vector<double>& total = groups.total();
  const double weight = groups.total_weight();
  if constexpr (Impurity::kClasses) {
    out.pure_class = -1;
    for (std::size_t k = 0; k < total.size(); ++k) {
      out.value[k] = total[k] / weight;
      if (total[k] == weight) out.pure_class = static_cast<int>(k);
    }
    out.pure = out.pure_class >= 0;
    if (with_impurity) out.impurity = Impurity::impurity(total.data(), static_cast<int>(total.size()), weight);
  } else if constexpr (std::is_same_v<Item, SeveralItem>) {
    summarise_several<Impurity>(total, weight, items, count, training, with_impurity, out);
  } else {
    double low = items[0].y, high = low;
    for (std::size_t i = 1; i < count; ++i) {
      low = std::min(low, items[i].y);
      high = std::max(high, items[i].y);
    }
    out.pure = low == high;
    out.value[0] =
        out.pure ? low : training.center + total[1] * training.moments.unit / (weight * weight_unit(training));
    if (!with_impurity) return;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double y = items[i].y, away = y - out.value[0];
      const double one = !std::is_same_v<Impurity, Poisson> ? away * away : y > 0 ? y * std::log(y / out.value[0]) : 0;
      sum += static_cast<double>(items[i].weight) * one;
    }
    out.impurity = out.pure ? 0.0 : sum / weight;
  }
}

inline void summarise(const Deviations& groups, const ValueItem*, std::size_t, const Training& training, bool,
                      Summary& out) {
  out.pure = groups.cost() == 0;
  out.value[0] = groups.median();
  out.impurity = groups.cost() * training.moments.unit / (groups.total_weight() * weight_unit(training));
}

// Turns a gain into a decrease of impurity times share of the weight.
inline double unit_of_gain(const Training& training, Criterion criterion, double weight) {
  if (training.classes > 0) return 1 / weight;
  const double unit = training.moments.unit / weight_unit(training);
  const bool squared = criterion == Criterion::variance || criterion == Criterion::gini;
  return (squared ? unit * unit : unit) / (weight * training.joint);
}

}  // namespace venire
