#include "binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "encode.hpp"
#include "radix.hpp"

namespace venire {
namespace {

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

template <class T>
bool missing(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

// Eight-byte integers are compared as doubles, like everything else.
template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
KeyOf<T> key_of(T x) {
  if constexpr (sizeof(T) == 8) return sort_key(static_cast<double>(x));
  else if constexpr (std::is_same_v<T, float>) return sort_key(x);
  else return static_cast<std::uint32_t>(static_cast<std::int64_t>(x) + (std::int64_t{1} << 31));
}

template <class T>
double number_of(KeyOf<T> key) {
  if constexpr (sizeof(T) == 8 || std::is_same_v<T, float>) return value_of(key);
  else return static_cast<double>(static_cast<std::int64_t>(key) - (std::int64_t{1} << 31));
}

template <class Key>
struct Keyed {
  Key key;
  Row row;
};

// A small table of the keys met, for columns that repeat a few values: counting them is cheaper than sorting.
template <class Key>
class FewKeys {
 public:
  FewKeys() : used_(kPlaces, 0), keys_(kPlaces), weights_(kPlaces, 0) {}

  // False when there are too many different keys.
  bool add(Key key, std::int64_t weight) {
    std::size_t place = static_cast<std::size_t>(static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull >> 54);
    while (used_[place] != 0 && keys_[place] != key) place = (place + 1) % kPlaces;
    if (used_[place] == 0) {
      if (++count_ > kMost) return false;
      used_[place] = 1;
      keys_[place] = key;
    }
    weights_[place] += weight;
    return true;
  }

  std::vector<std::pair<Key, std::int64_t>> sorted() const {
    std::vector<std::pair<Key, std::int64_t>> out;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if (used_[place] != 0) out.emplace_back(keys_[place], weights_[place]);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  static constexpr std::size_t kPlaces = 1024, kMost = 300;  // the hash keeps ten bits
  std::vector<std::uint8_t> used_;
  std::vector<Key> keys_;
  std::vector<std::int64_t> weights_;
  std::size_t count_ = 0;
};

template <class T>
void few_values(const FewKeys<KeyOf<T>>& few, Distinct& out) {
  for (const auto& [key, weight] : few.sorted()) out.add(number_of<T>(key), weight);
}

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
    few_values<T>(few, out);
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

// A cut in [a, b): the midpoint, or a itself where the midpoint does not exist in floating point (infinities).
double cut_between(double a, double b) {
  const double middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

// Index of the last distinct value of every bin. Greedy: each bin aims at an equal share of what is left, and closes
// before or after the value that reaches it, whichever is nearer.
std::vector<std::size_t> bin_ends(const std::vector<std::int64_t>& weights, std::size_t max_bins) {
  const std::size_t count = weights.size();
  std::vector<std::size_t> ends;
  if (count <= max_bins) {
    ends.resize(count);
    std::iota(ends.begin(), ends.end(), std::size_t{0});
    return ends;
  }
  std::vector<double> up_to(count + 1, 0.0);  // whole numbers: exact up to 2^53
  for (std::size_t i = 0; i < count; ++i) up_to[i + 1] = up_to[i] + static_cast<double>(weights[i]);
  std::size_t start = 0;
  while (ends.size() + 1 < max_bins && start < count) {
    const double share = (up_to[count] - up_to[start]) / static_cast<double>(max_bins - ends.size());
    const double target = up_to[start] + share;
    const auto reached = std::lower_bound(up_to.begin() + static_cast<std::ptrdiff_t>(start) + 1, up_to.end(), target);
    auto end = static_cast<std::size_t>(reached - up_to.begin());  // one beyond the value that reaches the target
    if (end > start + 1 && up_to[end] - target > target - up_to[end - 1]) --end;
    if (end >= count) break;
    ends.push_back(end - 1);
    start = end;
  }
  ends.push_back(count - 1);
  return ends;
}

// Mean and deviation of the finite values, in two kPasses: a division a value would cost more than sorting.
// `each(use)` calls use(value, weight) for the distinct values in ascending order.
template <class Each>
void measure(Column& column, Each each) {
  double total = 0, sum = 0, squares = 0;
  each([&](double value, double weight) {
    if (!std::isfinite(value)) return;
    total += weight;
    sum += weight * value;
  });
  const double mean = total > 0 ? sum / total : 0.0;
  each([&](double value, double weight) {
    const double delta = value - mean;
    if (std::isfinite(value)) squares += weight * delta * delta;
  });
  column.mean = std::isfinite(mean) ? mean : 0.0;
  const double deviation = total > 0 ? std::sqrt(squares / total) : 0.0;
  column.deviation = deviation > 0 && std::isfinite(deviation) ? deviation : 1.0;
}

Column numeric_column(const Distinct& distinct, int max_bins) {
  Column column;
  measure(column, [&](auto use) {
    for (std::size_t i = 0; i < distinct.values.size(); ++i) use(distinct.values[i], static_cast<double>(distinct.weights[i]));
  });
  if (distinct.values.empty()) return column;
  const auto& values = distinct.values;
  std::size_t first = 0;
  for (std::size_t end : bin_ends(distinct.weights, static_cast<std::size_t>(max_bins))) {
    column.centers.push_back(values[first] == values[end] ? values[end] : values[first] / 2 + values[end] / 2);
    if (end + 1 < values.size()) column.edges.push_back(cut_between(values[end], values[end + 1]));
    first = end + 1;
  }
  return column;
}

// The same of sorted keys, more of them different than there may be bins; the distinct values are never written down.
template <class T>
Column sorted_column(const std::vector<KeyOf<T>>& keys, int max_bins) {
  Column column;
  measure(column, [&](auto use) {
    for (std::size_t i = 0, end = 0; i < keys.size(); i = end) {
      while (end < keys.size() && keys[end] == keys[i]) ++end;
      use(number_of<T>(keys[i]), static_cast<double>(end - i));
    }
  });
  const auto close = [&](std::size_t first, std::size_t end) {  // a bin of the rows [first, end)
    const double low = number_of<T>(keys[first]), high = number_of<T>(keys[end - 1]);
    column.centers.push_back(low == high ? high : low / 2 + high / 2);
    if (end < keys.size()) column.edges.push_back(cut_between(high, number_of<T>(keys[end])));
  };
  // As bin_ends does it: a weight up to a value is here a place in `keys`.
  const auto most = static_cast<std::size_t>(max_bins);
  std::size_t first = 0;
  while (column.centers.size() + 1 < most && first < keys.size()) {
    const double share = static_cast<double>(keys.size() - first) / static_cast<double>(most - column.centers.size());
    const double target = static_cast<double>(first) + share;
    const auto reaching = keys.begin() + static_cast<std::ptrdiff_t>(std::ceil(target)) - 1;
    const auto run = std::equal_range(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.end(), *reaching);
    const auto before = static_cast<std::size_t>(run.first - keys.begin());
    auto end = static_cast<std::size_t>(run.second - keys.begin());
    if (before > first && static_cast<double>(end) - target > target - static_cast<double>(before)) end = before;
    if (end >= keys.size()) break;
    close(first, end);
    first = end;
  }
  close(first, keys.size());
  return column;
}

Column categorical_column(const Distinct& distinct) {
  Column column;
  column.categorical = true;
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < distinct.values.size(); ++i) {
    if (distinct.values[i] >= 0 && distinct.weights[i] > 0) known.push_back(i);
  }
  if (known.empty()) return column;
  column.bin_of.assign(static_cast<std::size_t>(distinct.values[known.back()]) + 1, kMissing);
  const auto code_at = [&](std::size_t i) { return static_cast<std::size_t>(distinct.values[i]); };
  std::size_t own = known.size();
  if (own > static_cast<std::size_t>(kMaxCategoryBins)) {
    own = kMaxCategoryBins - 1;
    std::stable_sort(known.begin(), known.end(),
                     [&](std::size_t a, std::size_t b) { return distinct.weights[a] > distinct.weights[b]; });
    for (std::size_t k = own; k < known.size(); ++k) column.bin_of[code_at(known[k])] = static_cast<Code>(own);
    known.resize(own);
    std::sort(known.begin(), known.end());
  }
  for (std::size_t k = 0; k < own; ++k) column.bin_of[code_at(known[k])] = static_cast<Code>(k);
  return column;
}

Column make_column(const Distinct& distinct, bool categorical, int max_bins) {
  return categorical ? categorical_column(distinct) : numeric_column(distinct, max_bins);
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

// In a matrix stored row after row, neighbouring columns share cache lines: the keys of some are taken together, as long as
// the keys at hand, of all threads, and their spare space are small or take no more room than the codes.
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
    for (std::size_t j = first; j < last; ++j) copy[(j - first) * x.rows + i] = row[static_cast<std::ptrdiff_t>(j) * x.column_stride];
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
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].resize(static_cast<std::size_t>(next[k] - columns[k].data()));
  }

  template <class T>
  Column column(std::size_t which, bool categorical, int max_bins) {
    std::vector<Key>& keys = columns[which];
    Distinct distinct;
    FewKeys<Key> few;
    if (std::all_of(keys.begin(), keys.end(), [&](Key key) { return few.add(key, 1); })) {
      few_values<T>(few, distinct);
      return make_column(distinct, categorical, max_bins);
    }
    sort_keys(keys, spare);
    if (!categorical) return sorted_column<T>(keys, max_bins);
    for (const Key key : keys) distinct.add(number_of<T>(key), 1);
    return make_column(distinct, true, max_bins);
  }
};

template <class T>
void find_columns(const T* data, const Matrix& x, const std::vector<bool>& categorical, int max_bins, Pool& pool, Columns& out) {
  const std::size_t group = columns_together(x, pool.threads()), groups = (x.columns + group - 1) / group;
  std::vector<Keys<KeyOf<T>>> keys(pool.threads());
  pool.run(groups, [&](std::size_t g, std::size_t worker) {
    const std::size_t first = g * group, last = std::min(x.columns, first + group);
    keys[worker].take(data, x, first, last);
    for (std::size_t j = first; j < last; ++j) out[j] = keys[worker].template column<T>(j - first, categorical[j], max_bins);
  });
}

template <class T>
void find_weighted_columns(const T* data, const Matrix& x, const std::vector<bool>& categorical, const std::int64_t* weights,
                           int max_bins, Pool& pool, Columns& out) {
  const std::size_t group = columns_together(x, pool.threads()), groups = (x.columns + group - 1) / group;
  pool.run(groups, [&](std::size_t g, std::size_t) {
    const std::size_t first = g * group, last = std::min(x.columns, first + group);
    std::vector<T> copy;
    if (group > 1) copy = copy_columns(data, x, first, last);
    for (std::size_t j = first; j < last; ++j) {
      const T* from = group > 1 ? copy.data() + (j - first) * x.rows : data + static_cast<std::ptrdiff_t>(j) * x.column_stride;
      out[j] = make_column(distinct_values(from, group > 1 ? 1 : x.row_stride, x.rows, weights), categorical[j], max_bins);
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

Bins bin_columns(const Matrix& x, const std::vector<bool>& categorical, const std::int64_t* weights, int max_bins,
                 Pool& pool) {
  Bins bins;
  bins.rows = x.rows;
  bins.columns.resize(x.columns);
  bins.codes.resize(x.rows * x.columns);
  with_scalar(x, [&](auto* data) {
    if (weights == nullptr) find_columns(data, x, categorical, max_bins, pool, bins.columns);
    else find_weighted_columns(data, x, categorical, weights, max_bins, pool, bins.columns);
  });
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

}  // namespace venire
