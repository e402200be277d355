// The same cells painted by ncurses, to compare with.
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "curses_peer.h"

#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static int controller = -1;
static atomic_long received;

static void *count_bytes(void *argument) {
  (void)argument;
  static char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(controller, buffer, sizeof buffer);
    if (count <= 0) return NULL;
    atomic_fetch_add(&received, count);
  }
}

int curses_peer_open_terminal(int columns, int rows) {
  controller = posix_openpt(O_RDWR | O_NOCTTY);
  if (controller < 0 || grantpt(controller) != 0 || unlockpt(controller) != 0) return -1;
  const int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
  const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  struct termios modes;
  if (terminal < 0 || ioctl(terminal, TIOCSWINSZ, &size) != 0 || tcgetattr(terminal, &modes) != 0) return -1;
  cfmakeraw(&modes);
  tcsetattr(terminal, TCSANOW, &modes);
  pthread_t reader;
  return pthread_create(&reader, NULL, count_bytes, NULL) == 0 ? terminal : -1;
}

long curses_peer_received(int terminal) {
  tcdrain(terminal);
  int unread = 1;
  while (ioctl(controller, FIONREAD, &unread) == 0 && unread > 0) usleep(1000);
  // What was read last may not be counted yet.
  long before = -1;
  while (before != atomic_load(&received)) {
    before = atomic_load(&received);
    usleep(20000);
  }
  return before;
}

int curses_peer_start(int terminal) {
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) return -1;
  FILE *output = fdopen(dup(terminal), "w");
  FILE *input = fdopen(dup(terminal), "r");
  if (output == NULL || input == NULL || newterm("xterm-256color", output, input) == NULL) return -1;
  start_color();
  use_default_colors();
  for (int color = 0; color < 256; color += 1) init_pair((short)(color + 1), (short)color, -1);
  curs_set(0);
  leaveok(stdscr, TRUE);
  return 0;
}

void curses_peer_put(int x, int y, uint32_t glyph, int foreground) {
  const wchar_t text[2] = {(wchar_t)glyph, 0};
  cchar_t cell;
  setcchar(&cell, text, A_NORMAL, (short)(foreground + 1), NULL);
  mvadd_wch(y, x, &cell);
}

void curses_peer_update(void) {
  wnoutrefresh(stdscr);
  doupdate();
}
