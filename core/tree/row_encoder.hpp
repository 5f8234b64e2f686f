// Encoding any rows of a matrix, and where a question sends one of them. Cost per value: a copy, and encoding
// (bins/encode.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.hpp"
#include "bins/encode.hpp"
#include "splits/candidate.hpp"

namespace venire {

// `T` is the scalar of the matrix.
template <class T>
class RowEncoder {
 public:
  RowEncoder(const T* data, const Matrix& x, const Encoder& encoder)
      : data_(data), x_(x), encoder_(encoder), values_(kStrip * x.columns) {}

  // Codes of all columns, one column `stride` codes after the other.
  void encode(const Row* rows, std::size_t count, Code* out, std::size_t stride) {
    for (std::size_t at = 0; at < count; at += kStrip)
      encode_strip(rows + at, std::min(kStrip, count - at), out + at, stride);
  }

  // The child of a split that a row goes to.
  Code slot(Row row, const Split& split, const Column& column) const {
    const auto j = static_cast<std::ptrdiff_t>(split.feature);
    const auto x = static_cast<double>(data_[static_cast<std::ptrdiff_t>(row) * x_.row_stride + j * x_.column_stride]);
    if (split.branch != Branch::threshold) return split.slot_of[column.code(x)];
    if (x != x) return split.missing_left ? 0 : 1;
    return split.cut < column.edges.size() && x > column.edges[split.cut] ? 1 : 0;
  }

 private:
  static constexpr std::size_t kStrip = 64;  // rows whose values are taken together, for the encoder

  void encode_strip(const Row* rows, std::size_t count, Code* out, std::size_t stride) {
    for (std::size_t i = 0; i < count; ++i) {
      const T* from = data_ + static_cast<std::ptrdiff_t>(rows[i]) * x_.row_stride;
      T* to = values_.data() + i * x_.columns;
      if (x_.column_stride == 1) std::copy_n(from, x_.columns, to);
      else
        for (std::size_t j = 0; j < x_.columns; ++j) to[j] = from[static_cast<std::ptrdiff_t>(j) * x_.column_stride];
    }
    const Matrix together{values_.data(), x_.scalar, count, x_.columns, static_cast<std::ptrdiff_t>(x_.columns), 1};
    encoder_.rows(together, 0, count, out, 1, stride);
  }

  const T* data_;
  const Matrix& x_;
  const Encoder& encoder_;
  std::vector<T> values_;
};

}  // namespace venire
