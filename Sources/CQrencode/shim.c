/* SwiftPM requires a C target to have a source file; everything is static inline in the header. */
#include "CQrencode.h"
