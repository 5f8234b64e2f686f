// Forest-RC (Breiman 2001): questions about a random linear combination of a few numeric attributes.
//
// A combination takes F different attributes on their standardised scale with coefficients drawn evenly from [−1, 1]; a missing
// value counts as the mean. Inside a node its values are cut into at most 255 ranges: at the midpoints of sorted values in
// small nodes, at quantiles of a sample of 4,096 rows in large ones. From there on it is a numeric column like any other.
// Cost per row and combination: F multiplications and a search among the ranges (about 10 ns).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "binning.hpp"
#include "random.hpp"
#include "types.hpp"

namespace venire {

// Raw values on the standardised scale, column after column; columns that are not numeric stay empty.
class Standardised {
 public:
  Standardised() = default;
  Standardised(const Matrix& x, const Columns& columns, Pool& pool) : values_(columns.size()) {
    pool.run(columns.size(), [&](std::size_t j, std::size_t) {
      if (columns[j].categorical) return;
      values_[j].resize(x.rows);
      with_scalar(x, [&](auto* data) {
        const auto* from = data + static_cast<std::ptrdiff_t>(j) * x.column_stride;
        for (std::size_t i = 0; i < x.rows; ++i, from += x.row_stride) {
          values_[j][i] = scaled(columns[j], static_cast<double>(*from));
        }
      });
    });
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (!columns[j].categorical) numeric_.push_back(static_cast<std::uint32_t>(j));
    }
  }

  static float scaled(const Column& column, double x) {
    return std::isnan(x) ? 0.0f : static_cast<float>((x - column.mean) / column.deviation);
  }

  const std::vector<std::uint32_t>& numeric() const { return numeric_; }

  double combine(const std::vector<Term>& terms, Row row) const {
    double sum = 0;
    for (const Term& term : terms) sum += static_cast<double>(term.coefficient) * static_cast<double>(values_[term.feature][row]);
    return sum;
  }

 private:
  std::vector<std::vector<float>> values_;
  std::vector<std::uint32_t> numeric_;
};

inline std::vector<Term> draw_terms(std::vector<std::uint32_t> numeric, std::size_t count, Random& random) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < std::min(count, numeric.size()); ++i) {
    std::swap(numeric[i], numeric[i + random.below(static_cast<std::uint32_t>(numeric.size() - i))]);
    terms.push_back({numeric[i], static_cast<float>(2 * random.uniform() - 1)});
  }
  return terms;
}

// At most 254 increasing cuts for these values.
inline std::vector<double> range_cuts(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  std::vector<double> cuts;
  const std::size_t gaps = sample.size() - 1, kept = std::min<std::size_t>(gaps, kMaxBins - 1);
  for (std::size_t c = 0; c < kept; ++c) {
    const std::size_t gap = gaps <= kept ? c : (c + 1) * gaps / (kept + 1);
    const double middle = sample[gap] / 2 + sample[gap + 1] / 2;
    cuts.push_back(middle < sample[gap + 1] ? middle : sample[gap]);
  }
  return cuts;
}

}  // namespace venire
