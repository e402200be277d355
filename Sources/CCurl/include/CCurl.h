/* libcurl and the few Linux calls that the timing thread needs, in forms that Swift can call. */
#ifndef PUSHSCOPE_CCURL_H
#define PUSHSCOPE_CCURL_H

#include "curl_shim.h"
#include "linux_shim.h"

#endif
