#include "logistic/predict.hpp"

#include <algorithm>

#include "logistic/path.hpp"

namespace venire {
namespace {

// The rows of one panel, column by column and the first column 1; rows that fill it up are zero.
void fill_panel(const LogisticQuestion& asked, std::size_t first, std::size_t count, Lanes<double>& panel) {
  std::fill(panel.begin(), panel.end(), 0.0);
  std::fill_n(panel.begin(), count, 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = asked.x + (first + i) * asked.columns;
    for (std::size_t j = 0; j < asked.columns; ++j) panel[(j + 1) * kPanel + i] = row[j];
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

void logistic_answers(const LogisticQuestion& asked, float* shares, std::int16_t* likeliest) {
  const LogisticLoops& loops = logistic_loops();
  const std::size_t width = asked.columns + 1, classes = asked.classes();
  Lanes<double> panel(width * kPanel), scores(asked.penalties * asked.outputs * kPanel);
  Lanes<float> said(classes * kPanel), top(kPanel);
  const Rows<double> rows{panel.data(), 1, width, asked.penalties * asked.outputs, nullptr, width};
  for (std::size_t first = 0; first < asked.rows; first += kPanel) {
    const std::size_t count = std::min(kPanel, asked.rows - first);
    fill_panel(asked, first, count, panel);
    loops.score(rows, asked.coefficients, scores.data());
    for (std::size_t s = 0; s < asked.penalties; ++s) {
      loops.tell(scores.data() + s * asked.outputs * kPanel, asked.outputs, said.data(), top.data());
      float* to = shares + (s * asked.rows + first) * classes;
      row_by_row(said.data(), count, classes, to);
      for (std::size_t i = 0; i < count; ++i) likeliest[s * asked.rows + first + i] = static_cast<std::int16_t>(top[i]);
    }
  }
}

}  // namespace venire
