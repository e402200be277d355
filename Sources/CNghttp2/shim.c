/* SwiftPM requires a C target to have a source file; everything is in the header. */
#include "CNghttp2.h"
