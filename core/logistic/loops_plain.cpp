// The loops of logistic regression for any machine.
#include <bit>
#include <cmath>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "logistic/loops.hpp"

namespace venire {
namespace {

#define VENIRE_VECTOR_BYTES 16
#include "base/simd_vector.hpp"

VENIRE_INLINE Vector<float> fused(const Vector<float>& a, const Vector<float>& b, const Vector<float>& c) {
  return a * b + c;
}
VENIRE_INLINE Vector<double> fused(const Vector<double>& a, const Vector<double>& b, const Vector<double>& c) {
  return a * b + c;
}

#include "logistic/pass_loops.hpp"

}  // namespace

std::size_t gradient_work(std::size_t columns, std::size_t outputs) {
  return outputs * columns * kPad + kMostPanels * outputs * kPanel;
}

std::size_t gram_work(std::size_t columns) { return kProductPanels * columns * kPanel; }

const LogisticLoops& plain_logistic_loops() { return kLoops; }

const LogisticLoops& logistic_loops() {
  const LogisticLoops* found = nullptr;
  if (simd_level() >= Simd::avx512) found = avx512_logistic_loops();
  if (found == nullptr && simd_level() >= Simd::avx2 && has_fused_multiply_add()) found = avx2_logistic_loops();
  return found == nullptr ? plain_logistic_loops() : *found;
}

}  // namespace venire
