#include "text/rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace venire {
namespace {

constexpr int kLeastFixed = -4, kMostFixed = 15;  // powers of ten between which there is no exponent
[[maybe_unused]] constexpr int kMostDigits = 17;  // of a double, all of which are read back

char* copied(std::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* zeros(int count, char* to) {
  std::memset(to, '0', static_cast<std::size_t>(count));
  return to + count;
}

char* write_whole(std::int64_t value, char* to) { return std::to_chars(to, to + kNumberRoom, value).ptr; }

char* write_scientific(double size, char* to) {
#if defined(__cpp_lib_to_chars)
  return std::to_chars(to, to + kNumberRoom, size, std::chars_format::scientific).ptr;
#else
  int length = 0;
  for (int digits = 0; digits < kMostDigits; ++digits) {
    length = std::snprintf(to, kNumberRoom, "%.*e", digits, size);
    if (std::strtod(to, nullptr) == size) break;
  }
  return to + length;
#endif
}

// The shortest digits d₀d₁d₂…, which stand for d₀.d₁d₂… times ten to this power.
struct Shortest {
  char digits[20];
  int count = 0, power = 0;

  explicit Shortest(double size) {
    char text[kNumberRoom];
    const char* const end = write_scientific(size, text);
    const char* at = text;
    for (; at != end && *at != 'e'; ++at)
      if (*at != '.') digits[count++] = *at;
    const bool down = at[1] == '-';  // the exponent has a sign and two or three digits
    std::from_chars(at + 2, end, power);
    if (down) power = -power;
  }
};

char* write_exponent(int power, char* to) {
  *to++ = 'e';
  *to++ = power < 0 ? '-' : '+';
  const int size = std::abs(power);
  if (size < 10) *to++ = '0';
  return std::to_chars(to, to + 4, size).ptr;
}

char* write_field(const TextColumn& column, std::size_t row, char* to) {
  if (const auto* numbers = std::get_if<std::span<const double>>(&column)) return write_number((*numbers)[row], to);
  if (const auto* wholes = std::get_if<std::span<const std::int64_t>>(&column)) return write_whole((*wholes)[row], to);
  const auto& texts = std::get<WordColumn>(column);
  const std::int32_t code = texts.codes[row];
  return code < 0 ? to : copied(texts.words[static_cast<std::size_t>(code)], to);
}

}  // namespace

char* write_number(double value, char* to) {
  if (std::isnan(value)) return to;
  if (std::signbit(value)) *to++ = '-';
  if (std::isinf(value)) return copied("inf", to);
  if (value == 0.0) return copied("0.0", to);
  const Shortest shortest(std::abs(value));
  const char* const digits = shortest.digits;
  const int count = shortest.count, power = shortest.power;
  const auto part = [&](int from, int until) {
    return std::string_view(digits + from, static_cast<std::size_t>(until - from));
  };
  if (power < kLeastFixed || power > kMostFixed) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    return write_exponent(power, copied(part(1, count), to));
  }
  if (power < 0) return copied(part(0, count), zeros(-power - 1, copied("0.", to)));
  const int whole = power + 1;
  if (count <= whole) return copied(".0", zeros(whole - count, copied(part(0, count), to)));
  to = copied(part(0, whole), to);
  *to++ = '.';
  return copied(part(whole, count), to);
}

std::size_t most_bytes(const std::vector<TextColumn>& columns, std::size_t rows) {
  std::size_t row = 0;
  for (const TextColumn& column : columns) {
    std::size_t field = kNumberRoom;
    if (const auto* texts = std::get_if<WordColumn>(&column)) {
      field = 0;
      for (const std::string& word : texts->words) field = std::max(field, word.size());
    }
    row += field + 1;
  }
  return row * rows;
}

char* write_rows(const std::vector<TextColumn>& columns, std::size_t rows, char delimiter, char* to) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (const TextColumn& column : columns) {
      to = write_field(column, row, to);
      *to++ = delimiter;
    }
    to[-1] = '\n';
  }
  return to;
}

}  // namespace venire
