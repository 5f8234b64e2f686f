// Vectors of 128 bits, for any machine. A body that loops include inside a namespace of their own.
#define VENIRE_VECTOR_BYTES 16
#include "base/simd_vector.hpp"

VENIRE_INLINE Vector<float> fused(const Vector<float>& a, const Vector<float>& b, const Vector<float>& c) {
  return a * b + c;
}
VENIRE_INLINE Vector<double> fused(const Vector<double>& a, const Vector<double>& b, const Vector<double>& c) {
  return a * b + c;
}
VENIRE_INLINE Vector<float> spread(const float* from) { return all(*from); }
VENIRE_INLINE Vector<float> root(const Vector<float>& v) {
  float lanes[VENIRE_VECTOR_BYTES / sizeof(float)];
  store(v, lanes);
  for (float& lane : lanes) lane = std::sqrt(lane);
  return load(lanes);
}
