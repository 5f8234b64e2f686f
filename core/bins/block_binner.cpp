#include "bins/block_binner.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/radix.hpp"
#include "bins/edges.hpp"
#include "bins/encode.hpp"
#include "bins/keys.hpp"

namespace venire {
namespace {

template <class Key>
struct Weighed {
  Key key;
  std::int64_t weight;
};

// What was seen of a column: counts of codes, or keys, alone or with weights.
using Counts = std::array<std::int64_t, kCodes>;
template <class T>
struct Alone {
  std::vector<KeyOf<T>> keys;
};
template <class T>
struct Heavy {
  std::vector<Weighed<KeyOf<T>>> keys;
};
using Seen = std::variant<std::monostate, Counts, Alone<float>, Alone<double>, Heavy<float>, Heavy<double>>;

// The one kind a column is of; its first block decides.
template <class Kind>
Kind& as(Seen& seen) {
  if (std::holds_alternative<std::monostate>(seen)) seen = Kind{};
  if (Kind* kind = std::get_if<Kind>(&seen)) return *kind;
  throw std::invalid_argument("the blocks of a column have one scalar, and all of them weights or none");
}

Column column_of(Counts& counts, bool categorical, int max_bins) {
  Distinct distinct;
  for (std::size_t code = 0; code < kMissing; ++code) {
    if (counts[code] > 0) distinct.add(static_cast<double>(code), counts[code]);
  }
  return make_column(distinct, categorical, max_bins);
}

template <class T>
Column column_of(Alone<T>& seen, bool categorical, int max_bins) {
  std::vector<KeyOf<T>> spare;
  return column_of_keys<T>(seen.keys, spare, categorical, max_bins);
}

template <class T>
Column column_of(Heavy<T>& seen, bool categorical, int max_bins) {
  Distinct distinct;
  FewKeys<KeyOf<T>> few;
  bool is_few = true;
  for (std::size_t i = 0; is_few && i < seen.keys.size(); ++i) is_few = few.add(seen.keys[i].key, seen.keys[i].weight);
  if (is_few) {
    add_few<T>(few, distinct);
  } else {
    std::vector<Weighed<KeyOf<T>>> spare;
    radix_sort(seen.keys, spare, [](const auto& one) { return one.key; });
    for (const auto& one : seen.keys) distinct.add(number_of<T>(one.key), one.weight);
  }
  return make_column(distinct, categorical, max_bins);
}

Column column_of(std::monostate, bool categorical, int max_bins) { return make_column({}, categorical, max_bins); }

// Calls `use` with a pointer to bytes, floats or doubles.
template <class Use>
void with_kept_scalar(const Matrix& block, Use&& use) {
  if (block.scalar == Scalar::u8) return use(static_cast<const std::uint8_t*>(block.data));
  if (block.scalar == Scalar::f32) return use(static_cast<const float*>(block.data));
  if (block.scalar == Scalar::f64) return use(static_cast<const double*>(block.data));
  throw std::invalid_argument("a stored column holds uint8, float32 or float64");
}

}  // namespace

struct BlockBinner::Taken {
  Seen seen;
};

BlockBinner::BlockBinner(std::size_t rows, std::size_t columns, int max_bins) : max_bins_(max_bins), taken_(columns) {
  bins_.rows = rows;
  bins_.columns.resize(columns);
  bins_.codes.resize(rows * columns);
}

BlockBinner::~BlockBinner() = default;

void BlockBinner::take(std::size_t j, const Matrix& block, const std::uint8_t* kept) {
  if (taken_[j] == nullptr) taken_[j] = std::make_unique<Taken>();
  Seen& seen = taken_[j]->seen;
  const auto counts = [&](std::size_t i) { return kept == nullptr || kept[i] != 0; };
  with_kept_scalar(block, [&](auto* x) {
    using T = std::remove_cvref_t<decltype(*x)>;
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      Counts& count = as<Counts>(seen);
      for (std::size_t i = 0; i < block.rows; ++i) count[x[i]] += counts(i) ? 1 : 0;
    } else {
      auto& keys = as<Alone<T>>(seen).keys;
      if (keys.empty()) keys.reserve(bins_.rows);
      for (std::size_t i = 0; i < block.rows; ++i) {
        if (counts(i) && !missing(x[i])) keys.push_back(key_of<T>(x[i]));
      }
    }
  });
}

void BlockBinner::take(std::size_t j, const Matrix& block, const std::int64_t* weights) {
  if (taken_[j] == nullptr) taken_[j] = std::make_unique<Taken>();
  Seen& seen = taken_[j]->seen;
  with_kept_scalar(block, [&](auto* x) {
    using T = std::remove_cvref_t<decltype(*x)>;
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      Counts& count = as<Counts>(seen);
      for (std::size_t i = 0; i < block.rows; ++i) count[x[i]] += weights[i];
    } else {
      auto& keys = as<Heavy<T>>(seen).keys;
      for (std::size_t i = 0; i < block.rows; ++i) {
        if (weights[i] > 0 && !missing(x[i])) keys.push_back({key_of<T>(x[i]), weights[i]});
      }
    }
  });
}

void BlockBinner::cut(std::size_t j, bool categorical) {
  std::unique_ptr<Taken> taken = std::move(taken_[j]);
  if (taken == nullptr) taken = std::make_unique<Taken>();
  bins_.columns[j] = std::visit([&](auto& seen) { return column_of(seen, categorical, max_bins_); }, taken->seen);
}

void BlockBinner::put(std::size_t j, std::size_t first, const Code* codes, std::size_t count) {
  std::copy_n(codes, count, bins_.codes.data() + j * bins_.rows + first);
}

void BlockBinner::encode(std::size_t j, std::size_t first, const Matrix& block) {
  const Column& column = bins_.columns[j];
  Code* out = bins_.codes.data() + j * bins_.rows + first;
  if (block.scalar == Scalar::u8) {
    std::array<Code, kCodes> code_of;
    code_of.fill(kMissing);
    for (std::size_t code = 0; code < kMissing; ++code) code_of[code] = column.code(static_cast<double>(code));
    const auto* x = static_cast<const std::uint8_t*>(block.data);
    for (std::size_t i = 0; i < block.rows; ++i) out[i] = code_of[x[i]];
    return;
  }
  const Columns alone{column};
  Encoder(alone, block.scalar).rows(block, 0, block.rows, out, 1, bins_.rows);
}

}  // namespace venire
