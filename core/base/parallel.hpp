// The only threading in the library: a pool that lives as long as one call.
//
// `run(tasks, work)` hands out task numbers from one counter; the caller works too. Waiting sleeps on a condition
// variable and never spins, so a busy neighbour costs its share of the processor and no more. Nothing outlives
// the call: no global threads, so forking and unloading are harmless. Starting a thread costs about 20 µs and
// happens at the first parallel region; a region costs about 5 µs. Regions should be worth a millisecond.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace venire {

class Pool {
 public:
  // `work(task, worker)`: `worker` is below `threads`, and no two running tasks share it.
  using Work = std::function<void(std::size_t task, std::size_t worker)>;

  explicit Pool(std::size_t threads) : threads_(threads < 1 ? 1 : threads) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::size_t threads() const { return threads_; }

  // Runs all tasks and returns when all are done. The first exception thrown by a task is thrown again here. A thread
  // that the system refuses to start is done without: the caller's own is enough.
  void run(std::size_t tasks, const Work& work);

 private:
  void start_workers(std::size_t tasks);
  void serve(std::size_t worker);
  void take_tasks(std::unique_lock<std::mutex>& lock, std::size_t worker);

  const std::size_t threads_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const Work* work_ = nullptr;
  std::size_t next_ = 0, tasks_ = 0, running_ = 0;
  std::exception_ptr failure_;
  bool stop_ = false;
  bool refused_ = false;  // a thread could not be started; none is asked for again
};

}  // namespace venire
