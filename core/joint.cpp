#include "joint.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "grower.hpp"
#include "joint_histogram.hpp"

namespace venire {
namespace {

// A core row and where its block and class begin in the histograms.
struct CoreItem {
  Row row;
  std::uint32_t base;
};

// One tree in a group.
struct Member {
  std::uint32_t tree = 0, node = 0;
  std::vector<CountItem> delta;
  std::vector<NarrowSum> whole{};  // rows by class
  Candidate best{};
  Split split{};
};

struct Group {
  std::vector<CoreItem> core;
  std::vector<Member> members;
  std::uint32_t depth = 0;
  std::uint64_t constant = 0;  // bit j: column j varies for no member
};

template <int Channels>
class JointGrower {
  using Sum = NarrowSum;
  using Lone = Grower<CountItem, Histogram<CountItem, Gini, Channels>>;

 public:
  JointGrower(const Training& training, const GrowRules& rules, const JointPlan& plan)
      : training_(training), rules_(rules), plan_(plan), classes_(static_cast<std::size_t>(training.classes)),
        stride_(kCodes * classes_), groups_(training.classes, rules.split), search_(groups_, rules.split),
        sums_(plan.block_count * stride_), core_sums_(stride_), items_(training.bins->rows),
        lone_(plan.left_out.size()), weight_(plan.left_out.size()) {
    summary_.value.resize(classes_);
    for (std::size_t j = 0; j < training.bins->columns.size(); ++j) {
      const Code* codes = training.bins->column(j);
      has_missing_.push_back(std::find(codes, codes + training.bins->rows, kMissing) != codes + training.bins->rows);
    }
    for (std::size_t t = 0; t < plan.left_out.size(); ++t) {
      plants_.emplace_back(training.bins->columns.size(), training.classes, training.outputs(), rules.keep_stats);
      plants_.back().add_nodes(1);
    }
  }

  JointTrees grow() {
    stack_.push_back(everything());
    while (!stack_.empty()) {
      Group group = std::move(stack_.back());
      stack_.pop_back();
      step(group);
    }
    for (Plant& plant : plants_) out_.trees.push_back(plant.take());
    return std::move(out_);
  }

 private:
  Group everything() {
    Group group;
    std::vector<double> rows(plan_.block_count, 0);
    for (Row row = 0; row < training_.bins->rows; ++row) {
      const std::uint8_t block = plan_.blocks[row];
      const auto base = static_cast<std::uint32_t>(block * stride_) + static_cast<std::uint32_t>(training_.labels[row]);
      group.core.push_back({row, base});
      ++rows[block];
    }
    for (std::uint32_t t = 0; t < plants_.size(); ++t) {
      group.members.push_back({t, 0, {}});
      for (std::uint8_t b = 0; b < plan_.block_count; ++b) weight_[t] += keeps(t, b) ? rows[b] : 0;
    }
    return group;
  }

  bool keeps(std::uint32_t tree, std::uint8_t block) const { return !plan_.left_out[tree].holds(block); }
  CountItem item_of(Row row) const { return {row, static_cast<std::uint16_t>(training_.labels[row]), 1}; }
  double unit(std::uint32_t tree) const { return unit_of_gain(training_, rules_.criterion, weight_[tree]); }

  void step(Group& group) {
    if (group.members.size() > 1 && group.core.size() >= plan_.least) {
      count_classes(group);
      std::erase_if(group.members, [&](Member& member) { return !may_split(member, group.depth); });
      look(group);
      std::erase_if(group.members, [&](Member& member) { return !settle(member); });
      regroup(group);
    } else {
      for (const Member& member : group.members) grow_alone(group, member);
    }
  }

  // ---- one node of every member

  void count_classes(Group& group) {
    std::vector<Sum> counts(plan_.block_count * classes_, 0), whole(classes_, 0);
    for (const CoreItem& item : group.core) {
      ++counts[plan_.blocks[item.row] * classes_ + static_cast<std::size_t>(training_.labels[item.row])];
    }
    for (std::size_t i = 0; i < counts.size(); ++i) whole[i % classes_] += counts[i];
    for (Member& member : group.members) {
      const LeftOut& out = plan_.left_out[member.tree];
      member.whole = whole;
      for (std::size_t k = 0; k < classes_; ++k) {
        member.whole[k] -= counts[out.first * classes_ + k];
        if (out.second != out.first) member.whole[k] -= counts[out.second * classes_ + k];
      }
      for (const CountItem& item : member.delta) item.add_to(member.whole.data());
      out_.rows_added += member.delta.size();
    }
    out_.rows_added += group.core.size();
  }

  // Writes down what the node predicts, as Grower::examine does.
  bool may_split(const Member& member, std::uint32_t depth) {
    groups_.begin(member.whole);
    const auto rows = static_cast<std::uint32_t>(groups_.total_weight());
    summarise(groups_, static_cast<const CountItem*>(nullptr), rows, training_, rules_.keep_stats, summary_);
    Plant& plant = plants_[member.tree];
    if (rules_.keep_stats) plant.set_stats(member.node, {rows, groups_.total_weight(), summary_.impurity});
    const bool may = !summary_.pure && depth < rules_.max_depth && rows >= rules_.min_split_rows &&
                     rows / 2 >= rules_.split.min_rows;
    if (!may || rules_.keep_stats) plant.set_value(member.node, summary_.pure_class, summary_.value);
    if (may) out_.rows_served += rows;
    return may;
  }

  void look(Group& group) {
    Random unused(0);
    for (std::uint32_t feature = 0; feature < training_.bins->columns.size(); ++feature) {
      if (feature < kTracked && (group.constant >> feature & 1) != 0) continue;
      const Column& column = training_.bins->columns[feature];
      const Code* codes = training_.bins->column(feature);
      fill(group, codes, column.bins());
      bool varies = false;
      for (Member& member : group.members) {
        const LeftOut& out = plan_.left_out[member.tree];
        const Sum* second = out.second == out.first ? nullptr : sums_.data() + out.second * stride_;
        groups_.begin(member.whole);
        groups_.give(core_sums_.data(), sums_.data() + out.first * stride_, second, member.delta, column.bins());
        search_.begin();
        varies |= search_.look(feature, column, codes, unused);
        for (const Candidate& found : search_.found().list()) {
          if (found.better_than(member.best)) member.best = found;
        }
      }
      if (!varies && feature < kTracked) group.constant |= std::uint64_t{1} << feature;
    }
  }

  // The core by block, code and class, and over all blocks.
  void fill(const Group& group, const Code* codes, int bins) {
    const std::size_t used = static_cast<std::size_t>(bins) * classes_, missing = kMissing * classes_;
    for (std::size_t b = 0; b < plan_.block_count; ++b) {
      std::fill_n(sums_.data() + b * stride_, used, Sum{0});
      std::fill_n(sums_.data() + b * stride_ + missing, classes_, Sum{0});
    }
    const auto classes = static_cast<std::uint32_t>(Channels > 0 ? Channels : classes_);
    for (const CoreItem& item : group.core) ++sums_[item.base + codes[item.row] * classes];
    std::fill(core_sums_.begin(), core_sums_.end(), Sum{0});
    for (std::size_t b = 0; b < plan_.block_count; ++b) {
      const Sum* from = sums_.data() + b * stride_;
      for (std::size_t i = 0; i < used; ++i) core_sums_[i] += from[i];
      for (std::size_t i = missing; i < stride_; ++i) core_sums_[i] += from[i];
    }
  }

  bool settle(Member& member) {
    const double gain = member.best.gain * unit(member.tree);
    if (member.best.score == kNever || gain + 1e-15 < rules_.min_decrease) {
      // A leaf after all; with statistics its value has been written.
      if (!rules_.keep_stats) write_value(member);
      return false;
    }
    groups_.begin(member.whole);
    const std::uint32_t feature = member.best.feature;
    member.split = search_.settle(member.best, training_.bins->columns[feature], training_.bins->column(feature));
    return true;
  }

  void write_value(const Member& member) {
    groups_.begin(member.whole);
    summarise(groups_, static_cast<const CountItem*>(nullptr), 0, training_, false, summary_);
    plants_[member.tree].set_value(member.node, summary_.pure_class, summary_.value);
  }

  // ---- who goes on with whom

  void regroup(Group& group) {
    const auto key = [&](const Member& m) { return std::tuple(m.split.feature, shift_of(m.split), m.split.cut, m.tree); };
    std::sort(group.members.begin(), group.members.end(), [&](const Member& a, const Member& b) { return key(a) < key(b); });
    auto begin = group.members.begin();
    while (begin != group.members.end()) {
      const std::vector<std::uint32_t> up_to = rows_up_to(group, *begin);
      auto end = begin + 1;
      for (; end != group.members.end() && asks_alike(*begin, *end); ++end) {
        const std::size_t middle = up_to[shifted_cut(end->split)] - up_to[shifted_cut(begin->split)];
        const auto trees = static_cast<std::size_t>(end - begin) + 1;
        if (2 * middle * (trees + 1) > group.core.size()) break;
      }
      descend(group, {std::make_move_iterator(begin), std::make_move_iterator(end)});
      begin = end;
    }
  }

  bool asks_alike(const Member& a, const Member& b) const {
    return a.split.feature == b.split.feature && shift_of(a.split) == shift_of(b.split);
  }

  // Codes are shifted so that missing values come first when they go left, as in types.hpp.
  Code shift_of(const Split& split) const { return split.missing_left && has_missing_[split.feature] ? 1 : 0; }
  Code shifted_cut(const Split& split) const { return static_cast<Code>(split.cut + shift_of(split)); }

  // How many core rows have at most each shifted code of the feature a member asks about.
  std::vector<std::uint32_t> rows_up_to(const Group& group, const Member& member) const {
    std::vector<std::uint32_t> rows(kCodes, 0);
    const Code* codes = training_.bins->column(member.split.feature);
    const Code shift = shift_of(member.split);
    for (const CoreItem& item : group.core) ++rows[static_cast<Code>(codes[item.row] + shift)];
    for (std::size_t code = 1; code < rows.size(); ++code) rows[code] += rows[code - 1];
    return rows;
  }

  // Sends members that stay together, sorted by their cuts, on to their children.
  void descend(const Group& from, std::vector<Member> members) {
    Group sides[2];
    for (Group& side : sides) {
      side.depth = from.depth + 1;
      side.constant = from.constant;
    }
    for (const Member& member : members) part_delta(member, sides);
    part_core(from, members, sides);
    stack_.push_back(std::move(sides[1]));
    stack_.push_back(std::move(sides[0]));
  }

  void part_delta(const Member& member, Group* sides) {
    Plant& plant = plants_[member.tree];
    const std::uint32_t child = plant.add_nodes(2);
    plant.set_split(member.node, child, member.split, member.split.gain * unit(member.tree));
    const Code* codes = training_.bins->column(member.split.feature);
    const Code shift = shift_of(member.split), cut = shifted_cut(member.split);
    for (std::uint32_t s = 0; s < 2; ++s) sides[s].members.push_back({member.tree, child + s, {}});
    for (const CountItem& item : member.delta) {
      sides[static_cast<Code>(codes[item.row] + shift) > cut].members.back().delta.push_back(item);
    }
  }

  void part_core(const Group& from, const std::vector<Member>& members, Group* sides) {
    const Split& lowest = members.front().split;
    const Code* codes = training_.bins->column(lowest.feature);
    const Code shift = shift_of(lowest), low = shifted_cut(lowest), high = shifted_cut(members.back().split);
    const std::vector<std::uint8_t> needed = blocks_of(members);
    for (const CoreItem& item : from.core) {
      const auto code = static_cast<Code>(codes[item.row] + shift);
      const std::uint8_t block = plan_.blocks[item.row];
      if (needed[block] == 0) continue;
      if (code <= low || code > high) {
        sides[code > high].core.push_back(item);
        continue;
      }
      for (std::size_t m = 0; m < members.size(); ++m) {
        if (!keeps(members[m].tree, block)) continue;
        sides[code > shifted_cut(members[m].split)].members[m].delta.push_back(item_of(item.row));
      }
    }
  }

  std::vector<std::uint8_t> blocks_of(const std::vector<Member>& members) const {
    std::vector<std::uint8_t> needed(plan_.block_count, 0);
    for (std::uint8_t b = 0; b < plan_.block_count; ++b) {
      needed[b] = std::any_of(members.begin(), members.end(), [&](const Member& m) { return keeps(m.tree, b); });
    }
    return needed;
  }

  // ---- alone

  void grow_alone(const Group& group, const Member& member) {
    const std::uint32_t tree = member.tree;
    auto& grower = lone_[tree];
    if (!grower) grower = std::make_unique<Lone>(training_, rules_, items_.data(), weight_[tree]);
    std::uint32_t count = 0;
    for (const CoreItem& item : group.core) {
      if (keeps(tree, plan_.blocks[item.row])) items_[count++] = item_of(item.row);
    }
    for (const CountItem& item : member.delta) items_[count++] = item;
    const Task task{0, 0, count, group.depth, 0, group.constant, false};
    plants_[tree].graft(member.node, grower->grow(task).take());
  }

  const Training& training_;
  const GrowRules& rules_;
  const JointPlan& plan_;
  const std::size_t classes_, stride_;
  Combined<Channels> groups_;
  Search<Combined<Channels>> search_;
  std::vector<Sum> sums_, core_sums_;
  std::vector<CountItem> items_;
  std::vector<std::unique_ptr<Lone>> lone_;
  std::vector<double> weight_;      // of every tree
  std::vector<bool> has_missing_;   // of every column, anywhere
  std::vector<Plant> plants_;
  std::vector<Group> stack_;
  Summary summary_;
  JointTrees out_;
};

}  // namespace

JointTrees grow_jointly(const Training& training, const GrowRules& rules, const JointPlan& plan) {
  if (training.classes == 2) return JointGrower<2>(training, rules, plan).grow();
  return JointGrower<0>(training, rules, plan).grow();
}

}  // namespace venire
