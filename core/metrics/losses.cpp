#include "metrics/losses.hpp"

#include <algorithm>
#include <cmath>

#include "base/cpu.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kGroup = 512;  // rows whose sum is added to the whole at once: errors do not grow with the rows
constexpr std::size_t kFactors = 8;  // odds under one logarithm: each is below 1e7 times the classes
constexpr std::size_t kAbreast = 4;  // settings at a time: a sum waits for its last addition, and four wait at once

template <class T>
VENIRE_INLINE double clipped(T probability, T floor) {
  return static_cast<double>(probability < floor ? floor : probability > T{1} ? T{1} : probability);
}

// Some rows of one setting: probabilities [row][class], and the class of each.
template <class T>
struct Some {
  const T* probabilities;
  const std::int32_t* y;
  std::size_t rows, classes;
};

// The odds against the actual class. Two classes are by far the most frequent: without a place to look up they
// vectorise.
template <class T>
VENIRE_INLINE void odds_of(const Some<T>& some, T floor, double* __restrict to) {
  const T* row = some.probabilities;
  if (some.classes == 2) {
    for (std::size_t i = 0; i < some.rows; ++i) {
      const double first = clipped(row[2 * i], floor), second = clipped(row[2 * i + 1], floor);
      to[i] = (first + second) / (some.y[i] == 1 ? second : first);
    }
    return;
  }
  for (std::size_t i = 0; i < some.rows; ++i, row += some.classes) {
    double total = 0.0;
    for (std::size_t c = 0; c < some.classes; ++c) total += clipped(row[c], floor);
    to[i] = total / clipped(row[some.y[i]], floor);
  }
}

// The squared distance from the truth.
template <class T>
VENIRE_INLINE void distances_of(const Some<T>& some, double* __restrict to) {
  const T* row = some.probabilities;
  if (some.classes == 2) {
    for (std::size_t i = 0; i < some.rows; ++i) {
      const double actual = some.y[i] == 1 ? 1.0 : 0.0;
      const double first = static_cast<double>(row[2 * i]) - (1.0 - actual),
                   second = static_cast<double>(row[2 * i + 1]) - actual;
      to[i] = first * first + second * second;
    }
    return;
  }
  for (std::size_t i = 0; i < some.rows; ++i, row += some.classes) {
    to[i] = 0.0;
    for (std::size_t c = 0; c < some.classes; ++c) {
      const double off = static_cast<double>(row[c]) - (static_cast<std::size_t>(some.y[i]) == c ? 1.0 : 0.0);
      to[i] += off * off;
    }
  }
}

// The same loops for plain and for wide vectors.
template <class T>
void odds_narrow(const Some<T>& some, T floor, double* to) {
  odds_of(some, floor, to);
}
template <class T>
void distances_narrow(const Some<T>& some, double* to) {
  distances_of(some, to);
}
#ifdef VENIRE_HAS_AVX2
template <class T>
VENIRE_AVX2 void odds_wide(const Some<T>& some, T floor, double* to) {
  odds_of(some, floor, to);
}
template <class T>
VENIRE_AVX2 void distances_wide(const Some<T>& some, double* to) {
  distances_of(some, to);
}
#endif

template <class T>
void find_odds(const Some<T>& some, T floor, double* to) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return odds_wide(some, floor, to);
#endif
  odds_narrow(some, floor, to);
}

template <class T>
void find_distances(const Some<T>& some, double* to) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return distances_wide(some, to);
#endif
  distances_narrow(some, to);
}

// The values of a group of rows in K settings, and what they add to each.
template <std::size_t K>
struct Group {
  double values[K][kGroup], sums[K];
};

template <std::size_t K>
void add_plainly(Group<K>& group, std::size_t rows, const double* weights) {
  std::fill_n(group.sums, K, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights == nullptr ? 1.0 : weights[i];
    for (std::size_t k = 0; k < K; ++k) group.sums[k] += weight * group.values[k][i];
  }
}

template <std::size_t K>
void add_logarithms(Group<K>& group, std::size_t rows, const double* weights) {
  std::fill_n(group.sums, K, 0.0);
  if (weights != nullptr) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < K; ++k) group.sums[k] += weights[i] * std::log(group.values[k][i]);
    }
    return;
  }
  for (std::size_t first = 0; first < rows; first += kFactors) {
    double products[K];
    std::fill_n(products, K, 1.0);
    for (std::size_t i = first; i < std::min(first + kFactors, rows); ++i) {
      for (std::size_t k = 0; k < K; ++k) products[k] *= group.values[k][i];
    }
    for (std::size_t k = 0; k < K; ++k) group.sums[k] += std::log(products[k]);
  }
}

// The sums of K settings from the s-th on: `find` gives the value of each row of a setting, `add` the sums of a group.
template <std::size_t K, class T, class Find, class Add>
void add_groups(const ProbabilityTable<T>& probabilities, std::size_t s, const Find& find, const Add& add,
                double* found) {
  Group<K> group;
  for (std::size_t first = 0; first < probabilities.rows; first += kGroup) {
    const std::size_t rows = std::min(kGroup, probabilities.rows - first);
    for (std::size_t k = 0; k < K; ++k) {
      const T* from = probabilities.data + ((s + k) * probabilities.rows + first) * probabilities.classes;
      find(Some<T>{from, probabilities.y + first, rows, probabilities.classes}, group.values[k]);
    }
    add(group, rows, probabilities.weights == nullptr ? nullptr : probabilities.weights + first);
    for (std::size_t k = 0; k < K; ++k) found[s + k] += group.sums[k];
  }
}

template <class T, class Find, class Add>
std::vector<double> summed(const ProbabilityTable<T>& probabilities, const Find& find, const Add& add) {
  std::vector<double> found(probabilities.settings);
  std::size_t s = 0;
  for (; s + kAbreast <= probabilities.settings; s += kAbreast)
    add_groups<kAbreast>(probabilities, s, find, add, found.data());
  for (; s < probabilities.settings; ++s) add_groups<1>(probabilities, s, find, add, found.data());
  return found;
}

}  // namespace

template <class T>
std::vector<double> log_losses(const ProbabilityTable<T>& probabilities, T floor) {
  const auto find = [&](const Some<T>& some, double* to) { find_odds(some, floor, to); };
  return summed(probabilities, find,
                [](auto& group, std::size_t rows, const double* weights) { add_logarithms(group, rows, weights); });
}

template <class T>
std::vector<double> squared_losses(const ProbabilityTable<T>& probabilities) {
  const auto find = [](const Some<T>& some, double* to) { find_distances(some, to); };
  return summed(probabilities, find,
                [](auto& group, std::size_t rows, const double* weights) { add_plainly(group, rows, weights); });
}

namespace {

// Of two classes, as most often, there are few to count, and counting without a place to look up vectorises.
template <class T>
void count_two(const T* labels, std::size_t rows, const std::int32_t* y, double* given, double* right) {
  std::uint32_t ones = 0, both_one = 0, both_zero = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int32_t label = labels[i];
    ones += label == 1;
    both_one += (label == 1) & (y[i] == 1);
    both_zero += (label == 0) & (y[i] == 0);
  }
  given[0] = static_cast<double>(rows - ones);
  given[1] = static_cast<double>(ones);
  right[0] = static_cast<double>(both_zero);
  right[1] = static_cast<double>(both_one);
}

// Neighbouring rows often have the same label, and an addition has to wait for the one before it to the same place: so
// there are several places in turn.
template <class T>
void count_rows(const T* labels, std::size_t rows, std::size_t classes, const std::int32_t* y, double* given,
                double* right) {
  if (classes == 2) return count_two(labels, rows, y, given, right);
  constexpr std::size_t kTurns = 4;
  std::vector<std::uint32_t> counts(kTurns * 2 * classes);  // [turn][class][wrong, right]
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    ++counts[(i % kTurns * classes + label) * 2 + static_cast<std::size_t>(labels[i] == y[i])];
  }
  for (std::size_t k = 0; k < kTurns * classes; ++k) {
    given[k % classes] += static_cast<double>(counts[2 * k]) + static_cast<double>(counts[2 * k + 1]);
    right[k % classes] += static_cast<double>(counts[2 * k + 1]);
  }
}

}  // namespace

template <class T>
LabelCounts count_labels(const T* labels, std::size_t settings, std::size_t rows, std::size_t classes,
                         const std::int32_t* y, const double* weights) {
  LabelCounts counts{std::vector<double>(settings * classes), std::vector<double>(settings * classes)};
  for (std::size_t s = 0; s < settings; ++s, labels += rows) {
    double *given = counts.given.data() + s * classes, *right = counts.right.data() + s * classes;
    if (weights == nullptr) {
      count_rows(labels, rows, classes, y, given, right);
      continue;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      given[labels[i]] += weights[i];
      right[labels[i]] += labels[i] == y[i] ? weights[i] : 0.0;
    }
  }
  return counts;
}

template <class T>
std::vector<double> count_wrong(const T* labels, std::size_t settings, std::size_t rows, const std::int32_t* y) {
  std::vector<double> wrong(settings);
  for (std::size_t s = 0; s < settings; ++s, labels += rows) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < rows; ++i) count += labels[i] != y[i];
    wrong[s] = static_cast<double>(count);
  }
  return wrong;
}

template std::vector<double> count_wrong(const std::int16_t*, std::size_t, std::size_t, const std::int32_t*);
template std::vector<double> count_wrong(const std::int32_t*, std::size_t, std::size_t, const std::int32_t*);
template LabelCounts count_labels(const std::int16_t*, std::size_t, std::size_t, std::size_t, const std::int32_t*,
                                  const double*);
template LabelCounts count_labels(const std::int32_t*, std::size_t, std::size_t, std::size_t, const std::int32_t*,
                                  const double*);
template std::vector<double> log_losses(const ProbabilityTable<float>&, float);
template std::vector<double> log_losses(const ProbabilityTable<double>&, double);
template std::vector<double> squared_losses(const ProbabilityTable<float>&);
template std::vector<double> squared_losses(const ProbabilityTable<double>&);

}  // namespace venire
