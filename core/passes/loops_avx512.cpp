// The loops of logistic regression for vectors of 512 bits.
#include <cmath>

#include "base/wide.hpp"
#include "passes/loops.hpp"

#ifdef VENIRE_HAS_AVX2
#include <immintrin.h>

namespace venire {
namespace {

#include "base/vectors_avx512.hpp"

#include "passes/pass_loops.hpp"

#include "base/vectors_end.hpp"

}  // namespace
}  // namespace venire

const venire::LogisticLoops* venire::avx512_logistic_loops() { return &kLoops; }

#else

const venire::LogisticLoops* venire::avx512_logistic_loops() { return nullptr; }

#endif
