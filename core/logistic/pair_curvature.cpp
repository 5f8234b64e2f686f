#include "logistic/pair_curvature.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace venire {

bool Doubts::list(const float* share, const float* weights, std::size_t rows, float faint, std::size_t most) {
  found_.clear();
  float top[kPanel];
  for (std::size_t i = 0; i < rows; ++i) {
    const float* of = share + i / kPanel * outputs_ * kPanel + i % kPanel;
    if (i % kPanel == 0) {
      std::copy_n(of, kPanel, top);
      for (std::size_t k = 1; k < outputs_; ++k) {
        for (std::size_t j = 0; j < kPanel; ++j) top[j] = std::max(top[j], of[k * kPanel + j]);
      }
    }
    const float weight = weights == nullptr ? 1.0f : weights[i];
    if (weight * (1 - top[i % kPanel]) > faint) list_row(i, of, weight, faint);  // the others are settled
    if (found_.size() > most) return false;
  }
  sort_pairs();
  return true;
}

void Doubts::list_row(std::size_t row, const float* share, float weight, float faint) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    likely_[count] = k;
    count += static_cast<std::size_t>(weight * share[k * kPanel] > faint);
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const float curve = weight * share[likely_[a] * kPanel] * share[likely_[b] * kPanel];
      if (curve > faint) found_.push_back({likely_[a] * outputs_ + likely_[b], static_cast<std::uint32_t>(row), curve});
    }
  }
}

// By pair, and in each by row.
void Doubts::sort_pairs() {
  std::vector<std::size_t> places(outputs_ * outputs_ + 1, 0);
  for (const Doubt& doubt : found_) ++places[doubt.pair + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  pairs_.clear();
  for (std::size_t pair = 0; pair + 1 < places.size(); ++pair) {
    if (places[pair] < places[pair + 1]) pairs_.push_back({pair / outputs_, pair % outputs_, places[pair], places[pair + 1]});
  }
  rows_.resize(found_.size());
  weights_.resize(found_.size());
  for (const Doubt& doubt : found_) {
    const std::size_t place = places[doubt.pair]++;
    rows_[place] = doubt.row;
    weights_[place] = doubt.weight;
  }
}

void Doubts::weigh(const float* x, std::vector<double> all, double total) {
  x_ = x;
  total_ = total;
  faint_ = std::move(all);
  for (const Pair& pair : pairs_) {
    double told = 0;
    for (std::size_t i = pair.first; i < pair.last; ++i) told += static_cast<double>(weights_[i]);
    faint_[pair.a] -= told;
    faint_[pair.b] -= told;
  }
  for (double& faint : faint_) faint = std::max(0.0, faint);
}

void Doubts::look(const std::vector<double>& gram) {
  const std::size_t square = width_ * stride_;
  alone_.assign(outputs_ * square, 0.0f);
  for (std::size_t k = 0; k < outputs_; ++k) {
    for (std::size_t i = 0; i < width_; ++i) {
      float* to = alone_.data() + k * square + i * stride_;
      for (std::size_t j = i; j < width_; ++j) to[j] = static_cast<float>(faint_[k] / total_ * gram[i * width_ + j]);
    }
  }
  products_.resize(square);
  for (const Pair& pair : pairs_) {
    const std::size_t count = pair.last - pair.first;
    std::fill(products_.begin(), products_.end(), 0.0f);
    loops_.outer(x_, width_, stride_, rows_.data() + pair.first, weights_.data() + pair.first, count, products_.data());
    loops_.add(1.0f, products_.data(), alone_.data() + pair.a * square, square);
    loops_.add(1.0f, products_.data(), alone_.data() + pair.b * square, square);
  }
}

// Of what is not listed, columns count by themselves, and as if each were of size one.
void Doubts::multiply(double penalty, const float* from, float* to) {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const float* values = from + k * stride_;
    float* out = to + k * stride_;
    const float faint = static_cast<float>(faint_[k]), ridge = static_cast<float>(faint_[k] + penalty);
    out[0] = faint * values[0];
    for (std::size_t j = 1; j < stride_; ++j) out[j] = ridge * values[j];
  }
  for (const Pair& pair : pairs_) {
    loops_.turn(x_, stride_, rows_.data() + pair.first, weights_.data() + pair.first, pair.last - pair.first, from + pair.a * stride_,
                from + pair.b * stride_, to + pair.a * stride_, to + pair.b * stride_);
  }
}

}  // namespace venire
