#include "boost/partition.hpp"

#include <algorithm>

namespace venire {
namespace {

constexpr std::size_t kPiece = 1 << 14;

// Rows at [first, last) that stay left are put at to[0..], the others at the end of to[0..last - first), backwards.
// The place that is written in vain is always one that has not got its row yet. Returns how many stayed left.
template <class RowAt, class ByteOf>
std::size_t lay_aside(std::size_t first, std::size_t last, const RowAt& row_at, const ByteOf& byte_of,
                      const Sides& sides, Row* to) {
  Row *left = to, *right = to + (last - first);
  for (std::size_t i = first; i < last; ++i) {
    const Row row = row_at(i);
    const std::size_t goes_right = sides[byte_of(row)];
    *left = row;
    right[-1] = row;
    right -= goes_right;
    left += 1 - goes_right;
  }
  return static_cast<std::size_t>(left - to);
}

// On one thread left rows are put in their places at once, the others laid aside.
template <class RowAt, class ByteOf>
std::size_t part_alone(std::size_t count, const RowAt& row_at, const ByteOf& byte_of, const Sides& sides, Row* to,
                       Row* spare) {
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Row row = row_at(i);
    const std::size_t goes_right = sides[byte_of(row)];
    to[left] = row;
    spare[right] = row;
    right += goes_right;
    left += 1 - goes_right;
  }
  std::copy(spare, spare + right, to + left);
  return left;
}

// Pieces lay their two sides aside; when all are counted, each knows where they belong.
template <class RowAt, class ByteOf>
std::size_t part_in_pieces(std::size_t count, const RowAt& row_at, const ByteOf& byte_of, const Sides& sides, Row* to,
                           Row* spare, Pool& pool) {
  const std::size_t pieces = (count + kPiece - 1) / kPiece;
  const auto end_of = [&](std::size_t piece) { return std::min(count, (piece + 1) * kPiece); };
  std::vector<std::size_t> before(pieces + 1, 0);  // left rows of the pieces before
  pool.run(pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece * kPiece;
    before[piece + 1] = lay_aside(first, end_of(piece), row_at, byte_of, sides, spare + first);
  });
  for (std::size_t piece = 0; piece < pieces; ++piece) before[piece + 1] += before[piece];
  pool.run(pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece * kPiece, left = before[piece + 1] - before[piece];
    const Row* aside = spare + first;
    std::copy(aside, aside + left, to + before[piece]);
    std::reverse_copy(aside + left, aside + (end_of(piece) - first), to + before[pieces] + (first - before[piece]));
  });
  return before[pieces];
}

template <class RowAt, class ByteOf>
std::size_t part_by(std::size_t count, const RowAt& row_at, const ByteOf& byte_of, const Sides& sides, Row* to,
                    Row* spare, Pool& pool) {
  const bool alone = pool.threads() == 1 || count < 2 * kPiece;
  return alone ? part_alone(count, row_at, byte_of, sides, to, spare)
               : part_in_pieces(count, row_at, byte_of, sides, to, spare, pool);
}

}  // namespace

std::size_t part_node(const Row* from, std::size_t count, const RowBytes& bytes, const Sides& sides, Row* to,
                      Row* spare, Pool& pool) {
  const auto itself = [](std::size_t i) { return static_cast<Row>(i); };
  const auto listed = [from](std::size_t i) { return from[i]; };
  const auto close = [codes = bytes.first](Row row) { return codes[row]; };
  const auto apart = [bytes](Row row) { return bytes[row]; };
  if (from == nullptr && bytes.stride == 1) return part_by(count, itself, close, sides, to, spare, pool);
  if (from == nullptr) return part_by(count, itself, apart, sides, to, spare, pool);
  if (bytes.stride == 1) return part_by(count, listed, close, sides, to, spare, pool);
  return part_by(count, listed, apart, sides, to, spare, pool);
}

}  // namespace venire
