#define SY $15
#define ISH $0xb
#define ISHLD $0x9
#define ISHST $0xa
