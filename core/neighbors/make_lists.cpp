// Making lists of near rows: all points by tiles that stay in registers, the closest so far kept aside.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/cpu.hpp"
#include "base/wide.hpp"
#include "neighbors/lists.hpp"

namespace venire {
namespace {

constexpr std::size_t kTile = 64;      // points whose distances are summed together: they stay in registers
constexpr std::size_t kGroup = 32;     // queries that share some tiles while they are in the cache
constexpr std::size_t kCached = 4096;  // numbers in these tiles

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
    for (std::size_t i = 0; i < kTile; ++i)
      sums[i] += (query[j] - tile[j * kTile + i]) * (query[j] - tile[j * kTile + i]);
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

void search_narrow(const Stretch& stretch, const float* query, Closest& closest) {
  search_stretch(stretch, query, closest);
}
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

}  // namespace

void list_near(const Points& points, const std::int64_t* asked, std::size_t count, std::size_t length,
               std::int32_t* near, float* squared) {
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
    for (std::size_t q = 0; q < group; ++q)
      closest[q].write(near + (first + q) * length, squared + (first + q) * length);
  }
}

}  // namespace venire
