// Sums over a few rows [row][stride], picked by number: the part of `pass_loops.hpp`, which includes it, that serves
// `PairCurvature`.

// R rows, times the difference of two vectors.
template <std::size_t R>
VENIRE_INLINE void dots(const float* x, std::size_t stride, const std::uint32_t* rows, const float* a, const float* b,
                        float* to) {
  Vector<float> sums[R];
  for (std::size_t r = 0; r < R; ++r) sums[r] = all(0.0f);
  for (std::size_t j = 0; j < stride; j += kLanes<float>) {
    const Vector<float> values = load(a + j) - load(b + j);
    for (std::size_t r = 0; r < R; ++r) sums[r] = fused(load(x + rows[r] * stride + j), values, sums[r]);
  }
  for (std::size_t r = 0; r < R; ++r) to[r] = sum_of<float>(sums[r]);
}

// J vectors of rows times numbers: added to one place, taken from the other.
template <std::size_t J>
VENIRE_INLINE void add_and_subtract(const float* x, std::size_t stride, const std::uint32_t* rows, const float* by,
                                    std::size_t count, float* a, float* b) {
  Vector<float> sums[J];
  for (std::size_t v = 0; v < J; ++v) sums[v] = all(0.0f);
  for (std::size_t i = 0; i < count; ++i) {
    const Vector<float> factor = all(by[i]);
    for (std::size_t v = 0; v < J; ++v)
      sums[v] = fused(factor, load(x + rows[i] * stride + v * kLanes<float>), sums[v]);
  }
  for (std::size_t v = 0; v < J; ++v) {
    store(load(a + v * kLanes<float>) + sums[v], a + v * kLanes<float>);
    store(load(b + v * kLanes<float>) - sums[v], b + v * kLanes<float>);
  }
}

void add_pair_products(const float* x, std::size_t stride, const std::uint32_t* rows, const float* weights,
                       std::size_t count, const float* a, const float* b, float* to_a, float* to_b) {
  constexpr std::size_t kSome = 64, L = kLanes<float>;
  float factors[kSome];
  for (std::size_t first = 0; first < count; first += kSome) {
    const std::size_t some = least(kSome, count - first);
    std::size_t i = 0;
    for (; i + 4 <= some; i += 4) dots<4>(x, stride, rows + first + i, a, b, factors + i);
    for (; i < some; ++i) dots<1>(x, stride, rows + first + i, a, b, factors + i);
    for (i = 0; i < some; ++i) factors[i] *= weights[first + i];
    std::size_t at = 0;
    for (; at + 4 * L <= stride; at += 4 * L)
      add_and_subtract<4>(x + at, stride, rows + first, factors, some, to_a + at, to_b + at);
    for (; at < stride; at += L) add_and_subtract<1>(x + at, stride, rows + first, factors, some, to_a + at, to_b + at);
  }
}

template <std::size_t R, std::size_t J>
VENIRE_INLINE void outer_some(const float* x, std::size_t stride, std::size_t row, std::size_t column,
                              const std::uint32_t* rows, const float* weights, std::size_t count, float* to) {
  Vector<float> sums[R][J];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < J; ++v) sums[r][v] = load(to + r * stride + v * kLanes<float>);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float* from = x + rows[i] * stride;
    Vector<float> values[J];
    for (std::size_t v = 0; v < J; ++v) values[v] = load(from + column + v * kLanes<float>);
    for (std::size_t r = 0; r < R; ++r) {
      const Vector<float> factor = all(from[row + r] * weights[i]);
      for (std::size_t v = 0; v < J; ++v) sums[r][v] = fused(factor, values[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < J; ++v) store(sums[r][v], to + r * stride + v * kLanes<float>);
  }
}

void add_outer_products(const float* x, std::size_t size, std::size_t stride, const std::uint32_t* rows,
                        const float* weights, std::size_t count, float* out) {
  constexpr std::size_t L = kLanes<float>, J = VENIRE_VECTOR_BYTES == 64 ? 4 : 2;
  for (std::size_t row = 0; row < size; ++row) {
    const bool four = row + 4 <= size;
    std::size_t at = row / L * L;
    float* to = out + row * stride;
    if (four) {
      for (; at + J * L <= stride; at += J * L) outer_some<4, J>(x, stride, row, at, rows, weights, count, to + at);
      for (; at < stride; at += L) outer_some<4, 1>(x, stride, row, at, rows, weights, count, to + at);
      row += 3;
    } else {
      for (; at < stride; at += L) outer_some<1, 1>(x, stride, row, at, rows, weights, count, to + at);
    }
  }
}
