// The inner loops of nets, and which copy of them this machine runs.
//
// Nearly all the time of a net goes into products of matrices. One loop computes every kind of them: a block of a few
// rows times two vectors of columns stays in registers while it runs down the steps (the inner dimension), 24 fused
// multiply-adds for 8 loads. Every element of a product is one sum in the order of the steps, whatever the block it
// is in, so that a row's result depends on no other row, and on the width of vectors only by whether they fuse.
//
// The loops are compiled for the plain architecture and for each width of vectors (`loops_plain.cpp`, `loops_avx2.cpp`,
// `loops_avx512.cpp` include `product_loops.hpp` and `unit_loops.hpp`).
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

constexpr std::size_t kUnitPad = 16;  // units of a layer are filled up to a multiple of this many floats

// c[row][column] = start[column] + sum over steps of a(row, step) b(step, column).
struct Product {
  std::size_t rows, steps, columns;
  const float* a;
  std::size_t a_stride;
  bool a_by_step;  // a lies [step][row], not [row][step]
  const float* b;
  std::size_t b_stride;
  bool b_by_column;    // b lies [column][step], not [step][column]
  const float* start;  // [column], or null for zero
  float* c;            // [row][column]
  std::size_t c_stride;
};

// One step of AdamW (Loshchilov and Hutter 2019).
struct AdamStep {
  float rate;             // of this step, with the correction of the first moment's start in it
  float shrink;           // what the decay leaves of a weight
  float beta1, beta2;     // of the moments
  float root_correction;  // of the second moment's start, to its square root
  float epsilon;
};

// Which units of a layer are left out for one batch: by a hash of the key and the place [row][unit].
struct Dropout {
  std::uint32_t key;
  std::uint32_t below;  // a unit is left out when its hash is smaller
  float scale;          // of the units that stay
};

struct NetLoops {
  // `work` holds product_work() floats.
  void (*multiply)(const Product& product, float* work);

  // The larger of 0 and each value, in place; some of them left out.
  void (*rectify)(float* values, std::size_t rows, std::size_t stride, const Dropout& dropout);

  // The gradient by what came into `rectify`, from that by what came out of it and its values.
  void (*unrectify)(float* gradient, const float* values, std::size_t count, float scale);

  // Sums of columns, row after row.
  void (*sum_rows)(const float* values, std::size_t rows, std::size_t stride, float* sums);

  void (*adam)(const AdamStep& step, const float* gradient, std::size_t count, float* weights, float* first,
               float* second);
};

// Floats of `work` that a product needs.
std::size_t product_work(std::size_t rows, std::size_t steps);

const NetLoops& plain_net_loops();
const NetLoops* avx2_net_loops();  // null where it was not compiled
const NetLoops* avx512_net_loops();
const NetLoops& net_loops();  // the widest that this machine has

}  // namespace venire
