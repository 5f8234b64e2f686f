// Products of columns and small matrices, for any width of vectors: the part of `pass_loops.hpp`, which includes it,
// that knows nothing of logistic regression.

constexpr std::size_t kProductPanels = 32;  // panels taken together by `add_gram`

// Products of I columns with J columns over some panels; both from the same scaled rows.
template <std::size_t I, std::size_t J>
VENIRE_INLINE void tile(const float* left, const float* right, std::size_t panels, std::size_t stride, double* out,
                        std::size_t size) {
  Vector<float> sums[I][J];
  for (std::size_t i = 0; i < I; ++i) {
    for (std::size_t j = 0; j < J; ++j) sums[i][j] = all(0.0f);
  }
  for (std::size_t b = 0; b < panels; ++b, left += stride, right += stride) {
    for (std::size_t v = 0; v < kPanel; v += kLanes<float>) {
      Vector<float> values[J];
      for (std::size_t j = 0; j < J; ++j) values[j] = load(right + j * kPanel + v);
      for (std::size_t i = 0; i < I; ++i) {
        const Vector<float> other = load(left + i * kPanel + v);
        for (std::size_t j = 0; j < J; ++j) sums[i][j] = fused(other, values[j], sums[i][j]);
      }
    }
  }
  for (std::size_t i = 0; i < I; ++i) {
    for (std::size_t j = 0; j < J; ++j) out[j * size + i] += static_cast<double>(sum_of<float>(sums[i][j]));
  }
}

void add_gram(const Rows<float>& rows, const float* roots, float* work, double* out) {
  constexpr std::size_t I = kMostOutputs, J = 4;
  const std::size_t size = rows.columns, stride = size * kPanel;
  for (std::size_t first = 0; first < rows.panels; first += kProductPanels) {
    const std::size_t count = least(kProductPanels, rows.panels - first);
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t v = 0; v < kPanel; v += kLanes<float>) {
        const Vector<float> root = load(roots + (first + b) * kPanel + v);
        const float* from = rows.x + (first + b) * stride + v;
        for (std::size_t j = 0; j < size; ++j)
          store(load(from + j * kPanel) * root, work + b * stride + j * kPanel + v);
      }
    }
    std::size_t i = 0;
    for (; i + I <= size; i += I) {
      std::size_t j = 0;
      for (; j + J <= size && j < i + I; j += J)
        tile<I, J>(work + i * kPanel, work + j * kPanel, count, stride, out + j * size + i, size);
      for (; j < i + I; ++j) tile<I, 1>(work + i * kPanel, work + j * kPanel, count, stride, out + j * size + i, size);
    }
    for (; i < size; ++i) {
      std::size_t j = 0;
      for (; j + J <= size && j <= i; j += J)
        tile<1, J>(work + i * kPanel, work + j * kPanel, count, stride, out + j * size + i, size);
      for (; j <= i; ++j) tile<1, 1>(work + i * kPanel, work + j * kPanel, count, stride, out + j * size + i, size);
    }
  }
}

void add_scaled(float scale, const float* from, float* to, std::size_t length) {
  const Vector<float> by = all(scale);
  for (std::size_t i = 0; i < length; i += kLanes<float>) store(fused(by, load(from + i), load(to + i)), to + i);
}

float dot(const float* a, const float* b, std::size_t length) {
  Vector<float> even = all(0.0f), odd = all(0.0f);
  std::size_t i = 0;
  for (; i + 2 * kLanes<float> <= length; i += 2 * kLanes<float>) {
    even = fused(load(a + i), load(b + i), even);
    odd = fused(load(a + i + kLanes<float>), load(b + i + kLanes<float>), odd);
  }
  for (; i < length; i += kLanes<float>) even = fused(load(a + i), load(b + i), even);
  return sum_of<float>(even + odd);
}

// J vectors of the sum of rows times numbers; R rows at a time, so that no sum waits for itself.
template <std::size_t J, std::size_t R>
VENIRE_INLINE void combine_some(const float* matrix, std::size_t rows, std::size_t stride, const float* by, float* to) {
  Vector<float> sums[R][J];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < J; ++v) sums[r][v] = all(0.0f);
  }
  std::size_t i = 0;
  for (; i + R <= rows; i += R) {
    for (std::size_t r = 0; r < R; ++r) {
      const Vector<float> factor = all(by[i + r]);
      for (std::size_t v = 0; v < J; ++v)
        sums[r][v] = fused(factor, load(matrix + (i + r) * stride + v * kLanes<float>), sums[r][v]);
    }
  }
  for (; i < rows; ++i) {
    for (std::size_t v = 0; v < J; ++v)
      sums[0][v] = fused(all(by[i]), load(matrix + i * stride + v * kLanes<float>), sums[0][v]);
  }
  for (std::size_t v = 0; v < J; ++v) {
    Vector<float> sum = sums[0][v];
    for (std::size_t r = 1; r < R; ++r) sum = sum + sums[r][v];
    store(sum, to + v * kLanes<float>);
  }
}

// Rows times numbers, added up: columns [first, last) of a matrix [row][stride], and those that share a vector with
// them.
VENIRE_INLINE void combine(const float* matrix, std::size_t rows, std::size_t stride, std::size_t first,
                           std::size_t last, const float* by, float* to) {
  constexpr std::size_t L = kLanes<float>;
  std::size_t at = first / L * L;
  for (; at + 3 * L < last; at += 4 * L) combine_some<4, 2>(matrix + at, rows, stride, by, to + at);
  for (; at + L < last; at += 2 * L) combine_some<2, 4>(matrix + at, rows, stride, by, to + at);
  if (at < last) combine_some<1, 4>(matrix + at, rows, stride, by, to + at);
}

void multiply_matrix(const float* matrix, std::size_t size, std::size_t stride, const float* from, float* to) {
  combine(matrix, size, stride, 0, stride, from, to);
}

// Row by row: of the upper factor U, of the inverse of its transpose, and of the product of the latter with its own
// transpose, of which one half is taken for both. Each row is a combination of others, from or up to the diagonal.
bool invert(float* matrix, std::size_t size, std::size_t stride, float* work) {
  float* by = work + size * stride;
  float* sum = by + stride;
  for (std::size_t k = 0; k < size; ++k) {
    float* row = matrix + k * stride;
    for (std::size_t i = 0; i < k; ++i) by[i] = -matrix[i * stride + k];
    combine(matrix, k, stride, k, stride, by, sum);
    for (std::size_t j = k; j < stride; ++j) row[j] += sum[j];
    if (!(row[k] > 0)) return false;
    const float scale = 1.0f / std::sqrt(row[k]);
    for (std::size_t j = k; j < stride; ++j) row[j] *= scale;
  }
  for (std::size_t i = 0; i < size; ++i) {
    float* row = work + i * stride;
    const float scale = 1.0f / matrix[i * stride + i];
    for (std::size_t k = 0; k < i; ++k) by[k] = -matrix[k * stride + i] * scale;
    combine(work, i, stride, 0, i, by, row);
    row[i] = scale;
    for (std::size_t j = i + 1; j < stride; ++j) row[j] = 0.0f;
  }
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = j; i < size; ++i) by[i - j] = work[i * stride + j];
    combine(work + j * stride, size - j, stride, 0, j + 1, by, matrix + j * stride);
    for (std::size_t i = 0; i < j; ++i) matrix[i * stride + j] = matrix[j * stride + i];
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = size; j < stride; ++j) matrix[i * stride + j] = 0.0f;
  }
  return true;
}

// Takes from R rows, J vectors of each, their share of the rows above.
template <std::size_t R, std::size_t J>
VENIRE_INLINE void reduce_some(const float* above, const float* by, std::size_t count, std::size_t stride,
                               float* rows) {
  Vector<float> sums[R][J];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < J; ++v) sums[r][v] = load(rows + r * stride + v * kLanes<float>);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Vector<float> values[J];
    for (std::size_t v = 0; v < J; ++v) values[v] = load(above + i * stride + v * kLanes<float>);
    for (std::size_t r = 0; r < R; ++r) {
      const Vector<float> factor = all(-by[i * stride + r]);
      for (std::size_t v = 0; v < J; ++v) sums[r][v] = fused(factor, values[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < J; ++v) store(sums[r][v], rows + r * stride + v * kLanes<float>);
  }
}

// Four rows at a time: what they owe to all rows above, then what each owes to the last few.
bool factor_cholesky(float* matrix, std::size_t size) {
  constexpr std::size_t R = 4, J = VENIRE_VECTOR_BYTES == 64 ? 4 : 2, L = kLanes<float>;
  for (std::size_t first = 0; first < size; first += R) {
    float* rows = matrix + first * size;
    std::size_t at = first / kPad * kPad;
    for (; at + J * L <= size; at += J * L) reduce_some<R, J>(matrix + at, matrix + first, first, size, rows + at);
    for (; at < size; at += L) reduce_some<R, 1>(matrix + at, matrix + first, first, size, rows + at);
    for (std::size_t r = 0; r < R; ++r) {
      float* row = rows + r * size;
      const std::size_t k = first + r, start = k / kPad * kPad;
      if (!(row[k] > 0)) return false;
      const float scale = 1.0f / std::sqrt(row[k]);
      for (std::size_t j = start; j < k; ++j) row[j] = 0.0f;
      for (std::size_t j = start; j < size; j += L) store(load(row + j) * all(scale), row + j);
      for (std::size_t below = r + 1; below < R; ++below)
        add_scaled(-row[first + below], row + start, rows + below * size + start, size - start);
    }
  }
  return true;
}

void solve_cholesky(const float* factor, std::size_t size, float* vector) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t start = i / kPad * kPad;
    const float value = vector[i] / factor[i * size + i];
    add_scaled(-value, factor + i * size + start, vector + start, size - start);
    vector[i] = value;
  }
  for (std::size_t i = size; i-- > 0;) {
    const std::size_t start = i / kPad * kPad;
    const float value = vector[i];
    vector[i] = 0.0f;
    vector[i] = (value - dot(factor + i * size + start, vector + start, size - start)) / factor[i * size + i];
  }
}
