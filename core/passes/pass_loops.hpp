// The loops of `loops.hpp`, written once for any width of vectors. Included inside an anonymous namespace by a
// file that has chosen the target and defined `Vector<T>` of VENIRE_VECTOR_BYTES bytes with its few operations
// (`simd_vector.hpp`) and `fused(a, b, c)`, a·b + c.
//
// No template of the standard library is used here: a copy compiled for this target could be linked into the plain
// code.

template <class T>
constexpr std::size_t kLanes = VENIRE_VECTOR_BYTES / sizeof(T);
template <class T>
constexpr std::size_t kVectors = kPanel / kLanes<T>;  // of a panel
// Vectors of rows whose scores are in registers at once.
template <class T>
constexpr std::size_t kStrip = kVectors<T> < 4 ? kVectors<T> : 4;

constexpr std::size_t kSideBySide = 8;  // sums that do not wait for each other keep the multiplier busy
constexpr std::size_t kMostOutputs = VENIRE_VECTOR_BYTES == 64 ? 5 : 3;  // side by side in registers
constexpr std::size_t kChunkBytes = 24 << 10;                            // panels that stay in the first-level cache
constexpr std::size_t kMostPanels = 16;                                  // of a chunk

VENIRE_INLINE constexpr std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }
VENIRE_INLINE constexpr std::size_t most(std::size_t a, std::size_t b) { return a > b ? a : b; }

// A chunk is larger where there are many sums, which are read and written once a chunk.
template <class T>
VENIRE_INLINE std::size_t chunk_panels(std::size_t columns, std::size_t outputs) {
  const std::size_t sums = outputs * columns * VENIRE_VECTOR_BYTES;
  return least(most((kChunkBytes + 2 * sums) / (kPanel * columns * sizeof(T)), 1), kMostPanels);
}

#include "passes/probability_loops.hpp"

// Scores of one panel for outputs [first, first + K): to [output][kPanel].
template <class T, std::size_t K>
VENIRE_INLINE void score_some(const T* x, std::size_t columns, std::size_t stride, const T* beta, T* to) {
  for (std::size_t v = 0; v < kVectors<T>; v += kStrip<T>) {
    Vector<T> sums[K][kStrip<T>];
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t s = 0; s < kStrip<T>; ++s) sums[k][s] = all(T{0});
    }
    for (std::size_t j = 0; j < columns; ++j) {
      Vector<T> values[kStrip<T>];
      for (std::size_t s = 0; s < kStrip<T>; ++s) values[s] = load(x + j * kPanel + (v + s) * kLanes<T>);
      for (std::size_t k = 0; k < K; ++k) {
        const Vector<T> coefficient = all(beta[k * stride + j]);
        for (std::size_t s = 0; s < kStrip<T>; ++s) sums[k][s] = fused(coefficient, values[s], sums[k][s]);
      }
    }
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t s = 0; s < kStrip<T>; ++s) store(sums[k][s], to + k * kPanel + (v + s) * kLanes<T>);
    }
  }
}

// Adds residuals times columns, J of them, over the panels of a chunk, to nothing if it is the first. Sums stay spread
// over the lanes: [output][column][lane].
template <class T, std::size_t K, std::size_t J>
VENIRE_INLINE void multiply_some(const T* x, const T* residuals, std::size_t panels, std::size_t columns,
                                 std::size_t outputs, bool first, T* sums) {
  Vector<T> kept[K][J];
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < J; ++j) kept[k][j] = first ? all(T{0}) : load(sums + (k * columns + j) * kLanes<T>);
  }
  for (std::size_t b = 0; b < panels; ++b) {
    const T* values = x + b * columns * kPanel;
    const T* panel = residuals + b * outputs * kPanel;
    for (std::size_t v = 0; v < kPanel; v += kLanes<T>) {
      Vector<T> column[J];
      for (std::size_t j = 0; j < J; ++j) column[j] = load(values + j * kPanel + v);
      for (std::size_t k = 0; k < K; ++k) {
        const Vector<T> residual = load(panel + k * kPanel + v);
        for (std::size_t j = 0; j < J; ++j) kept[k][j] = fused(residual, column[j], kept[k][j]);
      }
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < J; ++j) store(kept[k][j], sums + (k * columns + j) * kLanes<T>);
  }
}

// Scores of P panels for one output, side by side: the sums of one panel alone would wait for themselves.
template <class T, std::size_t P>
VENIRE_INLINE void score_one(const T* x, std::size_t columns, const T* beta, T* to) {
  constexpr std::size_t S = least(kVectors<T>, kSideBySide);
  for (std::size_t v = 0; v < kVectors<T>; v += S) {
    Vector<T> sums[P][S];
    for (std::size_t b = 0; b < P; ++b) {
      for (std::size_t s = 0; s < S; ++s) sums[b][s] = all(T{0});
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const Vector<T> coefficient = all(beta[j]);
      for (std::size_t b = 0; b < P; ++b) {
        const T* values = x + (b * columns + j) * kPanel + v * kLanes<T>;
        for (std::size_t s = 0; s < S; ++s) sums[b][s] = fused(coefficient, load(values + s * kLanes<T>), sums[b][s]);
      }
    }
    for (std::size_t b = 0; b < P; ++b) {
      for (std::size_t s = 0; s < S; ++s) store(sums[b][s], to + b * kPanel + (v + s) * kLanes<T>);
    }
  }
}

template <class T>
VENIRE_INLINE void score_panels(const T* x, std::size_t panels, std::size_t columns, const T* beta, T* to) {
  constexpr std::size_t P = most(1, kSideBySide / kVectors<T>);
  std::size_t b = 0;
  for (; b + P <= panels; b += P) score_one<T, P>(x + b * columns * kPanel, columns, beta, to + b * kPanel);
  for (; b < panels; ++b) score_one<T, 1>(x + b * columns * kPanel, columns, beta, to + b * kPanel);
}

template <class T, std::size_t K>
void score_outputs(const T* x, std::size_t columns, std::size_t stride, const T* beta, T* to) {
  score_some<T, K>(x, columns, stride, beta, to);
}

// The same for the last columns, fewer than J of them.
template <class T, std::size_t K, std::size_t J>
VENIRE_INLINE void multiply_rest(const T* x, const T* residuals, std::size_t panels, std::size_t columns,
                                 std::size_t outputs, bool first, T* sums, std::size_t rest) {
  if constexpr (J > 1) {
    if (rest == J - 1) return multiply_some<T, K, J - 1>(x, residuals, panels, columns, outputs, first, sums);
    multiply_rest<T, K, J - 1>(x, residuals, panels, columns, outputs, first, sums, rest);
  }
}

template <class T, std::size_t K>
void multiply_outputs(const T* x, const T* residuals, std::size_t panels, std::size_t columns, std::size_t outputs,
                      bool first, T* sums) {
  constexpr std::size_t J = K == 1 ? kSideBySide : 4;
  std::size_t j = 0;
  for (; j + J <= columns; j += J)
    multiply_some<T, K, J>(x + j * kPanel, residuals, panels, columns, outputs, first, sums + j * kLanes<T>);
  multiply_rest<T, K, J>(x + j * kPanel, residuals, panels, columns, outputs, first, sums + j * kLanes<T>, columns - j);
}

template <class T>
struct ByOutputs {
  void (*score)(const T*, std::size_t, std::size_t, const T*, T*);
  void (*multiply)(const T*, const T*, std::size_t, std::size_t, std::size_t, bool, T*);
};

template <class T>
ByOutputs<T> for_outputs(std::size_t count) {
  switch (count) {
    case 1: return {score_outputs<T, 1>, multiply_outputs<T, 1>};
    case 2: return {score_outputs<T, 2>, multiply_outputs<T, 2>};
    case 3: return {score_outputs<T, 3>, multiply_outputs<T, 3>};
    case 4: return {score_outputs<T, least(4, kMostOutputs)>, multiply_outputs<T, least(4, kMostOutputs)>};
    default: return {score_outputs<T, kMostOutputs>, multiply_outputs<T, kMostOutputs>};
  }
}

// Outputs are taken a few at a time, evenly.
template <class T>
struct Groups {
  std::size_t outputs, size;
  ByOutputs<T> whole, last;
  explicit Groups(std::size_t count) : outputs(count) {
    const std::size_t groups = (count + kMostOutputs - 1) / kMostOutputs;
    size = (count + groups - 1) / groups;
    whole = for_outputs<T>(size);
    last = for_outputs<T>(count - (groups - 1) * size);
  }
  const ByOutputs<T>& at(std::size_t k) const { return k + size <= outputs ? whole : last; }
};

// One fused pass over the first outputs: `make_residuals(panel, scores)` turns the scores of a panel [output][kPanel]
// into residuals.
template <class T, class MakeResiduals>
VENIRE_INLINE void run_pass(const Rows<T>& rows, std::size_t computed, const T* beta, T* work, double* gradient,
                            const MakeResiduals& make_residuals) {
  const std::size_t outputs = rows.outputs, columns = rows.columns, chunk = chunk_panels<T>(columns, computed);
  const Groups<T> groups(computed);
  T* sums = work;
  T* residuals = work + outputs * columns * kLanes<T>;
  for (std::size_t first = 0; first < rows.panels; first += chunk) {
    const std::size_t count = least(chunk, rows.panels - first);
    const T* x = rows.x + first * columns * kPanel;
    if (outputs == 1) score_panels(x, count, columns, beta, residuals);
    for (std::size_t b = 0; b < count; ++b) {
      T* scores = residuals + b * outputs * kPanel;
      for (std::size_t k = 0; outputs > 1 && k < computed; k += groups.size) {
        groups.at(k).score(x + b * columns * kPanel, columns, rows.stride, beta + k * rows.stride, scores + k * kPanel);
      }
      make_residuals(first + b, scores);
    }
    for (std::size_t k = 0; k < computed; k += groups.size) {
      groups.at(k).multiply(x, residuals + k * kPanel, count, columns, outputs, first == 0,
                            sums + k * columns * kLanes<T>);
    }
  }
  for (std::size_t k = 0; k < computed; ++k) {
    for (std::size_t j = 0; j < columns; ++j) {
      gradient[k * rows.stride + j] = static_cast<double>(sum_of<T>(load(sums + (k * columns + j) * kLanes<T>)));
    }
  }
}

// Residuals add up to zero over the outputs, and so do gradients: the last follows from the others.
template <class T>
VENIRE_INLINE void add_last(const Rows<T>& rows, std::size_t computed, double* gradient) {
  for (std::size_t j = 0; computed < rows.outputs && j < rows.columns; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < computed; ++k) sum -= gradient[k * rows.stride + j];
    gradient[computed * rows.stride + j] = sum;
  }
}

void compute_gradient(const Rows<double>& rows, const std::int32_t* labels, const double* beta, double* work,
                      double* gradient, const Probabilities& probabilities) {
  const std::size_t outputs = rows.outputs, computed = outputs == 1 ? 1 : outputs - 1;
  run_pass<double>(rows, computed, beta, work, gradient, [&](std::size_t panel, double* scores) {
    const std::int32_t* label = labels + panel * kPanel;
    float* p = probabilities.p + panel * outputs * kPanel;
    for (std::size_t v = 0; v < kPanel; v += kLanes<double>) {
      if (outputs == 1) {
        residuals_two(load(scores + v), label + v, scores + v, p + v, probabilities.one_minus_p + panel * kPanel + v);
      } else {
        residuals_many(scores + v, outputs, p + v);
      }
    }
    if (outputs > 1) {
      for (std::size_t i = 0; i < kPanel; ++i) scores[static_cast<std::size_t>(label[i]) * kPanel + i] -= 1.0;
    }
    if (rows.weights == nullptr) return;
    for (std::size_t k = 0; k < computed; ++k) {
      for (std::size_t i = 0; i < kPanel; ++i) scores[k * kPanel + i] *= rows.weights[panel * kPanel + i];
    }
  });
  add_last(rows, computed, gradient);
}

void compute_scores(const Rows<double>& rows, const double* beta, double* scores) {
  const Groups<double> groups(rows.outputs);
  for (std::size_t k = 0; k < rows.outputs; k += groups.size) {
    groups.at(k).score(rows.x, rows.columns, rows.stride, beta + k * rows.stride, scores + k * kPanel);
  }
}

void compute_probabilities(double* scores, std::size_t outputs, float* probabilities, float* likeliest) {
  if (outputs == 1) return predict_two(scores, probabilities, likeliest);
  for (std::size_t v = 0; v < kPanel; v += kLanes<double>) {
    Vector<double> top = load(scores + v), label = all(0.0);
    for (std::size_t k = 1; k < outputs; ++k) {
      const Vector<double> score = load(scores + k * kPanel + v);
      label = pick_positive(score - top, all(static_cast<double>(k)), label);
      top = larger(top, score);
    }
    probabilities_many(scores + v, top, outputs, scores + v);
    for (std::size_t k = 0; k < outputs; ++k) narrow(load(scores + k * kPanel + v), probabilities + k * kPanel + v);
    narrow(label, likeliest + v);
  }
}

float compute_gradient_difference(const Rows<float>& rows, const float* step, const Probabilities& probabilities,
                                  float* work, double* gradient) {
  const std::size_t outputs = rows.outputs, computed = outputs == 1 ? 1 : outputs - 1;
  Vector<float> widest = all(0.0f);
  run_pass<float>(rows, computed, step, work, gradient, [&](std::size_t panel, float* scores) {
    const float* p = probabilities.p + panel * outputs * kPanel;
    for (std::size_t v = 0; v < kPanel; v += kLanes<float>) {
      if (outputs == 1) {
        difference_two(scores + v, p + v, probabilities.one_minus_p + panel * kPanel + v, widest);
      } else {
        difference_many(scores + v, outputs, p + v, widest);
      }
    }
    if (rows.weights == nullptr) return;
    for (std::size_t k = 0; k < computed; ++k) {
      for (std::size_t v = 0; v < kPanel; v += kLanes<float>) {
        store(load(scores + k * kPanel + v) * load(rows.weights + panel * kPanel + v), scores + k * kPanel + v);
      }
    }
  });
  add_last(rows, computed, gradient);
  float lanes[kLanes<float>], found = 0;
  store(widest, lanes);
  for (const float lane : lanes) found = lane > found ? lane : found;
  return found;
}

#include "passes/matrix_loops.hpp"
#include "passes/pair_loops.hpp"

constexpr LogisticLoops kLoops{compute_gradient,   compute_gradient_difference,
                               compute_scores,     compute_probabilities,
                               add_gram,           invert,
                               factor_cholesky,    solve_cholesky,
                               multiply_matrix,    add_pair_products,
                               add_outer_products, dot,
                               add_scaled};
