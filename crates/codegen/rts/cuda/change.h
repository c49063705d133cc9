// Changes that the host makes to the device's memory, as the host and the kernel that makes them know them.

// So many changes go to the device at a time, and so many bytes that the host gives, one for each thread of a block.
#define MAX_CHANGES 16
#define MAX_GIVEN_BYTES 256
#define CHANGE_BLOCK 256

struct change {
  uint64_t to, from;
  // Of copies, how many bytes are copied at a time; 0 if the host gives them, from that place on.
  uint32_t bytes, unit;
};

struct changes {
  struct change all[MAX_CHANGES];
  uint8_t given[MAX_GIVEN_BYTES];
};
