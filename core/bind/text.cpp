// Blocks of delimited text, for Python.
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "text/moments.hpp"
#include "text/numbers.hpp"
#include "text/rows.hpp"

#include <span>
#include <string_view>
#include <variant>

using namespace nb::literals;

namespace venire {
namespace {

constexpr std::string_view kNumberSigns = "0123456789.-+eE\r\n";

std::optional<Array> numbers_of(const Input<std::uint8_t>& data, std::size_t columns, const std::string& delimiter,
                                std::vector<std::string> missing, std::size_t threads) {
  if (columns == 0) throw nb::value_error("a row has at least one column");
  if (delimiter.size() != 1 || kNumberSigns.find(delimiter[0]) != std::string_view::npos)
    throw nb::value_error("the delimiter must be one byte that no number holds");
  const auto* bytes = reinterpret_cast<const char*>(data.data());
  const NumberText text{bytes, data.shape(0), columns, delimiter[0], std::move(missing)};
  std::unique_ptr<double[]> found;
  std::size_t rows = 0;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    const std::optional<TextPieces> cut = pieces_of(text, pool.threads(), pool);
    if (!cut) return std::nullopt;
    rows = cut->rows;
    found = blank<double>(columns * rows);
    if (!read_numbers(text, *cut, found.get(), pool)) return std::nullopt;
  }
  return hand_over(std::move(found), {columns, rows});
}

using GivenColumn =
    std::variant<Input<double>, Input<std::int64_t>, std::pair<Input<std::int32_t>, std::vector<std::string>>>;

template <class T>
std::span<const T> values_of(const Input<T>& given, std::size_t rows) {
  if (given.shape(0) != rows) throw nb::value_error("the columns differ in length");
  return {given.data(), rows};
}

TextColumn text_column(const GivenColumn& given, std::size_t rows) {
  if (const auto* numbers = std::get_if<Input<double>>(&given)) return values_of(*numbers, rows);
  if (const auto* wholes = std::get_if<Input<std::int64_t>>(&given)) return values_of(*wholes, rows);
  const auto& [codes, words] = std::get<2>(given);
  WordColumn column{values_of(codes, rows), words};
  for (const std::int32_t code : column.codes)
    if (code >= 0 && static_cast<std::size_t>(code) >= words.size()) throw nb::value_error("a code has no word");
  return column;
}

Output<std::uint8_t> rows_of(const std::vector<GivenColumn>& given, std::size_t rows, const std::string& delimiter) {
  if (given.empty()) throw nb::value_error("a row has at least one column");
  if (delimiter.size() != 1) throw nb::value_error("the delimiter must be one byte");
  std::vector<TextColumn> columns;
  columns.reserve(given.size());
  for (const GivenColumn& column : given) columns.push_back(text_column(column, rows));
  std::vector<std::uint8_t> text;
  {
    nb::gil_scoped_release release;
    text.resize(most_bytes(columns, rows));
    auto* const from = reinterpret_cast<char*>(text.data());
    text.resize(static_cast<std::size_t>(write_rows(columns, rows, delimiter[0], from) - from));
  }
  const std::size_t size = text.size();
  return own(std::move(text), {size});
}

using Moments = nb::typed<nb::tuple, Array, std::vector<bool>>;

Moments parts_of_moments(const Input<std::int64_t>& micros, const std::vector<std::size_t>& numbers,
                         std::size_t threads) {
  const std::size_t rows = micros.shape(0);
  std::vector<MomentPart> parts;
  for (const std::size_t number : numbers) {
    if (number >= kMomentParts) throw nb::value_error("there is no such part of a moment");
    parts.push_back(static_cast<MomentPart>(number));
  }
  std::unique_ptr<double[]> found = blank<double>(parts.size() * rows);
  std::vector<bool> varies;
  {
    nb::gil_scoped_release release;
    Pool pool(threads);
    varies = moment_parts(micros.data(), rows, parts, found.get(), pool);
  }
  return Moments(nb::make_tuple(hand_over(std::move(found), {parts.size(), rows}), varies));
}

}  // namespace

void bind_text(nb::module_& m) {
  m.def(
      "numbers_of", &numbers_of, "data"_a, "columns"_a, "delimiter"_a, "missing"_a, "threads"_a,
      "A block of delimited text as numbers [column, row], NaN for the texts that mean missing; None where a field is "
      "anything but a plain number, or a row has another length.");
  m.def("rows_of", &rows_of, "columns"_a.noconvert(), "rows"_a, "delimiter"_a,
        "Columns as rows of delimited text: numbers in their shortest form and NaN as an empty field, and words by "
        "code (-1: empty), which are written as they are.");
  m.def("moment_parts", &parts_of_moments, "micros"_a, "parts"_a, "threads"_a,
        "Microseconds since 1970 (NaT: missing) as some of their parts, [part, row], and which of these vary. Parts "
        "from 0 on: year, month, day, weekday, day of the year, hour, minute, days since 1970.");
}

}  // namespace venire
