// Sweeps: the gains of all cuts of a node's groups by Gini, for two classes counted in whole numbers. The commonest case of all, and half
// of what a small node costs; with wide vectors eight cuts are weighed at a time. Every path does the same operations on the same
// numbers, so the gains are the same to the last bit.
//
// Cost per cut: two divisions, shared by as many cuts as a vector holds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace venire {

// What lies left of each cut: the count of the first class, and 2^32 times that of the second. Room for a multiple of eight.
using PairOfCounts = std::uint64_t;
constexpr std::size_t kCutsTogether = 8;

// Of the whole node: the counts of both classes, their sum, and the score that gains are measured from.
struct TwoClasses {
  double first, second, weight, score;
};

// gain[i] and left_weight[i] of the cuts 0 … count − 1. Entries up to the next multiple of eight may be written.
void sweep_two_classes(const PairOfCounts* left, std::size_t count, const TwoClasses& whole, double* gain, double* left_weight);

}  // namespace venire
