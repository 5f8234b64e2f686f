// Blocks of delimited text, for Python.
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "text/numbers.hpp"

#include <string_view>

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

}  // namespace

void bind_text(nb::module_& m) {
  m.def(
      "numbers_of", &numbers_of, "data"_a, "columns"_a, "delimiter"_a, "missing"_a, "threads"_a,
      "A block of delimited text as numbers [column, row], NaN for the texts that mean missing; None where a field is "
      "anything but a plain number, or a row has another length.");
}

}  // namespace venire
