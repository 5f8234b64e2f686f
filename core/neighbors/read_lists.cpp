// Reading lists of near rows: along a list until no row further on can matter, and without it where it was too short.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "neighbors/lists.hpp"

namespace venire {
namespace {

constexpr std::size_t kAtOnce = 8;  // candidates whose distances are added up side by side

// The k best so far in order. Candidates come almost in order, so that a new one moves few of them.
class Best {
 public:
  explicit Best(std::size_t k) : kept_(k) {}

  void clear() { size_ = 0; }
  bool full() const { return size_ == kept_.size(); }
  double worst() const { return kept_[size_ - 1].first; }

  void offer(double squared, std::int64_t row) {
    const std::pair<double, std::int64_t> one(squared, row);
    if (full()) {
      if (!(one < kept_[size_ - 1])) return;
    } else {
      ++size_;
    }
    std::size_t at = size_ - 1;
    for (; at > 0 && one < kept_[at - 1]; --at) kept_[at] = kept_[at - 1];
    kept_[at] = one;
  }

  void write(std::int64_t* rows) const {
    for (std::size_t i = 0; i < kept_.size(); ++i) rows[i] = kept_[i].second;
  }

 private:
  std::vector<std::pair<double, std::int64_t>> kept_;
  std::size_t size_ = 0;
};

// Squared distances of several points from a query, columns added up in order as in `find_nearest`.
void distances_of(const Points& points, const double* query, const std::int32_t* rows, double* sums) {
  const double* at[kAtOnce];
  for (std::size_t c = 0; c < kAtOnce; ++c) {
    at[c] = points.data + static_cast<std::size_t>(rows[c]) * points.columns;
    sums[c] = 0.0;
  }
  for (std::size_t j = 0; j < points.columns; ++j) {
    const double q = query[j];
    for (std::size_t c = 0; c < kAtOnce; ++c) sums[c] += (at[c][j] - q) * (at[c][j] - q);
  }
}

// What rounding may do to lengths (not squared): on the list, in single precision, and to a trial's own distances. A
// value of a training part lies within √n spreads of the mean.
struct Rounding {
  double share, listed, own;

  Rounding(const Points& points, const double* query, double norm) {
    const auto columns = static_cast<double>(points.columns);
    double sum = 0;
    for (std::size_t j = 0; j < points.columns; ++j) sum += query[j] * query[j];
    share = (columns + 8) * 0x1p-24;
    listed = 0x1p-22 * (norm + 1);
    own = 1e-14 * (1 + std::sqrt(sum) + std::sqrt(columns * static_cast<double>(points.rows)));
  }
};

class Reader {
 public:
  Reader(const NearLists& lists, const Points& points, const bool* eligible, double shrink, std::size_t k)
      : lists_(lists), points_(points), eligible_(eligible), shrink_(shrink), best_(k), rows_(lists.length + kAtOnce),
        squared_(lists.length + kAtOnce) {}

  // Whether the list of this row was long enough; if so its neighbours are written.
  bool read(std::size_t row, std::int64_t* found) {
    const std::size_t count = gather(row);
    const double* query = points_.data + row * points_.columns;
    const Rounding rounding(points_, query, lists_.norm[row]);
    best_.clear();
    bool sure = false;
    double sums[kAtOnce];
    for (std::size_t first = 0; first < count && !sure; first += kAtOnce) {
      distances_of(points_, query, rows_.data() + first, sums);
      for (std::size_t c = 0; c < std::min(kAtOnce, count - first); ++c) best_.offer(sums[c], rows_[first + c]);
      if (first + kAtOnce < count) sure = beyond(squared_[first + kAtOnce], rounding);
    }
    if (!sure) sure = lists_.length == lists_.rows || beyond(lists_.squared[(row + 1) * lists_.length - 1], rounding);
    if (sure) best_.write(found);
    return sure;
  }

 private:
  // The rows of a list that are eligible, in order; the last is repeated to fill up a group.
  std::size_t gather(std::size_t row) {
    const std::int32_t* near = lists_.near + row * lists_.length;
    const float* squared = lists_.squared + row * lists_.length;
    std::size_t count = 0;
    for (std::size_t i = 0; i < lists_.length; ++i) {
      rows_[count] = near[i];
      squared_[count] = squared[i];
      count += eligible_[near[i]];
    }
    std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(count), kAtOnce, count ? rows_[count - 1] : 0);
    return count;
  }

  // Whether rows that are so far on the common scale cannot be among the nearest any more.
  bool beyond(float squared, const Rounding& rounding) const {
    if (!best_.full()) return false;
    const double least = shrink_ * (std::sqrt(static_cast<double>(squared)) * (1 - rounding.share) - rounding.listed);
    return least > std::sqrt(best_.worst()) * (1 + 1e-12) + 2 * rounding.own;
  }

  const NearLists& lists_;
  const Points& points_;
  const bool* eligible_;
  double shrink_;
  Best best_;
  std::vector<std::int32_t> rows_;
  std::vector<float> squared_;
};

// The nearest of some rows by looking at all that are eligible.
void search_all(const Points& points, const bool* eligible, const std::vector<std::size_t>& places,
                const std::int64_t* asked, std::size_t k, std::int64_t* found) {
  std::vector<std::int64_t> chosen;
  std::vector<double> among, queries;
  const auto append = [&](std::vector<double>& to, std::size_t row) {
    to.insert(to.end(), points.data + row * points.columns, points.data + (row + 1) * points.columns);
  };
  for (std::size_t row = 0; row < points.rows; ++row) {
    if (!eligible[row]) continue;
    chosen.push_back(static_cast<std::int64_t>(row));
    append(among, row);
  }
  for (const std::size_t place : places) append(queries, static_cast<std::size_t>(asked[place]));
  std::vector<std::int64_t> rows(places.size() * k);
  std::vector<double> squared(rows.size());
  Pool alone(1);
  find_nearest({among.data(), chosen.size(), points.columns}, {queries.data(), places.size(), points.columns},
               std::vector<bool>(points.columns, false), k, false, rows.data(), squared.data(), alone);
  for (std::size_t i = 0; i < rows.size(); ++i)
    found[places[i / k] * k + i % k] = chosen[static_cast<std::size_t>(rows[i])];
}

}  // namespace

void scale_rows(const Points& x, const double* origin, const double* offset, const double* spread, double* out) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double* from = x.data + i * x.columns;
    double* to = out + i * x.columns;
    for (std::size_t j = 0; j < x.columns; ++j) to[j] = ((from[j] - origin[j]) - offset[j]) / spread[j];
  }
}

std::size_t read_lists(const NearLists& lists, const Points& points, const bool* eligible, double shrink,
                       const std::int64_t* asked, std::size_t count, std::size_t k, std::int64_t* found) {
  Reader reader(lists, points, eligible, shrink, k);
  std::vector<std::size_t> unsure;
  for (std::size_t i = 0; i < count; ++i) {
    if (!reader.read(static_cast<std::size_t>(asked[i]), found + i * k)) unsure.push_back(i);
  }
  if (!unsure.empty()) search_all(points, eligible, unsure, asked, k, found);
  return unsure.size();
}

}  // namespace venire
