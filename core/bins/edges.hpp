// Edges: where a column is cut into bins, from its values in order. The rules are those of binning.hpp: a bin a value
// while there are few, else about the same weight a bin; a bin a code for categories.
//
// Cost: two passes over the values for mean and deviation, a third for running weights if they differ, and a binary
// search a bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bins/binning.hpp"
#include "bins/keys.hpp"

namespace venire {

// The distinct values of a column in ascending order, with the weight of each.
struct Distinct {
  std::vector<double> values;
  std::vector<std::int64_t> weights;

  void reserve(std::size_t count) {
    values.reserve(count);
    weights.reserve(count);
  }

  void add(double value, std::int64_t weight) {
    if (!values.empty() && values.back() == value) {
      weights.back() += weight;
    } else {
      values.push_back(value);
      weights.push_back(weight);
    }
  }
};

Column make_column(const Distinct& distinct, bool categorical, int max_bins);

// A numeric column of the sorted keys of rows that weigh the same, more of them different than there may be bins; the
// distinct values are never written down. T is the scalar behind the keys.
template <class T>
Column sorted_column(const std::vector<KeyOf<T>>& keys, int max_bins);

}  // namespace venire
