#ifndef CURSES_PEER_H
#define CURSES_PEER_H

#include <stdint.h>

/// Makes a pseudo-terminal whose other end is read by a thread that only counts. Returns the end to write to, or -1.
int curses_peer_open_terminal(int columns, int rows);

/// The bytes that the other end has read, once all that was written has arrived.
long curses_peer_received(int terminal);

/// Opens ncurses on the terminal. Returns 0 when it works.
int curses_peer_start(int terminal);

/// One cell; the color is an index of 256, or -1 for the terminal's own.
void curses_peer_put(int x, int y, uint32_t glyph, int foreground);

/// Lets ncurses bring the screen up to date.
void curses_peer_update(void);

#endif
