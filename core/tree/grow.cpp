#include "tree/grow.hpp"

#include <algorithm>
#include <memory>

#include "tree/grower.hpp"

namespace venire {
namespace {

std::int64_t weight_at(const Training& training, Row row) {
  return training.weights.empty() ? 1 : training.weights.units[row];
}

template <class Item>
Item make_item(const Training& training, Row row, std::int64_t copies) {
  const std::int64_t weight = weight_at(training, row) * copies;
  if constexpr (std::is_same_v<Item, SeveralItem>) {
    const std::size_t targets = training.centers.size();
    return {row,
            static_cast<std::uint32_t>(copies),
            static_cast<std::uint32_t>(targets),
            weight,
            training.moments.units.data() + row * targets,
            training.y + row * targets};
  } else if constexpr (std::is_same_v<Item, ValueItem>) {
    return {row, weight, training.moments.units[row] * copies, training.y[row]};
  } else {
    const auto label = static_cast<decltype(Item::label)>(training.labels[row]);
    return {row, label, static_cast<decltype(Item::weight)>(weight)};
  }
}

template <class Item>
std::vector<Item> make_items(const Training& training, const Sample& sample) {
  std::vector<Item> items;
  items.reserve(sample.size());
  for (std::uint32_t i = 0; i < sample.size(); ++i) {
    if (sample.copies(i) > 0) items.push_back(make_item<Item>(training, sample.row(i), sample.copies(i)));
  }
  return items;
}

template <class Item>
Places places_of(const std::vector<Item>& items, std::size_t rows) {
  Places places(rows, UINT32_MAX);
  for (std::uint32_t i = 0; i < items.size(); ++i) places[items[i].row] = i;
  return places;
}

// The trunk first; its subtrees, whenever their turn comes, by all threads; then everything is put together. What
// growing needed is given back before that: with the parts at hand twice, memory is at its highest there.
template <class Item, class Groups>
Tree grow_with(const Training& training, const GrowRules& rules, Sample& sample, std::uint64_t key, Pool* pool) {
  std::vector<Item> items = make_items<Item>(training, sample);
  sample.drawn = {};
  double weight = 0;
  for (const Item& item : items) weight += static_cast<double>(item.weight);
  using OneGrower = Grower<Item, Groups>;
  const bool sparse = training.bins->is_sparse();
  Places places = sparse ? places_of(items, training.bins->rows) : Places{};
  const auto make_grower = [&] {
    return std::make_unique<OneGrower>(training, rules, items.data(), weight, sparse ? &places : nullptr);
  };
  const Codes codes{training.bins->codes.data(), sparse ? 0 : training.bins->rows};
  const Task root{0, 0, static_cast<std::uint32_t>(items.size()), 0, key, 0, codes, copied_from(training.bins->rows)};
  std::unique_ptr<OneGrower> trunk = make_grower();
  if (root.rows() <= kSubtreeRows) return trunk->grow(root).take();
  std::vector<std::unique_ptr<OneGrower>> growers(pool == nullptr ? 1 : pool->threads());
  std::vector<Tree> parts;
  Later later;
  const auto grow_part = [&](std::size_t task, std::size_t worker) {
    if (!growers[worker]) growers[worker] = make_grower();
    parts[task] = growers[worker]->grow(later.tasks[task]).take();
    shrink(parts[task]);
  };
  later.grow = [&] {
    const std::size_t done = parts.size(), due = later.tasks.size() - done;
    if (due == 0) return;
    parts.resize(later.tasks.size());
    if (pool != nullptr) pool->run(due, [&](std::size_t task, std::size_t worker) { grow_part(done + task, worker); });
    else
      for (std::size_t task = 0; task < due; ++task) grow_part(done + task, 0);
  };
  TreeBuilder whole = trunk->grow(root, &later, pool);
  trunk.reset();
  growers.clear();
  items = {};
  whole.reserve(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    whole.graft(later.tasks[i].node, parts[i]);
    parts[i] = {};
  }
  return whole.take();
}

template <class Item, class Impurity>
Tree grow_classes(const Training& training, const GrowRules& rules, Sample& sample, std::uint64_t key, Pool* pool) {
  if (training.classes == 2) return grow_with<Item, Histogram<Item, Impurity, 2>>(training, rules, sample, key, pool);
  return grow_with<Item, Histogram<Item, Impurity>>(training, rules, sample, key, pool);
}

template <class Item>
Tree grow_classes(const Training& training, const GrowRules& rules, Sample& sample, std::uint64_t key, Pool* pool) {
  switch (rules.criterion) {
    case Criterion::gini: return grow_classes<Item, Gini>(training, rules, sample, key, pool);
    case Criterion::error: return grow_classes<Item, Misclassified>(training, rules, sample, key, pool);
    default: return grow_classes<Item, Entropy>(training, rules, sample, key, pool);
  }
}

// Do all weights of this sample fit the narrow item, and their total the narrow sum?
bool is_narrow(const Training& training, const Sample& sample) {
  if (!training.weights.empty() && training.weights.unit != 1) return false;
  if (training.classes > 65536) return false;
  std::int64_t total = 0, largest = 0;
  for (std::uint32_t i = 0; i < sample.size(); ++i) {
    const std::int64_t weight = weight_at(training, sample.row(i)) * sample.copies(i);
    total += weight;
    largest = std::max(largest, weight);
  }
  return largest <= CountItem::kMaxWeight && total <= static_cast<std::int64_t>(UINT32_MAX);
}

}  // namespace

Tree grow_tree(const Training& training, const GrowRules& rules, Sample sample, std::uint64_t key, Pool* pool) {
  if (training.classes > 0) {
    return is_narrow(training, sample) ? grow_classes<CountItem>(training, rules, sample, key, pool)
                                       : grow_classes<WeightItem>(training, rules, sample, key, pool);
  }
  if (training.several()) {
    if (rules.criterion == Criterion::entropy) {
      return grow_with<SeveralItem, Histogram<SeveralItem, JointEntropy>>(training, rules, sample, key, pool);
    }
    return grow_with<SeveralItem, Histogram<SeveralItem, JointVariance>>(training, rules, sample, key, pool);
  }
  if (rules.criterion == Criterion::poisson) {
    return grow_with<ValueItem, Histogram<ValueItem, Poisson, 2>>(training, rules, sample, key, pool);
  }
  if (rules.criterion == Criterion::absolute) {
    return grow_with<ValueItem, Deviations>(training, rules, sample, key, pool);
  }
  return grow_with<ValueItem, Histogram<ValueItem, Variance, 2>>(training, rules, sample, key, pool);
}

}  // namespace venire
