#include "text/moments.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace venire {
namespace {

constexpr std::int64_t kMinute = 60'000'000, kDay = 1440 * kMinute;
constexpr std::size_t kRows = 1 << 9;  // of a task: their parts stay in the first cache

// The whole part, rounded down for what is before 1970.
template <class Whole>
Whole floor_of(Whole number, Whole by) {
  const Whole whole = number / by;
  return whole - (number - whole * by < 0 ? 1 : 0);
}

using Parts = std::array<double, kMomentParts>;

bool leap(std::int32_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

// Days fit into 32 bits, whose divisions are sooner done: microseconds of 64 bits reach 106 million days to either
// side.
Parts parts_of(std::int64_t micros) {
  const auto days = static_cast<std::int32_t>(floor_of(micros, kDay));
  const auto minute = static_cast<std::int32_t>((micros - days * kDay) / kMinute);
  // Eras of 400 years, whose years begin on 1 March, so that the day of a leap year is the last of its year.
  const std::int32_t from_march = days + 719'468, era = floor_of(from_march, 146'097);
  const std::int32_t in_era = from_march - era * 146'097;
  const std::int32_t year_of_era = (in_era - in_era / 1460 + in_era / 36'524 - in_era / 146'096) / 365;
  const std::int32_t in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int32_t march_month = (5 * in_year + 2) / 153;
  const std::int32_t day = in_year - (153 * march_month + 2) / 5 + 1;
  const std::int32_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  const std::int32_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  const std::int32_t day_of_year = march_month < 10 ? in_year + 60 + (leap(year) ? 1 : 0) : in_year - 305;
  const std::int32_t weekday = days + 3 - 7 * floor_of(days + 3, 7);  // Monday is 0
  const std::int32_t hour = minute / 60;
  return {static_cast<double>(year),        static_cast<double>(month),
          static_cast<double>(day),         static_cast<double>(weekday),
          static_cast<double>(day_of_year), static_cast<double>(hour),
          static_cast<double>(minute % 60), static_cast<double>(micros) / 86'400e6};
}

}  // namespace

std::vector<bool> moment_parts(const std::int64_t* micros, std::size_t rows, const std::vector<MomentPart>& parts,
                               double* out, Pool& pool) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::size_t> wanted;
  wanted.reserve(parts.size());
  for (const MomentPart part : parts) wanted.push_back(static_cast<std::size_t>(part));
  const auto* known = std::find_if(micros, micros + rows, [](std::int64_t one) { return one != kNoMoment; });
  if (known == micros + rows) {
    std::fill(out, out + wanted.size() * rows, kMissing);
    return std::vector<bool>(wanted.size(), false);
  }
  const Parts first = parts_of(*known);
  const std::size_t tasks = (rows + kRows - 1) / kRows;
  std::vector<std::array<bool, kMomentParts>> differs(tasks);
  pool.run(tasks, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * kRows, count = std::min(rows, begin + kRows) - begin;
    // Rows of a task at once, part after part: every loop is a simple one.
    std::vector<Parts> here(count);
    for (std::size_t i = 0; i < count; ++i) {
      here[i] = micros[begin + i] == kNoMoment ? first : parts_of(micros[begin + i]);
    }
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      const std::size_t part = wanted[at];
      double* to = out + at * rows + begin;
      bool other = false;
      for (std::size_t i = 0; i < count; ++i) {
        other |= here[i][part] != first[part];
        to[i] = micros[begin + i] == kNoMoment ? kMissing : here[i][part];
      }
      differs[task][part] = other;
    }
  });
  std::vector<bool> varies;
  varies.reserve(wanted.size());
  for (const std::size_t part : wanted) {
    varies.push_back(std::any_of(differs.begin(), differs.end(), [&](const auto& task) { return task[part]; }));
  }
  return varies;
}

}  // namespace venire
