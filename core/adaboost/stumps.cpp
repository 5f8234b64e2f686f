#include "adaboost/stumps.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "splits/criteria.hpp"
#include "tree/builder.hpp"

namespace venire {
namespace {

// Sums of squares over classes, left and right of every cut, and the weight on the left.
struct Squares {
  std::array<double, kCodes> left, right, weight;
};

// Adds one class: cut by cut, in the order of the classes.
VENIRE_INLINE void add_class(const double* sums, double total, std::size_t count, Squares& squares) {
  for (std::size_t i = 0; i < count; ++i) {
    const double l = sums[i], r = total - l;
    squares.left[i] += l * l;
    squares.right[i] += r * r;
    squares.weight[i] += l;
  }
}

VENIRE_INLINE void gains_of(const Squares& squares, double weight, double score, std::size_t count, double* gain) {
  for (std::size_t i = 0; i < count; ++i) {
    gain[i] = squares.left[i] / squares.weight[i] + squares.right[i] / (weight - squares.weight[i]) - score;
  }
}

void add_narrow(const double* sums, double total, std::size_t count, Squares& squares) {
  add_class(sums, total, count, squares);
}
void gains_narrow(const Squares& squares, double weight, double score, std::size_t count, double* gain) {
  gains_of(squares, weight, score, count, gain);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void add_wide(const double* sums, double total, std::size_t count, Squares& squares) {
  add_class(sums, total, count, squares);
}
VENIRE_AVX2 void gains_wide(const Squares& squares, double weight, double score, std::size_t count, double* gain) {
  gains_of(squares, weight, score, count, gain);
}
#endif

}  // namespace

Stumps::Stumps(const Bins& bins, std::vector<std::int32_t> labels, int classes, std::size_t threads)
    : Members(bins, classes), labels_(std::move(labels)), pool_(threads), packs_(pack_bins(bins, pool_)),
      builder_(packs_, pool_), sparse_(bins.is_sparse() ? std::make_unique<SparseSums>(bins, packs_) : nullptr),
      rows_(static_cast<std::size_t>(classes)), counts_(rows_.size()), sums_(rows_.size()),
      unbundled_(rows_.size(), std::vector<Pair>(kCodes)), column_(rows_.size()), gain_(kCodes), left_(kCodes) {
  for (const std::int32_t label : labels_) ++counts_[static_cast<std::size_t>(label)];
  // The next one is written before it is counted.
  for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].resize(counts_[k] + 1);
}

void Stumps::Side::settle() {
  total.assign(sums.begin(), sums.end());
  weight = 0;
  for (const double one : total) weight += one;
}

int Stumps::Side::pure_class() const {
  const auto found = std::find(total.rbegin(), total.rend(), weight);
  return static_cast<int>(total.rend() - found) - 1;
}

std::vector<double> Stumps::Side::probabilities() const {
  std::vector<double> probabilities(total);
  for (double& probability : probabilities) probability /= weight;
  return probabilities;
}

std::int32_t Stumps::Side::heaviest() const {
  const std::vector<double> probabilities = this->probabilities();
  return static_cast<std::int32_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                   probabilities.begin());
}

void Stumps::begin(const double* weights) {
  units_ = fixed_point(weights, labels_.size(), 1);
  whole_.sums.assign(rows_.size(), 0);
  std::fill(counts_.begin(), counts_.end(), 0);
  double weight = 0;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels_[i]);
    rows_[label][counts_[label]] = static_cast<Row>(i);
    counts_[label] += units_.units[i] != 0 ? 1u : 0u;
    whole_.sums[label] += units_.units[i];
    weight += static_cast<double>(units_.units[i]);
  }
  whole_.rows = static_cast<std::uint32_t>(std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}));
  if (whole_.rows == 0) throw std::invalid_argument("every row has weight 0");
  whole_.settle();
  gain_unit_ = 1 / weight;
  score_ = Gini::score(whole_.total.data(), classes_, whole_.weight);
}

// gain[i] of the cut after list[i], and the weight on its left.
void Stumps::sweep(const std::vector<Code>& list) {
  const std::size_t cuts = list.size() - 1;
  const bool wide = simd_level() >= Simd::avx2;
  Squares squares;
  for (auto* one : {&squares.left, &squares.right, &squares.weight}) std::fill_n(one->begin(), cuts, 0.0);
  std::array<double, kCodes> sums;
  for (std::size_t k = 0; k < column_.size(); ++k) {
    if (whole_.sums[k] == 0) continue;  // nothing to add
    double left = 0;
    for (std::size_t i = 0; i < cuts; ++i)
      sums[i] = left += static_cast<double>(static_cast<std::int64_t>(column_[k][list[i]]));
#if VENIRE_HAS_AVX2
    if (wide) {
      add_wide(sums.data(), whole_.total[k], cuts, squares);
      continue;
    }
#endif
    add_narrow(sums.data(), whole_.total[k], cuts, squares);
  }
  std::copy_n(squares.weight.begin(), cuts, left_.begin());
#if VENIRE_HAS_AVX2
  if (wide) return gains_wide(squares, whole_.weight, score_, cuts, gain_.data());
#endif
  gains_narrow(squares, whole_.weight, score_, cuts, gain_.data());
}

void Stumps::offer(Candidate candidate, const std::vector<Code>& list, std::size_t first, Candidate& found) {
  if (first + 1 >= list.size()) return;
  sweep(list);
  std::size_t best = first;
  for (std::size_t i = first + 1; i + 1 < list.size(); ++i) {
    if (gain_[i] > gain_[best]) best = i;
  }
  candidate.gain = candidate.score = gain_[best];
  if (!(candidate.score > found.score)) return;
  candidate.left_end = list[best];
  candidate.right_begin = list[best + 1];
  candidate.left_weight = left_[best];
  found = candidate;
}

void Stumps::find_cut(std::uint32_t column, Candidate& found) {
  const std::size_t bins = packs_.bins[column];
  std::array<std::uint64_t, kCodes> met{};
  for (std::size_t k = 0; k < column_.size(); ++k) {
    const auto total = static_cast<Pair>(whole_.sums[k]);
    column_[k] = packs_.sums_of(column, sums_[k].data(), total, unbundled_[k].data());
    for (std::size_t b = 0; b <= bins; ++b) met[b] |= column_[k][b];
  }
  present_.clear();
  for (std::size_t b = 0; b < bins; ++b) {
    if (met[b] != 0) present_.push_back(static_cast<Code>(b));
  }
  const bool missing = met[bins] != 0;
  if (present_.size() + (missing ? 1 : 0) < 2) return;
  Candidate candidate;
  candidate.feature = column;
  candidate.missing_seen = missing;
  // "Missing" is the bin after the last.
  if (missing) present_.push_back(static_cast<Code>(bins));
  offer(candidate, present_, 0, found);
  if (!missing) return;
  rotated_ = present_;
  std::rotate(rotated_.begin(), rotated_.end() - 1, rotated_.end());
  candidate.missing_left = true;
  // The cut right after "missing" is the last one of the first list, seen from the other side.
  offer(candidate, rotated_, 1, found);
}

Candidate Stumps::best() {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto* weights = reinterpret_cast<const Pair*>(units_.units.data());
    if (sparse_ != nullptr) sparse_->build(rows_[k].data(), counts_[k], weights, sums_[k]);
    else builder_.build(rows_[k].data(), counts_[k], weights, sums_[k]);
  }
  Candidate found;
  for (std::uint32_t column = 0; column < packs_.bins.size(); ++column) find_cut(column, found);
  if (found.missing_seen && found.right_begin == packs_.bins[found.feature]) found.right_begin = kMissing;
  return found;
}

// The classes of both children, and whom their heaviest classes get wrong.
std::vector<Stumps::Side> Stumps::part(const Split& split, bool* wrong) const {
  std::vector<Side> sides(2);
  for (Side& side : sides) side.sums.assign(rows_.size(), 0);
  ColumnReader reader(bins_);
  const Code* codes = reader.column(split.feature);
  std::array<std::uint8_t, kCodes> goes;
  for (std::size_t code = 0; code < kCodes; ++code) goes[code] = code > split.cut ? 1 : 0;
  goes[kMissing] = split.missing_left ? 0 : 1;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    Side& side = sides[goes[codes[i]]];
    side.sums[static_cast<std::size_t>(labels_[i])] += units_.units[i];
    side.rows += units_.units[i] != 0 ? 1u : 0u;
  }
  for (Side& side : sides) side.settle();
  const std::array<std::int32_t, 2> heaviest{sides[0].heaviest(), sides[1].heaviest()};
  for (std::size_t i = 0; i < labels_.size(); ++i) wrong[i] = heaviest[goes[codes[i]]] != labels_[i];
  return sides;
}

Tree Stumps::grow(const double* weights, bool* wrong) {
  begin(weights);
  TreeBuilder builder(bins_.columns.size(), classes_, classes_, true);
  const auto write = [&](std::uint32_t node, const Side& side) {
    builder.set_stats(node,
                      {side.rows, side.weight * units_.unit, Gini::impurity(side.total.data(), classes_, side.weight)});
    builder.set_value(node, side.pure_class(), side.probabilities());
  };
  const std::uint32_t root = builder.add_nodes(1);
  write(root, whole_);
  const Candidate found = whole_.pure_class() >= 0 ? Candidate{} : best();
  if (found.score == kNever || found.gain * gain_unit_ + 1e-15 < 0) {
    const std::int32_t heaviest = whole_.heaviest();
    for (std::size_t i = 0; i < labels_.size(); ++i) wrong[i] = heaviest != labels_[i];
    return builder.take();
  }
  Split split;
  split.gain = found.gain;
  split.feature = found.feature;
  settle_threshold(found, bins_.columns[found.feature], whole_.weight, split);
  const std::vector<Side> sides = part(split, wrong);
  const std::uint32_t first = builder.add_nodes(2);
  builder.set_split(root, first, split, split.gain * gain_unit_);
  for (std::uint32_t s = 0; s < 2; ++s) write(first + s, sides[s]);
  return builder.take();
}

}  // namespace venire
