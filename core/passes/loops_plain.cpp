// The loops of logistic regression for any machine.
#include <bit>
#include <cmath>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "passes/loops.hpp"

namespace venire {
namespace {

#include "base/vectors_plain.hpp"
#include "passes/pass_loops.hpp"

}  // namespace

std::size_t gradient_work(std::size_t columns, std::size_t outputs) {
  return outputs * columns * kPad + kMostPanels * outputs * kPanel;
}

std::size_t gram_work(std::size_t columns) { return kProductPanels * columns * kPanel; }

const LogisticLoops& plain_logistic_loops() { return kLoops; }

const LogisticLoops& logistic_loops() {
  return widest(avx512_logistic_loops(), avx2_logistic_loops(), &plain_logistic_loops());
}

}  // namespace venire
