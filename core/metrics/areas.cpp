#include "metrics/areas.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/radix.hpp"
#include "base/types.hpp"

namespace venire {
namespace {

// A row with its score.
template <class Key>
struct Item {
  Key key;
  Row row;
};

// Counts of both sides for each distinct score, found by hashing; gives up when there are too many.
template <class Key>
class Tally {
 public:
  bool add(Key key, bool chosen) {
    std::size_t at =
        static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull) >> (64 - kBits));
    while (slots_[at].used && slots_[at].key != key) at = (at + 1) & (kSlots - 1);
    if (!slots_[at].used) {
      if (distinct_ == kMost) return false;
      slots_[at] = {key, true, {0, 0}};
      used_[distinct_++] = at;
    }
    ++slots_[at].counts[chosen];
    return true;
  }

  std::uint64_t twice_won() {
    std::sort(used_.begin(), used_.begin() + distinct_,
              [&](std::size_t a, std::size_t b) { return slots_[a].key < slots_[b].key; });
    std::uint64_t below = 0, twice = 0;
    for (std::size_t i = 0; i < distinct_; ++i) {
      const auto& counts = slots_[used_[i]].counts;
      twice += counts[1] * (2 * below + counts[0]);
      below += counts[0];
    }
    return twice;
  }

  void clear() {
    for (std::size_t i = 0; i < distinct_; ++i) slots_[used_[i]].used = false;
    distinct_ = 0;
  }

 private:
  static constexpr int kBits = 8;
  static constexpr std::size_t kSlots = std::size_t{1} << kBits, kMost = 64;
  struct Slot {
    Key key;
    bool used = false;
    std::array<std::uint64_t, 2> counts{};
  };
  std::array<Slot, kSlots> slots_{};
  std::array<std::size_t, kMost> used_{};
  std::size_t distinct_ = 0;
};

// Counts setting after setting, and sorts the rows of one from the order they had in the last: along a path it changes
// little.
template <class T>
class Counter {
  using Key = decltype(sort_key(T{}));

 public:
  Counter(const bool* chosen, std::size_t rows) : chosen_(chosen), items_(rows) {
    for (std::size_t i = 0; i < rows; ++i) items_[i].row = static_cast<Row>(i);
  }

  double won(const T* scores, std::int64_t step) {
    const std::optional<std::uint64_t> quick = counted(scores, step);
    const std::optional<std::uint64_t> twice = quick ? quick : sorted(scores, step);
    return twice ? static_cast<double>(*twice) / 2 : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  // Nothing where there are too many distinct scores, or one that is no number.
  std::optional<std::uint64_t> counted(const T* scores, std::int64_t step) {
    tally_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const T score = scores[static_cast<std::int64_t>(i) * step];
      if (score != score || !tally_.add(sort_key(score), chosen_[i])) return std::nullopt;
    }
    return tally_.twice_won();
  }

  std::optional<std::uint64_t> sorted(const T* scores, std::int64_t step) {
    bool number = true;
    for (Item<Key>& item : items_) {
      const T score = scores[static_cast<std::int64_t>(item.row) * step];
      number &= score == score;
      item.key = sort_key(score);
    }
    if (!number) return std::nullopt;
    if (!put_right()) radix_sort(items_, spare_, [](const Item<Key>& item) { return item.key; });
    return twice_won();
  }

  // Sorts by insertion, unless that takes more moves than half the rows.
  bool put_right() {
    std::size_t left = items_.size() / 2;
    for (std::size_t i = 1; i < items_.size(); ++i) {
      if (!(items_[i].key < items_[i - 1].key)) continue;
      const Item<Key> item = items_[i];
      std::size_t to = i;
      for (; to > 0 && item.key < items_[to - 1].key && left > 0; --to, --left) items_[to] = items_[to - 1];
      items_[to] = item;
      if (left == 0) return false;
    }
    return true;
  }

  // Every run of equal scores against the others below it, which count twice, and against its own others, which count
  // once.
  std::uint64_t twice_won() const {
    std::uint64_t below = 0, twice = 0, mine = 0, others = 0;
    Key last = 0;
    for (const Item<Key>& item : items_) {
      if (item.key != last) {
        twice += mine * (2 * below + others);
        below += others;
        mine = others = 0;
        last = item.key;
      }
      const std::uint64_t chosen = chosen_[item.row];
      mine += chosen;
      others += 1 - chosen;
    }
    return twice + mine * (2 * below + others);
  }

  const bool* chosen_;
  Tally<Key> tally_;
  std::vector<Item<Key>> items_, spare_;  // in the order of the last setting that was sorted
};

}  // namespace

template <class T>
std::vector<double> pairs_won(const T* scores, std::int64_t setting_step, std::int64_t row_step, std::size_t settings,
                              const bool* chosen, std::size_t rows) {
  Counter<T> counter(chosen, rows);
  std::vector<double> won(settings);
  for (std::size_t s = 0; s < settings; ++s)
    won[s] = counter.won(scores + static_cast<std::int64_t>(s) * setting_step, row_step);
  return won;
}

template std::vector<double> pairs_won(const float*, std::int64_t, std::int64_t, std::size_t, const bool*, std::size_t);
template std::vector<double> pairs_won(const double*, std::int64_t, std::int64_t, std::size_t, const bool*,
                                       std::size_t);

}  // namespace venire
