// Gini cuts: the gains of all cuts of a node's groups by Gini, for classes counted in whole numbers. The commonest case
// of all, and up to half of what a small node costs. With wide vectors eight cuts of two classes are weighed at a time,
// or the classes of a cut, up to sixteen, are squared at a time. Every path does the same operations on the same
// numbers, so the gains are the same to the last bit.
//
// Cost per cut: two divisions, shared by as many cuts as a vector holds; with more classes about 3 ns for their
// squares.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace venire {

// What lies left of each cut: the count of the first class, and 2^32 times that of the second. Room for a multiple of
// eight.
using PairOfCounts = std::uint64_t;
constexpr std::size_t kCutsTogether = 8;

// Of the whole node: the counts of both classes, their sum, and the score that gains are measured from.
struct TwoClasses {
  double first, second, weight, score;
};

// gain[i] and left_weight[i] of the cuts 0 … count − 1. Entries up to the next multiple of eight may be written.
void sweep_two_classes(const PairOfCounts* left, std::size_t count, const TwoClasses& whole, double* gain,
                       double* left_weight);

// The squares of the classes' counts, added up, left and right of each cut of a list of groups, and the weight left of
// it.
struct Squares {
  double left[kCodes], right[kCodes];
};

// Does this machine do the following?
bool sweeps_few_classes(std::size_t classes, double weight);

// `sums` are `classes` numbers a code, `whole` those of the node.
void square_few_classes(const NarrowSum* sums, const NarrowSum* whole, std::size_t classes, const Code* list,
                        std::size_t cuts, Squares& squares, double* left_weight);

}  // namespace venire
