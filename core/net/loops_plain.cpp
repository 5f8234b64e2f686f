// The loops of nets for any machine.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "net/loop_sizes.hpp"
#include "net/loops.hpp"

namespace venire {
namespace {

#define VENIRE_VECTOR_BYTES 16
#include "base/simd_vector.hpp"

VENIRE_INLINE Vector<float> fused(const Vector<float>& a, const Vector<float>& b, const Vector<float>& c) {
  return a * b + c;
}
VENIRE_INLINE Vector<float> spread(const float* from) { return all(*from); }
VENIRE_INLINE Vector<float> root(const Vector<float>& v) {
  float lanes[VENIRE_VECTOR_BYTES / sizeof(float)];
  store(v, lanes);
  for (float& lane : lanes) lane = std::sqrt(lane);
  return load(lanes);
}

#include "net/product_loops.hpp"
#include "net/unit_loops.hpp"

}  // namespace

std::size_t product_work(std::size_t rows, std::size_t steps) {
  return kStepsAtOnce * kWidestPanel + (rows + kMostBlockRows) * (steps < kStepsAtOnce ? steps : kStepsAtOnce);
}

const NetLoops& plain_net_loops() { return kLoops; }

const NetLoops& net_loops() {
  const NetLoops* found = nullptr;
  if (simd_level() >= Simd::avx512) found = avx512_net_loops();
  if (found == nullptr && simd_level() >= Simd::avx2 && has_fused_multiply_add()) found = avx2_net_loops();
  return found == nullptr ? plain_net_loops() : *found;
}

}  // namespace venire
