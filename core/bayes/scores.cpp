#include "bayes/model.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "base/cpu.hpp"
#include "base/row_blocks.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kScoreValues = 1 << 11;  // a block to score is read column by column: it stays in the first

// The chosen columns of some rows, column after column, from their origin. The matrix is read in the order it lies in
// memory.
template <class T>
VENIRE_INLINE void load_columns(const Matrix& x, const T* data, const ColumnNumbers& columns, const double* origin,
                                std::size_t first, std::size_t rows, double* __restrict to) {
  const std::size_t width = columns.size();
  if (x.row_stride < x.column_stride) {
    for (std::size_t j = 0; j < width; ++j) {
      const T* from = cell(x, data, first, columns[j]);
      for (std::size_t i = 0; i < rows; ++i, from += x.row_stride)
        to[j * rows + i] = static_cast<double>(*from) - origin[j];
    }
  } else {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < width; ++j)
        to[j * rows + i] = static_cast<double>(*cell(x, data, first + i, columns[j])) - origin[j];
    }
  }
}

// Rows of one block, as sums [class][row].
class BlockScores {
 public:
  BlockScores(const BayesColumns& columns, const BayesScores& scores, std::size_t rows)
      : columns_(columns), scores_(scores), start_(scores.prior, scores.prior + scores.classes),
        nought_(columns.counted.size(), 0.0), values_(rows * std::max(columns.numeric.size(), columns.counted.size())),
        sums_(rows * scores.classes) {
    // Every numeric value adds its height; a missing one takes it back.
    for (std::size_t k = 0; k < scores.classes * columns.numeric.size(); ++k)
      start_[k / columns.numeric.size()] += scores.height[k];
  }

  // Most tables have no gaps; one that has shows it in its sums, and is summed again. The next block then expects them.
  template <class T>
  VENIRE_INLINE void add(const Matrix& x, const T* data, std::size_t first, std::size_t rows, double* __restrict out) {
    const std::size_t classes = scores_.classes;
    load_columns(x, data, columns_.numeric, columns_.origin.data(), first, rows, values_.data());
    add_numbers(rows);
    if (!gaps_ && any_gap(sums_.data(), rows * classes)) {
      gaps_ = true;
      add_numbers(rows);
    }
    load_columns(x, data, columns_.counted, nought_.data(), first, rows, values_.data());
    for (std::size_t j = 0; j < columns_.counted.size(); ++j) add_counts(values_.data() + j * rows, j, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      // Finite even where a value is beyond all reason: nothing is more unlikely than that.
      for (std::size_t c = 0; c < classes; ++c) out[i * classes + c] = std::max(sums_[c * rows + i], kLeast);
    }
  }

 private:
  static constexpr double kLeast = std::numeric_limits<double>::lowest();

  VENIRE_INLINE void add_numbers(std::size_t rows) {
    for (std::size_t c = 0; c < scores_.classes; ++c) std::fill_n(sums_.data() + c * rows, rows, start_[c]);
    for (std::size_t j = 0; j < columns_.numeric.size(); ++j) add_column(values_.data() + j * rows, j, rows);
  }

  VENIRE_INLINE void add_column(const double* __restrict values, std::size_t j, std::size_t rows) {
    for (std::size_t c = 0; c < scores_.classes; ++c) {
      const std::size_t at = c * columns_.numeric.size() + j;
      const double mean = scores_.mean[at], steepness = scores_.steepness[at], height = scores_.height[at];
      double* __restrict to = sums_.data() + c * rows;
      if (gaps_) {
        for (std::size_t i = 0; i < rows; ++i) {
          const double off = values[i] - mean;
          const double fall = steepness * off * off;
          to[i] -= values[i] == values[i] ? fall : height;
        }
      } else {
        for (std::size_t i = 0; i < rows; ++i) {
          const double off = values[i] - mean;
          to[i] -= steepness * off * off;
        }
      }
    }
  }

  VENIRE_INLINE void add_counts(const double* __restrict values, std::size_t j, std::size_t rows) {
    for (std::size_t c = 0; c < scores_.classes; ++c) {
      const double each = scores_.counted[c * columns_.counted.size() + j];
      double* __restrict to = sums_.data() + c * rows;
      for (std::size_t i = 0; i < rows; ++i) to[i] += values[i] == values[i] ? values[i] * each : 0.0;
    }
  }

  const BayesColumns& columns_;
  const BayesScores& scores_;
  std::vector<double> start_, nought_, values_, sums_;
  bool gaps_ = false;
};

// The place of a code in its table; `count` for what is missing or beyond it. Clears `whole` for what is no code.
template <class T>
VENIRE_INLINE std::size_t place_of(T value, std::size_t count, bool& whole) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool inside = value >= 0 && value < static_cast<T>(count);
    const auto place = static_cast<std::int32_t>(inside ? value : T{0});
    whole = whole &&
            (inside ? static_cast<T>(place) == value : !(std::abs(value) < T(1 << 24)) || std::floor(value) == value);
    return inside ? static_cast<std::size_t>(place) : count;
  } else {
    const auto place = static_cast<std::size_t>(value);  // a negative one is far beyond the table
    return place < count ? place : count;
  }
}

// Adds the categorical columns to scores [row][class]; false when a value is not a whole number. With two classes, by
// far the most frequent case, both sums stay in registers.
template <bool Two, class T>
VENIRE_INLINE bool score_codes(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                               std::size_t first, std::size_t last, double* __restrict out) {
  const std::size_t classes = Two ? 2 : scores.classes, width = columns.categorical.size();
  bool whole = true;
  for (std::size_t i = first; i < last; ++i, out += classes) {
    double zero = out[0], one = Two ? out[1] : 0.0;
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t begin = columns.start[j], count = columns.start[j + 1] - begin;
      const std::size_t place = place_of(*cell(x, data, i, columns.categorical[j]), count, whole);
      if (place == count) continue;
      const double* each = scores.table + (begin + place) * classes;
      if constexpr (Two) {
        zero += each[0];
        one += each[1];
      } else {
        for (std::size_t c = 0; c < classes; ++c) out[c] += each[c];
      }
    }
    if constexpr (Two) {
      out[0] = zero;
      out[1] = one;
    }
  }
  return whole;
}

template <class T>
VENIRE_INLINE bool score_rows(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                              std::size_t first, std::size_t last, double* out) {
  const std::size_t block = block_rows(kScoreValues, x.columns), classes = scores.classes;
  BlockScores sums(columns, scores, block);
  for (std::size_t from = first; from < last; from += block) {
    sums.add(x, data, from, std::min(block, last - from), out + from * classes);
  }
  out += first * classes;
  if (columns.categorical.empty()) return true;
  return classes == 2 ? score_codes<true>(x, data, columns, scores, first, last, out)
                      : score_codes<false>(x, data, columns, scores, first, last, out);
}

// The same loops for plain and for wide vectors.
template <class T>
bool score_narrow(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                  std::size_t first, std::size_t last, double* out) {
  return score_rows(x, data, columns, scores, first, last, out);
}
#ifdef VENIRE_HAS_AVX2
template <class T>
VENIRE_AVX2 bool score_wide(const Matrix& x, const T* data, const BayesColumns& columns, const BayesScores& scores,
                            std::size_t first, std::size_t last, double* out) {
  return score_rows(x, data, columns, scores, first, last, out);
}
#endif

template <class T>
auto pick_score() {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return &score_wide<T>;
#endif
  return &score_narrow<T>;
}

}  // namespace

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
