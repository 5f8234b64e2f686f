// The loops of logistic regression for vectors of 256 bits.
#include <cmath>

#include "base/wide.hpp"
#include "logistic/loops.hpp"

#ifdef VENIRE_HAS_AVX2
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace venire {
namespace {

#define VENIRE_VECTOR_BYTES 32
#include "base/simd_vector.hpp"

VENIRE_INLINE Vector<float> fused(const Vector<float>& a, const Vector<float>& b, const Vector<float>& c) {
  return _mm256_fmadd_ps(a, b, c);
}
VENIRE_INLINE Vector<double> fused(const Vector<double>& a, const Vector<double>& b, const Vector<double>& c) {
  return _mm256_fmadd_pd(a, b, c);
}

#include "logistic/pass_loops.hpp"

}  // namespace
}  // namespace venire

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const venire::LogisticLoops* venire::avx2_logistic_loops() { return &kLoops; }

#else

const venire::LogisticLoops* venire::avx2_logistic_loops() { return nullptr; }

#endif
