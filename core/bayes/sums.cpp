#include "bayes/model.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/cpu.hpp"
#include "base/row_blocks.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

// Rows of doubles, side by side or with other columns between them.
struct Block {
  const double* data;
  std::ptrdiff_t stride;
  std::size_t rows;
  const double* row(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

// Rows [first, last) of the chosen columns: those of the matrix itself where they will do, else a copy in `kept`.
template <class T>
VENIRE_INLINE Block load_rows(const Matrix& x, const T* data, const ColumnNumbers& columns, std::size_t first,
                              std::size_t last, std::vector<double>& kept) {
  const std::size_t width = columns.size();
  if constexpr (std::is_same_v<T, double>) {
    if (x.column_stride == 1 && side_by_side(columns))
      return {cell(x, data, first, columns.front()), x.row_stride, last - first};
  }
  double* to = kept.data();
  if (x.row_stride < x.column_stride) {
    for (std::size_t j = 0; j < width; ++j) {
      const T* from = cell(x, data, first, columns[j]);
      for (std::size_t i = 0; i < last - first; ++i, from += x.row_stride)
        to[i * width + j] = static_cast<double>(*from);
    }
  } else {
    for (std::size_t i = first; i < last; ++i, to += width) {
      for (std::size_t j = 0; j < width; ++j) to[j] = static_cast<double>(*cell(x, data, i, columns[j]));
    }
  }
  return {kept.data(), static_cast<std::ptrdiff_t>(width), last - first};
}

// Chan's rule: two groups become one, and only non-negative numbers are added to the squares.
VENIRE_INLINE void merge_moment(double weight, double mean, double squares, double& to_weight, double& to_mean,
                                double& to_squares) {
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
  BlockMoments(std::size_t classes, const std::vector<double>& origin)
      : columns_(origin.size()), origin_(origin), weight_(classes * columns_), sum_(weight_.size()),
        centre_(weight_.size()), squares_(weight_.size()), class_weight_(classes) {}

  // Most blocks have no gaps; one that has shows it in its sums, and is gathered again.
  VENIRE_INLINE void add(const Block& block, const std::int32_t* labels, const double* weights, BayesSums& sums) {
    if (!gather(block, labels, weights, sums, false)) gather(block, labels, weights, sums, true);
    for (std::size_t k = 0; k < centre_.size(); ++k) {
      if (weight_[k] <= 0) continue;
      const double off = sum_[k] / weight_[k];
      const double squares = std::max(0.0, squares_[k] - off * sum_[k]);
      merge_moment(weight_[k], centre_[k] + off, squares, sums.weight[k], sums.mean[k], sums.squares[k]);
    }
  }

 private:
  VENIRE_INLINE bool gather(const Block& block, const std::int32_t* labels, const double* weights,
                            const BayesSums& sums, bool gaps) {
    weigh(block, labels, weights, gaps);
    if (known(sums)) {
      std::copy(sums.mean.begin(), sums.mean.end(), centre_.begin());
    } else {
      std::fill(centre_.begin(), centre_.end(), 0.0);
      deviate(block, labels, weights, gaps);
      for (std::size_t k = 0; k < centre_.size(); ++k) centre_[k] = weight_[k] > 0 ? sum_[k] / weight_[k] : 0.0;
    }
    deviate(block, labels, weights, gaps);
    return !any_gap(sum_.data(), sum_.size());
  }

  VENIRE_INLINE void weigh(const Block& block, const std::int32_t* labels, const double* weights, bool gaps) {
    std::fill(class_weight_.begin(), class_weight_.end(), 0.0);
    for (std::size_t i = 0; i < block.rows; ++i)
      class_weight_[static_cast<std::size_t>(labels[i])] += weights == nullptr ? 1.0 : weights[i];
    for (std::size_t k = 0; k < weight_.size(); ++k) weight_[k] = gaps ? 0.0 : class_weight_[k / columns_];
    for (std::size_t i = 0; gaps && i < block.rows; ++i) {
      double* __restrict weight = &weight_[static_cast<std::size_t>(labels[i]) * columns_];
      const double* __restrict row = block.row(i);
      const double w = weights == nullptr ? 1.0 : weights[i];
      for (std::size_t j = 0; j < columns_; ++j) weight[j] += row[j] == row[j] ? w : 0.0;
    }
  }

  VENIRE_INLINE bool known(const BayesSums& sums) const {
    std::uint64_t fresh = 0;
    for (std::size_t k = 0; k < weight_.size(); ++k) fresh += sums.weight[k] < weight_[k] ? 1 : 0;
    return fresh == 0;
  }

  VENIRE_INLINE void deviate(const Block& block, const std::int32_t* labels, const double* weights, bool gaps) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    const double* __restrict origin = origin_.data();
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(labels[i]) * columns_;
      const double* __restrict row = block.row(i);
      const double* __restrict centre = &centre_[at];
      double* __restrict sum = &sum_[at];
      double* __restrict squares = &squares_[at];
      const double w = weights == nullptr ? 1.0 : weights[i];
      if (gaps) {
        for (std::size_t j = 0; j < columns_; ++j) {
          const double off = row[j] == row[j] ? (row[j] - origin[j]) - centre[j] : 0.0;
          sum[j] += w * off;
          squares[j] += w * off * off;
        }
      } else {
        for (std::size_t j = 0; j < columns_; ++j) {
          const double off = (row[j] - origin[j]) - centre[j];
          sum[j] += w * off;
          squares[j] += w * off * off;
        }
      }
    }
  }

  std::size_t columns_;
  const std::vector<double>& origin_;
  std::vector<double> weight_, sum_, centre_, squares_, class_weight_;
};

template <class T>
VENIRE_INLINE void add_codes(const Matrix& x, const T* data, const BayesColumns& columns, const std::int32_t* labels,
                             const double* weights, std::size_t classes, std::size_t first, std::size_t last,
                             double* table) {
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

VENIRE_INLINE void add_counts(const Block& block, std::size_t width, const std::int32_t* labels, const double* weights,
                              double* sums) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    double* __restrict to = sums + static_cast<std::size_t>(labels[i]) * width;
    const double* __restrict row = block.row(i);
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
  const std::size_t step = block_rows(kReadValues, rows.x.columns);
  BlockMoments moments(rows.classes, columns.origin);
  std::vector<double> kept(step * std::max(columns.numeric.size(), columns.counted.size()));
  for (std::size_t from = first; from < last; from += step) {
    const std::size_t to = std::min(from + step, last);
    const double* w = rows.weights == nullptr ? nullptr : rows.weights + from;
    if (!columns.numeric.empty()) {
      moments.add(load_rows(rows.x, data, columns.numeric, from, to, kept), rows.labels + from, w, sums);
    }
    if (!columns.counted.empty()) {
      const Block block = load_rows(rows.x, data, columns.counted, from, to, kept);
      add_counts(block, columns.counted.size(), rows.labels + from, w, sums.counted.data());
    }
    if (!columns.categorical.empty()) {
      add_codes(rows.x, data, columns, rows.labels, rows.weights, rows.classes, from, to, sums.table.data());
    }
  }
}

// The same loops for plain and for wide vectors.
template <class T>
void sum_narrow(const Rows& rows, const T* data, std::size_t first, std::size_t last, BayesSums& sums) {
  sum_rows(rows, data, first, last, sums);
}
#ifdef VENIRE_HAS_AVX2
template <class T>
VENIRE_AVX2 void sum_wide(const Rows& rows, const T* data, std::size_t first, std::size_t last, BayesSums& sums) {
  sum_rows(rows, data, first, last, sums);
}
#endif

template <class T>
auto pick_sum() {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return &sum_wide<T>;
#endif
  return &sum_narrow<T>;
}

}  // namespace

BayesSums::BayesSums(const BayesColumns& columns, std::size_t classes)
    : weight(classes * columns.numeric.size()), mean(weight.size()), squares(weight.size()),
      table(columns.categories() * classes), counted(classes * columns.counted.size()) {}

void BayesSums::merge(const BayesSums& other) {
  for (std::size_t k = 0; k < weight.size(); ++k) {
    merge_moment(other.weight[k], other.mean[k], other.squares[k], weight[k], mean[k], squares[k]);
  }
  for (std::size_t k = 0; k < table.size(); ++k) table[k] += other.table[k];
  for (std::size_t k = 0; k < counted.size(); ++k) counted[k] += other.counted[k];
}

BayesSums sum_bayes(const Matrix& x, const std::int32_t* labels, const double* weights, std::size_t classes,
                    const BayesColumns& columns, Pool& pool) {
  const BayesSums empty(columns, classes);
  const std::size_t bytes = sizeof(double) * (3 * empty.weight.size() + empty.table.size() + empty.counted.size());
  const std::size_t step = task_rows(x.rows, block_rows(kReadValues, x.columns), bytes);
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

}  // namespace venire
