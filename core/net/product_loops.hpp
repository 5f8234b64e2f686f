// Products of matrices; a body, included by each file that has chosen the target and defined `Vector<float>` and
// `fused(a, b, c)`, a·b + c, and `spread(from)`, one number in all lanes.

constexpr std::size_t kLanes = VENIRE_VECTOR_BYTES / sizeof(float);
constexpr std::size_t kBlockRows = VENIRE_VECTOR_BYTES == 64 ? 12 : VENIRE_VECTOR_BYTES == 32 ? 6 : 4;
constexpr std::size_t kPanelColumns = 2 * kLanes;
static_assert(kPanelColumns <= kWidestPanel && kBlockRows <= kMostBlockRows);

// Where a block of sums begins from, and where it goes; a stride of 0 begins every row from the same numbers.
struct Block {
  const float* start;
  std::size_t start_stride;
  float* out;
  std::size_t out_stride;
};

VENIRE_INLINE void add_row(const float* a, const Vector<float>& b0, const Vector<float>& b1, Vector<float>& left,
                           Vector<float>& right) {
  const Vector<float> factor = spread(a);
  left = fused(factor, b0, left);
  right = fused(factor, b1, right);
}

// Elements of `a` lie in rows of their own, or packed [step][row of the block]. Row numbers are constants, so that the
// sums stay in registers.
template <bool Packed, std::size_t... R>
VENIRE_INLINE void multiply_block(const float* const* rows, const float* packed, const float* panel, std::size_t steps,
                                  const Block& block, std::index_sequence<R...>) {
  Vector<float> left[] = {load(block.start + R * block.start_stride)...};
  Vector<float> right[] = {load(block.start + R * block.start_stride + kLanes)...};
  const float* at[] = {(Packed ? packed + R : rows[R])...};
  for (std::size_t k = 0; k < steps; ++k) {
    const Vector<float> b0 = load(panel + k * kPanelColumns), b1 = load(panel + k * kPanelColumns + kLanes);
    (add_row(at[R] + k * (Packed ? kBlockRows : 1), b0, b1, left[R], right[R]), ...);
  }
  (store(left[R], block.out + R * block.out_stride), ...);
  (store(right[R], block.out + R * block.out_stride + kLanes), ...);
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
    if (columns == kPanelColumns) {  // a known length needs no call
      store(load(at), panel + k * kPanelColumns);
      store(load(at + kLanes), panel + k * kPanelColumns + kLanes);
    } else {
      std::copy(at, at + columns, panel + k * kPanelColumns);
    }
  }
}

// All rows as [block][step][row of the block], zero beyond the last row.
inline void pack_rows(const Product& p, std::size_t from, std::size_t steps, float* packed) {
  for (std::size_t row = 0; row < p.rows; row += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, p.rows - row);
    const float* at = p.a + from * p.a_stride + row;
    if (rows == kBlockRows) {
      for (std::size_t k = 0; k < steps; ++k) std::copy_n(at + k * p.a_stride, kBlockRows, packed + k * kBlockRows);
    } else {
      std::fill_n(packed, steps * kBlockRows, 0.0f);
      for (std::size_t k = 0; k < steps; ++k) std::copy_n(at + k * p.a_stride, rows, packed + k * kBlockRows);
    }
    packed += steps * kBlockRows;
  }
}

// The sums of the steps before, or the start, or zero.
inline Block block_at(const Product& p, bool first, std::size_t row, std::size_t column) {
  alignas(64) static constexpr float kZeros[kWidestPanel] = {};
  float* out = p.c + row * p.c_stride + column;
  if (!first) return {out, p.c_stride, out, p.c_stride};
  return {p.start == nullptr ? kZeros : p.start + column, 0, out, p.c_stride};
}

// One panel of columns: its steps fit into the first-level cache. A block at an edge is computed beside, and what is
// beyond the edge is thrown away.
inline void multiply_panel(const Product& p, std::size_t from, std::size_t steps, std::size_t column,
                           const float* panel, const float* packed) {
  constexpr auto kEvery = std::make_index_sequence<kBlockRows>();
  alignas(64) float beside[kBlockRows][kPanelColumns];
  const float* rows[kBlockRows] = {};
  for (std::size_t row = 0; row < p.rows; row += kBlockRows) {
    const std::size_t inside = std::min(kBlockRows, p.rows - row),
                      columns = std::min(kPanelColumns, p.columns - column);
    const Block there = block_at(p, from == 0, row, column);
    const bool whole = inside == kBlockRows && columns == kPanelColumns;
    if (!whole) {
      std::fill_n(&beside[0][0], kBlockRows * kPanelColumns, 0.0f);
      for (std::size_t r = 0; r < inside; ++r) std::copy_n(there.start + r * there.start_stride, columns, beside[r]);
    }
    const Block block = whole ? there : Block{&beside[0][0], kPanelColumns, &beside[0][0], kPanelColumns};
    if (p.a_by_step) {
      multiply_block<true>(rows, packed + row * steps, panel, steps, block, kEvery);
    } else {
      // Rows beyond the last are the last once more; nobody reads what they give.
      for (std::size_t r = 0; r < kBlockRows; ++r) rows[r] = p.a + std::min(row + r, p.rows - 1) * p.a_stride + from;
      multiply_block<false>(rows, packed, panel, steps, block, kEvery);
    }
    if (whole) continue;
    for (std::size_t r = 0; r < inside; ++r) std::copy_n(beside[r], columns, there.out + r * there.out_stride);
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
