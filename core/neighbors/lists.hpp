// Lists of near rows on one common scale, from which the nearest on any similar scale are read off exactly.
//
// Let G be squared distances on the common scale and D those on a trial's own, where every column counts at least w
// times as much: D ≥ w G. A row's list holds those that are nearest by G, in that order. Walking along it, D is
// computed for every row that is eligible, and the k best by (D, row number) are kept; as soon as w G exceeds the worst
// of them no row further on can matter, be it on the list or not. What is found therefore has the bits of
// `find_nearest`; the common scale decides nothing but how soon the walk ends. A list that ends before the walk does is
// no use: all rows are looked at.
//
// Making lists takes about n (2 + columns / 4) cycles a row: distances are computed in single precision, eight at a
// time. Reading takes about (columns + 20) cycles for each of the one or two times k rows that are looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "neighbors/nearest.hpp"

namespace venire {

// Writes for each of the `count` rows asked for the `length` points nearest to it, itself among them, in order, with
// their squared distances: lower ones than the true distances by no more than rounding in single precision.
void list_near(const Points& points, const std::int64_t* asked, std::size_t count, std::size_t length,
               std::int32_t* near, float* squared);

// Lists of all rows of a table, [row, place].
struct NearLists {
  const std::int32_t* near = nullptr;
  const float* squared = nullptr;
  const double* norm = nullptr;  // how far a row lies from the origin of the common scale
  std::size_t rows = 0, length = 0;
};

// ((x − origin) − offset) / spread of every value: rows on a trial's own scale.
void scale_rows(const Points& x, const double* origin, const double* offset, const double* spread, double* out);

// Writes the k nearest, among the rows eligible, of the `count` rows asked for: by the distances of `points`, which
// hold all rows, ties in row order. `shrink` is √w. At least k rows must be eligible. Returns for how many all rows
// were looked at.
std::size_t read_lists(const NearLists& lists, const Points& points, const bool* eligible, double shrink,
                       const std::int64_t* asked, std::size_t count, std::size_t k, std::int64_t* found);

}  // namespace venire
