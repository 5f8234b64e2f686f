// The layers of one net, and where their weights lie in one stretch of memory.
//
// Layer l takes `sizes[l]` values and gives `sizes[l + 1]`. Its weights lie [value taken][unit], then one shift a unit;
// units are filled up to a multiple of kUnitPad with weights that are zero and stay so. Outside of this folder weights
// are exchanged without the filling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace venire {

struct NetLayer {
  std::size_t inputs, units;
  std::size_t stride;   // units, filled up
  std::size_t weights;  // where they begin
  std::size_t shifts;

  std::size_t end() const { return shifts + stride; }
};

class NetShape {
 public:
  // At least two sizes, none of them zero.
  explicit NetShape(const std::vector<std::uint32_t>& sizes);

  const std::vector<NetLayer>& layers() const { return layers_; }
  const NetLayer& last() const { return layers_.back(); }
  std::size_t inputs() const { return layers_.front().inputs; }
  std::size_t outputs() const { return last().units; }
  std::size_t padded() const { return last().end(); }  // floats, with the filling
  std::size_t plain() const;                           // floats, without it
  std::size_t widest() const;                          // stride of any layer

  // From plain weights to filled ones and back; of each layer the weights, then the shifts.
  void fill(const float* plain, float* padded) const;
  void strip(const float* padded, float* plain) const;

 private:
  std::vector<NetLayer> layers_;
};

}  // namespace venire
