// Sorting of numbers by their bits: least significant digit first, 11 bits a pass, passes that would move nothing are
// skipped. Cost: about 1.5 ns a key and pass; three passes for 32-bit keys, six for 64-bit ones. Small inputs go to
// std::sort.
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
  return bits ^ ((0u - (bits >> 31)) | 0x80000000u);  // a choice would be a branch that half of all values mistake
}

inline std::uint64_t sort_key(double x) {
  x += 0.0;
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits ^ ((0ull - (bits >> 63)) | 1ull << 63);
}

inline double value_of(std::uint32_t key) {
  key ^= ((key >> 31) - 1u) | 0x80000000u;
  float x;
  std::memcpy(&x, &key, sizeof x);
  return static_cast<double>(x);
}

inline double value_of(std::uint64_t key) {
  key ^= ((key >> 63) - 1ull) | 1ull << 63;
  double x;
  std::memcpy(&x, &key, sizeof x);
  return x;
}

constexpr std::size_t kSortedPlainly = 256;  // fewer items than this are not worth counting digits
constexpr std::size_t kShortDigits = 1500;   // fewer than this are not worth 2,048 places a pass
constexpr int kDigit = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigit;

// Sorts by the lowest `Bits` bits of `key(item)`, stable. Gives where the sorted items are: in `items` or in `spare`.
template <int Bits, int Digit = kDigit, class Item, class Key>
Item* radix_passes(Item* items, Item* spare, std::size_t count, Key key) {
  constexpr int kPasses = (Bits + Digit - 1) / Digit;
  constexpr std::size_t kPlaces = std::size_t{1} << Digit;
  // 32 bits, as row numbers: half of what the cache has to hold.
  std::array<std::array<std::uint32_t, kPlaces>, kPasses> counts{};
  const auto digit = [&](const Item& item, int pass) { return key(item) >> (pass * Digit) & (kPlaces - 1); };
  for (std::size_t i = 0; i < count; ++i) {
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(items[i], pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& places = counts[pass];
    if (places[digit(items[0], pass)] == count) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& place : places) start += std::exchange(place, start);
    for (std::size_t i = 0; i < count; ++i) spare[places[digit(items[i], pass)]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

// Sorts `items` by `key(item)`, stable. `spare` is scratch space.
template <class Item, class Key>
void radix_sort(std::vector<Item>& items, std::vector<Item>& spare, Key key) {
  if (items.size() < kSortedPlainly) {
    std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
    return;
  }
  constexpr int kBits = static_cast<int>(sizeof(decltype(key(items[0])))) * 8;
  spare.resize(items.size());
  const Item* sorted = items.size() < kShortDigits
                           ? radix_passes<kBits, 8>(items.data(), spare.data(), items.size(), key)
                           : radix_passes<kBits>(items.data(), spare.data(), items.size(), key);
  if (sorted != items.data()) items.swap(spare);
}

// Sorts plain keys. Those that the caches cannot hold are split by their leading digit first, so that memory is
// crossed once and each later pass stays within one heap.
template <class Key>
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare) {
  constexpr std::size_t kCached = (std::size_t{1} << 21) / sizeof(Key);
  constexpr int kBits = static_cast<int>(sizeof(Key)) * 8, kRest = kBits - kDigit;
  const auto same = [](Key key) { return key; };
  if (keys.size() <= kCached) return radix_sort(keys, spare, same);
  std::vector<std::size_t> places(kDigits, 0);
  for (const Key key : keys) ++places[key >> kRest];
  std::size_t start = 0;
  for (std::size_t& place : places) start += std::exchange(place, start);
  spare.resize(keys.size());
  for (const Key key : keys) spare[places[key >> kRest]++] = key;
  start = 0;
  for (const std::size_t end : places) {
    const std::size_t count = end - start;
    Key* heap = spare.data() + start;
    if (count < kSortedPlainly) std::sort(heap, heap + count);
    else heap = radix_passes<kRest>(heap, keys.data() + start, count, same);
    if (heap != keys.data() + start) std::copy(heap, heap + count, keys.data() + start);
    start = end;
  }
}

}  // namespace venire
