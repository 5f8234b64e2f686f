#include "splits/target.hpp"

#include <algorithm>
#include <cmath>

namespace venire {
namespace {

// The number of binary places at which a total of this size still has room for `copies` of each part.
int places(double total, double copies) {
  return kSumBits - 1 - static_cast<int>(std::ceil(std::log2(total) + std::log2(copies)));
}

// The nearest whole number, halves away from 0; of sizes below 2^62. Without the call that `llround` is on plain
// machines.
std::int64_t nearest(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  const double rest = x - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

void put(FixedPoint& out, std::size_t i, std::int64_t units) {
  out.units[i] = units;
  out.total += std::abs(units);
}

}  // namespace

FixedPoint fixed_point(const double* values, std::size_t count, double copies, double total, bool whole) {
  FixedPoint out;
  out.units.resize(count);
  const int shift = total > 0 && !(whole && total * copies < 0x1p53) ? places(total, copies) : 0;
  out.unit = std::ldexp(1.0, -shift);
  const double scale = std::ldexp(1.0, shift);
  // A product with a power of two is exact, unless it leaves the range of numbers.
  const bool direct = shift > -1000 && shift < 1000;
  for (std::size_t i = 0; i < count; ++i)
    put(out, i, nearest(direct ? values[i] * scale : std::ldexp(values[i], shift)));
  return out;
}

FixedPoint fixed_point(const double* values, std::size_t count, double copies) {
  double total = 0;
  bool whole = true;
  for (std::size_t i = 0; i < count; ++i) {
    total += std::abs(values[i]);
    whole = whole && values[i] == std::nearbyint(values[i]);
  }
  return fixed_point(values, count, copies, total, whole);
}

FixedPoint fixed_moments(const double* y, double center, const double* weights, const FixedPoint& units,
                         std::size_t count, double copies) {
  FixedPoint out;
  out.units.resize(count);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += (weights == nullptr ? 1.0 : weights[i]) * std::abs(y[i] - center);
  const int shift = total > 0 ? places(total, copies) : 0;
  out.unit = std::ldexp(1.0, -shift);
  for (std::size_t i = 0; i < count; ++i) {
    const double scaled = std::ldexp(y[i] - center, shift);
    if (weights == nullptr) put(out, i, std::llround(scaled));
    else if (units.unit == 1) put(out, i, units.units[i] * (units.units[i] == 0 ? 0 : std::llround(scaled)));
    else put(out, i, std::llround(weights[i] * scaled));
  }
  return out;
}

FixedPoint fixed_moments(const double* y, const std::vector<double>& centers, const double* weights,
                         const FixedPoint& units, std::size_t count, double copies) {
  const std::size_t targets = centers.size();
  FixedPoint out;
  out.units.resize(count * targets);
  double largest = 0;
  for (std::size_t k = 0; k < targets; ++k) {
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      total += (weights == nullptr ? 1.0 : weights[i]) * std::abs(y[i * targets + k] - centers[k]);
    }
    largest = std::max(largest, total);
  }
  const int shift = largest > 0 ? places(largest, copies) : 0;
  out.unit = std::ldexp(1.0, -shift);
  for (std::size_t i = 0; i < count * targets; ++i) {
    const std::size_t row = i / targets;
    const double scaled = std::ldexp(y[i] - centers[i % targets], shift);
    if (weights == nullptr) out.units[i] = std::llround(scaled);
    else if (units.unit == 1) out.units[i] = units.units[row] == 0 ? 0 : units.units[row] * std::llround(scaled);
    else out.units[i] = std::llround(weights[row] * scaled);
  }
  return out;
}

}  // namespace venire
