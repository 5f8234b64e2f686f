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

#include "base/vectors_plain.hpp"
#include "net/product_loops.hpp"
#include "net/unit_loops.hpp"

}  // namespace

std::size_t product_work(std::size_t rows, std::size_t steps) {
  return kStepsAtOnce * kWidestPanel + (rows + kMostBlockRows) * (steps < kStepsAtOnce ? steps : kStepsAtOnce);
}

const NetLoops& plain_net_loops() { return kLoops; }

const NetLoops& net_loops() { return widest(avx512_net_loops(), avx2_net_loops(), &plain_net_loops()); }

}  // namespace venire
