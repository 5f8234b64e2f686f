#include "net/columns.hpp"

#include <algorithm>
#include <cmath>

#include "base/cpu.hpp"
#include "base/wide.hpp"

namespace venire {
namespace {

constexpr double kFar = 3.0;             // spreads, beyond which numbers are drawn in
constexpr double kWild = 1e150;          // numbers beyond are taken as this one, so that no difference is infinite
constexpr std::size_t kRowsAtOnce = 64;  // of a matrix that is written row by row

VENIRE_INLINE double tamed(double x) {
  const double below = x > kWild ? kWild : x;
  return below < -kWild ? -kWild : below;
}

VENIRE_INLINE void draw_in_body(const double* x, std::size_t rows, double centre, double spread, float* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double off = tamed((x[i] - centre) / spread);
    const double scaled = x[i] == x[i] ? off : 0.0, far = scaled / kFar;
    out[i] = static_cast<float>(scaled / std::sqrt(1.0 + far * far));
  }
}

// How far the numbers have come through a piece; a missing one is nowhere, as its quotient is not above 0.
VENIRE_INLINE void come_through_body(const double* x, std::size_t rows, double low, double width, float* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double share = (x[i] - low) / width, begun = share > 0.0 ? share : 0.0;
    out[i] = static_cast<float>(begun < 1.0 ? begun : 1.0);
  }
}

void draw_in_narrow(const double* x, std::size_t rows, double centre, double spread, float* out) {
  draw_in_body(x, rows, centre, spread, out);
}
void come_through_narrow(const double* x, std::size_t rows, double low, double width, float* out) {
  come_through_body(x, rows, low, width, out);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void draw_in_wide(const double* x, std::size_t rows, double centre, double spread, float* out) {
  draw_in_body(x, rows, centre, spread, out);
}
VENIRE_AVX2 void come_through_wide(const double* x, std::size_t rows, double low, double width, float* out) {
  come_through_body(x, rows, low, width, out);
}
#endif

using Loop = void (*)(const double* x, std::size_t rows, double, double, float* out);

struct Loops {
  Loop draw_in = draw_in_narrow, come_through = come_through_narrow;
};

Loops loops_here() {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return {draw_in_wide, come_through_wide};
#endif
  return {};
}

void copy_column(const Matrix& x, std::uint32_t column, std::size_t first, std::size_t rows, double* out) {
  with_scalar(x, [&](auto* data) {
    const auto* from = data + static_cast<std::ptrdiff_t>(column) * x.column_stride +
                       static_cast<std::ptrdiff_t>(first) * x.row_stride;
    for (std::size_t i = 0; i < rows; ++i, from += x.row_stride) out[i] = static_cast<double>(*from);
  });
}

}  // namespace

void NetColumns::add_number(std::uint32_t column, double centre, double spread, bool gap, const double* edges,
                            std::size_t count) {
  const std::size_t first = pieces_.size();
  for (std::size_t e = 1; e < count; ++e) pieces_.push_back({edges[e - 1], edges[e] - edges[e - 1]});
  numbers_.push_back({column, centre, spread, gap, first, pieces_.size()});
  reach_ = std::max<std::size_t>(reach_, column + std::size_t{1});
  width_ += 1 + pieces_.size() - first + (gap ? 1 : 0);
}

void NetColumns::add_category(std::uint32_t column, const std::int64_t* levels, std::size_t count) {
  categories_.push_back({column, std::vector<double>(levels, levels + count)});
  reach_ = std::max<std::size_t>(reach_, column + std::size_t{1});
  width_ += count;
}

void NetColumns::write(const Matrix& x, std::size_t first, std::size_t rows, float* out) const {
  const Loops loops = loops_here();
  std::vector<double> values(rows);
  if (width_ == 0) std::fill_n(out, rows, 0.0f);
  for (const Number& number : numbers_) {
    copy_column(x, number.column, first, rows, values.data());
    for (double& value : values) value = tamed(value);
    loops.draw_in(values.data(), rows, number.centre, number.spread, out);
    out += rows;
    for (std::size_t p = number.first_piece; p < number.end_piece; ++p, out += rows)
      loops.come_through(values.data(), rows, pieces_[p].low, pieces_[p].width, out);
    if (!number.gap) continue;
    for (std::size_t i = 0; i < rows; ++i) out[i] = values[i] == values[i] ? 0.0f : 1.0f;
    out += rows;
  }
  for (const Category& category : categories_) {
    copy_column(x, category.column, first, rows, values.data());
    for (const double level : category.levels) {
      for (std::size_t i = 0; i < rows; ++i) out[i] = values[i] == level ? 1.0f : 0.0f;
      out += rows;
    }
  }
}

void write_rows(const NetColumns& columns, const Matrix& x, float* out) {
  const std::size_t width = columns.width();
  std::vector<float> block(width * kRowsAtOnce);
  for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, x.rows - first);
    columns.write(x, first, rows, block.data());
    for (std::size_t i = 0; i < rows; ++i, out += width) {
      for (std::size_t j = 0; j < width; ++j) out[j] = block[j * rows + i];
    }
  }
}

}  // namespace venire
