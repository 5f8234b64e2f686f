// Vectors of 512 bits, and code for machines that have them from here to "base/vectors_end.hpp". A body that loops
// include inside a namespace of their own, after <immintrin.h>.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,fma")
#endif

#define VENIRE_VECTOR_BYTES 64
#include "base/simd_vector.hpp"

VENIRE_INLINE Vector<float> fused(const Vector<float>& a, const Vector<float>& b, const Vector<float>& c) {
  return _mm512_fmadd_ps(a, b, c);
}
VENIRE_INLINE Vector<double> fused(const Vector<double>& a, const Vector<double>& b, const Vector<double>& c) {
  return _mm512_fmadd_pd(a, b, c);
}
VENIRE_INLINE Vector<float> spread(const float* from) { return _mm512_set1_ps(*from); }
VENIRE_INLINE Vector<float> root(const Vector<float>& v) { return _mm512_sqrt_ps(v); }
