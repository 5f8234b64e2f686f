#include "bins/binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/radix.hpp"
#include "bins/edges.hpp"
#include "bins/encode.hpp"
#include "bins/keys.hpp"

namespace venire {
namespace {

template <class Key>
struct Keyed {
  Key key;
  Row row;
};

// Of rows that weigh differently. `x` is one column, `stride` elements from row to row.
template <class T>
Distinct distinct_values(const T* x, std::ptrdiff_t stride, std::size_t rows, const std::int64_t* weights) {
  using Key = KeyOf<T>;
  Distinct out;
  FewKeys<Key> few;
  bool is_few = true;
  for (std::size_t i = 0; i < rows && is_few; ++i) {
    const T value = x[static_cast<std::ptrdiff_t>(i) * stride];
    if (weights[i] > 0 && !missing(value)) is_few = few.add(key_of<T>(value), weights[i]);
  }
  if (is_few) {
    add_few<T>(few, out);
    return out;
  }
  std::vector<Keyed<Key>> keys, spare;
  keys.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i, x += stride) {
    if (weights[i] > 0 && !missing(*x)) keys.push_back({key_of<T>(*x), static_cast<Row>(i)});
  }
  radix_sort(keys, spare, [](const Keyed<Key>& one) { return one.key; });
  for (const Keyed<Key>& one : keys) out.add(number_of<T>(one.key), weights[one.row]);
  return out;
}

// The number of edges below x. Halving without branches: the compiler turns each step into a conditional move.
inline Code search(const double* edges, std::size_t count, double x) {
  const double* base = edges;
  while (count > 1) {
    const std::size_t half = count / 2;
    base += base[half - 1] < x ? half : 0;
    count -= half;
  }
  return static_cast<Code>(base - edges + (count == 1 && *base < x));
}

constexpr std::size_t kEncodedTogether = 8192;  // rows a task

std::size_t width_of(Scalar scalar) {
  if (scalar == Scalar::u8 || scalar == Scalar::f32 || scalar == Scalar::i32) return 4;  // as keys
  return 8;
}

// In a matrix stored row after row, neighbouring columns share cache lines: the keys of some are taken together, as
// long as the keys at hand, of all threads, and their spare space are small or take no more room than the codes.
std::size_t columns_together(const Matrix& x, std::size_t threads) {
  constexpr std::size_t kMost = 16, kSmall = std::size_t{1} << 20;
  if (x.row_stride == 1 || x.rows == 0) return 1;
  const std::size_t width = width_of(x.scalar), fitting = x.columns / (width * threads);
  const std::size_t together = std::max(kSmall / (x.rows * width), fitting > 1 ? fitting - 1 : 1);
  return std::max<std::size_t>(1, std::min({kMost, together, x.columns / (2 * threads)}));
}

template <class T>
std::vector<T> copy_columns(const T* data, const Matrix& x, std::size_t first, std::size_t last) {
  std::vector<T> copy((last - first) * x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const T* row = data + static_cast<std::ptrdiff_t>(i) * x.row_stride;
    for (std::size_t j = first; j < last; ++j)
      copy[(j - first) * x.rows + i] = row[static_cast<std::ptrdiff_t>(j) * x.column_stride];
  }
  return copy;
}

// A worker's keys of a few columns.
template <class Key>
struct Keys {
  std::vector<std::vector<Key>> columns;
  std::vector<Key> spare;

  template <class T>
  void take(const T* data, const Matrix& x, std::size_t first, std::size_t last) {
    columns.resize(std::max(columns.size(), last - first));
    std::vector<Key*> next;
    for (auto& one : columns) {
      one.resize(x.rows);
      next.push_back(one.data());
    }
    for (std::size_t i = 0; i < x.rows; ++i) {
      const T* row = data + static_cast<std::ptrdiff_t>(i) * x.row_stride;
      for (std::size_t j = first; j < last; ++j) {
        const T value = row[static_cast<std::ptrdiff_t>(j) * x.column_stride];
        *next[j - first] = key_of<T>(value);
        next[j - first] += missing(value) ? 0 : 1;
      }
    }
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k].resize(static_cast<std::size_t>(next[k] - columns[k].data()));
  }

  template <class T>
  Column column(std::size_t which, bool categorical, int max_bins) {
    return column_of_keys<T>(columns[which], spare, categorical, max_bins);
  }
};

template <class T>
void find_columns(const T* data, const Matrix& x, const std::vector<bool>& categorical, int max_bins, Pool& pool,
                  Columns& out) {
  const std::size_t group = columns_together(x, pool.threads()), groups = (x.columns + group - 1) / group;
  std::vector<Keys<KeyOf<T>>> keys(pool.threads());
  pool.run(groups, [&](std::size_t g, std::size_t worker) {
    const std::size_t first = g * group, last = std::min(x.columns, first + group);
    keys[worker].take(data, x, first, last);
    for (std::size_t j = first; j < last; ++j)
      out[j] = keys[worker].template column<T>(j - first, categorical[j], max_bins);
  });
}

template <class T>
void find_weighted_columns(const T* data, const Matrix& x, const std::vector<bool>& categorical,
                           const std::int64_t* weights, int max_bins, Pool& pool, Columns& out) {
  const std::size_t group = columns_together(x, pool.threads()), groups = (x.columns + group - 1) / group;
  pool.run(groups, [&](std::size_t g, std::size_t) {
    const std::size_t first = g * group, last = std::min(x.columns, first + group);
    std::vector<T> copy;
    if (group > 1) copy = copy_columns(data, x, first, last);
    for (std::size_t j = first; j < last; ++j) {
      const T* from =
          group > 1 ? copy.data() + (j - first) * x.rows : data + static_cast<std::ptrdiff_t>(j) * x.column_stride;
      out[j] =
          make_column(distinct_values(from, group > 1 ? 1 : x.row_stride, x.rows, weights), categorical[j], max_bins);
    }
  });
}

}  // namespace

int Column::bins() const {
  if (!categorical) return static_cast<int>(centers.size());
  int top = -1;
  for (Code bin : bin_of) {
    if (bin != kMissing && bin > top) top = bin;
  }
  return top + 1;
}

Code Column::code(double x) const {
  if (std::isnan(x)) return kMissing;
  if (!categorical) return search(edges.data(), edges.size(), x);
  if (x < 0 || x >= static_cast<double>(bin_of.size())) return kMissing;
  return bin_of[static_cast<std::size_t>(x)];
}

Edges find_edges(const Matrix& x, const std::vector<bool>& categorical, const std::int64_t* weights, int max_bins,
                 Pool& pool) {
  Edges edges;
  edges.bins.rows = x.rows;
  edges.bins.columns.resize(x.columns);
  with_scalar(x, [&](auto* data) {
    if (weights == nullptr) find_columns(data, x, categorical, max_bins, pool, edges.bins.columns);
    else find_weighted_columns(data, x, categorical, weights, max_bins, pool, edges.bins.columns);
  });
  return edges;
}

Bins bin_columns(const Matrix& x, const std::vector<bool>& categorical, const std::int64_t* weights, int max_bins,
                 Pool& pool) {
  Bins bins = std::move(find_edges(x, categorical, weights, max_bins, pool).bins);
  bins.codes.resize(x.rows * x.columns);  // after sorting, whose keys are gone by now
  const Encoder encoder(bins.columns, x.scalar);
  pool.run((x.rows + kEncodedTogether - 1) / kEncodedTogether, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kEncodedTogether, last = std::min(x.rows, first + kEncodedTogether);
    encoder.rows(x, first, last, bins.codes.data() + first, 1, x.rows);
  });
  return bins;
}

Ranks rank_columns(const Matrix& x, const std::vector<bool>& categorical, Pool& pool) {
  Ranks ranks;
  ranks.rows = x.rows;
  ranks.columns.resize(x.columns);
  pool.run(x.columns, [&](std::size_t j, std::size_t) {
    with_scalar(x, [&](auto* data) {
      using T = std::remove_cvref_t<decltype(*data)>;
      const auto* from = data + static_cast<std::ptrdiff_t>(j) * x.column_stride;
      auto& column = ranks.columns[j];
      column.categorical = categorical[j];
      std::vector<Keyed<KeyOf<T>>> keys, spare;
      for (std::size_t i = 0; i < x.rows; ++i, from += x.row_stride) {
        if (!missing(*from)) keys.push_back({key_of<T>(*from), static_cast<Row>(i)});
      }
      radix_sort(keys, spare, [](const Keyed<KeyOf<T>>& one) { return one.key; });
      std::vector<std::uint32_t> rank(x.rows, std::numeric_limits<std::uint32_t>::max());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || keys[i].key != keys[i - 1].key) column.values.push_back(number_of<T>(keys[i].key));
        rank[keys[i].row] = static_cast<std::uint32_t>(column.values.size() - 1);
      }
      for (auto& r : rank) r = std::min(r, static_cast<std::uint32_t>(column.values.size()));
      column.rank = std::move(rank);
    });
  });
  return ranks;
}

Bins bin_ranked(const Ranks& ranks, const std::int64_t* weights, int max_bins, Pool& pool) {
  Bins bins;
  bins.rows = ranks.rows;
  bins.columns.resize(ranks.columns.size());
  bins.codes.resize(ranks.rows * ranks.columns.size());
  pool.run(ranks.columns.size(), [&](std::size_t j, std::size_t) {
    const auto& from = ranks.columns[j];
    const std::size_t count = from.values.size();
    std::vector<std::int64_t> weight(count + 1, 0);  // the last one gathers the missing, and is not looked at
    for (std::size_t i = 0; i < ranks.rows; ++i) weight[from.rank[i]] += weights == nullptr ? 1 : weights[i];
    Distinct present;
    present.reserve(count);
    for (std::size_t v = 0; v < count; ++v) {
      if (weight[v] > 0) present.add(from.values[v], weight[v]);
    }
    Column& column = bins.columns[j];
    column = make_column(present, from.categorical, max_bins);
    std::vector<Code> code(count + 1, kMissing);
    std::size_t below = 0;  // edges below the value: values ascend, so they are passed once
    for (std::size_t v = 0; v < count; ++v) {
      while (below < column.edges.size() && column.edges[below] < from.values[v]) ++below;
      code[v] = from.categorical ? column.code(from.values[v]) : static_cast<Code>(below);
    }
    Code* out = bins.codes.data() + j * ranks.rows;
    for (std::size_t i = 0; i < ranks.rows; ++i) out[i] = code[from.rank[i]];
  });
  return bins;
}

Bins bins_beside(const std::vector<const Bins*>& parts) {
  Bins out;
  std::size_t codes = 0;
  for (const Bins* part : parts) codes += part->codes.size();
  out.codes.reserve(codes);
  for (const Bins* part : parts) {
    out.rows = part->rows;
    out.columns.insert(out.columns.end(), part->columns.begin(), part->columns.end());
    out.codes.insert(out.codes.end(), part->codes.begin(), part->codes.end());
  }
  return out;
}

}  // namespace venire
