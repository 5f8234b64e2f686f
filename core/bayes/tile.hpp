// A tile of rows in naive Bayes along a path: the sums of logarithms of every model and class for eight rows at a time.
//
// The rows' values are held column after column. Squared distances from one class's means are made once and weighed by
// several models, whose sums stay in registers meanwhile. The numbers are the same for any vectors. Cost per row,
// model, class and column: a multiplication and a subtraction, eight rows at once where there are 512-bit vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/wide.hpp"
#include "bayes/path.hpp"

namespace venire {

// Vectors of so many bytes; how many models' sums stay in their registers, and of how many models probabilities are
// made at once.
template <std::size_t Bytes, std::size_t Abreast, std::size_t Together>
struct BayesVectors {
  typedef double Lanes __attribute__((vector_size(Bytes)));
  typedef std::int64_t Bits __attribute__((vector_size(Bytes)));
  typedef float Singles __attribute__((vector_size(Bytes / 2)));
  typedef std::int16_t Shorts __attribute__((vector_size(Bytes / 4)));
  static constexpr std::size_t kAbreast = Abreast, kTogether = Together;
};
using BayesNarrow = BayesVectors<16, 5, 1>;
using BayesWide = BayesVectors<32, 5, 2>;
using BayesWidest = BayesVectors<64, 10, 5>;

constexpr std::size_t kTile = 8;  // rows at a time

// One tile of rows, and the sums of every model for it: [model][class][row].
template <class Vector>
class BayesTile {
  using Lanes = typename Vector::Lanes;
  static constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double), kVectors = kTile / kLanes;
  static constexpr std::size_t kMost = Vector::kAbreast, kSome = 5;

 public:
  BayesTile(const BayesColumns& columns, const BayesPath& path)
      : columns_(columns), path_(path), width_(columns.numeric.size()), values_(width_ * kTile),
        start_(path.gaussians * path.classes), sums_(path.models * path.classes * kTile) {
    // Every numeric value adds its height; a missing one takes it back.
    for (std::size_t k = 0; k < start_.size(); ++k) {
      start_[k] = path.prior[k % path.classes];
      for (std::size_t j = 0; j < width_; ++j) start_[k] += path.height[k * width_ + j];
    }
    steepness_.reserve(start_.size() * width_);
    for (std::size_t g = 0, many; g < path.gaussians; g += many) {
      many = abreast(g);
      for (std::size_t c = 0; c < path.classes; ++c) {
        for (std::size_t j = 0; j < width_; ++j) {
          for (std::size_t m = 0; m < many; ++m)
            steepness_.push_back(path.steepness[((g + m) * path.classes + c) * width_ + j]);
        }
      }
    }
  }

  // A tile that is not full repeats its last row; who reads the sums knows how many there are.
  VENIRE_INLINE void score(const Matrix& x, const std::int64_t* rows, std::size_t count) {
    const auto* data = static_cast<const double*>(x.data);
    const double* from[kTile];
    for (std::size_t i = 0; i < kTile; ++i) from[i] = data + rows[std::min(i, count - 1)] * x.row_stride;
    load(x, from);
    for (std::size_t g = 0, many; g < path_.gaussians; g += many) {
      many = abreast(g);
      if (many == kMost) weigh<kMost>(g);
      else if (many == kSome) weigh<kSome>(g);
      else weigh<1>(g);
    }
    const std::size_t one = path_.classes * kTile;
    for (std::size_t m = path_.gaussians; m < path_.models; ++m) std::copy_n(sums_.data(), one, sums_.data() + m * one);
    for (std::size_t j = 0; j < columns_.categorical.size(); ++j) look_up(x, from, count, j);
  }

  double* sums(std::size_t model) { return sums_.data() + model * path_.classes * kTile; }

 private:
  VENIRE_INLINE void load(const Matrix& x, const double* const* from) {
    for (std::size_t j = 0; j < width_; ++j) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(columns_.numeric[j]) * x.column_stride;
      for (std::size_t i = 0; i < kTile; ++i) values_[j * kTile + i] = from[i][at] - columns_.origin[j];
    }
    std::uint64_t gaps = 0;
    for (const double value : values_) gaps += value != value ? 1 : 0;
    gaps_ = gaps > 0;
  }

  // How many models from the g-th on are weighed together: a few constants, so that their sums stay in registers.
  std::size_t abreast(std::size_t g) const {
    const std::size_t left = path_.gaussians - g;
    return left >= kMost ? kMost : left >= kSome ? kSome : 1;
  }

  // The sums of G models from the g-th on, for all classes.
  template <std::size_t G>
  VENIRE_INLINE void weigh(std::size_t g) {
    for (std::size_t c = 0; c < path_.classes; ++c) {
      const double* steepness = steepness_.data() + (g * path_.classes + c * G) * width_;
      Lanes sums[G][kVectors];
      for (std::size_t m = 0; m < G; ++m) {
        for (Lanes& some : sums[m]) some = start_[(g + m) * path_.classes + c] - Lanes{};
      }
      const double* mean = path_.mean + c * width_;
      const double* value = values_.data();
      for (std::size_t j = 0; j < width_; ++j, value += kTile, steepness += G) {
        Lanes square[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) {
          std::memcpy(&square[v], value + v * kLanes, sizeof(Lanes));
          square[v] -= mean[j];
          square[v] *= square[v];
        }
        for (std::size_t m = 0; m < G; ++m) {
          for (std::size_t v = 0; v < kVectors; ++v) sums[m][v] -= steepness[m] * square[v];
        }
      }
      for (std::size_t m = 0; m < G; ++m) {
        double* to = sums_.data() + ((g + m) * path_.classes + c) * kTile;
        std::memcpy(to, sums[m], sizeof(sums[m]));
        if (gaps_) around_gaps(c, g + m, to);
      }
    }
  }

  // Rows with a missing value are summed once more, by what they show.
  void around_gaps(std::size_t c, std::size_t g, double* sums) const {
    const std::size_t k = g * path_.classes + c;
    const double *mean = path_.mean + c * width_, *steepness = path_.steepness + k * width_,
                 *height = path_.height + k * width_;
    for (std::size_t i = 0; i < kTile; ++i) {
      if (sums[i] == sums[i]) continue;
      sums[i] = start_[k];
      for (std::size_t j = 0; j < width_; ++j) {
        const double value = values_[j * kTile + i], off = value - mean[j];
        sums[i] -= value == value ? steepness[j] * (off * off) : height[j];
      }
    }
  }

  // A category that is missing, or beyond what was seen in training, says nothing.
  VENIRE_INLINE void look_up(const Matrix& x, const double* const* from, std::size_t count, std::size_t j) {
    const std::size_t begin = columns_.start[j], known = columns_.start[j + 1] - begin, classes = path_.classes;
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(columns_.categorical[j]) * x.column_stride;
    for (std::size_t i = 0; i < count; ++i) {
      const double code = from[i][at];
      if (!(code >= 0 && code < static_cast<double>(known))) continue;
      const double* each = path_.table + (begin + static_cast<std::size_t>(code)) * classes;
      for (std::size_t m = 0; m < path_.models; ++m, each += columns_.categories() * classes) {
        double* to = sums_.data() + m * classes * kTile + i;
        for (std::size_t c = 0; c < classes; ++c) to[c * kTile] += each[c];
      }
    }
  }

  const BayesColumns& columns_;
  const BayesPath& path_;
  std::size_t width_;
  bool gaps_ = false;
  std::vector<double> values_, start_, sums_;  // values: [column][row] from the origin
  std::vector<double> steepness_;              // of each group [class][column][model]: read from front to back
};

}  // namespace venire
