// Which instructions this machine has, asked once at run time.
//
// The library is compiled for the plain architecture. A stage that gains from wide vectors compiles a second copy of
// its inner loop for them and picks by `simd_level()`. VENIRE_SIMD=baseline switches every wide path off, so that the
// plain paths can be tested on any machine.
#pragma once

namespace venire {

enum class Simd { baseline = 0, avx2 = 1, avx512 = 2 };

// The widest level this process may use; the answer never changes while it runs.
Simd simd_level();

// Whether 256-bit vectors can multiply and add in one rounding; nearly every machine with AVX2 can.
bool has_fused_multiply_add();

const char* simd_name(Simd level);

// Of loops compiled for several widths the copy that this machine runs; a width may not have been compiled (null), the
// plain one always is.
template <class Loops>
const Loops& widest(const Loops* avx512, const Loops* avx2, const Loops* plain) {
  if (avx512 != nullptr && simd_level() >= Simd::avx512) return *avx512;
  if (avx2 != nullptr && simd_level() >= Simd::avx2 && has_fused_multiply_add()) return *avx2;
  return *plain;
}

}  // namespace venire
