#include "losses.hpp"

#include <algorithm>
#include <cmath>

namespace venire {
namespace {

constexpr std::size_t kGroup = 512;  // rows whose sum is added to the whole at once: errors do not grow with the rows
constexpr std::size_t kFactors = 8;  // odds under one logarithm: each is below 1e7 times the classes

template <class T>
double odds(const T* row, std::size_t classes, std::size_t actual, T floor) {
  double total = 0.0;
  const auto clipped = [&](T share) { return static_cast<double>(share < floor ? floor : share > T{1} ? T{1} : share); };
  for (std::size_t c = 0; c < classes; ++c) total += clipped(row[c]);
  return total / clipped(row[actual]);
}

// The sum of `of(row, its number)` over the rows of one setting, group by group.
template <class Of>
double grouped(std::size_t rows, const Of& of) {
  double whole = 0.0;
  for (std::size_t first = 0; first < rows; first += kGroup) whole += of(first, std::min(first + kGroup, rows));
  return whole;
}

}  // namespace

template <class T>
std::vector<double> log_losses(const Shares<T>& shares, T floor) {
  const std::size_t classes = shares.classes;
  std::vector<double> found(shares.settings);
  for (std::size_t s = 0; s < shares.settings; ++s) {
    const T* of_setting = shares.data + s * shares.rows * classes;
    found[s] = grouped(shares.rows, [&](std::size_t first, std::size_t last) {
      double sum = 0.0, product = 1.0;
      for (std::size_t i = first; i < last; ++i) {
        const double one = odds(of_setting + i * classes, classes, static_cast<std::size_t>(shares.y[i]), floor);
        if (shares.weights != nullptr) {
          sum += shares.weights[i] * std::log(one);
          continue;
        }
        product *= one;
        if ((i - first) % kFactors == kFactors - 1) {
          sum += std::log(product);
          product = 1.0;
        }
      }
      return sum + std::log(product);
    });
  }
  return found;
}

template <class T>
std::vector<double> squared_losses(const Shares<T>& shares) {
  const std::size_t classes = shares.classes;
  std::vector<double> found(shares.settings);
  for (std::size_t s = 0; s < shares.settings; ++s) {
    const T* of_setting = shares.data + s * shares.rows * classes;
    found[s] = grouped(shares.rows, [&](std::size_t first, std::size_t last) {
      double sum = 0.0;
      for (std::size_t i = first; i < last; ++i) {
        const T* row = of_setting + i * classes;
        double distance = 0.0;
        for (std::size_t c = 0; c < classes; ++c) {
          const double off = static_cast<double>(row[c]) - (static_cast<std::size_t>(shares.y[i]) == c ? 1.0 : 0.0);
          distance += off * off;
        }
        sum += shares.weights == nullptr ? distance : shares.weights[i] * distance;
      }
      return sum;
    });
  }
  return found;
}

namespace {

// Neighbouring rows often have the same label, and an addition has to wait for the one before it to the same place: so
// there are several places in turn.
template <class T>
void count_rows(const T* labels, std::size_t rows, std::size_t classes, const std::int32_t* y, double* given, double* right) {
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
LabelCounts count_labels(const T* labels, std::size_t settings, std::size_t rows, std::size_t classes, const std::int32_t* y,
                         const double* weights) {
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

template LabelCounts count_labels(const std::int16_t*, std::size_t, std::size_t, std::size_t, const std::int32_t*, const double*);
template LabelCounts count_labels(const std::int32_t*, std::size_t, std::size_t, std::size_t, const std::int32_t*, const double*);
template std::vector<double> log_losses(const Shares<float>&, float);
template std::vector<double> log_losses(const Shares<double>&, double);
template std::vector<double> squared_losses(const Shares<float>&);
template std::vector<double> squared_losses(const Shares<double>&);

}  // namespace venire
