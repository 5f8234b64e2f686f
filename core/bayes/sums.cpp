#include "bayes/model.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>
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

// The deviations of a block's rows from the first value that each class shows in each column, added row after row to
// what was there. Values near the first one lose no digits, whatever their offset; and where the block's rows are
// divided does not matter.
class BlockMoments {
 public:
  BlockMoments(std::size_t classes, const std::vector<double>& origin, const MomentState& state)
      : columns_(origin.size()), origin_(origin), state_(state), known_(classes), class_weight_(classes) {
    for (std::size_t c = 0; c < classes; ++c) known_[c] = all_known(c);
  }

  // Most rows have no gaps; those that have show it in their sums, and are added again.
  VENIRE_INLINE void add(const Block& block, const std::int32_t* labels, const double* weights) {
    find_centres(block, labels);
    const std::size_t cells = known_.size() * columns_;
    before_.assign(state_.sum, state_.sum + cells);
    before_.insert(before_.end(), state_.squares, state_.squares + cells);
    deviate(block, labels, weights, false);
    if (any_gap(state_.sum, cells)) {
      const auto middle = before_.begin() + static_cast<std::ptrdiff_t>(cells);
      std::copy(before_.begin(), middle, state_.sum);
      std::copy(middle, before_.end(), state_.squares);
      deviate(block, labels, weights, true);
      for (std::size_t i = 0; i < block.rows; ++i) {
        double* __restrict weight = state_.weight + static_cast<std::size_t>(labels[i]) * columns_;
        const double* __restrict row = block.row(i);
        const double w = weights == nullptr ? 1.0 : weights[i];
        for (std::size_t j = 0; j < columns_; ++j) weight[j] += row[j] == row[j] ? w : 0.0;
      }
      return;
    }
    std::fill(class_weight_.begin(), class_weight_.end(), 0.0);
    for (std::size_t i = 0; i < block.rows; ++i)
      class_weight_[static_cast<std::size_t>(labels[i])] += weights == nullptr ? 1.0 : weights[i];
    for (std::size_t k = 0; k < cells; ++k) state_.weight[k] += class_weight_[k / columns_];
  }

 private:
  bool all_known(std::size_t c) const { return !any_gap(state_.centre + c * columns_, columns_); }

  VENIRE_INLINE void find_centres(const Block& block, const std::int32_t* labels) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const auto c = static_cast<std::size_t>(labels[i]);
      if (known_[c]) continue;
      const double* row = block.row(i);
      double* centre = state_.centre + c * columns_;
      for (std::size_t j = 0; j < columns_; ++j) {
        if (centre[j] != centre[j]) centre[j] = row[j] - origin_[j];
      }
      known_[c] = all_known(c);
    }
  }

  VENIRE_INLINE void deviate(const Block& block, const std::int32_t* labels, const double* weights, bool gaps) {
    const double* __restrict origin = origin_.data();
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(labels[i]) * columns_;
      const double* __restrict row = block.row(i);
      const double* __restrict centre = state_.centre + at;
      double* __restrict sum = state_.sum + at;
      double* __restrict squares = state_.squares + at;
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
  const MomentState& state_;
  std::vector<bool> known_;
  std::vector<double> class_weight_, before_;
};

// Weight, mean and squares of a number of rows.
struct Moments {
  std::vector<double> weight, mean, squares;

  void merge(const Moments& other) {
    for (std::size_t k = 0; k < weight.size(); ++k)
      merge_moment(other.weight[k], other.mean[k], other.squares[k], weight[k], mean[k], squares[k]);
  }
};

// Blocks added up by twos, fours, eights: so the sums of any stretch of blocks that begins where it should can be made
// by itself.
class Pairwise {
 public:
  void add(Moments one, std::size_t level) {
    kept_.emplace_back(level, std::move(one));
    while (kept_.size() > 1 && kept_[kept_.size() - 2].first == kept_.back().first) fold();
  }
  Moments all() {
    while (kept_.size() > 1) fold();
    return kept_.empty() ? Moments{} : std::move(kept_.back().second);
  }

 private:
  void fold() {
    Moments last = std::move(kept_.back().second);
    kept_.pop_back();
    kept_.back().second.merge(last);
    ++kept_.back().first;
  }
  std::vector<std::pair<std::size_t, Moments>> kept_;
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
VENIRE_INLINE void add_moments(const Rows& rows, const T* data, std::size_t first, std::size_t last,
                               const MomentState& state, std::vector<double>& kept) {
  const BayesColumns& columns = rows.columns;
  const std::size_t step = block_rows(kReadValues, rows.x.columns);
  kept.resize(std::max(kept.size(), step * columns.numeric.size()));
  BlockMoments moments(rows.classes, columns.origin, state);
  for (std::size_t from = first; from < last; from += step) {
    const double* w = rows.weights == nullptr ? nullptr : rows.weights + from;
    moments.add(load_rows(rows.x, data, columns.numeric, from, std::min(from + step, last), kept), rows.labels + from,
                w);
  }
}

// The moments of blocks of kMomentRows rows each.
template <class T>
VENIRE_INLINE Moments moments_of(const Rows& rows, const T* data, std::size_t first, std::size_t last) {
  const std::size_t cells = rows.classes * rows.columns.numeric.size();
  std::vector<double> state(4 * cells), kept;
  const MomentState view{state.data(), &state[cells], &state[2 * cells], &state[3 * cells]};
  Pairwise pairwise;
  for (std::size_t from = first; from < last; from += kMomentRows) {
    std::fill(state.begin(), state.end(), 0.0);
    std::fill_n(view.centre, cells, std::numeric_limits<double>::quiet_NaN());
    add_moments(rows, data, from, std::min(from + kMomentRows, last), view, kept);
    Moments block{std::vector<double>(cells), std::vector<double>(cells), std::vector<double>(cells)};
    for (std::size_t k = 0; k < cells; ++k) {
      if (view.weight[k] <= 0) continue;
      const double off = view.sum[k] / view.weight[k];
      block.weight[k] = view.weight[k];
      block.mean[k] = view.centre[k] + off;
      block.squares[k] = std::max(0.0, view.squares[k] - off * view.sum[k]);
    }
    pairwise.add(std::move(block), 0);
  }
  return pairwise.all();
}

template <class T>
VENIRE_INLINE void sum_rows(const Rows& rows, const T* data, std::size_t first, std::size_t last, BayesSums& sums) {
  const BayesColumns& columns = rows.columns;
  const std::size_t step = block_rows(kReadValues, rows.x.columns);
  if (!columns.numeric.empty()) {
    Moments moments = moments_of(rows, data, first, last);
    sums.weight = std::move(moments.weight);
    sums.mean = std::move(moments.mean);
    sums.squares = std::move(moments.squares);
  }
  std::vector<double> kept(step * columns.counted.size());
  for (std::size_t from = first; from < last; from += step) {
    const std::size_t to = std::min(from + step, last);
    const double* w = rows.weights == nullptr ? nullptr : rows.weights + from;
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
void add_narrow(const Rows& rows, const T* data, const MomentState& state) {
  std::vector<double> kept;
  add_moments(rows, data, 0, rows.x.rows, state, kept);
}
#ifdef VENIRE_HAS_AVX2
template <class T>
VENIRE_AVX2 void add_wide(const Rows& rows, const T* data, const MomentState& state) {
  std::vector<double> kept;
  add_moments(rows, data, 0, rows.x.rows, state, kept);
}
#endif

template <class T>
auto pick_add() {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return &add_wide<T>;
#endif
  return &add_narrow<T>;
}

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

BayesSums sum_bayes(const Matrix& x, const std::int32_t* labels, const double* weights, std::size_t classes,
                    const BayesColumns& columns, Pool& pool) {
  BayesSums all(columns, classes);
  if (x.rows == 0) return all;
  const std::size_t bytes = sizeof(double) * (3 * all.weight.size() + all.table.size() + all.counted.size());
  const std::size_t blocks = (x.rows + kMomentRows - 1) / kMomentRows;
  const std::size_t affordable =
      std::clamp<std::size_t>(kMostPartialBytes / std::max<std::size_t>(bytes, 1), 1, kMostTasks);
  const std::size_t step = std::bit_ceil((blocks + affordable - 1) / affordable) * kMomentRows;
  std::vector<BayesSums> partial((x.rows + step - 1) / step, all);
  const Rows rows{x, labels, weights, classes, columns};
  with_scalar(x, [&](const auto* data) {
    const auto sum = pick_sum<Bare<decltype(data)>>();
    pool.run(partial.size(), [&](std::size_t task, std::size_t) {
      sum(rows, data, task * step, std::min((task + 1) * step, x.rows), partial[task]);
    });
  });
  Pairwise pairwise;
  for (BayesSums& one : partial) {
    pairwise.add({std::move(one.weight), std::move(one.mean), std::move(one.squares)}, 0);
    for (std::size_t k = 0; k < all.table.size(); ++k) all.table[k] += one.table[k];
    for (std::size_t k = 0; k < all.counted.size(); ++k) all.counted[k] += one.counted[k];
  }
  Moments moments = pairwise.all();
  all.weight = std::move(moments.weight);
  all.mean = std::move(moments.mean);
  all.squares = std::move(moments.squares);
  return all;
}

void add_moments(const Matrix& x, const std::int32_t* labels, const double* weights, std::size_t classes,
                 const BayesColumns& columns, const MomentState& state) {
  const Rows rows{x, labels, weights, classes, columns};
  with_scalar(x, [&](const auto* data) { pick_add<Bare<decltype(data)>>()(rows, data, state); });
}

}  // namespace venire
