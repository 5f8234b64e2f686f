// What all bindings share: the arrays that arrive from Python and leave for it, and the checks of their kinds and
// shapes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
// Every file of bindings sees the same conversions; another set in one of them would be another definition of the same
// thing.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "bins/sparse_codes.hpp"

namespace nb = nanobind;

namespace venire {

// A two-dimensional array of any scalar; `matrix_of` decides which ones are welcome.
struct AnyMatrix {
  nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu> array;
};

}  // namespace venire

// Taken as it is, never converted; written in the stub with the type parameter that strict checkers ask for.
template <>
struct nb::detail::type_caster<venire::AnyMatrix> {
  NB_TYPE_CASTER(venire::AnyMatrix, const_name("numpy.typing.NDArray[typing.Any]"))

  bool from_python(handle source, std::uint8_t, cleanup_list* cleanup) noexcept {
    make_caster<decltype(venire::AnyMatrix::array)> caster;
    if (!caster.from_python(source, 0, cleanup)) return false;
    value.array = caster.value;
    return true;
  }
};

namespace venire {

// One, two and any dimensions.
template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Grid = Table<double>;
template <class T>
using Output = nb::ndarray<nb::numpy, T>;
using Array = Output<double>;

inline Scalar scalar_of(nb::dlpack::dtype dtype) {
  if (dtype == nb::dtype<float>()) return Scalar::f32;
  if (dtype == nb::dtype<double>()) return Scalar::f64;
  if (dtype == nb::dtype<std::int32_t>()) return Scalar::i32;
  if (dtype == nb::dtype<std::int64_t>()) return Scalar::i64;
  if (dtype == nb::dtype<std::uint8_t>() || dtype == nb::dtype<bool>()) return Scalar::u8;
  throw nb::type_error("a matrix must hold float32, float64, int32, int64, uint8 or bool");
}

inline Matrix matrix_of(const AnyMatrix& any) {
  const auto& x = any.array;
  if (x.shape(0) >= std::numeric_limits<Row>::max()) throw nb::value_error("more than 4,294,967,294 rows");
  if (x.shape(1) >= Node::kMaxFeatures) throw nb::value_error("more than 1,048,575 columns");
  return {x.data(), scalar_of(x.dtype()), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

inline std::vector<bool> mask_of(const Input<bool>& categorical, std::size_t columns) {
  if (categorical.shape(0) != columns) throw nb::value_error("the categorical mask needs one entry a column");
  return std::vector<bool>(categorical.data(), categorical.data() + columns);
}

inline const double* grid_of(const Grid& grid, std::size_t rows, std::size_t columns, const char* name) {
  if (grid.shape(0) != rows || grid.shape(1) != columns)
    throw nb::value_error((std::string(name) + " has another shape").c_str());
  return grid.data();
}

template <class T>
const T* data_or_null(const std::optional<Input<T>>& array, std::size_t rows, const char* name) {
  if (!array) return nullptr;
  if (array->shape(0) != rows) throw nb::value_error((std::string(name) + " and the matrix differ in length").c_str());
  return array->data();
}

// A vector as an array that keeps it.
template <class T>
Output<T> own(std::vector<T> data, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(data));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(kept->data(), shape.size(), shape.data(), owner);
}

// Memory as it comes: all of it will be written.
template <class T>
std::unique_ptr<T[]> blank(std::size_t size) {
  return std::make_unique_for_overwrite<T[]>(size);
}

template <class T>
Output<T> hand_over(std::unique_ptr<T[]> data, std::vector<std::size_t> shape) {
  T* kept = data.release();
  nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Output<T>(kept, shape.size(), shape.data(), owner);
}

inline SparseMatrix sparse_of(std::size_t rows, const Input<std::int64_t>& start, const Input<Row>& row,
                              const Input<double>& value) {
  if (rows >= std::numeric_limits<Row>::max()) throw nb::value_error("more than 4,294,967,294 rows");
  if (start.shape(0) < 2 || start.shape(0) > Node::kMaxFeatures)
    throw nb::value_error("a sparse matrix has 1 to 1,048,575 columns");
  const std::size_t columns = start.shape(0) - 1, cells = row.shape(0);
  const std::int64_t* from = start.data();
  if (value.shape(0) != cells || from[0] != 0 || from[columns] != static_cast<std::int64_t>(cells) ||
      !std::is_sorted(from, from + columns + 1)) {
    throw nb::value_error("the columns of the sparse matrix do not follow each other");
  }
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::int64_t at = from[j]; at < from[j + 1]; ++at) {
      if (row.data()[at] >= rows || (at > from[j] && row.data()[at] <= row.data()[at - 1]))
        throw nb::value_error("the rows of a column must ascend, and be rows of the matrix");
    }
  }
  return {rows, columns, from, row.data(), value.data()};
}

inline ColumnNumbers columns_of(const Input<std::uint32_t>& given, std::size_t limit) {
  ColumnNumbers columns(given.data(), given.data() + given.shape(0));
  for (const std::uint32_t column : columns) {
    if (column >= limit) throw nb::value_error("a column number is beyond the matrix");
  }
  return columns;
}

}  // namespace venire
