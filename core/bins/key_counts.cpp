#include "bins/key_counts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bins/keys.hpp"

namespace venire {
namespace {

constexpr int kFirstBits = 16;
constexpr int kMostDigit = 8;  // bits beyond those known that are counted in place, a counter each

// Counters beside each other, without those that are 0; `key(i)` is what counter i counts.
template <class Key>
KeyCounts without_zeros(const std::vector<std::int64_t>& counters, Key key) {
  KeyCounts out;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (counters[i] == 0) continue;
    out.keys.push_back(key(i));
    out.counts.push_back(counters[i]);
  }
  return out;
}

KeyCounts sorted(std::vector<std::pair<std::uint64_t, std::int64_t>>& found) {
  std::sort(found.begin(), found.end());
  KeyCounts out;
  for (const auto& [key, count] : found) {
    if (out.keys.empty() || out.keys.back() != key) {
      out.keys.push_back(key);
      out.counts.push_back(0);
    }
    out.counts.back() += count;
  }
  return out;
}

// Calls use(key, what it counts) for every value that is there.
template <class T, class Use>
void each_key(const T* x, std::size_t rows, const std::int64_t* weights, Use use) {
  for (std::size_t i = 0; i < rows; ++i) {
    if (!missing(x[i])) use(std::uint64_t{key_of<T>(x[i])}, weights == nullptr ? std::int64_t{1} : weights[i]);
  }
}

template <class T>
KeyCounts first_counts(const T* x, std::size_t rows, const std::int64_t* weights, int wanted) {
  const int rest = static_cast<int>(8 * sizeof(T)) - wanted;
  std::vector<std::int64_t> counters(std::size_t{1} << wanted, 0);
  each_key(x, rows, weights, [&](std::uint64_t key, std::int64_t weight) { counters[key >> rest] += weight; });
  return without_zeros(counters, [](std::size_t i) { return static_cast<std::uint64_t>(i); });
}

template <class T>
KeyCounts further_counts(const T* x, std::size_t rows, const std::int64_t* weights, int known,
                         const std::vector<std::uint64_t>& prefixes, int wanted) {
  const int bits = static_cast<int>(8 * sizeof(T)), digit = wanted - known;
  // Where the prefixes with the same first 16 bits are.
  std::vector<std::uint32_t> start((std::size_t{1} << kFirstBits) + 1, 0);
  for (const std::uint64_t prefix : prefixes) ++start[(prefix >> (known - kFirstBits)) + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  const bool in_place = digit <= kMostDigit;
  std::vector<std::int64_t> counters(in_place ? prefixes.size() << digit : 0, 0);
  std::vector<std::pair<std::uint64_t, std::int64_t>> found;
  each_key(x, rows, weights, [&](std::uint64_t key, std::int64_t weight) {
    const std::uint64_t top = key >> (bits - kFirstBits);
    if (start[top] == start[top + 1]) return;
    const std::uint64_t prefix = key >> (bits - known);
    const auto last = prefixes.begin() + start[top + 1];
    const auto place = std::lower_bound(prefixes.begin() + start[top], last, prefix);
    if (place == last || *place != prefix) return;
    const std::uint64_t asked = key >> (bits - wanted);
    if (in_place) {
      const auto number = static_cast<std::size_t>(place - prefixes.begin());
      counters[(number << digit) + (asked & ((std::uint64_t{1} << digit) - 1))] += weight;
    } else {
      found.emplace_back(asked, weight);
    }
  });
  if (!in_place) return sorted(found);
  return without_zeros(counters, [&](std::size_t i) {
    return prefixes[i >> digit] << digit | (static_cast<std::uint64_t>(i) & ((std::uint64_t{1} << digit) - 1));
  });
}

template <class T>
KeyCounts counts_of(const Matrix& column, const std::int64_t* weights, int known,
                    const std::vector<std::uint64_t>& prefixes, int wanted) {
  const auto* x = static_cast<const T*>(column.data);
  const int bits = static_cast<int>(8 * sizeof(T));
  if (known == 0 && wanted <= kFirstBits) return first_counts(x, column.rows, weights, wanted);
  if (known < kFirstBits || wanted <= known || wanted > bits) throw std::invalid_argument("there are no such bits");
  const std::uint64_t most = known == bits ? ~std::uint64_t{0} : (std::uint64_t{1} << known) - 1;
  if (!std::is_sorted(prefixes.begin(), prefixes.end()) || (!prefixes.empty() && prefixes.back() > most))
    throw std::invalid_argument("prefixes ascend, and have the bits that are known");
  return further_counts(x, column.rows, weights, known, prefixes, wanted);
}

}  // namespace

KeyCounts count_keys(const Matrix& column, const std::int64_t* weights, int known,
                     const std::vector<std::uint64_t>& prefixes, int wanted) {
  if (column.scalar == Scalar::f32) return counts_of<float>(column, weights, known, prefixes, wanted);
  if (column.scalar == Scalar::f64) return counts_of<double>(column, weights, known, prefixes, wanted);
  throw std::invalid_argument("a column holds float32 or float64");
}

}  // namespace venire
