// What a net says of a batch of rows, and how its loss changes with its weights.
//
// A hidden layer gives max(0, W x + b), some of it left out while training; the last one W x + b. These are the scores
// of classes, whose loss is the log loss of their softmax, or one number, whose loss is half the square of its
// distance. Forward and back cost three products of the size rows × inputs × units a layer, two for the first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned_vector.hpp"
#include "net/loops.hpp"
#include "net/shape.hpp"

namespace venire {

// The target of a batch: labels with classes, else values.
struct NetTarget {
  const std::int32_t* labels;
  const float* values;
  const float* weights;  // one a row
  float smoothing;       // what part of a label is shared by all classes
};

// Memory of one worker for batches of up to so many rows.
struct NetWork {
  AlignedVector<float> inputs;  // [row][column], of a batch that is gathered
  std::vector<std::int32_t> labels;
  std::vector<float> values, weights;
  std::vector<AlignedVector<float>> activations;  // of each layer, [row][stride]
  AlignedVector<float> delta, other_delta, gradient, product;

  void make_room(const NetShape& shape, std::size_t rows, bool training);
};

class NetPasses {
 public:
  NetPasses(const NetShape& shape, const NetLoops& loops) : shape_(shape), loops_(loops) {}

  // Scores [row][stride of the last layer] in the last activations. `key` seeds what is left out.
  void forward(const float* weights, const float* x, std::size_t x_stride, std::size_t rows, float dropout,
               std::uint64_t key, NetWork& work) const;
  // The same with nothing left out, of rows that lie [column][row].
  void forward_columns(const float* weights, const float* x, std::size_t rows, NetWork& work) const;

  // After `forward`: the gradient by all weights of the sum of weighted losses over `divisor`.
  void backward(const float* weights, const float* x, std::size_t x_stride, std::size_t rows, float dropout,
                const NetTarget& target, float divisor, NetWork& work) const;

  // After `forward`: the sum of weighted losses.
  double loss(std::size_t rows, const NetTarget& target, const NetWork& work) const;

 private:
  void forward_from(const float* weights, const float* x, std::size_t x_stride, bool by_column, std::size_t rows,
                    float dropout, std::uint64_t key, NetWork& work) const;

  const NetShape& shape_;
  const NetLoops& loops_;
};

// Scores to probabilities, in place.
void softmax(float* scores, std::size_t classes);

}  // namespace venire
