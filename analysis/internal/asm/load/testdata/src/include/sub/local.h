#define LOCAL NOP
