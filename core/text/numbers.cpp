#include "text/numbers.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace venire {
namespace {

constexpr int kMostDigits = 19;                           // so many fit into 64 bits
constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers up to here are all doubles
constexpr int kMostPower = 22, kMostExponentDigits = 4;
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char sign) { return static_cast<unsigned char>(sign - '0') < 10; }

// Digits that follow each other, taken into `value` as long as they fit.
struct Digits {
  std::uint64_t value = 0;
  int count = 0;

  const char* take(const char* at, const char* end) {
    for (; at != end && is_digit(*at); ++at) {
      value = 10 * value + static_cast<std::uint64_t>(*at - '0');  // beyond nineteen digits it is not used
      count += count <= kMostDigits;
    }
    return at;
  }
};

// The general way, for what has many digits or a large exponent; numbers beyond the range of doubles are refused.
bool by_library(const char* from, const char* to, double& value) {
#if defined(__cpp_lib_to_chars)
  const auto [at, error] = std::from_chars(from, to, value, std::chars_format::general);
  return error == std::errc{} && at == to;
#else
  return false;
#endif
}

// The number that begins here, and where it ends; null where none does.
const char* take_number(const char* from, const char* end, double& value) {
  const bool negative = from != end && *from == '-';
  Digits digits;
  const char* at = digits.take(from + negative, end);
  if (digits.count == 0) return nullptr;
  int power = 0;
  if (at != end && *at == '.') {
    const char* const point = at;
    at = digits.take(at + 1, end);
    if (at == point + 1) return nullptr;
    power = -static_cast<int>(std::min<std::ptrdiff_t>(at - point - 1, 1000));
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool down = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    Digits exponent;
    at = exponent.take(at, end);
    if (exponent.count == 0 || exponent.count > kMostExponentDigits) return nullptr;
    power += down ? -static_cast<int>(exponent.value) : static_cast<int>(exponent.value);
  }
  const bool exact = digits.count <= kMostDigits && digits.value <= kExact;
  if (!exact || std::abs(power) > kMostPower) return by_library(from, at, value) ? at : nullptr;
  const auto whole = static_cast<double>(digits.value);
  const double size = power < 0 ? whole / kPowers[-power] : whole * kPowers[power];
  value = negative ? -size : size;
  return at;
}

class PieceReader {
 public:
  PieceReader(const NumberText& text, std::size_t rows, double* columns)
      : text_(text), rows_(rows), columns_(columns) {}

  bool read(const TextPiece& piece) {
    const char* at = text_.data + piece.begin;
    const char* const end = text_.data + piece.end;
    for (std::size_t row = piece.row; at != end; ++row) {
      for (std::size_t column = 0; column < text_.columns; ++column) {
        at = field(at, end, columns_[column * rows_ + row]);
        if (at == nullptr) return false;
        if (column + 1 == text_.columns) break;
        if (at == end || *at != text_.delimiter) return false;
        ++at;
      }
      if (at != end && *at == '\r') ++at;
      if (at == end) break;  // the last line of a file need not end
      if (*at++ != '\n') return false;
    }
    return true;
  }

 private:
  // The field that begins here, a number or missing, and where it ends.
  const char* field(const char* from, const char* end, double& value) const {
    if (const char* at = take_number(from, end, value); at != nullptr && ends(at, end)) return at;
    const char* at = from;
    while (!ends(at, end)) ++at;
    const std::string_view said(from, static_cast<std::size_t>(at - from));
    if (std::find(text_.missing.begin(), text_.missing.end(), said) == text_.missing.end()) return nullptr;
    value = std::numeric_limits<double>::quiet_NaN();
    return at;
  }

  bool ends(const char* at, const char* end) const {
    return at == end || *at == text_.delimiter || *at == '\n' || *at == '\r';
  }

  const NumberText& text_;
  const std::size_t rows_;
  double* const columns_;
};

}  // namespace

std::optional<TextPieces> pieces_of(const NumberText& text, std::size_t count, Pool& pool) {
  TextPieces cut{{}, 0};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count && begin < text.size; ++i) {
    const std::size_t least = std::max(begin, text.size / count * (i + 1));
    const void* line_end =
        i + 1 == count || least >= text.size ? nullptr : std::memchr(text.data + least, '\n', text.size - least);
    const std::size_t end =
        line_end == nullptr ? text.size : static_cast<std::size_t>(static_cast<const char*>(line_end) - text.data) + 1;
    cut.pieces.push_back({begin, end, 0});
    begin = end;
  }
  std::vector<std::size_t> lines(cut.pieces.size());
  pool.run(cut.pieces.size(), [&](std::size_t i, std::size_t) {
    const char* const from = text.data + cut.pieces[i].begin;
    const char* const to = text.data + cut.pieces[i].end;
    lines[i] = static_cast<std::size_t>(std::count(from, to, '\n')) + (to != from && to[-1] != '\n');
  });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    cut.pieces[i].row = cut.rows;
    cut.rows += lines[i];
  }
  // A line has a delimiter or an end behind every field but the very last.
  if (cut.rows > (text.size + 1) / text.columns) return std::nullopt;
  return cut;
}

bool read_numbers(const NumberText& text, const TextPieces& cut, double* columns, Pool& pool) {
  std::atomic<bool> plain = true;
  pool.run(cut.pieces.size(), [&](std::size_t i, std::size_t) {
    if (plain && !PieceReader(text, cut.rows, columns).read(cut.pieces[i])) plain = false;
  });
  return plain;
}

}  // namespace venire
