#include "base/checksum.hpp"

#include <array>

#include "base/cpu.hpp"
#include "base/wide.hpp"

#ifdef VENIRE_HAS_AVX2
#include <immintrin.h>
#endif

namespace venire {

#ifdef VENIRE_HAS_AVX2
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320u;  // of CRC-32, its bits reversed
constexpr std::size_t kLeast = 128;                 // bytes; fewer are not worth folding

constexpr std::array<std::uint32_t, 256> kOfByte = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1u) != 0 ? kPolynomial ^ (rest >> 1) : rest >> 1;
    table[byte] = rest;
  }
  return table;
}();

std::uint32_t byte_by_byte(const std::uint8_t* data, std::size_t count, std::uint32_t rest) {
  for (std::size_t i = 0; i < count; ++i) rest = kOfByte[(rest ^ data[i]) & 255u] ^ (rest >> 8);
  return rest;
}

#define VENIRE_FOLDING [[gnu::target("pclmul,sse4.1")]]

VENIRE_FOLDING inline __m128i load(const std::uint8_t* data) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

// What `ahead` becomes when it is moved on to `next`: its two halves times the remainders of the distance.
VENIRE_FOLDING inline __m128i fold(__m128i ahead, __m128i distance, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(ahead, distance, 0x00), high = _mm_clmulepi64_si128(ahead, distance, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

VENIRE_FOLDING std::uint32_t folded(const std::uint8_t* data, std::size_t count, std::uint32_t rest) {
  if (count < kLeast) return byte_by_byte(data, count, rest);
  // x to the power of 8 times the bytes of the distance, plus and minus 32, modulo the polynomial: for 64 bytes, and
  // for 16.
  const __m128i far = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), near = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  __m128i a = _mm_xor_si128(load(data), _mm_cvtsi32_si128(static_cast<int>(rest)));
  __m128i b = load(data + 16), c = load(data + 32), d = load(data + 48);
  for (data += 64, count -= 64; count >= 64; data += 64, count -= 64) {
    a = fold(a, far, load(data));
    b = fold(b, far, load(data + 16));
    c = fold(c, far, load(data + 32));
    d = fold(d, far, load(data + 48));
  }
  d = fold(fold(fold(a, near, b), near, c), near, d);
  for (; count >= 16; data += 16, count -= 16) d = fold(d, near, load(data));
  alignas(16) std::uint8_t last[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(last), d);
  return byte_by_byte(data, count, byte_by_byte(last, sizeof last, 0));
}

}  // namespace
#endif

std::optional<std::uint32_t> folded_crc32([[maybe_unused]] const std::uint8_t* data, [[maybe_unused]] std::size_t count,
                                          [[maybe_unused]] std::uint32_t start) {
#ifdef VENIRE_HAS_AVX2
  static const bool able = simd_level() >= Simd::avx2 && __builtin_cpu_supports("pclmul");
  if (able) return ~folded(data, count, ~start);
#endif
  return std::nullopt;
}

}  // namespace venire
