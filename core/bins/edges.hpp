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

// Which of the values, by number, is the last of each bin, from their weights.
std::vector<std::size_t> bin_ends(const std::vector<std::int64_t>& weights, std::size_t max_bins);

Column make_column(const Distinct& distinct, bool categorical, int max_bins);

// A column of the keys of rows that weigh the same, in any order; they are sorted in place, and `spare` is room for
// that. Of a numeric column with many different values these are never written down. T is the scalar behind the keys.
template <class T>
Column column_of_keys(std::vector<KeyOf<T>>& keys, std::vector<KeyOf<T>>& spare, bool categorical, int max_bins);

// The values of a few keys, with their weights.
template <class T>
void add_few(const FewKeys<KeyOf<T>>& few, Distinct& out) {
  for (const auto& [key, weight] : few.sorted()) out.add(number_of<T>(key), weight);
}

}  // namespace venire
