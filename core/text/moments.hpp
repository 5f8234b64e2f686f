// Points in time as the numbers that a learner can use of them.
//
// Days since 1970 become year, month and day by whole-number arithmetic on years that begin in March (Neri and
// Schneider, 2023, "Euclidean affine functions and their application to calendar algorithms", in its plain form): no
// table, no branch. Cost: about 3 ns a value and part, once for all parts that are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/parallel.hpp"

namespace venire {

enum class MomentPart { year, month, day, weekday, day_of_year, hour, minute, days };
constexpr std::size_t kMomentParts = 8;
constexpr std::int64_t kNoMoment = std::numeric_limits<std::int64_t>::min();  // numpy's NaT

// Microseconds since 1970 as some of their parts, [part][row]; NaN where there is no moment. Says for each of these
// parts whether two moments differ in it.
std::vector<bool> moment_parts(const std::int64_t* micros, std::size_t rows, const std::vector<MomentPart>& parts,
                               double* out, Pool& pool);

}  // namespace venire
