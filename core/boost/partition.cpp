#include "boost/partition.hpp"

#include <algorithm>

namespace venire {
namespace {

constexpr std::size_t kPiece = 1 << 14;

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

std::size_t part_node(const Row* from, std::size_t count, const Code* codes, const Sides& sides, Row* to, Row* spare,
                      Pool& pool) {
  if (pool.threads() == 1 || count < 2 * kPiece) {
    const std::size_t left = part_rows(from, count, codes, sides, to, spare);
    std::copy(spare, spare + (count - left), to + left);
    return left;
  }
  // Every piece lays its two sides aside; when all are counted, each knows where they belong.
  const std::size_t pieces = (count + kPiece - 1) / kPiece;
  std::vector<std::size_t> left(pieces);
  const auto size_of = [&](std::size_t piece) { return std::min(kPiece, count - piece * kPiece); };
  pool.run(pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t at = piece * kPiece;
    left[piece] = part_rows(from + at, size_of(piece), codes, sides, spare + at, spare + count + at);
  });
  std::vector<std::size_t> before(pieces + 1, 0);  // left rows of the pieces before
  for (std::size_t piece = 0; piece < pieces; ++piece) before[piece + 1] = before[piece] + left[piece];
  pool.run(pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t at = piece * kPiece;
    const Row *lefts = spare + at, *rights = spare + count + at;
    std::copy(lefts, lefts + left[piece], to + before[piece]);
    std::copy(rights, rights + (size_of(piece) - left[piece]), to + before[pieces] + (at - before[piece]));
  });
  return before[pieces];
}

}  // namespace venire
