#include "bayes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "cpu.hpp"
#include "wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kSumValues = 1 << 14;           // a block to sum stays in the second-level cache
constexpr std::size_t kScoreValues = 1 << 11;         // a block to score is read column by column: it stays in the first
constexpr std::size_t kMostTasks = 64;                // partial results to merge, whatever the number of threads
constexpr std::size_t kMostPartialBytes = 64u << 20;  // and the memory they may take together

std::size_t block_rows(std::size_t values, std::size_t columns) {
  return std::clamp<std::size_t>(values / std::max<std::size_t>(columns, 1), 16, 512);
}

// How many rows a task takes: a number that follows from the shape of the table alone.
std::size_t task_rows(std::size_t rows, std::size_t block, std::size_t partial_bytes) {
  const std::size_t affordable = std::clamp<std::size_t>(kMostPartialBytes / std::max<std::size_t>(partial_bytes, 1), 1, kMostTasks);
  const std::size_t blocks = (rows + block - 1) / block;
  return std::max<std::size_t>((blocks + affordable - 1) / affordable, 8) * block;
}

bool side_by_side(const ColumnNumbers& columns) {
  return !columns.empty() && columns.back() - columns.front() + 1 == columns.size();
}

template <class T>
VENIRE_INLINE const T* cell(const Matrix& x, const T* data, std::size_t row, std::uint32_t column) {
  return data + static_cast<std::ptrdiff_t>(row) * x.row_stride + static_cast<std::ptrdiff_t>(column) * x.column_stride;
}

template <class T>
VENIRE_INLINE bool is_missing(T value) {
  if constexpr (std::is_floating_point_v<T>) return !(value >= 0);
  return std::is_signed_v<T> && value < T{0};
}

// Rows [first, last) of the chosen columns as doubles from their origin, one row after the other.
template <class T>
VENIRE_INLINE void load_rows(const Matrix& x, const T* data, const ColumnNumbers& columns, const double* origin, std::size_t first,
                             std::size_t last, double* __restrict to) {
  const std::size_t width = columns.size();
  if (x.column_stride == 1 && side_by_side(columns)) {
    for (std::size_t i = first; i < last; ++i, to += width) {
      const T* from = cell(x, data, i, columns.front());
      for (std::size_t j = 0; j < width; ++j) to[j] = static_cast<double>(from[j]) - origin[j];
    }
  } else if (x.row_stride < x.column_stride) {
    for (std::size_t j = 0; j < width; ++j) {
      const T* from = cell(x, data, first, columns[j]);
      for (std::size_t i = 0; i < last - first; ++i, from += x.row_stride) to[i * width + j] = static_cast<double>(*from) - origin[j];
    }
  } else {
    for (std::size_t i = first; i < last; ++i, to += width) {
      for (std::size_t j = 0; j < width; ++j) to[j] = static_cast<double>(*cell(x, data, i, columns[j])) - origin[j];
    }
  }
}

template <class T>
VENIRE_INLINE bool load_column(const Matrix& x, const T* data, std::uint32_t column, double origin, std::size_t first,
                               std::size_t rows, double* __restrict to) {
  const T* from = cell(x, data, first, column);
  for (std::size_t i = 0; i < rows; ++i, from += x.row_stride) to[i] = static_cast<double>(*from) - origin;
  std::uint64_t gaps = 0;
  for (std::size_t i = 0; i < rows; ++i) gaps += to[i] != to[i] ? 1 : 0;
  return gaps > 0;
}

VENIRE_INLINE bool any_gap(const double* values, std::size_t count) {
  std::uint64_t gaps = 0;
  for (std::size_t i = 0; i < count; ++i) gaps += values[i] != values[i] ? 1 : 0;
  return gaps > 0;
}

// Chan's rule: two groups become one, and only non-negative numbers are added to the squares.
VENIRE_INLINE void merge_moment(double weight, double mean, double squares, double& to_weight, double& to_mean, double& to_squares) {
  if (weight <= 0) return;
  const double total = to_weight + weight, apart = mean - to_mean, share = weight / total;
  to_squares += squares + apart * apart * to_weight * share;
  to_mean += apart * share;
  to_weight = total;
}

// Weight, mean and squares of one block of rows, merged into those of the rows before it.
//
// Where every class of the block is known already, one pass measures deviations from the means so far: what is lost to
// rounding is small against the squares that the merge adds. Else a first pass finds the block's own means.
class BlockMoments {
 public:
  BlockMoments(std::size_t classes, std::size_t columns)
      : classes_(classes), columns_(columns), weight_(classes * columns), sum_(weight_.size()), centre_(weight_.size()),
        squares_(weight_.size()), class_weight_(classes) {}

  VENIRE_INLINE void add(const double* block, const std::int32_t* labels, const double* weights, std::size_t rows, BayesSums& sums) {
    const bool gaps = any_gap(block, rows * columns_);
    weigh(block, labels, weights, rows, gaps);
    if (known(sums)) {
      std::copy(sums.mean.begin(), sums.mean.end(), centre_.begin());
    } else {
      std::fill(centre_.begin(), centre_.end(), 0.0);
      deviate(block, labels, weights, rows, gaps);
      for (std::size_t k = 0; k < centre_.size(); ++k) centre_[k] = weight_[k] > 0 ? sum_[k] / weight_[k] : 0.0;
    }
    deviate(block, labels, weights, rows, gaps);
    for (std::size_t k = 0; k < centre_.size(); ++k) {
      if (weight_[k] <= 0) continue;
      const double off = sum_[k] / weight_[k];
      const double squares = std::max(0.0, squares_[k] - off * sum_[k]);
      merge_moment(weight_[k], centre_[k] + off, squares, sums.weight[k], sums.mean[k], sums.squares[k]);
    }
  }

 private:
  VENIRE_INLINE void weigh(const double* block, const std::int32_t* labels, const double* weights, std::size_t rows, bool gaps) {
    std::fill(class_weight_.begin(), class_weight_.end(), 0.0);
    for (std::size_t i = 0; i < rows; ++i) class_weight_[static_cast<std::size_t>(labels[i])] += weights == nullptr ? 1.0 : weights[i];
    for (std::size_t c = 0; c < classes_; ++c) std::fill_n(weight_.begin() + static_cast<std::ptrdiff_t>(c * columns_), columns_, gaps ? 0.0 : class_weight_[c]);
    for (std::size_t i = 0; gaps && i < rows; ++i) {
      double* __restrict weight = &weight_[static_cast<std::size_t>(labels[i]) * columns_];
      const double* __restrict row = block + i * columns_;
      const double w = weights == nullptr ? 1.0 : weights[i];
      for (std::size_t j = 0; j < columns_; ++j) weight[j] += row[j] == row[j] ? w : 0.0;
    }
  }

  VENIRE_INLINE bool known(const BayesSums& sums) const {
    std::uint64_t fresh = 0;
    for (std::size_t k = 0; k < weight_.size(); ++k) fresh += weight_[k] > 0 && sums.weight[k] < weight_[k] ? 1 : 0;
    return fresh == 0;
  }

  VENIRE_INLINE void deviate(const double* block, const std::int32_t* labels, const double* weights, std::size_t rows, bool gaps) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(labels[i]) * columns_;
      const double* __restrict row = block + i * columns_;
      const double* __restrict centre = &centre_[at];
      double* __restrict sum = &sum_[at];
      double* __restrict squares = &squares_[at];
      if (weights == nullptr && !gaps) {
        for (std::size_t j = 0; j < columns_; ++j) {
          const double off = row[j] - centre[j];
          sum[j] += off;
          squares[j] += off * off;
        }
      } else {
        const double w = weights == nullptr ? 1.0 : weights[i];
        for (std::size_t j = 0; j < columns_; ++j) {
          const double off = row[j] == row[j] ? row[j] - centre[j] : 0.0;
          sum[j] += w * off;
          squares[j] += w * off * off;
        }
      }
    }
  }

  std::size_t classes_, columns_;
  std::vector<double> weight_, sum_, centre_, squares_, class_weight_;
};

template <class T>
VENIRE_INLINE void add_codes(const Matrix& x, const T* data, const BayesColumns& columns, const std::int32_t* labels,
                             const double* weights, std::size_t classes, std::size_t first, std::size_t last, double* table) {
  const std::size_t width = columns.categorical.size();
  for (std::size_t i = first; i < last; ++i) {
    double* of_class = table + static_cast<std::size_t>(labels[i]);
    const double w = weights == nullptr ? 1.0 : weights[i];
    for (std::size_t j = 0; j < width; ++j) {
      const T value = *cell(x, data, i, columns.categorical[j]);
      if (is_missing(value)) continue;
      const std::size_t at = columns.start[j] + static_cast<std::size_t>(value);
      if (at < columns.start[j + 1]) of_class[at * classes] += w;
    }
  }
}

VENIRE_INLINE void add_counts(const double* block, std::size_t width, const std::int32_t* labels, const double* weights,
                              std::size_t rows, double* sums) {
  for (std::size_t i = 0; i < rows; ++i) {
    double* __restrict to = sums + static_cast<std::size_t>(labels[i]) * width;
    const double* __restrict row = block + i * width;
    const double w = weights == nullptr ? 1.0 : weights[i];
    for (std::size_t j = 0; j < width; ++j) to[j] += row[j] == row[j] ? w * row[j] : 0.0;
  }
}

struct Rows {
  const Matrix& x;
  const std::int32_t* labels;
  const double* weights;
  std::size_t classes;
  const BayesColumns& columns;
};

template <class T>
VENIRE_INLINE void sum_rows(const Rows& rows, const T* data, std::size_t first, std::size_t last, BayesSums& sums) {
  const BayesColumns& columns = rows.columns;
  const std::size_t step = block_rows(kSumValues, rows.x.columns);
  BlockMoments moments(rows.classes, columns.numeric.size());
  std::vector<double> block(step * std::max(columns.numeric.size(), columns.counted.size()));
  const std::vector<double> nought(columns.counted.size(), 0.0);
  for (std::size_t from = first; from < last; from += step) {
    const std::size_t to = std::min(from + step, last);
    const double* w = rows.weights == nullptr ? nullptr : rows.weights + from;
    if (!columns.numeric.empty()) {
      load_rows(rows.x, data, columns.numeric, columns.origin.data(), from, to, block.data());
      moments.add(block.data(), rows.labels + from, w, to - from, sums);
    }
    if (!columns.counted.empty()) {
      load_rows(rows.x, data, columns.counted, nought.data(), from, to, block.data());
      add_counts(block.data(), columns.counted.size(), rows.labels + from, w, to - from, sums.counted.data());
    }
    if (!columns.categorical.empty()) {
      add_codes(rows.x, data, columns, rows.labels, rows.weights, rows.classes, from, to, sums.table.data());
    }
  }
}

template <class T>
VENIRE_INLINE void score_block(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                               std::size_t first, std::size_t rows, double* __restrict values, double* __restrict sums) {
  const std::size_t classes = scores.classes;
  for (std::size_t c = 0; c < classes; ++c) std::fill_n(sums + c * rows, rows, scores.prior[c]);
  for (std::size_t j = 0; j < columns.numeric.size(); ++j) {
    const bool gaps = load_column(x, data, columns.numeric[j], columns.origin[j], first, rows, values);
    for (std::size_t c = 0; c < classes; ++c) {
      const std::size_t at = c * columns.numeric.size() + j;
      const double mean = scores.mean[at], steepness = scores.steepness[at], height = scores.height[at];
      double* __restrict to = sums + c * rows;
      if (gaps) {
        for (std::size_t i = 0; i < rows; ++i) {
          const double off = values[i] - mean;
          to[i] += values[i] == values[i] ? height - steepness * off * off : 0.0;
        }
      } else {
        for (std::size_t i = 0; i < rows; ++i) {
          const double off = values[i] - mean;
          to[i] += height - steepness * off * off;
        }
      }
    }
  }
  for (std::size_t j = 0; j < columns.counted.size(); ++j) {
    load_column(x, data, columns.counted[j], 0.0, first, rows, values);
    for (std::size_t c = 0; c < classes; ++c) {
      const double each = scores.counted[c * columns.counted.size() + j];
      double* __restrict to = sums + c * rows;
      for (std::size_t i = 0; i < rows; ++i) to[i] += values[i] == values[i] ? values[i] * each : 0.0;
    }
  }
}

// Adds the categorical columns to scores [row][class]; false when a value is not a whole number.
template <class T>
VENIRE_INLINE bool score_codes(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                               std::size_t first, std::size_t last, double* out) {
  const std::size_t classes = scores.classes, width = columns.categorical.size();
  bool whole = true;
  for (std::size_t i = first; i < last; ++i, out += classes) {
    for (std::size_t j = 0; j < width; ++j) {
      const T value = *cell(x, data, i, columns.categorical[j]);
      if constexpr (std::is_floating_point_v<T>) whole = whole && (value != value || std::trunc(value) == value);
      if (is_missing(value) || static_cast<double>(value) >= static_cast<double>(columns.start[j + 1] - columns.start[j])) continue;
      const double* each = scores.table + (columns.start[j] + static_cast<std::size_t>(value)) * classes;
      for (std::size_t c = 0; c < classes; ++c) out[c] += each[c];
    }
  }
  return whole;
}

template <class T>
VENIRE_INLINE bool score_rows(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                              std::size_t first, std::size_t last, double* out) {
  const std::size_t block = block_rows(kScoreValues, x.columns), classes = scores.classes;
  std::vector<double> values(block), sums(block * classes);
  for (std::size_t from = first; from < last; from += block) {
    const std::size_t rows = std::min(block, last - from);
    score_block(x, data, columns, scores, from, rows, values.data(), sums.data());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = 0; c < classes; ++c) out[(from + i) * classes + c] = sums[c * rows + i];
    }
  }
  return columns.categorical.empty() || score_codes(x, data, columns, scores, first, last, out + first * classes);
}

template <class T>
VENIRE_INLINE void scan_rows(const Matrix& x, const T* data, const ColumnNumbers& columns, std::size_t first, std::size_t last,
                             CodeScan& found) {
  using Code = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
  std::vector<Code> highest(columns.size(), Code(-1));
  std::vector<Code> fraction(columns.size(), Code(0));
  const bool dense = x.column_stride == 1 && side_by_side(columns);
  const auto look = [&](T raw, std::size_t j) {
    const auto value = static_cast<Code>(raw);
    highest[j] = value > highest[j] ? value : highest[j];
    if constexpr (std::is_floating_point_v<T>) {
      // Adding and taking away 2^52 (2^23 in single precision) rounds to a whole number, whatever the vector width.
      constexpr T far = sizeof(T) == 8 ? T(4503599627370496.0) : T(8388608.0);
      const T size = value < 0 ? -value : value;
      const T rounded = (size + far) - far;
      fraction[j] = size < far && size != rounded ? T(1) : fraction[j];
    }
  };
  for (std::size_t i = first; i < last; ++i) {
    if (dense) {
      const T* row = cell(x, data, i, columns.front());
      for (std::size_t j = 0; j < columns.size(); ++j) look(row[j], j);
    } else {
      for (std::size_t j = 0; j < columns.size(); ++j) look(*cell(x, data, i, columns[j]), j);
    }
  }
  found.highest.assign(columns.size(), -1);
  for (std::size_t j = columns.size(); j-- > 0;) {
    // Beyond any number that could be a code, so that the conversion is defined.
    if (fraction[j] != Code(0) || !(highest[j] < Code(1e15))) found.broken = static_cast<std::int64_t>(j);
    else found.highest[j] = static_cast<std::int64_t>(highest[j]);
  }
}

// The same loops for plain and for wide vectors.
template <class T>
void sum_narrow(const Rows& rows, const T* data, std::size_t first, std::size_t last, BayesSums& sums) {
  sum_rows(rows, data, first, last, sums);
}
template <class T>
bool score_narrow(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores, std::size_t first,
                  std::size_t last, double* out) {
  return score_rows(x, data, columns, scores, first, last, out);
}
#ifdef VENIRE_HAS_AVX2
template <class T>
VENIRE_AVX2 void sum_wide(const Rows& rows, const T* data, std::size_t first, std::size_t last, BayesSums& sums) {
  sum_rows(rows, data, first, last, sums);
}
template <class T>
VENIRE_AVX2 bool score_wide(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                            std::size_t first, std::size_t last, double* out) {
  return score_rows(x, data, columns, scores, first, last, out);
}
#endif

template <class T>
auto pick_sum() {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return &sum_wide<T>;
#endif
  return &sum_narrow<T>;
}

template <class T>
auto pick_score() {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return &score_wide<T>;
#endif
  return &score_narrow<T>;
}

template <class T>
using Bare = std::remove_cv_t<std::remove_pointer_t<T>>;

}  // namespace

BayesSums::BayesSums(const BayesColumns& columns, std::size_t classes)
    : weight(classes * columns.numeric.size()),
      mean(weight.size()),
      squares(weight.size()),
      table(columns.categories() * classes),
      counted(classes * columns.counted.size()) {}

void BayesSums::merge(const BayesSums& other) {
  for (std::size_t k = 0; k < weight.size(); ++k) {
    merge_moment(other.weight[k], other.mean[k], other.squares[k], weight[k], mean[k], squares[k]);
  }
  for (std::size_t k = 0; k < table.size(); ++k) table[k] += other.table[k];
  for (std::size_t k = 0; k < counted.size(); ++k) counted[k] += other.counted[k];
}

CodeScan scan_codes(const Matrix& x, const ColumnNumbers& columns, Pool& pool) {
  const std::size_t step = task_rows(x.rows, block_rows(kSumValues, x.columns), columns.size() * sizeof(std::int64_t));
  std::vector<CodeScan> found((x.rows + step - 1) / step);
  with_scalar(x, [&](const auto* data) {
    pool.run(found.size(), [&](std::size_t task, std::size_t) {
      scan_rows(x, data, columns, task * step, std::min((task + 1) * step, x.rows), found[task]);
    });
  });
  CodeScan all;
  all.highest.assign(columns.size(), -1);
  for (const CodeScan& one : found) {
    if (all.broken < 0) all.broken = one.broken;
    for (std::size_t j = 0; j < columns.size(); ++j) all.highest[j] = std::max(all.highest[j], one.highest[j]);
  }
  return all;
}

BayesSums sum_bayes(const Matrix& x, const std::int32_t* labels, const double* weights, std::size_t classes,
                    const BayesColumns& columns, Pool& pool) {
  const BayesSums empty(columns, classes);
  const std::size_t bytes = sizeof(double) * (3 * empty.weight.size() + empty.table.size() + empty.counted.size());
  const std::size_t step = task_rows(x.rows, block_rows(kSumValues, x.columns), bytes);
  std::vector<BayesSums> partial((x.rows + step - 1) / step, empty);
  const Rows rows{x, labels, weights, classes, columns};
  with_scalar(x, [&](const auto* data) {
    const auto sum = pick_sum<Bare<decltype(data)>>();
    pool.run(partial.size(), [&](std::size_t task, std::size_t) {
      sum(rows, data, task * step, std::min((task + 1) * step, x.rows), partial[task]);
    });
  });
  BayesSums all = empty;
  for (const BayesSums& one : partial) all.merge(one);
  return all;
}

bool score_bayes(const Matrix& x, const BayesColumns& columns, const BayesScores& scores, double* out, Pool& pool) {
  const std::size_t step = task_rows(x.rows, block_rows(kScoreValues, x.columns), 0);
  std::atomic<bool> whole{true};
  with_scalar(x, [&](const auto* data) {
    const auto score = pick_score<Bare<decltype(data)>>();
    pool.run((x.rows + step - 1) / step, [&](std::size_t task, std::size_t) {
      if (!score(x, data, columns, scores, task * step, std::min((task + 1) * step, x.rows), out)) whole = false;
    });
  });
  return whole;
}

}  // namespace venire
