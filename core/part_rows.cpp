#include "part_rows.hpp"

#include <algorithm>

namespace venire {
namespace {

constexpr std::size_t kPiece = 1 << 15;

}  // namespace

std::size_t part_rows(const Row* from, std::size_t count, const Code* codes, const Sides& sides, Row* to, Row* spare) {
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Row row = from[i];
    const std::size_t goes_right = sides[codes[row]];
    to[left] = row;
    spare[right] = row;
    right += goes_right;
    left += 1 - goes_right;
  }
  return left;
}

std::size_t part_node(const Row* from, std::size_t count, const Code* codes, const Sides& sides, Row* to, Row* spare, Pool& pool) {
  if (pool.threads() == 1 || count < 2 * kPiece) {
    const std::size_t left = part_rows(from, count, codes, sides, to, spare);
    std::copy(spare, spare + (count - left), to + left);
    return left;
  }
  // Every piece keeps its left rows at its own beginning and its right rows at the same place of `spare`.
  const std::size_t pieces = (count + kPiece - 1) / kPiece;
  std::vector<std::size_t> left(pieces);
  const auto size_of = [&](std::size_t piece) { return std::min(kPiece, count - piece * kPiece); };
  pool.run(pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t at = piece * kPiece;
    left[piece] = part_rows(from + at, size_of(piece), codes, sides, to + at, spare + at);
  });
  std::size_t all_left = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    std::copy(to + piece * kPiece, to + piece * kPiece + left[piece], to + all_left);  // moves down, never past itself
    all_left += left[piece];
  }
  std::vector<std::size_t> target(pieces, all_left);
  for (std::size_t piece = 1; piece < pieces; ++piece) target[piece] = target[piece - 1] + size_of(piece - 1) - left[piece - 1];
  pool.run(pieces, [&](std::size_t piece, std::size_t) {
    const Row* right = spare + piece * kPiece;
    std::copy(right, right + (size_of(piece) - left[piece]), to + target[piece]);
  });
  return all_left;
}

}  // namespace venire
