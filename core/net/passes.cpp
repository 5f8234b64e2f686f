#include "net/passes.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace venire {
namespace {

Dropout dropout_of(float share, std::uint64_t key, std::size_t layer) {
  const double below = static_cast<double>(share) * 0x1p32;
  return {static_cast<std::uint32_t>(child_key(key, layer)), static_cast<std::uint32_t>(below), 1.0f / (1.0f - share)};
}

// How much of a label's weight a class gets.
float share_of(const NetTarget& target, std::size_t row, std::size_t c, std::size_t classes) {
  const float rest = target.smoothing / static_cast<float>(classes);
  return target.labels[row] == static_cast<std::int32_t>(c) ? 1.0f - target.smoothing + rest : rest;
}

double log_sum(const float* scores, std::size_t classes) {
  const float highest = *std::max_element(scores, scores + classes);
  double sum = 0.0;
  for (std::size_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(scores[c] - highest));
  return std::log(sum) + highest;
}

double class_loss(const NetTarget& target, std::size_t row, const float* scores, std::size_t classes) {
  const double whole = log_sum(scores, classes);
  double loss = 0.0;
  for (std::size_t c = 0; c < classes; ++c) loss += share_of(target, row, c, classes) * (whole - scores[c]);
  return loss;
}

}  // namespace

void softmax(float* scores, std::size_t classes) {
  const float highest = *std::max_element(scores, scores + classes);
  float sum = 0.0f;
  for (std::size_t c = 0; c < classes; ++c) sum += scores[c] = std::exp(scores[c] - highest);
  for (std::size_t c = 0; c < classes; ++c) scores[c] /= sum;
}

void NetWork::make_room(const NetShape& shape, std::size_t rows, bool training) {
  activations.resize(std::max(activations.size(), shape.layers().size()));
  std::size_t steps = shape.inputs(), most_rows = 0;
  for (std::size_t l = 0; l < shape.layers().size(); ++l) {
    const NetLayer& layer = shape.layers()[l];
    if (activations[l].size() < rows * layer.stride) activations[l].resize(rows * layer.stride);
    steps = std::max(steps, layer.stride);
    most_rows = std::max(most_rows, layer.inputs);
  }
  const std::size_t needed = product_work(std::max(rows, most_rows), std::max(steps, rows));
  if (product.size() < needed) product.resize(needed);
  if (!training) return;
  const std::size_t wide = rows * shape.widest();
  for (AlignedVector<float>* part : {&delta, &other_delta}) {
    if (part->size() < wide) part->resize(wide);
  }
  if (gradient.size() < shape.padded()) gradient.resize(shape.padded());
}

void NetPasses::forward(const float* weights, const float* x, std::size_t x_stride, std::size_t rows, float dropout,
                        std::uint64_t key, NetWork& work) const {
  forward_from(weights, x, x_stride, false, rows, dropout, key, work);
}

void NetPasses::forward_columns(const float* weights, const float* x, std::size_t rows, NetWork& work) const {
  forward_from(weights, x, rows, true, rows, 0.0f, 0, work);
}

void NetPasses::forward_from(const float* weights, const float* x, std::size_t x_stride, bool by_column,
                             std::size_t rows, float dropout, std::uint64_t key, NetWork& work) const {
  const std::size_t layers = shape_.layers().size();
  for (std::size_t l = 0; l < layers; ++l) {
    const NetLayer& layer = shape_.layers()[l];
    float* out = work.activations[l].data();
    loops_.multiply({rows, layer.inputs, layer.stride, x, x_stride, by_column && l == 0, weights + layer.weights,
                     layer.stride, false, weights + layer.shifts, out, layer.stride},
                    work.product.data());
    if (l + 1 < layers) loops_.rectify(out, rows, layer.stride, dropout_of(dropout, key, l));
    x = out;
    x_stride = layer.stride;
  }
}

void NetPasses::backward(const float* weights, const float* x, std::size_t x_stride, std::size_t rows, float dropout,
                         const NetTarget& target, float divisor, NetWork& work) const {
  const NetLayer& last = shape_.last();
  const std::size_t outputs = last.units, layers = shape_.layers().size();
  float* delta = work.delta.data();
  float* other = work.other_delta.data();
  std::copy_n(work.activations[layers - 1].data(), rows * last.stride, delta);
  for (std::size_t row = 0; row < rows; ++row) {
    float* at = delta + row * last.stride;
    const float weight = target.weights[row] / divisor;
    if (target.labels == nullptr) {
      at[0] = weight * (at[0] - target.values[row]);
      continue;
    }
    softmax(at, outputs);
    for (std::size_t c = 0; c < outputs; ++c) at[c] = weight * (at[c] - share_of(target, row, c, outputs));
  }
  for (std::size_t l = layers; l-- > 0;) {
    const NetLayer& layer = shape_.layers()[l];
    const float* from = l == 0 ? x : work.activations[l - 1].data();
    const std::size_t from_stride = l == 0 ? x_stride : shape_.layers()[l - 1].stride;
    float* gradient = work.gradient.data();
    loops_.multiply({layer.inputs, rows, layer.stride, from, from_stride, true, delta, layer.stride, false, nullptr,
                     gradient + layer.weights, layer.stride},
                    work.product.data());
    loops_.sum_rows(delta, rows, layer.stride, gradient + layer.shifts);
    if (l == 0) return;
    loops_.multiply({rows, layer.units, layer.inputs, delta, layer.stride, false, weights + layer.weights, layer.stride,
                     true, nullptr, other, from_stride},
                    work.product.data());
    // Units that fill up a layer are 0 forward, so nothing flows back to them.
    loops_.unrectify(other, from, rows * from_stride, 1.0f / (1.0f - dropout));
    std::swap(delta, other);
  }
}

double NetPasses::loss(std::size_t rows, const NetTarget& target, const NetWork& work) const {
  const NetLayer& last = shape_.last();
  const float* scores = work.activations[shape_.layers().size() - 1].data();
  double sum = 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* at = scores + row * last.stride;
    const double off = target.labels == nullptr ? static_cast<double>(at[0]) - target.values[row] : 0.0;
    sum += target.weights[row] * (target.labels == nullptr ? 0.5 * off * off : class_loss(target, row, at, last.units));
  }
  return sum;
}

}  // namespace venire
