#include "net/shape.hpp"

#include <algorithm>

#include "net/loops.hpp"

namespace venire {

NetShape::NetShape(const std::vector<std::uint32_t>& sizes) {
  std::size_t at = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const std::size_t inputs = sizes[l], units = sizes[l + 1];
    const std::size_t stride = (units + kUnitPad - 1) / kUnitPad * kUnitPad;
    layers_.push_back({inputs, units, stride, at, at + inputs * stride});
    at = layers_.back().end();
  }
}

std::size_t NetShape::plain() const {
  std::size_t floats = 0;
  for (const NetLayer& layer : layers_) floats += (layer.inputs + 1) * layer.units;
  return floats;
}

std::size_t NetShape::widest() const {
  std::size_t stride = 0;
  for (const NetLayer& layer : layers_) stride = std::max(stride, layer.stride);
  return stride;
}

// The shifts lie where one more row of weights would.
void NetShape::fill(const float* plain, float* padded) const {
  for (const NetLayer& layer : layers_) {
    for (std::size_t i = 0; i <= layer.inputs; ++i, plain += layer.units) {
      float* row = padded + layer.weights + i * layer.stride;
      std::fill(std::copy(plain, plain + layer.units, row), row + layer.stride, 0.0f);
    }
  }
}

void NetShape::strip(const float* padded, float* plain) const {
  for (const NetLayer& layer : layers_) {
    for (std::size_t i = 0; i <= layer.inputs; ++i) {
      const float* row = padded + layer.weights + i * layer.stride;
      plain = std::copy(row, row + layer.units, plain);
    }
  }
}

}  // namespace venire
