#include "net/pack.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.hpp"

namespace venire {
namespace {

constexpr std::size_t kJudgedAtOnce = 256;  // rows
constexpr float kEpsilon = 1e-8f;
constexpr std::uint64_t kStart = 0, kLeftOut = 1;  // what a member's seed is for

std::vector<std::uint32_t> sizes_of(const NetTable& table, const NetSettings& settings) {
  std::vector<std::uint32_t> sizes{static_cast<std::uint32_t>(table.columns)};
  sizes.insert(sizes.end(), settings.hidden.begin(), settings.hidden.end());
  sizes.push_back(static_cast<std::uint32_t>(std::max<std::size_t>(table.classes, 1)));
  return sizes;
}

// One number of a standard normal distribution (Box and Muller 1958).
double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

}  // namespace

NetMember::NetMember(const NetTable& table, const NetSettings& given)
    : settings(given), shape(sizes_of(table, given)), weights(shape.padded(), 0.0f), first(shape.padded(), 0.0f),
      second(shape.padded(), 0.0f) {
  draw_weights();
  best = weights;
}

// Spread so that the values of a layer are as large as those before it (He et al. 2015).
void NetMember::draw_weights() {
  Random random(child_key(settings.seed, kStart));
  for (const NetLayer& layer : shape.layers()) {
    const bool hidden = &layer != &shape.last();
    const double spread = std::sqrt((hidden ? 2.0 : 1.0) / static_cast<double>(std::max<std::size_t>(layer.inputs, 1)));
    for (std::size_t i = 0; i < layer.inputs; ++i) {
      float* row = weights.data() + layer.weights + i * layer.stride;
      for (std::size_t unit = 0; unit < layer.units; ++unit) row[unit] = static_cast<float>(spread * normal(random));
    }
  }
}

NetPack::NetPack(const NetTable& table, const std::vector<NetSettings>& members, const NetTraining& training)
    : training_(training), rows_(table.rows), columns_(table.columns), classes_(table.classes), order_(table.rows) {
  copy_rows(table);
  std::iota(order_.begin(), order_.end(), 0u);
  members_.reserve(members.size());
  for (const NetSettings& settings : members) members_.emplace_back(table, settings);
}

// The rows of a part lie together, so that judging reads them as they are. Weights are brought to a mean of 1.
void NetPack::copy_rows(const NetTable& table) {
  part_start_.assign(table.part_count + 1, 0);
  for (std::size_t i = 0; i < rows_; ++i) ++part_start_[static_cast<std::size_t>(table.parts[i]) + 1];
  std::partial_sum(part_start_.begin(), part_start_.end(), part_start_.begin());
  std::vector<std::size_t> next(part_start_.begin(), part_start_.end() - 1);
  double total = 0.0;
  for (std::size_t i = 0; i < rows_; ++i) total += table.weights == nullptr ? 1.0 : table.weights[i];
  x_.resize(rows_ * columns_);
  part_.resize(rows_);
  weights_.resize(rows_);
  (classes_ > 0 ? labels_.resize(rows_) : values_.resize(rows_));
  for (std::size_t i = 0; i < rows_; ++i) {
    const std::size_t to = next[static_cast<std::size_t>(table.parts[i])]++;
    std::copy_n(table.x + i * columns_, columns_, x_.data() + to * columns_);
    part_[to] = table.parts[i];
    const double weight = table.weights == nullptr ? 1.0 : table.weights[i] * static_cast<double>(rows_) / total;
    weights_[to] = static_cast<float>(weight);
    if (classes_ > 0) {
      labels_[to] = table.labels[i];
    } else {
      values_[to] = table.values[i];
    }
  }
}

std::size_t NetPack::batches() const { return (rows_ + training_.batch - 1) / training_.batch; }

bool NetPack::stopped() const {
  return std::all_of(members_.begin(), members_.end(), [](const NetMember& member) { return member.stopped; });
}

void NetPack::shuffle() {
  Random random(child_key(training_.seed, epoch_));
  for (std::size_t i = rows_; i > 1; --i) std::swap(order_[i - 1], order_[random.below(static_cast<std::uint32_t>(i))]);
}

void NetPack::run_epoch(const float* factors, std::size_t threads) {
  shuffle();
  Pool pool(threads);
  std::vector<NetWork> works(pool.threads());
  pool.run(members_.size(), [&](std::size_t m, std::size_t worker) {
    NetMember& member = members_[m];
    if (member.stopped) return;
    train(member, factors, works[worker]);
    judge(member, works[worker]);
  });
  ++epoch_;
}

// The rows of a batch that the member does not hold back.
std::size_t NetPack::gather(const NetMember& member, std::size_t from, std::size_t to, NetWork& work) const {
  std::size_t rows = 0;
  for (std::size_t at = from; at < to; ++at) {
    const std::size_t row = order_[at];
    if (part_[row] == member.settings.held) continue;
    std::copy_n(x_.data() + row * columns_, columns_, work.inputs.data() + rows * columns_);
    work.weights[rows] = weights_[row];
    if (classes_ > 0) {
      work.labels[rows] = labels_[row];
    } else {
      work.values[rows] = values_[row];
    }
    ++rows;
  }
  return rows;
}

void NetPack::train(NetMember& member, const float* factors, NetWork& work) const {
  const std::size_t batch = std::min(training_.batch, rows_);
  work.make_room(member.shape, std::max(batch, kJudgedAtOnce), true);
  work.inputs.resize(std::max(work.inputs.size(), batch * columns_));
  work.labels.resize(batch);
  work.values.resize(batch);
  work.weights.resize(batch);
  for (std::size_t b = 0; b < batches(); ++b) {
    const std::size_t rows = gather(member, b * batch, std::min(rows_, (b + 1) * batch), work);
    if (rows > 0) take_step(member, rows, member.settings.learning_rate * factors[b], work);
  }
}

void NetPack::take_step(NetMember& member, std::size_t rows, float rate, NetWork& work) const {
  const NetSettings& settings = member.settings;
  const NetPasses passes(member.shape, net_loops());
  const NetTarget target{classes_ > 0 ? work.labels.data() : nullptr, work.values.data(), work.weights.data(),
                         settings.smoothing};
  const std::uint64_t key = child_key(child_key(settings.seed, kLeftOut), member.steps);
  passes.forward(member.weights.data(), work.inputs.data(), columns_, rows, settings.dropout, key, work);
  passes.backward(member.weights.data(), work.inputs.data(), columns_, rows, settings.dropout, target,
                  static_cast<float>(rows), work);
  const auto step = static_cast<double>(++member.steps);
  const double first = 1.0 - std::pow(static_cast<double>(training_.beta1), step);
  const double second = 1.0 - std::pow(static_cast<double>(training_.beta2), step);
  AdamStep adam{static_cast<float>(rate / first),
                1.0f - rate * settings.weight_decay,
                training_.beta1,
                training_.beta2,
                static_cast<float>(1.0 / std::sqrt(second)),
                kEpsilon};
  const float kept = adam.shrink;
  for (const NetLayer& layer : member.shape.layers()) {
    for (const bool shifts : {false, true}) {  // shifts do not decay
      const std::size_t at = shifts ? layer.shifts : layer.weights, count = shifts ? layer.stride : layer.shifts - at;
      adam.shrink = shifts ? 1.0f : kept;
      net_loops().adam(adam, work.gradient.data() + at, count, member.weights.data() + at, member.first.data() + at,
                       member.second.data() + at);
    }
  }
}

void NetPack::judge(NetMember& member, NetWork& work) const {
  ++member.epochs;
  if (member.settings.held < 0) {
    member.best_epoch = member.epochs;
    return;
  }
  const auto part = static_cast<std::size_t>(member.settings.held);
  const NetPasses passes(member.shape, net_loops());
  double sum = 0.0, weight = 0.0;
  for (std::size_t from = part_start_[part]; from < part_start_[part + 1]; from += kJudgedAtOnce) {
    const std::size_t rows = std::min(kJudgedAtOnce, part_start_[part + 1] - from);
    passes.forward(member.weights.data(), x_.data() + from * columns_, columns_, rows, 0.0f, 0, work);
    const NetTarget target{classes_ > 0 ? labels_.data() + from : nullptr,
                           classes_ > 0 ? nullptr : values_.data() + from, weights_.data() + from, 0.0f};
    sum += passes.loss(rows, target, work);
    for (std::size_t i = 0; i < rows; ++i) weight += weights_[from + i];
  }
  member.loss = sum / weight;
  if (member.epochs == 1 || member.loss < member.best_loss) {
    member.best_loss = member.loss;
    member.best_epoch = member.epochs;
    member.best = member.weights;
  }
  member.stopped = member.epochs - member.best_epoch >= training_.patience || !std::isfinite(member.loss);
}

}  // namespace venire
