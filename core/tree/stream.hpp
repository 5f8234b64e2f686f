// Streaming: one large tree of classes from the matrix itself, without a table of codes.
//
// A byte a value is most of what a single tree needs while it grows. Here rows are encoded when they are looked at: the
// top of the tree level by level, in one pass over the rows of the nodes still open, and the pieces below it each from
// codes of their own:
//
//   pass 1   [ . . . . . . . . . . . . . . . ]   sums of the root → its question
//   pass 2   [ . . . . . | . . . . . . . . . ]   rows go to their child; sums of the smaller, the larger has the rest
//   …        [ . . | . . | . . . | . . . | . ]   until every node is a piece
//   pieces   codes of a piece's rows; the subtree, as in grow.hpp; codes given back; the next piece
//
// The questions are those of growing from codes, for sums are the same; nodes are numbered in another order. Only for
// rows that weigh the same and trees that look at every column. Pieces depend on the rows alone, so bytes do not depend
// on threads. Cost per row and level of the top: encoding (bins/encode.hpp) and one addition a value. Memory: two bytes
// a row, the sums of the open nodes and the codes of one piece for each thread.
#pragma once

#include <cstdint>

#include "tree/grow.hpp"

namespace venire {

// The tree of `training.matrix`, whose bins have no codes. The rules must say `may_stream`.
Tree grow_streamed(const Training& training, const GrowRules& rules, std::uint64_t key, Pool& pool);

bool may_stream(const Training& training, const GrowRules& rules);

}  // namespace venire
