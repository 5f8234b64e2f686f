// A block of delimited text, in which every field is a plain number or a text that means missing, as columns of
// doubles.
//
// Plain is what most programs write: -12, 0.5, 1.25e-7. A field of up to nineteen digits whose value is an integer
// below 2^53 times or over a power of ten up to 10^22 is one exact multiplication or division; any other goes through
// `std::from_chars`. Both give the nearest double. Threads take pieces of whole lines. Cost: about 12 ns a field of
// nine characters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel.hpp"

namespace venire {

struct NumberText {
  const char* data;
  std::size_t size;
  std::size_t columns;
  char delimiter;
  std::vector<std::string> missing;  // these texts, sign for sign, are NaN; none of them is a number
};

// Where lines were counted: each piece holds whole lines, and its first is row `row`.
struct TextPiece {
  std::size_t begin, end, row;
};

struct TextPieces {
  std::vector<TextPiece> pieces;
  std::size_t rows;
};

// The block cut into about `count` pieces. None where the lines are too short to hold all columns.
std::optional<TextPieces> pieces_of(const NumberText& text, std::size_t count, Pool& pool);

// Every field into `columns` [column, row]. False where one is not plain; `columns` is then spoiled.
bool read_numbers(const NumberText& text, const TextPieces& cut, double* columns, Pool& pool);

}  // namespace venire
