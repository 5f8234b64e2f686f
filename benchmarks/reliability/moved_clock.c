/* A clock that is moved while a process runs: loaded before all else (LD_PRELOAD), it adds CLOCK_MOVES_BY seconds to the
 * time of day once the process is CLOCK_MOVES_AFTER seconds old. Clocks that only measure stay as they are. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct timespec born;

__attribute__((constructor)) static void begin(void) { syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &born); }

static time_t moved(void) {
  const char *by = getenv("CLOCK_MOVES_BY"), *after = getenv("CLOCK_MOVES_AFTER");
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return by && after && now.tv_sec - born.tv_sec >= atof(after) ? (time_t)atoll(by) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
  long failed = syscall(SYS_clock_gettime, clock, found);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) found->tv_sec += moved();
  return (int)failed;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  found->tv_sec = now.tv_sec;
  found->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *found) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (found) *found = now.tv_sec;
  return now.tv_sec;
}
