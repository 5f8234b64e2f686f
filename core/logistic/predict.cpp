#include "logistic/predict.hpp"

#include <algorithm>

#include "base/aligned_vector.hpp"
#include "passes/loops.hpp"

namespace venire {
namespace {

// The rows of one panel, column by column and the first column 1; rows that fill it up are zero.
void fill_panel(const LogisticQuery& query, std::size_t first, std::size_t count, AlignedVector<double>& panel) {
  std::fill(panel.begin(), panel.end(), 0.0);
  std::fill_n(panel.begin(), count, 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = query.x + (first + i) * query.columns;
    for (std::size_t j = 0; j < query.columns; ++j) panel[(j + 1) * kPanel + i] = row[j];
  }
}

// [class][kPanel] to [row][class].
void row_by_row(const float* from, std::size_t rows, std::size_t classes, float* to) {
  if (classes == 2) {
    for (std::size_t i = 0; i < rows; ++i) {
      to[2 * i] = from[i];
      to[2 * i + 1] = from[kPanel + i];
    }
    return;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < classes; ++k) to[i * classes + k] = from[k * kPanel + i];
  }
}

}  // namespace

void predict_logistic(const LogisticQuery& query, float* probabilities, std::int16_t* likeliest) {
  const LogisticLoops& loops = logistic_loops();
  const std::size_t width = query.columns + 1, classes = query.classes();
  AlignedVector<double> panel(width * kPanel), scores(query.penalties * query.outputs * kPanel);
  AlignedVector<float> panel_probabilities(classes * kPanel), top(kPanel);
  const Rows<double> rows{panel.data(), 1, width, query.penalties * query.outputs, nullptr, width};
  for (std::size_t first = 0; first < query.rows; first += kPanel) {
    const std::size_t count = std::min(kPanel, query.rows - first);
    fill_panel(query, first, count, panel);
    loops.compute_scores(rows, query.coefficients, scores.data());
    for (std::size_t s = 0; s < query.penalties; ++s) {
      loops.compute_probabilities(scores.data() + s * query.outputs * kPanel, query.outputs, panel_probabilities.data(),
                                  top.data());
      float* to = probabilities + (s * query.rows + first) * classes;
      row_by_row(panel_probabilities.data(), count, classes, to);
      for (std::size_t i = 0; i < count; ++i) likeliest[s * query.rows + first + i] = static_cast<std::int16_t>(top[i]);
    }
  }
}

}  // namespace venire
