#include "net/predict.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "net/passes.hpp"

namespace venire {
namespace {

constexpr std::size_t kRowsAtOnce = 256;

}  // namespace

void predict_net(const NetQuery& query, const NetShape& shape, const float* weights, std::size_t threads, float* out) {
  AlignedVector<float> filled(shape.padded());
  shape.fill(weights, filled.data());
  const NetPasses passes(shape, net_loops());
  const std::size_t columns = shape.inputs(), outputs = shape.outputs(), stride = shape.last().stride;
  Pool pool(threads);
  std::vector<NetWork> works(pool.threads());
  pool.run((query.rows + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block, std::size_t worker) {
    NetWork& work = works[worker];
    const std::size_t from = block * kRowsAtOnce, rows = std::min(kRowsAtOnce, query.rows - from);
    work.make_room(shape, kRowsAtOnce, false);
    passes.forward(filled.data(), query.x + from * columns, columns, rows, 0.0f, 0, work);
    for (std::size_t row = 0; row < rows; ++row) {
      float* to = out + (from + row) * outputs;
      std::copy_n(work.activations[shape.layers().size() - 1].data() + row * stride, outputs, to);
      if (query.classes) softmax(to, outputs);
    }
  });
}

void sum_nets(const NetColumns& columns, const Matrix& x, const NetShape& shape, const float* weights, std::size_t nets,
              bool classes, std::size_t threads, double* out) {
  AlignedVector<float> filled(nets * shape.padded());
  for (std::size_t n = 0; n < nets; ++n) shape.fill(weights + n * shape.plain(), filled.data() + n * shape.padded());
  const NetPasses passes(shape, net_loops());
  const std::size_t outputs = shape.outputs(), stride = shape.last().stride, layers = shape.layers().size();
  Pool pool(threads);
  std::vector<NetWork> works(pool.threads());
  pool.run((x.rows + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block, std::size_t worker) {
    NetWork& work = works[worker];
    const std::size_t from = block * kRowsAtOnce, rows = std::min(kRowsAtOnce, x.rows - from);
    work.make_room(shape, kRowsAtOnce, false);
    work.inputs.resize(columns.width() * kRowsAtOnce);
    columns.write(x, from, rows, work.inputs.data());
    std::fill_n(out + from * outputs, rows * outputs, 0.0);
    for (std::size_t n = 0; n < nets; ++n) {
      passes.forward_columns(filled.data() + n * shape.padded(), work.inputs.data(), rows, work);
      float* scores = work.activations[layers - 1].data();
      double* to = out + from * outputs;
      for (std::size_t row = 0; row < rows; ++row, scores += stride, to += outputs) {
        if (classes) softmax(scores, outputs);
        for (std::size_t k = 0; k < outputs; ++k) to[k] += static_cast<double>(scores[k]);
      }
    }
  });
}

double net_gradient(const NetQuery& query, const NetShape& shape, const float* weights, const std::int32_t* labels,
                    const float* values, const float* row_weights, float smoothing, float* gradient) {
  AlignedVector<float> filled(shape.padded());
  shape.fill(weights, filled.data());
  const NetPasses passes(shape, net_loops());
  const NetTarget target{query.classes ? labels : nullptr, values, row_weights, smoothing};
  NetWork work;
  work.make_room(shape, query.rows, true);
  const auto divisor = static_cast<float>(query.rows);
  passes.forward(filled.data(), query.x, shape.inputs(), query.rows, 0.0f, 0, work);
  const double loss = passes.loss(query.rows, target, work) / divisor;
  passes.backward(filled.data(), query.x, shape.inputs(), query.rows, 0.0f, target, divisor, work);
  shape.strip(work.gradient.data(), gradient);
  return loss;
}

}  // namespace venire
