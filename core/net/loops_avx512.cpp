// The loops of nets for vectors of 512 bits.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/wide.hpp"
#include "net/loop_sizes.hpp"
#include "net/loops.hpp"

#ifdef VENIRE_HAS_AVX2
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,fma")
#endif

namespace venire {
namespace {

#define VENIRE_VECTOR_BYTES 64
#include "base/simd_vector.hpp"

VENIRE_INLINE Vector<float> fused(const Vector<float>& a, const Vector<float>& b, const Vector<float>& c) {
  return _mm512_fmadd_ps(a, b, c);
}
VENIRE_INLINE Vector<float> spread(const float* from) { return _mm512_set1_ps(*from); }
VENIRE_INLINE Vector<float> root(const Vector<float>& v) { return _mm512_sqrt_ps(v); }

#include "net/product_loops.hpp"
#include "net/unit_loops.hpp"

}  // namespace
}  // namespace venire

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const venire::NetLoops* venire::avx512_net_loops() { return &kLoops; }

#else

const venire::NetLoops* venire::avx512_net_loops() { return nullptr; }

#endif
