#include "boost/split.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace venire {
namespace {

constexpr std::size_t kFewCategories = 4;  // up to these, one category against the rest
constexpr std::size_t kMostGrouped = 32;   // categories on the smaller side of a group

double loss_of(double g, double h, double l1, double w) { return g * w + h * w * w / 2 + l1 * std::abs(w); }

// With bounds or a direction to keep, the leaf values themselves decide; the scale is that of `score`.
void score_bounded(const Scan& scan, const BoostNode& node, int direction, const Pair* left, std::size_t count,
                   double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    if (out[i] < 0) continue;
    const Pair right = node.total - left[i];
    const double wl = leaf_value(left[i], scan.l2, scan.l1, scan.units, node.lower, node.upper);
    const double wr = leaf_value(right, scan.l2, scan.l1, scan.units, node.lower, node.upper);
    if ((direction > 0 && wl > wr) || (direction < 0 && wl < wr)) {
      out[i] = -1;
      continue;
    }
    const auto one = [&](Pair side, double w) {
      return loss_of(gradient_of(side) * scan.units.gradient, hessian_of(side) * scan.units.hessian + scan.l2, scan.l1,
                     w);
    };
    out[i] = std::max(-2 * (one(left[i], wl) + one(right, wr)), 0.0);
  }
}

// One column's histogram: sums, and rows counted or estimated.
struct Slots {
  const Pair* sums;
  const std::uint32_t* counts;  // or null
  double rows_per_hessian;

  double rows(std::size_t slot) const {
    return counts != nullptr ? counts[slot] : static_cast<double>(hessian_of(sums[slot])) * rows_per_hessian;
  }
};

// Where rows were counted, cuts that leave too few on a side are out.
void refuse_few(const Scan& scan, const Slots& slots, std::size_t bins, std::size_t count, bool missing_left,
                double* scores) {
  double rows = missing_left ? slots.counts[bins] : 0.0;
  for (std::size_t b = 0, full = 0; b < count; ++b) {
    rows += slots.counts[b];
    if (slots.sums[b] == 0) continue;
    if (std::min(rows, scan.rows - rows) < scan.min_rows) scores[full] = -1;
    ++full;
  }
}

// Bins from first to before last.
struct Span {
  std::size_t first, last;
};

// Where rows were counted: the bins after which a cut has enough of them on both sides follow each other.
Span enough_rows(const Scan& scan, const Slots& slots, std::size_t bins, std::size_t count, bool missing_left) {
  std::uint32_t rows = missing_left ? slots.counts[bins] : 0;
  Span span{0, 0};
  while (span.first < count && (rows += slots.counts[span.first]) < scan.min_rows) ++span.first;
  span.last = span.first;
  for (; span.last < count && scan.rows - rows >= scan.min_rows; rows += slots.counts[span.last]) ++span.last;
  return span;
}

struct Best {
  BoostSplit& split;
  double score = 0;
  bool saw_missing = false;  // by the node, in the column of the split
};

void take_cut(const Cut& cut, bool missing_left, double l2, std::uint32_t feature, Best& best) {
  best.score = cut.score;
  best.split.feature = feature;
  best.split.subset = false;
  best.split.missing_left = missing_left;
  best.split.cut = cut.bin;
  best.split.left = cut.left;
  best.split.l2 = l2;
}

bool is_bounded(const BoostNode& node) { return std::isfinite(node.lower) || std::isfinite(node.upper); }

// Cuts after each of the first `count` bins, all with or all without the missing rows on the left.
void try_cuts(const Scan& scan, const BoostNode& node, int direction, const Slots& slots, std::size_t bins,
              std::size_t count, bool missing_left, std::uint32_t feature, Best& best) {
  if (count == 0) return;
  // A cut after an empty bin is the cut before it: small nodes have few others.
  Bits bits;
  full_bins(slots.sums, count, bits);
  std::array<Pair, kCodes> left;
  std::array<double, kCodes> scores;
  std::array<std::uint8_t, kCodes> bin;
  Pair sum = missing_left ? slots.sums[bins] : 0;
  std::size_t full = 0;
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      const std::size_t b = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      left[full] = sum += slots.sums[b];
      bin[full++] = static_cast<std::uint8_t>(b);
    }
  }
  // Hessians are not negative, so the cuts with enough on both sides follow each other.
  std::size_t first = 0;
  while (first < full && hessian_of(left[first]) < scan.min_hessian) ++first;
  while (full > first && scan.hessian - hessian_of(left[full - 1]) < scan.min_hessian) --full;
  if (first == full) return;
  score(scan, left.data() + first, full - first, scores.data() + first);
  if (slots.counts != nullptr) refuse_few(scan, slots, bins, count, missing_left, scores.data());
  if (direction != 0 || is_bounded(node))
    score_bounded(scan, node, direction, left.data() + first, full - first, scores.data() + first);
  const auto [score, place] = highest(scores.data() + first, full - first);
  const std::size_t at = first + place;
  if (score > best.score) take_cut({score, left[at], bin[at]}, missing_left, scan.l2, feature, best);
}

void try_numeric(const Scan& scan, const BoostNode& node, int direction, const Slots& slots, std::size_t bins,
                 std::uint32_t feature, BestCut best_cut, Best& best) {
  if (bins == 0) return;
  const bool some_missing = slots.sums[bins] != 0 || (slots.counts != nullptr && slots.counts[bins] > 0);
  const bool plain = direction == 0 && !is_bounded(node);
  const double floor = best.score;
  const auto cuts = [&](std::size_t count, bool missing_left) {
    if (!plain) return try_cuts(scan, node, direction, slots, bins, count, missing_left, feature, best);
    Pair before = missing_left ? slots.sums[bins] : 0;
    const Span span = slots.counts == nullptr ? Span{0, count} : enough_rows(scan, slots, bins, count, missing_left);
    for (std::size_t b = 0; b < span.first; ++b) before += slots.sums[b];
    Cut found = best_cut(scan, slots.sums + span.first, span.last - span.first, before, best.score);
    found.bin = static_cast<Code>(found.bin + span.first);
    if (found.score > best.score) take_cut(found, missing_left, scan.l2, feature, best);
  };
  cuts(some_missing ? bins : bins - 1, false);
  if (some_missing) cuts(bins - 1, true);
  if (best.score > floor) best.saw_missing = some_missing;
}

Code code_of_slot(std::size_t slot, std::size_t bins) { return slot == bins ? kMissing : static_cast<Code>(slot); }

// The bins of a column, "missing" last, without allocating: there are never more than 256.
struct SlotList {
  std::array<std::uint16_t, kCodes> slots;
  std::size_t count = 0;

  void add(std::size_t slot) { slots[count++] = static_cast<std::uint16_t>(slot); }
  const std::uint16_t* begin() const { return slots.data(); }
  const std::uint16_t* end() const { return slots.data() + count; }
};

void take_group(const std::uint16_t* first, const std::uint16_t* last, std::size_t bins, Pair left, double l2,
                std::uint32_t feature, BoostSplit& split) {
  split.feature = feature;
  split.subset = true;
  split.missing_left = false;
  split.right.fill(255);
  for (; first != last; ++first) {
    const Code code = code_of_slot(*first, bins);
    split.right[code / 8] = static_cast<std::uint8_t>(split.right[code / 8] & ~(1u << (code % 8)));
  }
  split.left = left;
  split.l2 = l2;
}

double score_one(const Scan& scan, const BoostNode& node, Pair left, double rows) {
  const double hessian = hessian_of(left);
  if (std::min(rows, scan.rows - rows) < scan.min_rows || std::min(hessian, scan.hessian - hessian) < scan.min_hessian)
    return -1;
  double out = 0;
  score(scan, &left, 1, &out);
  if (is_bounded(node)) score_bounded(scan, node, 0, &left, 1, &out);
  return out;
}

void try_single(const Scan& scan, const BoostNode& node, const Slots& slots, const SlotList& present, std::size_t bins,
                std::uint32_t feature, Best& best) {
  for (const std::uint16_t& slot : present) {
    const double found = score_one(scan, node, slots.sums[slot], slots.rows(slot));
    if (!(found > best.score)) continue;
    best.score = found;
    take_group(&slot, &slot + 1, bins, slots.sums[slot], scan.l2, feature, best.split);
  }
}

// The bins with rows enough, by their gradient ratio.
SlotList in_order(const Scan& scan, const GainRules& rules, const Slots& slots, const SlotList& present) {
  SlotList order;
  std::array<double, kCodes> ratio;
  for (const std::uint16_t slot : present) {
    if (slots.rows(slot) + 0.5 < rules.category_smooth) continue;
    order.add(slot);
    ratio[slot] = gradient_of(slots.sums[slot]) * scan.units.gradient /
                  (hessian_of(slots.sums[slot]) * scan.units.hessian + rules.category_smooth);
  }
  std::sort(order.slots.data(), order.slots.data() + order.count,
            [&](std::uint16_t a, std::uint16_t b) { return ratio[a] != ratio[b] ? ratio[a] < ratio[b] : a < b; });
  return order;
}

void try_groups(Scan scan, const BoostNode& node, const GainRules& rules, const Slots& slots, const SlotList& present,
                std::size_t bins, std::uint32_t feature, Best& best) {
  const SlotList order = in_order(scan, rules, slots, present);
  scan.l2 += rules.category_l2;
  const double least_group = rules.group_share < 1
                                 ? std::min(rules.group_rows, std::max(scan.min_rows, node.rows * rules.group_share))
                                 : rules.group_rows;
  const std::size_t most = std::min(kMostGrouped, (order.count + 1) / 2);
  for (const bool from_end : {false, true}) {
    Pair left = 0, best_left = 0;
    double rows = 0, fresh = 0;
    std::size_t best_size = 0;
    for (std::size_t size = 1; size <= order.count && size <= most; ++size) {
      const std::size_t slot = from_end ? order.slots[order.count - size] : order.slots[size - 1];
      left += slots.sums[slot];
      rows += slots.rows(slot);
      fresh += slots.rows(slot);
      if (scan.rows - rows < least_group) break;
      if (fresh < least_group) continue;
      fresh = 0;
      const double found = score_one(scan, node, left, rows);
      if (!(found > best.score)) continue;
      best.score = found;
      best_size = size;
      best_left = left;
    }
    if (best_size == 0) continue;
    const std::uint16_t* first = from_end ? order.end() - best_size : order.begin();
    take_group(first, first + best_size, bins, best_left, scan.l2, feature, best.split);
  }
}

void try_categorical(const Scan& scan, const BoostNode& node, const GainRules& rules, const Slots& slots,
                     std::size_t bins, std::uint32_t feature, Best& best) {
  SlotList present;
  for (std::size_t slot = 0; slot <= bins; ++slot) {
    if (slots.sums[slot] != 0 || (slots.counts != nullptr && slots.counts[slot] > 0)) present.add(slot);
  }
  if (present.count < 2) return;
  if (bins <= kFewCategories) try_single(scan, node, slots, present, bins, feature, best);
  else try_groups(scan, node, rules, slots, present, bins, feature, best);
}

}  // namespace

double leaf_value(double gradient, double hessian, double l2, double l1, double lower, double upper) {
  const double value = hessian + l2 > 0 ? -soft(gradient, l1) / (hessian + l2) : 0.0;
  return std::min(std::max(value, lower), upper);
}

double leaf_value(Pair total, double l2, double l1, const Units& units, double lower, double upper) {
  return leaf_value(gradient_of(total) * units.gradient, hessian_of(total) * units.hessian, l2, l1, lower, upper);
}

Scan GainSearch::scan_of(const BoostNode& node, const Units& units) const {
  const auto hessian = static_cast<double>(hessian_of(node.total));
  Scan scan{units,
            static_cast<double>(gradient_of(node.total)),
            hessian,
            rules_.l2,
            rules_.l1,
            static_cast<double>(node.rows),
            rules_.min_rows - 0.5,  // estimated rows are rounded to the nearest whole number
            std::max(rules_.min_hessian / units.hessian, 1.0),
            0,
            Unscaled(units, rules_.l2, rules_.l1)};
  if (rules_.rows_by_hessian) scan.min_hessian = std::max(scan.min_hessian, scan.min_rows * hessian / scan.rows);
  const double value = leaf_value(node.total, node.l2, scan.l1, units, node.lower, node.upper);
  const double now = -2 * loss_of(scan.gradient * units.gradient, hessian * units.hessian + node.l2, scan.l1, value);
  // The last digits of a sum of quotients are no gain.
  scan.floor = std::max(now, 0.0) * (1 + 1e-12) + 2 * rules_.min_gain;
  return scan;
}

void GainSearch::best(const BoostNode& node, const Scan& scan, const Pair* sums, std::uint32_t column,
                      const std::uint32_t* counts, BoostSplit& split) const {
  std::array<Pair, kCodes> buffer;
  const Slots slots{packs_.sums_of(column, sums, node.total, buffer.data()), counts,
                    scan.hessian > 0 ? scan.rows / scan.hessian : 0.0};
  Best best{split, scan.floor};
  const int direction = rules_.monotone.empty() ? 0 : rules_.monotone[column];
  if (columns_[column].categorical) try_categorical(scan, node, rules_, slots, packs_.bins[column], column, best);
  else try_numeric(scan, node, direction, slots, packs_.bins[column], column, best_cut_, best);
  split.gain = (best.score - scan.floor) / 2;
  // Where the node has seen no missing value, later ones follow the heavier side.
  if (split.gain > 0 && !split.subset && !best.saw_missing) {
    split.missing_left = hessian_of(split.left) > hessian_of(node.total) / 2;
  }
}

}  // namespace venire
