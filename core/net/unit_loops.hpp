// What happens to single units and weights; a body, included after `product_loops.hpp`. Layers are filled up to a
// multiple of every width, so that no loop has a rest. Where a branch would be guessed wrong half of the time, vectors
// are written out: compilers leave it in otherwise.

// A hash of 32 bits (Wellons 2018, "lowbias32"): every input bit reaches every output bit.
VENIRE_INLINE std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

inline void rectify(float* values, std::size_t rows, std::size_t stride, const Dropout& dropout) {
  const std::size_t count = rows * stride;
  if (dropout.below == 0) {
    for (std::size_t i = 0; i < count; i += kLanes) store(larger(load(values + i), all(0.0f)), values + i);
    return;
  }
  const std::uint32_t key = dropout.key, below = dropout.below;
  const float scale = dropout.scale;
  for (std::size_t i = 0; i < count; ++i) {
    const float stays = scramble(key ^ static_cast<std::uint32_t>(i)) >= below ? scale : 0.0f;
    values[i] = std::max(values[i], 0.0f) * stays;
  }
}

// A unit that was left out is 0, as one that did not fire.
inline void unrectify(float* gradient, const float* values, std::size_t count, float scale) {
  const Vector<float> larger_by = all(scale), nothing = all(0.0f);
  for (std::size_t i = 0; i < count; i += kLanes) {
    store(pick_positive(load(values + i), load(gradient + i) * larger_by, nothing), gradient + i);
  }
}

inline void sum_rows(const float* values, std::size_t rows, std::size_t stride, float* sums) {
  std::fill(sums, sums + stride, 0.0f);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < stride; ++j) sums[j] += values[row * stride + j];
  }
}

// `count` is a multiple of kUnitPad, and so of every width.
inline void adam(const AdamStep& step, const float* gradient, std::size_t count, float* weights, float* first,
                 float* second) {
  const Vector<float> beta1 = all(step.beta1), beta2 = all(step.beta2), rate = all(step.rate);
  const Vector<float> rest1 = all(1.0f - step.beta1), rest2 = all(1.0f - step.beta2);
  const Vector<float> shrink = all(step.shrink), epsilon = all(step.epsilon), correction = all(step.root_correction);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Vector<float> g = load(gradient + i);
    const Vector<float> m = fused(beta1, load(first + i), rest1 * g);
    const Vector<float> v = fused(beta2, load(second + i), rest2 * g * g);
    store(m, first + i);
    store(v, second + i);
    store(load(weights + i) * shrink - rate * m / fused(root(v), correction, epsilon), weights + i);
  }
}

constexpr NetLoops kLoops{multiply, rectify, unrectify, sum_rows, adam};
