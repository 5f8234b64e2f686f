#include "binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cuts.hpp"
#include "encode.hpp"
#include "pages.hpp"
#include "radix.hpp"

namespace venire {
namespace {

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

// What the columns of one thread are sorted in, one after the other: touching fresh memory costs as much as sorting it.
template <class T>
struct Scratch {
  Large<T> copy;
  Large<KeyOf<T>> keys, spare;
};

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

  static constexpr std::size_t kMost = 300;
  static_assert(kMost >= kMaxBins);

 private:
  static constexpr std::size_t kPlaces = 1024;  // the hash keeps ten bits
  std::vector<std::uint8_t> used_;
  std::vector<Key> keys_;
  std::vector<std::int64_t> weights_;
  std::size_t count_ = 0;
};

template <class T>
bool count_few(const T* x, std::ptrdiff_t stride, std::size_t rows, const std::int64_t* weights, Distinct& out) {
  FewKeys<KeyOf<T>> few;
  for (std::size_t i = 0; i < rows; ++i, x += stride) {
    const std::int64_t weight = weights == nullptr ? 1 : weights[i];
    if (weight > 0 && !missing(*x) && !few.add(key_of<T>(*x), weight)) return false;
  }
  for (const auto& [key, weight] : few.sorted()) out.add(number_of<T>(key), weight);
  return true;
}

// The keys of all values that are there, ascending.
template <class T>
void sort_keys(const T* x, std::ptrdiff_t stride, std::size_t rows, Scratch<T>& scratch) {
  scratch.keys.resize(rows);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i, x += stride) {
    scratch.keys[count] = key_of<T>(*x);
    count += missing(*x) ? 0 : 1;
  }
  scratch.keys.resize(count);
  radix_sort(scratch.keys, scratch.spare, [](KeyOf<T> key) { return key; });
}

// Values with their weights, for a column that `count_few` gave up.
template <class T>
Distinct many_values(const T* x, std::ptrdiff_t stride, std::size_t rows, const std::int64_t* weights, Scratch<T>& scratch) {
  using Key = KeyOf<T>;
  Distinct out;
  if (weights == nullptr) {
    sort_keys(x, stride, rows, scratch);
    for (Key key : scratch.keys) out.add(number_of<T>(key), 1);
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

template <class T>
Column column_of(const T* x, std::ptrdiff_t stride, std::size_t rows, const std::int64_t* weights, bool categorical, int max_bins,
                 Scratch<T>& scratch) {
  Distinct few;
  if (count_few(x, stride, rows, weights, few)) return make_column(few, categorical, max_bins);
  if (categorical || weights != nullptr) return make_column(many_values(x, stride, rows, weights, scratch), categorical, max_bins);
  sort_keys(x, stride, rows, scratch);
  return sorted_column(scratch.keys, static_cast<std::size_t>(max_bins), number_of<T>);
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

// In a matrix stored row after row, neighbouring columns share cache lines: some are copied out together, as long as the
// copy is small beside the matrix.
std::size_t columns_together(const Matrix& x, std::size_t threads) {
  constexpr std::size_t kMost = 16, kBytes = std::size_t{32} << 20;
  if (x.row_stride == 1 || x.rows == 0) return 1;
  const std::size_t width = x.scalar == Scalar::u8 ? 1 : x.scalar == Scalar::f32 || x.scalar == Scalar::i32 ? 4 : 8;
  return std::max<std::size_t>(1, std::min({kMost, kBytes / (x.rows * width), x.columns / (2 * threads)}));
}

template <class T>
void copy_columns(const T* data, const Matrix& x, std::size_t first, std::size_t last, Large<T>& copy) {
  copy.resize((last - first) * x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const T* row = data + static_cast<std::ptrdiff_t>(i) * x.row_stride;
    for (std::size_t j = first; j < last; ++j) copy[(j - first) * x.rows + i] = row[static_cast<std::ptrdiff_t>(j) * x.column_stride];
  }
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
  const std::size_t group = columns_together(x, pool.threads()), groups = (x.columns + group - 1) / group;
  with_scalar(x, [&](auto* data) {
    using T = std::remove_cvref_t<decltype(*data)>;
    std::vector<Scratch<T>> scratch(pool.threads());
    pool.run(groups, [&](std::size_t g, std::size_t worker) {
      const std::size_t first = g * group, last = std::min(x.columns, first + group);
      Scratch<T>& own = scratch[worker];
      if (group > 1) copy_columns(data, x, first, last, own.copy);
      for (std::size_t j = first; j < last; ++j) {
        const T* from = group > 1 ? own.copy.data() + (j - first) * x.rows : data + static_cast<std::ptrdiff_t>(j) * x.column_stride;
        const std::ptrdiff_t stride = group > 1 ? 1 : x.row_stride;
        bins.columns[j] = column_of(from, stride, x.rows, weights, categorical[j], max_bins, own);
      }
    });
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
