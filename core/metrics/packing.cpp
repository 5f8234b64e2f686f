#include "metrics/packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/cpu.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr std::uint32_t kSign = 0x80000000u;
constexpr std::uint32_t kHalf = std::bit_cast<std::uint32_t>(0.5f);
// How far two numbers that add up to 1 can miss it when each is rounded by itself.
constexpr float kRounding = 0x1p-24f;
constexpr std::size_t kAtOnce = 4096;  // predictions between two looks at whether all is well

std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }

// Anything but 0 in the result: not the same bits. A smaller probability is a number from 0 to a half, which its bits
// show as well: they are in the order of the numbers, with the sign and all of NaN (which 1 minus it would not keep on
// every machine) above them.
VENIRE_INLINE std::uint32_t shorten_some_shares(const float* pairs, std::size_t count, float* kept) {
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float first = pairs[2 * i], second = pairs[2 * i + 1];
    const float smaller = first < second ? first : second, larger = first < second ? second : first;
    wrong |= bits_of(1.0f - smaller) ^ bits_of(larger);
    wrong |= (bits_of(smaller) | (kHalf - bits_of(smaller))) & kSign;
    kept[i] = std::bit_cast<float>(bits_of(smaller) | (first < second ? kSign : 0u));
  }
  return wrong;
}

VENIRE_INLINE std::uint32_t shorten_some_scores(const float* pairs, std::size_t count, float* kept) {
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wrong |= bits_of(pairs[2 * i]) ^ bits_of(pairs[2 * i + 1]) ^ kSign;
    kept[i] = pairs[2 * i + 1];
  }
  return wrong;
}

VENIRE_INLINE void complement(float* pairs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float first = pairs[2 * i], second = pairs[2 * i + 1];
    const float smaller = first < second ? first : second, larger = first < second ? second : first;
    const float rest = 1.0f - smaller;
    const bool complements = (smaller >= 0.0f) & (smaller <= 0.5f) & (std::abs(rest - larger) <= kRounding);
    const float completed = complements ? rest : larger;
    pairs[2 * i] = first < second ? smaller : completed;
    pairs[2 * i + 1] = first < second ? completed : smaller;
  }
}

std::uint32_t shares_narrow(const float* pairs, std::size_t count, float* kept) {
  return shorten_some_shares(pairs, count, kept);
}
void complement_narrow(float* pairs, std::size_t count) { complement(pairs, count); }
#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 std::uint32_t shares_wide(const float* pairs, std::size_t count, float* kept) {
  return shorten_some_shares(pairs, count, kept);
}
VENIRE_AVX2 void complement_wide(float* pairs, std::size_t count) { complement(pairs, count); }
#endif

// What a byte says of eight labels.
constexpr std::array<std::array<std::int16_t, 8>, 256> kOfByte = [] {
  std::array<std::array<std::int16_t, 8>, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t k = 0; k < 8; ++k) table[byte][k] = static_cast<std::int16_t>(byte >> (7 - k) & 1);
  }
  return table;
}();

}  // namespace

bool pack_probabilities(const float* pairs, std::size_t count, float* kept) {
#ifdef VENIRE_HAS_AVX2
  const auto shorten = simd_level() >= Simd::avx2 ? shares_wide : shares_narrow;
#else
  const auto shorten = shares_narrow;
#endif
  for (std::size_t at = 0; at < count; at += kAtOnce) {
    if (shorten(pairs + 2 * at, std::min(kAtOnce, count - at), kept + at) != 0) return false;
  }
  return true;
}

bool pack_scores(const float* pairs, std::size_t count, float* kept) {
  for (std::size_t at = 0; at < count; at += kAtOnce) {
    if (shorten_some_scores(pairs + 2 * at, std::min(kAtOnce, count - at), kept + at) != 0) return false;
  }
  return true;
}

void unpack_probabilities(const float* kept, std::size_t count, float* pairs) {
  for (std::size_t i = 0; i < count; ++i) {
    const float smaller = std::abs(kept[i]), larger = 1.0f - smaller;
    const bool of_first = (bits_of(kept[i]) & kSign) != 0;
    pairs[2 * i] = of_first ? smaller : larger;
    pairs[2 * i + 1] = of_first ? larger : smaller;
  }
}

void unpack_scores(const float* kept, std::size_t count, float* pairs) {
  for (std::size_t i = 0; i < count; ++i) {
    pairs[2 * i] = -kept[i];
    pairs[2 * i + 1] = kept[i];
  }
}

void complement_probabilities(float* pairs, std::size_t count) {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return complement_wide(pairs, count);
#endif
  complement_narrow(pairs, count);
}

bool labels_to_bits(const std::int16_t* labels, std::size_t settings, std::size_t rows, std::uint8_t* bits) {
  std::uint32_t seen = 0;
  const auto byte_of = [&seen](const std::int16_t* some, std::size_t count) {
    std::uint32_t byte = 0;
    for (std::size_t k = 0; k < count; ++k) {
      seen |= static_cast<std::uint16_t>(some[k]);
      byte = byte << 1 | (static_cast<std::uint16_t>(some[k]) & 1u);
    }
    return static_cast<std::uint8_t>(byte << (8 - count));
  };
  for (std::size_t s = 0; s < settings; ++s, labels += rows) {
    const std::size_t whole = rows / 8;
    for (std::size_t i = 0; i < whole; ++i) *bits++ = byte_of(labels + 8 * i, 8);
    if (rows % 8 != 0) *bits++ = byte_of(labels + 8 * whole, rows % 8);
  }
  return seen <= 1;
}

void bits_to_labels(const std::uint8_t* bits, std::size_t settings, std::size_t rows, std::int16_t* labels) {
  for (std::size_t s = 0; s < settings; ++s, labels += rows) {
    const std::size_t whole = rows / 8;
    for (std::size_t i = 0; i < whole; ++i) std::memcpy(labels + 8 * i, kOfByte[*bits++].data(), sizeof kOfByte[0]);
    if (rows % 8 != 0) std::memcpy(labels + 8 * whole, kOfByte[*bits++].data(), rows % 8 * sizeof(std::int16_t));
  }
}

}  // namespace venire
