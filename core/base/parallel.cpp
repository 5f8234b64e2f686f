#include "base/parallel.hpp"

#include <new>
#include <system_error>

namespace venire {

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pool::run(std::size_t tasks, const Work& work) {
  if (threads_ == 1 || tasks <= 1) {
    for (std::size_t task = 0; task < tasks; ++task) work(task, 0);
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  work_ = &work;
  next_ = 0;
  tasks_ = tasks;
  failure_ = nullptr;
  start_workers(tasks);
  wake_.notify_all();
  take_tasks(lock, 0);
  done_.wait(lock, [&] { return running_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

// Worker 0 is the caller; no more threads than there are tasks to share. Nothing is thrown from here on: those that
// were started have their work already.
void Pool::start_workers(std::size_t tasks) {
  while (!refused_ && workers_.size() + 1 < threads_ && workers_.size() + 1 < tasks) {
    try {
      workers_.emplace_back(&Pool::serve, this, workers_.size() + 1);
    } catch (const std::system_error&) {  // a limit on processes, or no room for a stack
      refused_ = true;
    } catch (const std::bad_alloc&) {
      refused_ = true;
    }
  }
}

void Pool::serve(std::size_t worker) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || next_ < tasks_; });
    if (stop_) return;
    take_tasks(lock, worker);
    done_.notify_one();
  }
}

// Called and left with the lock held.
void Pool::take_tasks(std::unique_lock<std::mutex>& lock, std::size_t worker) {
  ++running_;
  while (next_ < tasks_) {
    const std::size_t task = next_++;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*work_)(task, worker);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      if (!failure_) failure_ = failure;
      next_ = tasks_;
    }
  }
  --running_;
}

}  // namespace venire
