// Keys: a value of any scalar as an unsigned number that sorts the same way, and back.
// Cost per value: a few instructions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/radix.hpp"

namespace venire {

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

}  // namespace venire
