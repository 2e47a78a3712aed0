// A library for LD_PRELOAD that shifts the machine's clock for one process, and no monotonic clock.

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void now(clockid_t clock, struct timespec *at) {
    syscall(SYS_clock_gettime, clock, at);
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return;
    const char *seconds = getenv("ADAMANT_TEST_CLOCK_AHEAD");
    at->tv_sec += seconds ? atoll(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    now(clock, at);
    return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    now(CLOCK_REALTIME, &precise);
    at->tv_sec = precise.tv_sec;
    at->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec precise;
    now(CLOCK_REALTIME, &precise);
    if (at) *at = precise.tv_sec;
    return precise.tv_sec;
}
