/* SwiftPM wants a C target to have a source; everything is static inline in the headers. */
#include "CCurl.h"
