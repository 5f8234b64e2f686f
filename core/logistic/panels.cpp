#include "logistic/panels.hpp"

#include <algorithm>

namespace venire {

std::vector<std::size_t> columns_in_use(const LogisticTable& table) {
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < table.columns; ++j) {
    std::size_t i = 0;
    while (i < table.rows && table.x[i * table.columns + j] == 0) ++i;
    if (i < table.rows) kept.push_back(j);
  }
  return kept;
}

void fill_panels(const LogisticTable& table, const std::vector<std::size_t>& kept, Panels<double>& wide,
                 Panels<float>& narrow) {
  const std::size_t width = kept.size() + 1;
  wide.count = narrow.count = (table.rows + kPanel - 1) / kPanel;
  wide.x.resize(wide.count * width * kPanel);
  narrow.x.resize(wide.x.size());
  for (std::size_t b = 0; b < wide.count; ++b) {
    double* panel = wide.x.data() + b * width * kPanel;
    const std::size_t first = b * kPanel, count = std::min(kPanel, table.rows - first);
    if (count < kPanel) std::fill_n(panel, width * kPanel, 0.0);
    std::fill_n(panel, count, 1.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = table.x + (first + i) * table.columns;
      for (std::size_t j = 1; j < width; ++j) panel[j * kPanel + i] = row[kept[j - 1]];
    }
    for (std::size_t i = 0; i < width * kPanel; ++i) narrow.x[b * width * kPanel + i] = static_cast<float>(panel[i]);
  }
  if (table.weights == nullptr) return;
  wide.weights.assign(wide.count * kPanel, 0.0);
  std::copy_n(table.weights, table.rows, wide.weights.begin());
  narrow.weights.assign(wide.weights.begin(), wide.weights.end());
}

}  // namespace venire
