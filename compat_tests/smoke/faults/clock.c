/* Shifts the wall clock of a process by the seconds in the file $SMOKE_CLOCK: a library for
   LD_PRELOAD. The monotonic clock stays. Waits until a wall time are shifted back for the kernel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define WALL(at) ((at)->tv_sec > 1000000000L) /* The monotonic clock counts from the boot. */

static long offset(void) {
    static long last, found;
    struct timespec now;
    const char *path = getenv("SMOKE_CLOCK");
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    if (path != NULL && now.tv_sec != last) {
        FILE *file = fopen(path, "re");
        last = now.tv_sec;
        if (file != NULL) {
            long read;
            if (fscanf(file, "%ld", &read) == 1) found = read;
            fclose(file);
        }
    }
    return found;
}

static void *next(const char *name, const char *version) {
    void *found = version == NULL ? NULL : dlvsym(RTLD_NEXT, name, version);
    return found == NULL ? dlsym(RTLD_NEXT, name) : found;
}

static const struct timespec *real(const struct timespec *at, struct timespec *room) {
    if (at == NULL || !WALL(at)) return at;
    *room = *at;
    room->tv_sec -= offset();
    return room;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += offset();
    return status;
}

int timespec_get(struct timespec *now, int base) {
    if (base != TIME_UTC) return 0;
    clock_gettime(CLOCK_REALTIME, now);
    return base;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now != NULL) *now = found.tv_sec;
    return found.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *at, struct timespec *left) {
    static int (*sleep_until)(clockid_t, int, const struct timespec *, struct timespec *);
    struct timespec room;
    if (sleep_until == NULL) sleep_until = next("clock_nanosleep", NULL);
    return sleep_until(clock, flags, flags & TIMER_ABSTIME ? real(at, &room) : at, left);
}

#define WAITING(name, version, one)                                     \
    int name(one *what, const struct timespec *at) {                    \
        static int (*wait)(one *, const struct timespec *);             \
        struct timespec room;                                           \
        if (wait == NULL) wait = next(#name, version);                  \
        return wait(what, real(at, &room));                             \
    }

WAITING(sem_timedwait, NULL, sem_t)
WAITING(pthread_mutex_timedlock, NULL, pthread_mutex_t)

int pthread_cond_timedwait(pthread_cond_t *what, pthread_mutex_t *lock, const struct timespec *at) {
    static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    struct timespec room;
    if (wait == NULL) wait = next("pthread_cond_timedwait", "GLIBC_2.3.2");
    return wait(what, lock, real(at, &room));
}

int cnd_timedwait(void *what, void *lock, const struct timespec *at) {
    static int (*wait)(void *, void *, const struct timespec *);
    struct timespec room;
    if (wait == NULL) wait = next("cnd_timedwait", NULL);
    return wait(what, lock, real(at, &room));
}
