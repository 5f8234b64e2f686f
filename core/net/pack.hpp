// A pack of nets with settings of their own, trained side by side on the same mini-batches.
//
// Every epoch shuffles the rows once for all members. A member leaves out the rows of the part that it holds back,
// steps by AdamW through the batches, and is judged on its part; the weights of its best epoch are kept, and it stops
// when `patience` epochs brought nothing better. Members with different parts see all rows between them.
//
// A member is trained by one thread at a time, and reads nothing of the others: any number of threads gives the same
// bits. An epoch costs what `passes.hpp` says of its rows; memory is four floats a weight, and the rows once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_vector.hpp"
#include "base/parallel.hpp"
#include "net/passes.hpp"
#include "net/shape.hpp"

namespace venire {

// Borrowed: copied by the pack.
struct NetTable {
  const float* x;  // [row][column]
  std::size_t rows, columns;
  const std::int32_t* labels;  // with classes
  const float* values;         // without
  const float* weights;        // or null: every row counts 1
  const std::int32_t* parts;   // a number below `part_count` a row
  std::size_t part_count;
  std::size_t classes;  // 0: values
};

struct NetSettings {
  std::vector<std::uint32_t> hidden;  // units of the hidden layers
  float learning_rate;
  float weight_decay;
  float dropout;
  float smoothing;
  std::int32_t held;  // the part that is held back, or -1
  std::uint64_t seed;
};

struct NetTraining {
  std::size_t batch;
  std::size_t patience;  // epochs
  float beta1, beta2;
  std::uint64_t seed;  // of the order of the rows
};

class NetMember {
 public:
  NetMember(const NetTable& table, const NetSettings& settings);

  bool stopped = false;
  double loss = 0.0;       // on the part held back, after the last epoch
  double best_loss = 0.0;  // the smallest
  std::size_t epochs = 0, best_epoch = 0;
  std::size_t steps = 0;

  NetSettings settings;
  NetShape shape;
  AlignedVector<float> weights, best, first, second;

 private:
  void draw_weights();
};

class NetPack {
 public:
  NetPack(const NetTable& table, const std::vector<NetSettings>& members, const NetTraining& training);

  std::size_t members() const { return members_.size(); }
  const NetMember& member(std::size_t m) const { return members_[m]; }
  std::size_t batches() const;  // of an epoch
  bool stopped() const;         // all members have

  // One epoch; `factors` has a multiple of the learning rate for every batch.
  void run_epoch(const float* factors, std::size_t threads);

 private:
  void copy_rows(const NetTable& table);
  void shuffle();
  void train(NetMember& member, const float* factors, NetWork& work) const;
  void take_step(NetMember& member, std::size_t rows, float rate, NetWork& work) const;
  std::size_t gather(const NetMember& member, std::size_t from, std::size_t to, NetWork& work) const;
  void judge(NetMember& member, NetWork& work) const;

  NetTraining training_;
  std::size_t rows_, columns_, classes_;
  AlignedVector<float> x_;  // by part
  std::vector<std::int32_t> labels_;
  std::vector<float> values_, weights_;
  std::vector<std::int32_t> part_;
  std::vector<std::size_t> part_start_;  // where each part begins, and where the last ends
  std::vector<std::uint32_t> order_;
  std::size_t epoch_ = 0;
  std::vector<NetMember> members_;
};

}  // namespace venire
