// The loops of nets for vectors of 256 bits.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/wide.hpp"
#include "net/loop_sizes.hpp"
#include "net/loops.hpp"

#ifdef VENIRE_HAS_AVX2
#include <immintrin.h>

namespace venire {
namespace {

#include "base/vectors_avx2.hpp"

#include "net/product_loops.hpp"
#include "net/unit_loops.hpp"

#include "base/vectors_end.hpp"

}  // namespace
}  // namespace venire

const venire::NetLoops* venire::avx2_net_loops() { return &kLoops; }

#else

const venire::NetLoops* venire::avx2_net_loops() { return nullptr; }

#endif
