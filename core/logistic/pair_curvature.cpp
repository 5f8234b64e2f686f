#include "logistic/pair_curvature.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace venire {

bool PairCurvature::collect(const float* p, const float* weights, std::size_t rows, float threshold, std::size_t most) {
  terms_.clear();
  float top[kPanel];
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = p + i / kPanel * outputs_ * kPanel + i % kPanel;
    if (i % kPanel == 0) {
      std::copy_n(row, kPanel, top);
      for (std::size_t k = 1; k < outputs_; ++k) {
        for (std::size_t j = 0; j < kPanel; ++j) top[j] = std::max(top[j], row[k * kPanel + j]);
      }
    }
    const float weight = weights == nullptr ? 1.0f : weights[i];
    // Rows that are all but certain have no pair worth listing.
    if (weight * (1 - top[i % kPanel]) > threshold) collect_row(i, row, weight, threshold);
    if (terms_.size() > most) return false;
  }
  sort_pairs();
  return true;
}

void PairCurvature::collect_row(std::size_t row, const float* p, float weight, float threshold) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    likely_[count] = k;
    count += static_cast<std::size_t>(weight * p[k * kPanel] > threshold);
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const float curvature = weight * p[likely_[a] * kPanel] * p[likely_[b] * kPanel];
      if (curvature > threshold)
        terms_.push_back({likely_[a] * outputs_ + likely_[b], static_cast<std::uint32_t>(row), curvature});
    }
  }
}

// By pair, and in each by row.
void PairCurvature::sort_pairs() {
  std::vector<std::size_t> places(outputs_ * outputs_ + 1, 0);
  for (const PairTerm& term : terms_) ++places[term.pair + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  pairs_.clear();
  for (std::size_t pair = 0; pair + 1 < places.size(); ++pair) {
    if (places[pair] < places[pair + 1])
      pairs_.push_back({pair / outputs_, pair % outputs_, places[pair], places[pair + 1]});
  }
  rows_.resize(terms_.size());
  weights_.resize(terms_.size());
  for (const PairTerm& term : terms_) {
    const std::size_t place = places[term.pair]++;
    rows_[place] = term.row;
    weights_[place] = term.weight;
  }
}

void PairCurvature::set_rows(const float* x, std::vector<double> curvature, double total) {
  x_ = x;
  total_weight_ = total;
  unlisted_ = std::move(curvature);
  for (const Pair& pair : pairs_) {
    double listed = 0;
    for (std::size_t i = pair.first; i < pair.last; ++i) listed += static_cast<double>(weights_[i]);
    unlisted_[pair.a] -= listed;
    unlisted_[pair.b] -= listed;
  }
  for (double& rest : unlisted_) rest = std::max(0.0, rest);
}

void PairCurvature::compute_blocks(const std::vector<double>& gram) {
  const std::size_t square = width_ * stride_;
  blocks_.assign(outputs_ * square, 0.0f);
  for (std::size_t k = 0; k < outputs_; ++k) {
    for (std::size_t i = 0; i < width_; ++i) {
      float* to = blocks_.data() + k * square + i * stride_;
      for (std::size_t j = i; j < width_; ++j)
        to[j] = static_cast<float>(unlisted_[k] / total_weight_ * gram[i * width_ + j]);
    }
  }
  products_.resize(square);
  for (const Pair& pair : pairs_) {
    const std::size_t count = pair.last - pair.first;
    std::fill(products_.begin(), products_.end(), 0.0f);
    loops_.add_outer_products(x_, width_, stride_, rows_.data() + pair.first, weights_.data() + pair.first, count,
                              products_.data());
    loops_.add_scaled(1.0f, products_.data(), blocks_.data() + pair.a * square, square);
    loops_.add_scaled(1.0f, products_.data(), blocks_.data() + pair.b * square, square);
  }
}

// Of what is not listed, columns count by themselves, and as if each were of size one.
void PairCurvature::multiply(double penalty, const float* from, float* to) {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const float* values = from + k * stride_;
    float* out = to + k * stride_;
    const float flat = static_cast<float>(unlisted_[k]), ridge = static_cast<float>(unlisted_[k] + penalty);
    out[0] = flat * values[0];
    for (std::size_t j = 1; j < stride_; ++j) out[j] = ridge * values[j];
  }
  for (const Pair& pair : pairs_) {
    loops_.add_pair_products(x_, stride_, rows_.data() + pair.first, weights_.data() + pair.first,
                             pair.last - pair.first, from + pair.a * stride_, from + pair.b * stride_,
                             to + pair.a * stride_, to + pair.b * stride_);
  }
}

}  // namespace venire
