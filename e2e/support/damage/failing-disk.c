/*
 * A disk that fails, for the processes that load this ahead of the C library (LD_PRELOAD). What they do with files below
 * FAILING_DISK_FOLDER fails while the file FAILING_DISK_SWITCH exists. Its lines: the number of the error, the calls that
 * fail, separated by commas, and what the path must contain (may be empty). Each call that failed leaves a byte in the
 * file FAILING_DISK_COUNT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT 8192
#define EXPORT __attribute__((visibility("default")))

/* The error for this call on this path, or 0. */
static int error_for(const char *call, const char *path) {
  const char *folder = getenv("FAILING_DISK_FOLDER"), *file = getenv("FAILING_DISK_SWITCH");
  if (!folder || !file || strncmp(path, folder, strlen(folder)) != 0) return 0;
  char said[TEXT], wanted[64], calls[TEXT + 2];
  int fd = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = syscall(SYS_read, fd, said, sizeof said - 1);
  syscall(SYS_close, fd);
  if (length <= 0) return 0; /* it is being written */
  said[length] = 0;
  char *rest = said, *number = strsep(&rest, "\n"), *names = strsep(&rest, "\n"), *part = strsep(&rest, "\n");
  if (!names || !part) return 0;
  snprintf(wanted, sizeof wanted, ",%s,", call);
  snprintf(calls, sizeof calls, ",%s,", names);
  return strstr(calls, wanted) && strstr(path, part) ? atoi(number) : 0;
}

static void count(void) {
  const char *file = getenv("FAILING_DISK_COUNT");
  int fd = file ? syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd < 0) return;
  syscall(SYS_write, fd, "x", 1);
  syscall(SYS_close, fd);
}

static int fails(const char *call, const char *path) {
  int before = errno, error = error_for(call, path);
  if (error) count();
  errno = error ? error : before;
  return error;
}

static int fails_on(const char *call, int fd) {
  char link[64], path[TEXT];
  int before = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  errno = before;
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = 0;
  return fails(call, path);
}

#define ON_FILE(result, name, call, parameters, types, arguments) \
  EXPORT result name parameters { \
    static result (*real) types; \
    if (!real) real = (result(*) types)dlsym(RTLD_NEXT, #name); \
    return fails_on(call, fd) ? -1 : real arguments; \
  }

ON_FILE(ssize_t, write, "write", (int fd, const void *from, size_t n), (int, const void *, size_t), (fd, from, n))
ON_FILE(ssize_t, pwrite, "write", (int fd, const void *from, size_t n, off_t at), (int, const void *, size_t, off_t),
        (fd, from, n, at))
ON_FILE(ssize_t, pwrite64, "write", (int fd, const void *from, size_t n, off64_t at),
        (int, const void *, size_t, off64_t), (fd, from, n, at))
ON_FILE(ssize_t, writev, "write", (int fd, const struct iovec *from, int n), (int, const struct iovec *, int),
        (fd, from, n))
ON_FILE(ssize_t, pwritev, "write", (int fd, const struct iovec *from, int n, off_t at),
        (int, const struct iovec *, int, off_t), (fd, from, n, at))
ON_FILE(ssize_t, pwritev64, "write", (int fd, const struct iovec *from, int n, off64_t at),
        (int, const struct iovec *, int, off64_t), (fd, from, n, at))
ON_FILE(int, ftruncate, "write", (int fd, off_t to), (int, off_t), (fd, to))
ON_FILE(int, ftruncate64, "write", (int fd, off64_t to), (int, off64_t), (fd, to))
ON_FILE(int, fsync, "sync", (int fd), (int), (fd))
ON_FILE(int, fdatasync, "sync", (int fd), (int), (fd))
ON_FILE(ssize_t, read, "read", (int fd, void *to, size_t n), (int, void *, size_t), (fd, to, n))
ON_FILE(ssize_t, pread, "read", (int fd, void *to, size_t n, off_t at), (int, void *, size_t, off_t), (fd, to, n, at))
ON_FILE(ssize_t, pread64, "read", (int fd, void *to, size_t n, off64_t at), (int, void *, size_t, off64_t),
        (fd, to, n, at))

#define ON_PATH(name, parameters, types, arguments, path) \
  EXPORT int name parameters { \
    static int (*real) types; \
    if (!real) real = (int (*) types)dlsym(RTLD_NEXT, #name); \
    return fails("make", path) ? -1 : real arguments; \
  }

/* A folder that is there is told to be there. */
EXPORT int mkdir(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  if (!real) real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
  return access(path, F_OK) != 0 && fails("make", path) ? -1 : real(path, mode);
}

ON_PATH(rename, (const char *from, const char *to), (const char *, const char *), (from, to), to)

/* Only an open that makes a file fails: what is there can still be opened. */
#define OPEN(name) \
  EXPORT int name(const char *path, int flags, ...) { \
    static int (*real)(const char *, int, ...); \
    if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (flags & O_CREAT && access(path, F_OK) != 0 && fails("make", path)) return -1; \
    return real(path, flags, mode); \
  }

OPEN(open)
OPEN(open64)
