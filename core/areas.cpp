#include "areas.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>

#include "radix.hpp"

namespace venire {
namespace {

// A score with its label. A single-precision key leaves room for the label below it; a double-precision one does not.
struct Wide {
  std::uint64_t key;
  bool chosen;
};
template <class T>
using Item = std::conditional_t<std::is_same_v<T, float>, std::uint64_t, Wide>;

std::uint64_t item_of(std::uint32_t key, bool chosen) { return std::uint64_t{key} << 1 | static_cast<std::uint64_t>(chosen); }
Wide item_of(std::uint64_t key, bool chosen) { return {key, chosen}; }
std::uint32_t key_of(std::uint64_t item) { return static_cast<std::uint32_t>(item >> 1); }
std::uint64_t key_of(const Wide& item) { return item.key; }
bool is_chosen(std::uint64_t item) { return item & 1; }
bool is_chosen(const Wide& item) { return item.chosen; }

// The rows of either side, the others first.
struct Sides {
  std::vector<std::size_t> rest, mine;
  Sides(const bool* chosen, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) (chosen[i] ? mine : rest).push_back(i);
  }
};

// Counts of both sides for each distinct score, found by hashing; gives up when there are too many.
template <class Key>
class Tally {
 public:
  bool add(Key key, bool chosen) {
    std::size_t at = static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull) >> (64 - kBits));
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
    std::sort(used_.begin(), used_.begin() + distinct_, [&](std::size_t a, std::size_t b) { return slots_[a].key < slots_[b].key; });
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

template <class T>
class Counter {
  using Key = decltype(sort_key(T{}));

 public:
  explicit Counter(const Sides& sides) : sides_(sides) {}

  double won(const T* scores, std::int64_t step) {
    const std::optional<std::uint64_t> quick = counted(scores, step);
    const std::optional<std::uint64_t> twice = quick ? quick : sorted(scores, step);
    return twice ? static_cast<double>(*twice) / 2 : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  // Nothing where there are too many distinct scores, or one that is no number.
  std::optional<std::uint64_t> counted(const T* scores, std::int64_t step) {
    tally_.clear();
    for (const bool chosen : {false, true}) {
      for (const std::size_t row : chosen ? sides_.mine : sides_.rest) {
        const T score = scores[static_cast<std::int64_t>(row) * step];
        if (score != score || !tally_.add(sort_key(score), chosen)) return std::nullopt;
      }
    }
    return tally_.twice_won();
  }

  std::optional<std::uint64_t> sorted(const T* scores, std::int64_t step) {
    items_.resize(sides_.rest.size() + sides_.mine.size());
    Item<T>* item = items_.data();
    bool number = true;
    for (const bool chosen : {false, true}) {
      for (const std::size_t row : chosen ? sides_.mine : sides_.rest) {
        const T score = scores[static_cast<std::int64_t>(row) * step];
        number &= score == score;
        *item++ = item_of(sort_key(score), chosen);
      }
    }
    if (!number) return std::nullopt;
    radix_sort(items_, spare_, [](const Item<T>& item) { return key_of(item); });
    // Of equal scores the rest come first: those before a chosen row are at or below it, those before its run below.
    std::uint64_t rest = 0, below = 0, twice = 0;
    Key last = 0;
    for (const Item<T>& item : items_) {
      const Key key = key_of(item);
      below = key == last ? below : rest;
      last = key;
      const bool chosen = is_chosen(item);
      twice += chosen ? rest + below : 0;
      rest += !chosen;
    }
    return twice;
  }

  const Sides& sides_;
  Tally<Key> tally_;
  std::vector<Item<T>> items_, spare_;
};

}  // namespace

template <class T>
std::vector<double> pairs_won(const T* scores, std::int64_t setting_step, std::int64_t row_step, std::size_t settings,
                              const bool* chosen, std::size_t rows) {
  const Sides sides(chosen, rows);
  Counter<T> counter(sides);
  std::vector<double> won(settings);
  for (std::size_t s = 0; s < settings; ++s) won[s] = counter.won(scores + static_cast<std::int64_t>(s) * setting_step, row_step);
  return won;
}

template std::vector<double> pairs_won(const float*, std::int64_t, std::int64_t, std::size_t, const bool*, std::size_t);
template std::vector<double> pairs_won(const double*, std::int64_t, std::int64_t, std::size_t, const bool*, std::size_t);

}  // namespace venire
