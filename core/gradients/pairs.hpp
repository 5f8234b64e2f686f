// Gradients and hessians as pairs of whole numbers (gradient_pair.hpp), and their sums where whole numbers are too
// coarse.
//
// A unit of the hessian is the mean hessian times rows / 2^31: at a million rows the mean has 2,000 units, but a row
// that is all but certain less than one, and rounds to 0 or 1. A leaf of many such rows would divide by what rounding
// made of them. So a leaf whose rows have fewer than `kFineUnits` units on average is summed again from the numbers
// themselves; in all others rounding moves the value by at most 1 / (2 kFineUnits) of its size and of one unit of
// gradient over one of hessian, which is about the mean step of the round. Cost per row: 1 ns for the pair, 2 ns in the
// leaves that are summed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "gradients/gradient.hpp"
#include "gradients/gradient_pair.hpp"
#include "gradients/parts.hpp"
#include "gradients/row_set.hpp"

namespace venire {

constexpr double kFineUnits = 64;

// With more rows a mean gradient has fewer than 2,000 units, and rows are rounded up or down at random: to the nearest,
// rows that say the same (as all of a class do in the first round) would all lose the same, up to half a unit each. At
// ten million rows values of leaves were off by 1 % of their mean for it.
constexpr std::size_t kManyRows = std::size_t{1} << 20;

// Gradients and hessians, one entry a row of the table; or, where eight bytes a row are too much, the loss and the
// scores that they follow from, row by row, each time they are needed.
struct SlopeSource {
  const float* gradient = nullptr;
  const float* hessian = nullptr;
  const LossTarget* target = nullptr;
  const double* scores = nullptr;

  bool known() const { return gradient != nullptr || target != nullptr; }
};

// What a tree is grown on, one entry a row of the table. Without gradients and hessians no leaf is summed again.
struct Slopes {
  SlopeSource from;
  const Pair* pairs = nullptr;
  Units units;
};

// The gradients and hessians of `count` rows with their pairs, which are scaled by the sums over `rows` and written to
// `pairs`. Of a table in parts, `rows` are those of this part, `parts` counts those of the round in all parts, and the
// sums are over all of them. What comes from the loss is of all rows of one table.
Slopes round_slopes(const SlopeSource& from, const RowSet& rows, std::size_t count, Pair* pairs, Pool& pool,
                    const Parts& parts = all_here);

// Have the rows of a leaf too few units of hessian?
inline bool is_coarse(Pair total, std::size_t rows) {
  return static_cast<double>(hessian_of(total)) < kFineUnits * static_cast<double>(rows);
}

// Sums in units 2^31 times finer, as whole numbers; and what they are worth.
struct FineUnits {
  std::int64_t gradient = 0, hessian = 0;
};
struct FineSums {
  double gradient = 0, hessian = 0;
};
FineUnits fine_units(const Slopes& slopes, const Row* rows, std::size_t count);
FineSums fine_sums(const Slopes& slopes, const FineUnits& units);

}  // namespace venire
