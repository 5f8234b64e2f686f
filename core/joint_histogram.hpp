// Histograms of joint growth: a tree's sums are the core's, minus those of its left-out blocks, plus its delta.
//
// Cost per column: three operations a bin and class, one addition a delta row.
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.hpp"

namespace venire {

// The groups of split.hpp, as histogram.hpp has them, filled from sums instead of rows.
template <int Channels>
class Combined : public Histogram<CountItem, Gini, Channels> {
  using Base = Histogram<CountItem, Gini, Channels>;

 public:
  using Sum = typename Base::Sum;
  using Base::Base;

  void begin(const std::vector<Sum>& whole) {
    this->whole_ = whole;
    for (std::size_t k = 0; k < whole.size(); ++k) this->total_[k] = static_cast<double>(whole[k]);
    this->weight_ = this->weight_of(this->total_.data());
    this->score_ = Gini::score(this->total_.data(), this->channels(), this->weight_);
    this->items_count_ = static_cast<std::size_t>(this->weight_);
  }

  // What the next `load` puts together: `core` minus the left-out ones (`second` may be null) plus the delta.
  void give(const Sum* core, const Sum* first, const Sum* second, const std::vector<CountItem>& delta, int bins) {
    core_ = core;
    first_ = first;
    second_ = second;
    delta_ = &delta;
    bins_ = static_cast<std::size_t>(bins);
  }

  std::size_t load(const Code* codes) {
    const auto classes = static_cast<std::size_t>(this->channels());
    subtract(0, bins_ * classes);
    subtract(kMissing * classes, classes);
    Sum* sums = this->sums_.data();
    for (const CountItem& item : *delta_) item.add_to(sums + codes[item.row] * classes);
    this->present_.clear();
    for (std::size_t code = 0; code < bins_; ++code) note(static_cast<Code>(code));
    note(kMissing);
    return this->present_.size();
  }

  void clear() {}  // `load` overwrites all it needs

 private:
  void subtract(std::size_t begin, std::size_t count) {
    Sum* to = this->sums_.data() + begin;
    const Sum *core = core_ + begin, *first = first_ + begin;
    if (second_ == nullptr) {
      for (std::size_t i = 0; i < count; ++i) to[i] = core[i] - first[i];
      return;
    }
    const Sum* second = second_ + begin;
    for (std::size_t i = 0; i < count; ++i) to[i] = core[i] - first[i] - second[i];
  }

  void note(Code code) {
    const int classes = this->channels();
    const Sum* bin = this->sums_.data() + code * classes;
    Sum rows = 0;
    for (int k = 0; k < classes; ++k) rows += bin[k];
    this->rows_[code] = rows;
    if (rows > 0) this->present_.push_back(code);
  }

  const Sum *core_ = nullptr, *first_ = nullptr, *second_ = nullptr;
  const std::vector<CountItem>* delta_ = nullptr;
  std::size_t bins_ = 0;
};

}  // namespace venire
