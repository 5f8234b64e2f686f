// The best cut of a numeric column in one pass over its bins: what most of the search of a small table is.
//
//   sums by bin -> full bins, close together -> sums left of each cut -> worth -> the first of the largest
//
// Written three times: with 512-bit vectors, which close the gaps of empty bins and add up eight left sums at a time,
// and as a plain loop compiled for 256-bit vectors and without (base/wide.hpp). All give the same bits: each cut's
// worth comes from the same operations. Cost per column with 512-bit vectors: 0.2 ns a bin to close the gaps, 1 ns for
// each full one.
#pragma once

#include <cstddef>

#include "boost/bin_scan.hpp"

namespace venire {

struct Cut {
  double score = -1;  // what both sides are worth; no cut if not above the asked
  Pair left = 0;
  Code bin = 0;  // the last of the left side
};

// Of the cuts after each of `count` bins with enough hessian on both sides: the first that is worth most, if more than
// `above`. `before` is already on the left.
using BestCut = Cut (*)(const Scan& scan, const Pair* sums, std::size_t count, Pair before, double above);

// The one for this machine.
BestCut best_cut();

}  // namespace venire
