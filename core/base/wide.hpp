// A loop compiled twice: for the plain architecture, and for machines with 256-bit vectors.
//
// The body is a function marked VENIRE_INLINE; a narrow and a wide function call it, the latter marked VENIRE_AVX2, and
// `simd_level()` picks. Only elementwise loops belong here: without contraction of multiply and add (see
// CMakeLists.txt) both copies give the same bits.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define VENIRE_HAS_AVX2 1
#define VENIRE_AVX2 [[gnu::target("avx2")]]
#endif

#if defined(__GNUC__) || defined(__clang__)
#define VENIRE_INLINE [[gnu::always_inline]] inline
#else
#define VENIRE_INLINE inline
#endif
