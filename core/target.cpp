#include "target.hpp"

#include <algorithm>
#include <cmath>

namespace venire {

FixedPoint fixed_point(const double* values, std::size_t count, double copies) {
  FixedPoint out;
  out.units.resize(count);
  double total = 0;
  bool whole = true;
  for (std::size_t i = 0; i < count; ++i) {
    total += std::abs(values[i]);
    whole = whole && values[i] == std::nearbyint(values[i]);
  }
  int shift = 0;
  if (total > 0 && !(whole && total * copies < 0x1p53)) {
    shift = kSumBits - 1 - static_cast<int>(std::ceil(std::log2(total) + std::log2(copies)));
  }
  out.unit = std::ldexp(1.0, -shift);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t units = std::llround(std::ldexp(values[i], shift));
    out.units[i] = units;
    out.largest = std::max(out.largest, std::abs(units));
    out.total += std::abs(units);
  }
  return out;
}

}  // namespace venire
