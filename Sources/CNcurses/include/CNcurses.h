/// ncurses for Swift, and the two things that must run inside a signal handler. Each line says which limit of
/// Swift it meets; whatever Swift can do is done there.
#ifndef CNCURSES_H
#define CNCURSES_H

// SwiftPM drops the -D flags of a pkg-config file, and without this one the wide-character API vanishes.
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <stdbool.h>
#include <stddef.h>

// KEY_F is a function-like macro: Swift imports constants only.
static inline int cncurses_key_f(int number) { return KEY_F(number); }

// Declared in <term.h>, whose macros (`columns`, `lines`, `tab`, …) would shadow names in every importer.
int tigetnum(const char *name);
char *tigetstr(const char *name);

// tigetstr says "no such capability" with (char *)-1, a pointer that Swift cannot spell.
static inline bool cncurses_has_alternate_screen(void) {
  const char *enter = tigetstr("smcup");
  return enter != NULL && enter != (char *)-1;
}

// SIG_DFL and its kind are casts: Swift imports no macro that casts, and sigaction holds a union.
void cncurses_default_signal(int signal);

// ppoll is declared under _GNU_SOURCE, which Swift's import of the C library leaves out. poll counts in whole
// milliseconds: a sixth of a frame at 60 a second would be lost to rounding.
struct pollfd;
/// Negative nanoseconds wait without end.
int cncurses_poll(struct pollfd *descriptors, unsigned long count, long long nanoseconds);

// A handler may run between any two instructions of any thread; Swift code may allocate, take locks or begin an
// exclusive access there. These handlers only write a byte to a pipe.

/// Makes the pipe once for the process (both ends close-on-exec and non-blocking). Returns its reading end, or -1.
int cncurses_signal_pipe(void);

/// Lets the calling thread take a signal. A thread that was started from a dispatch worker blocks nearly all.
void cncurses_unblock_signal(int signal);

/// From now on the signal becomes one byte, its number, in the pipe, and the calling thread takes it. Remembers what
/// was there before.
int cncurses_catch_signal(int signal);

/// Puts back what `cncurses_catch_signal` replaced.
void cncurses_release_signal(int signal);

// The same limit again: a crash must give the terminal back without running any Swift.

/// From now on a crash, any other signal that ends the process (but those that are ignored, and those that become bytes),
/// or `exit` writes `bytes` to `terminal` and gives it back the line modes that it has
/// now. The terminal should not block: one that does not read is given up on after a second. Without SWIFT_BACKTRACE in the
/// environment Swift's own crash report is left out. `bytes` is copied; at most 512. Returns -1 when it is longer or the modes cannot be read. Call from the
/// thread that draws: it gets a signal stack of its own, so that its stack may overflow.
int cncurses_guard_arm(int terminal, const char *bytes, size_t count);

/// The same once more, with the line modes of the first time: those of now may be the shell's own, which it sets
/// while it reads a line.
void cncurses_guard_rearm(void);

/// Gives the terminal back if the guard is armed. Async-signal-safe; only the first caller acts.
bool cncurses_guard_restore(void);

/// Whether the terminal is still ours. False as soon as any thread gave it back.
bool cncurses_guard_is_armed(void);

#endif
