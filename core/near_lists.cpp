#include "near_lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "cpu.hpp"
#include "wide.hpp"

namespace venire {
namespace {

constexpr std::size_t kTile = 64;      // points whose distances are summed together: they stay in registers
constexpr std::size_t kGroup = 32;     // queries that share some tiles while they are in the cache
constexpr std::size_t kCached = 4096;  // numbers in these tiles
constexpr std::size_t kAtOnce = 8;     // candidates whose distances are added up side by side

// Points in single precision by tiles of rows, inside a tile column after column. The last tile is filled with zeros.
struct Tiles {
  std::vector<float> data;
  std::size_t rows, columns;

  explicit Tiles(const Points& points) : rows(points.rows), columns(points.columns) {
    data.assign(count() * columns * kTile, 0.0f);
    for (std::size_t i = 0; i < rows; ++i) {
      float* to = data.data() + i / kTile * columns * kTile + i % kTile;
      for (std::size_t j = 0; j < columns; ++j) to[j * kTile] = static_cast<float>(points.data[i * columns + j]);
    }
  }

  std::size_t count() const { return (rows + kTile - 1) / kTile; }
  const float* tile(std::size_t t) const { return data.data() + t * columns * kTile; }
};

#if defined(__GNUC__) || defined(__clang__)
typedef float Lanes __attribute__((vector_size(32)));

VENIRE_INLINE void tile_distances(const float* tile, const float* query, std::size_t columns, float* sums) {
  constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float), kParts = kTile / kLanes;
  Lanes totals[kParts] = {};
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < kParts; ++i) {
      Lanes points;
      std::memcpy(&points, tile + j * kTile + kLanes * i, sizeof points);
      const Lanes off = query[j] - points;
      totals[i] += off * off;
    }
  }
  std::memcpy(sums, totals, sizeof totals);
}
#else
VENIRE_INLINE void tile_distances(const float* tile, const float* query, std::size_t columns, float* sums) {
  std::fill_n(sums, kTile, 0.0f);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < kTile; ++i) sums[i] += (query[j] - tile[j * kTile + i]) * (query[j] - tile[j * kTile + i]);
  }
}
#endif

// Whether any of these may be closer than the threshold. What is no number may be.
template <std::size_t Count>
VENIRE_INLINE bool any_below(const float* sums, float threshold) {
  int found = 0;
  for (std::size_t i = 0; i < Count; ++i) found |= !(sums[i] >= threshold);
  return found != 0;
}

using Candidate = std::pair<float, std::int32_t>;

// The closest so far, in a buffer that is cut back to them whenever it is full.
class Closest {
 public:
  explicit Closest(std::size_t length) : length_(length) { kept_.reserve(3 * length + kTile); }

  float threshold() const { return threshold_; }

  // Distances of the points from `first` on; of a tile that is not full, `count` of them are.
  void offer(const float* sums, std::size_t count, std::size_t first) {
    constexpr std::size_t kPart = 8;
    for (std::size_t part = 0; part < count; part += kPart) {
      if (!any_below<kPart>(sums + part, threshold_)) continue;
      for (std::size_t i = part; i < std::min(part + kPart, count); ++i) {
        if (sums[i] >= threshold_) continue;
        // Overflow must not look like a distance: what is no number counts as near, what is infinite as very far.
        const float safe = sums[i] == sums[i] ? std::min(sums[i], std::numeric_limits<float>::max()) : 0.0f;
        kept_.emplace_back(safe, static_cast<std::int32_t>(first + i));
      }
    }
    if (kept_.size() >= 3 * length_) cut();
  }

  void write(std::int32_t* near, float* squared) {
    if (kept_.size() > length_) cut();
    std::sort(kept_.begin(), kept_.end());
    for (std::size_t i = 0; i < length_; ++i) {
      squared[i] = kept_[i].first;
      near[i] = kept_[i].second;
    }
  }

 private:
  void cut() {
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(length_ - 1), kept_.end());
    kept_.resize(length_);
    threshold_ = kept_.back().first;
  }

  std::size_t length_;
  float threshold_ = std::numeric_limits<float>::quiet_NaN();  // nothing is at least that: everything is let in
  std::vector<Candidate> kept_;
};

struct Stretch {
  const Tiles& tiles;
  std::size_t first, last;  // tiles
};

VENIRE_INLINE void search_stretch(const Stretch& stretch, const float* query, Closest& closest) {
  const Tiles& tiles = stretch.tiles;
  float sums[kTile];
  for (std::size_t t = stretch.first; t < stretch.last; ++t) {
    tile_distances(tiles.tile(t), query, tiles.columns, sums);
    if (!any_below<kTile>(sums, closest.threshold())) continue;
    closest.offer(sums, std::min(kTile, tiles.rows - t * kTile), t * kTile);
  }
}

using Searcher = void (*)(const Stretch&, const float*, Closest&);

void search_narrow(const Stretch& stretch, const float* query, Closest& closest) { search_stretch(stretch, query, closest); }
#ifdef VENIRE_HAS_AVX2
VENIRE_AVX2 void search_wide(const Stretch& stretch, const float* query, Closest& closest) {
  search_stretch(stretch, query, closest);
}
#endif

Searcher searcher() {
#ifdef VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return search_wide;
#endif
  return search_narrow;
}

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

// What rounding may do to lengths (not squared): on the list, in single precision, and to a trial's own distances. A value
// of a training part lies within √n spreads of the mean.
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
  Reader(const NearLists& lists, const Points& points, const bool* heard, double shrink, std::size_t k)
      : lists_(lists), points_(points), heard_(heard), shrink_(shrink), best_(k), rows_(lists.length + kAtOnce),
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
  // The rows of a list that are heard, in order; the last is repeated to fill up a group.
  std::size_t gather(std::size_t row) {
    const std::int32_t* near = lists_.near + row * lists_.length;
    const float* squared = lists_.squared + row * lists_.length;
    std::size_t count = 0;
    for (std::size_t i = 0; i < lists_.length; ++i) {
      rows_[count] = near[i];
      squared_[count] = squared[i];
      count += heard_[near[i]];
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
  const bool* heard_;
  double shrink_;
  Best best_;
  std::vector<std::int32_t> rows_;
  std::vector<float> squared_;
};

// The nearest of some rows by looking at all that are heard.
void look_at_all(const Points& points, const bool* heard, const std::vector<std::size_t>& places, const std::int64_t* asked,
                 std::size_t k, std::int64_t* found) {
  std::vector<std::int64_t> chosen;
  std::vector<double> among, queries;
  const auto append = [&](std::vector<double>& to, std::size_t row) {
    to.insert(to.end(), points.data + row * points.columns, points.data + (row + 1) * points.columns);
  };
  for (std::size_t row = 0; row < points.rows; ++row) {
    if (!heard[row]) continue;
    chosen.push_back(static_cast<std::int64_t>(row));
    append(among, row);
  }
  for (const std::size_t place : places) append(queries, static_cast<std::size_t>(asked[place]));
  std::vector<std::int64_t> rows(places.size() * k);
  std::vector<double> squared(rows.size());
  Pool alone(1);
  find_nearest({among.data(), chosen.size(), points.columns}, {queries.data(), places.size(), points.columns},
               std::vector<bool>(points.columns, false), k, false, rows.data(), squared.data(), alone);
  for (std::size_t i = 0; i < rows.size(); ++i) found[places[i / k] * k + i % k] = chosen[static_cast<std::size_t>(rows[i])];
}

}  // namespace

void list_near(const Points& points, const std::int64_t* asked, std::size_t count, std::size_t length, std::int32_t* near,
               float* squared) {
  const Tiles tiles(points);
  const Searcher search = searcher();
  const std::size_t step = std::max<std::size_t>(1, kCached / (kTile * std::max<std::size_t>(1, points.columns)));
  std::vector<float> queries(kGroup * points.columns);
  for (std::size_t first = 0; first < count; first += kGroup) {
    const std::size_t group = std::min(kGroup, count - first);
    for (std::size_t q = 0; q < group; ++q) {
      const double* from = points.data + static_cast<std::size_t>(asked[first + q]) * points.columns;
      for (std::size_t j = 0; j < points.columns; ++j) queries[q * points.columns + j] = static_cast<float>(from[j]);
    }
    std::vector<Closest> closest(group, Closest(length));
    for (std::size_t t = 0; t < tiles.count(); t += step) {
      const Stretch stretch{tiles, t, std::min(t + step, tiles.count())};
      for (std::size_t q = 0; q < group; ++q) search(stretch, queries.data() + q * points.columns, closest[q]);
    }
    for (std::size_t q = 0; q < group; ++q) closest[q].write(near + (first + q) * length, squared + (first + q) * length);
  }
}

void scale_rows(const Points& x, const double* origin, const double* offset, const double* spread, double* out) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double* from = x.data + i * x.columns;
    double* to = out + i * x.columns;
    for (std::size_t j = 0; j < x.columns; ++j) to[j] = ((from[j] - origin[j]) - offset[j]) / spread[j];
  }
}

std::size_t read_lists(const NearLists& lists, const Points& points, const bool* heard, double shrink,
                       const std::int64_t* asked, std::size_t count, std::size_t k, std::int64_t* found) {
  Reader reader(lists, points, heard, shrink, k);
  std::vector<std::size_t> unsure;
  for (std::size_t i = 0; i < count; ++i) {
    if (!reader.read(static_cast<std::size_t>(asked[i]), found + i * k)) unsure.push_back(i);
  }
  if (!unsure.empty()) look_at_all(points, heard, unsure, asked, k, found);
  return unsure.size();
}

}  // namespace venire
