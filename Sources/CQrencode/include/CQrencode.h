/* libqrencode: QR codes (ISO/IEC 18004). */
#ifndef PUSHSCOPE_CQRENCODE_H
#define PUSHSCOPE_CQRENCODE_H

#include <qrencode.h>

#endif
