// Columns of numbers and of coded words as rows of delimited text.
//
// A number is the shortest text that is read as the same double, as Python's `repr` writes it (0.1, 1e-05, 1e+16); NaN
// is an empty field. A word is written as it is: whoever gives it has put the quotes it needs. Cost: about 50 ns a
// number, where the shortest digits are looked for, and 5 ns a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace venire {

// `words[codes[row]]`; a negative code is an empty field.
struct WordColumn {
  std::span<const std::int32_t> codes;
  std::vector<std::string> words;
};

using TextColumn = std::variant<std::span<const double>, std::span<const std::int64_t>, WordColumn>;

// Room for one number, whatever it is.
constexpr std::size_t kNumberRoom = 32;

// Writes the number at `to`, where there is room, and says where it ends.
char* write_number(double value, char* to);

// The most bytes that rows of these columns can take.
std::size_t most_bytes(const std::vector<TextColumn>& columns, std::size_t rows);

// Writes all rows at `to`, a delimiter between fields and a line end behind each row, and says where they end.
char* write_rows(const std::vector<TextColumn>& columns, std::size_t rows, char delimiter, char* to);

}  // namespace venire
