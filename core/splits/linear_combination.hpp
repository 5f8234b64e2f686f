// Forest-RC (Breiman 2001): questions about a random linear combination of a few numeric attributes.
//
// A combination takes F different attributes on their standardised scale with coefficients drawn evenly from [−1, 1]; a
// missing value counts as the mean. Inside a node its values are cut into at most 255 ranges: at the midpoints of
// sorted values in small nodes, at quantiles of a sample of some hundred rows in large ones. From there on it is a
// numeric column like any other. Cost per row and combination: F gathers and multiplications and one encoding (about 15
// ns); small nodes sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"
#include "bins/binning.hpp"
#include "bins/encode.hpp"
#include "splits/candidate.hpp"

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

  // The combination at the rows of many items. Term by term, so that a column's values are fetched together.
  template <class Item>
  void combine(const std::vector<Term>& terms, const Item* items, std::size_t count, double* out) const {
    std::fill(out, out + count, 0.0);
    for (const Term& term : terms) {
      const float* values = values_[term.feature].data();
      const auto coefficient = static_cast<double>(term.coefficient);
      for (std::size_t i = 0; i < count; ++i) out[i] += coefficient * static_cast<double>(values[items[i].row]);
    }
  }

  double combine(const std::vector<Term>& terms, Row row) const {
    double sum = 0;
    for (const Term& term : terms)
      sum += static_cast<double>(term.coefficient) * static_cast<double>(values_[term.feature][row]);
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

// A cut between neighbours a < b of a sorted list: the midpoint, or a where it would round up to b.
inline double cut_after(double a, double b) {
  const double middle = a / 2 + b / 2;
  return middle < b ? middle : a;
}

// At most 254 increasing cuts for these values.
inline std::vector<double> range_cuts(std::vector<double>& sample) {
  std::sort(sample.begin(), sample.end());
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  std::vector<double> cuts;
  const std::size_t gaps = sample.size() - 1, kept = std::min<std::size_t>(gaps, kMaxBins - 1);
  for (std::size_t c = 0; c < kept; ++c) {
    const std::size_t gap = gaps <= kept ? c : (c + 1) * gaps / (kept + 1);
    cuts.push_back(cut_after(sample[gap], sample[gap + 1]));
  }
  return cuts;
}

// Turns the values of a combination at the rows of a node into ranges and codes. Keeps its scratch space.
class Ranger {
 public:
  // Values in, one code a value out; gives the cuts between the codes, none when all values are the same.
  std::vector<double> code(const std::vector<double>& values, std::vector<Code>& out) {
    out.resize(values.size());
    return values.size() <= kMaxBins ? rank(values, out) : part(values, out);
  }

 private:
  static constexpr std::size_t kSampled = 512;

  // Few values: every different one is a range, and its code is its rank.
  std::vector<double> rank(const std::vector<double>& values, std::vector<Code>& out) {
    order_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) order_.emplace_back(values[i], static_cast<std::uint32_t>(i));
    std::sort(order_.begin(), order_.end());
    std::vector<double> cuts;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i > 0 && order_[i].first != order_[i - 1].first)
        cuts.push_back(cut_after(order_[i - 1].first, order_[i].first));
      out[order_[i].second] = static_cast<Code>(cuts.size());
    }
    return cuts;
  }

  std::vector<double> part(const std::vector<double>& values, std::vector<Code>& out) {
    sample_.clear();
    for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(1, values.size() / kSampled))
      sample_.push_back(values[i]);
    std::vector<double> cuts = range_cuts(sample_);
    encode_numbers(cuts, values.data(), values.size(), out.data());
    return cuts;
  }

  std::vector<std::pair<double, std::uint32_t>> order_;
  std::vector<double> sample_;
};

// The combinations that one node tries, by number. Keeps its scratch space.
class Combinations {
 public:
  void begin() { tried_.clear(); }

  // Draws one more, of so many attributes, and codes a node's items by it: `codes` has the code of each item's row, out
  // of `rows`. False when it is the same for all of them.
  template <class Item>
  bool draw(const Standardised& x, std::size_t attributes, std::span<const Item> items, std::size_t rows,
            Random& random) {
    Combination& drawn = tried_.emplace_back(Combination{draw_terms(x.numeric(), attributes, random), {}});
    codes_.resize(rows);
    projected_.resize(items.size());
    x.combine(drawn.terms, items.data(), items.size(), projected_.data());
    drawn.cuts = ranger_.code(projected_, ranges_);
    for (std::size_t i = 0; i < items.size(); ++i) codes_[items[i].row] = ranges_[i];
    return !drawn.cuts.empty();
  }

  // The last one drawn.
  std::uint32_t number() const { return static_cast<std::uint32_t>(tried_.size() - 1); }
  const Code* codes() const { return codes_.data(); }

  Split settle(const Candidate& chosen) {
    Combination& combination = tried_[chosen.feature];
    Split split;
    split.gain = chosen.gain;
    split.branch = Branch::oblique;
    split.terms = std::move(combination.terms);
    split.feature = split.terms[0].feature;
    split.threshold = combination.cuts[(chosen.left_end + chosen.right_begin - 1) / 2];
    return split;
  }

 private:
  struct Combination {
    std::vector<Term> terms;
    std::vector<double> cuts;
  };

  std::vector<Combination> tried_;
  std::vector<Code> codes_, ranges_;
  std::vector<double> projected_;
  Ranger ranger_;
};

}  // namespace venire
