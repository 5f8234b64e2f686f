// Products of matrices; a body, included by each file that has chosen the target and defined `Vector<float>` and
// `fused(a, b, c)`, a·b + c.

constexpr std::size_t kLanes = VENIRE_VECTOR_BYTES / sizeof(float);
constexpr std::size_t kBlockRows = VENIRE_VECTOR_BYTES == 64 ? 12 : VENIRE_VECTOR_BYTES == 32 ? 6 : 4;
constexpr std::size_t kPanelColumns = 2 * kLanes;
static_assert(kPanelColumns <= kWidestPanel && kBlockRows <= kMostBlockRows);

struct Block {
  float c[kBlockRows][kPanelColumns];
};

// Elements of `a` lie in rows of their own, or packed [step][row of the block].
template <bool Packed>
VENIRE_INLINE void multiply_block(const float* const* rows, const float* packed, const float* panel, std::size_t steps,
                                  Block& block) {
  Vector<float> left[kBlockRows], right[kBlockRows];
  for (std::size_t r = 0; r < kBlockRows; ++r) {
    left[r] = load(block.c[r]);
    right[r] = load(block.c[r] + kLanes);
  }
  for (std::size_t k = 0; k < steps; ++k) {
    const Vector<float> b0 = load(panel + k * kPanelColumns), b1 = load(panel + k * kPanelColumns + kLanes);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 12
#endif
    for (std::size_t r = 0; r < kBlockRows; ++r) {
      const Vector<float> a = all(Packed ? packed[k * kBlockRows + r] : rows[r][k]);
      left[r] = fused(a, b0, left[r]);
      right[r] = fused(a, b1, right[r]);
    }
  }
  for (std::size_t r = 0; r < kBlockRows; ++r) {
    store(left[r], block.c[r]);
    store(right[r], block.c[r] + kLanes);
  }
}

// Steps [from, from + steps) of columns [column, ...) as [step][kPanelColumns], zero beyond the last column.
inline void pack_panel(const Product& p, std::size_t from, std::size_t steps, std::size_t column, float* panel) {
  const std::size_t columns = std::min(kPanelColumns, p.columns - column);
  if (columns < kPanelColumns) std::fill(panel, panel + steps * kPanelColumns, 0.0f);
  if (p.b_by_column) {
    for (std::size_t j = 0; j < columns; ++j) {
      const float* at = p.b + (column + j) * p.b_stride + from;
      for (std::size_t k = 0; k < steps; ++k) panel[k * kPanelColumns + j] = at[k];
    }
    return;
  }
  for (std::size_t k = 0; k < steps; ++k) {
    const float* at = p.b + (from + k) * p.b_stride + column;
    std::copy(at, at + columns, panel + k * kPanelColumns);
  }
}

// All rows as [block][step][row of the block], zero beyond the last row.
inline void pack_rows(const Product& p, std::size_t from, std::size_t steps, float* packed) {
  for (std::size_t row = 0; row < p.rows; row += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, p.rows - row);
    for (std::size_t k = 0; k < steps; ++k, packed += kBlockRows) {
      const float* at = p.a + (from + k) * p.a_stride + row;
      for (std::size_t r = 0; r < kBlockRows; ++r) packed[r] = r < rows ? at[r] : 0.0f;
    }
  }
}

// What a block starts from: the sums of the steps before, or the start.
inline void begin_block(const Product& p, bool first, std::size_t row, std::size_t column, Block& block) {
  const std::size_t rows = std::min(kBlockRows, p.rows - row), columns = std::min(kPanelColumns, p.columns - column);
  if (rows < kBlockRows || columns < kPanelColumns || (first && p.start == nullptr)) block = Block{};
  if (first && p.start == nullptr) return;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* from = first ? p.start + column : p.c + (row + r) * p.c_stride + column;
    std::copy(from, from + columns, block.c[r]);
  }
}

inline void end_block(const Product& p, const Block& block, std::size_t row, std::size_t column) {
  const std::size_t rows = std::min(kBlockRows, p.rows - row), columns = std::min(kPanelColumns, p.columns - column);
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy(block.c[r], block.c[r] + columns, p.c + (row + r) * p.c_stride + column);
  }
}

// One panel of columns: its steps fit into the first-level cache.
inline void multiply_panel(const Product& p, std::size_t from, std::size_t steps, std::size_t column,
                           const float* panel, const float* packed) {
  alignas(64) Block block;
  const float* rows[kBlockRows] = {};
  for (std::size_t row = 0; row < p.rows; row += kBlockRows) {
    begin_block(p, from == 0, row, column, block);
    if (p.a_by_step) {
      multiply_block<true>(rows, packed + row * steps, panel, steps, block);
    } else {
      // Rows beyond the last are the last once more; nobody reads what they give.
      for (std::size_t r = 0; r < kBlockRows; ++r) rows[r] = p.a + std::min(row + r, p.rows - 1) * p.a_stride + from;
      multiply_block<false>(rows, packed, panel, steps, block);
    }
    end_block(p, block, row, column);
  }
}

inline void multiply(const Product& p, float* work) {
  float* panel = work;
  float* packed = work + kStepsAtOnce * kWidestPanel;
  for (std::size_t from = 0; from == 0 || from < p.steps; from += kStepsAtOnce) {
    const std::size_t steps = std::min(kStepsAtOnce, p.steps - from);
    if (p.a_by_step) pack_rows(p, from, steps, packed);
    for (std::size_t column = 0; column < p.columns; column += kPanelColumns) {
      pack_panel(p, from, steps, column, panel);
      multiply_panel(p, from, steps, column, panel, packed);
    }
  }
}
