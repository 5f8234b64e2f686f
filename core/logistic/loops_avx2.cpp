// The loops of logistic regression for vectors of 256 bits.
#include <cmath>

#include "base/wide.hpp"
#include "logistic/loops.hpp"

#ifdef VENIRE_HAS_AVX2
#include <immintrin.h>

namespace venire {
namespace {

#include "base/vectors_avx2.hpp"

#include "logistic/pass_loops.hpp"

#include "base/vectors_end.hpp"

}  // namespace
}  // namespace venire

const venire::LogisticLoops* venire::avx2_logistic_loops() { return &kLoops; }

#else

const venire::LogisticLoops* venire::avx2_logistic_loops() { return nullptr; }

#endif
