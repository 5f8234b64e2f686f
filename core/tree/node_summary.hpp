// Summaries: what a node would predict if it were a leaf, and how mixed it is. Cost: the sums are there already;
// numbers need a pass for their range, and a second one for the impurity when it is kept.
#pragma once

#include <algorithm>
#include <vector>

#include "tree/absolute_deviation.hpp"
#include "tree/grow.hpp"
#include "tree/histogram.hpp"

namespace venire {

// What a node would predict if it were a leaf.
struct Summary {
  bool pure = false;
  int pure_class = -1;
  double impurity = 0;
  std::vector<double> value;
};

inline double weight_unit(const Training& training) { return training.weights.empty() ? 1.0 : training.weights.unit; }

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
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      squares += static_cast<double>(items[i].weight) * (items[i].y - out.value[0]) * (items[i].y - out.value[0]);
    }
    out.impurity = out.pure ? 0.0 : squares / weight;
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
  return (criterion == Criterion::absolute ? unit : unit * unit) / weight;
}

}  // namespace venire
