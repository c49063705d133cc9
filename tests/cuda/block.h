// Blocks of CUDA threads on one thread of the host.
//
// Each CUDA thread has a stack of its own and runs until it waits for others: at a barrier of its block, or where its warp exchanges values. When all
// have come there, all go on. Nothing else interrupts a thread, so that an update of memory is atomic by itself; instead, the order in which blocks, warps and
// lanes get their turns can be chosen, and answers must not depend on it.
//
// It is a fault, and ends the launch,
//
//   - if threads of a block wait at different barriers,
//   - if some lanes of a warp exchange values and others do something else, or have left,
//   - if anything is written beyond the shared memory that the launch has.
//
// Where memory is touched that is not there, the program ends.

#ifndef BLOCK_H
#define BLOCK_H

// The shared memory that a block may have, and what is behind it, to see what is written there.
#define SHARED_BYTES 229376
#define BEYOND_BYTES 64

struct dimensions {
  unsigned int x, y, z;
};

enum exchange { FROM_BEFORE, FROM_AFTER, FROM_LANE, WHO, NOTHING, HERE };

// What kernels know of the machine that runs them. `thread` and `block` are of the thread whose turn it is.
struct machine {
  struct dimensions thread, block, block_size, grid;
  void (*barrier)(int line);
  int (*barrier_or)(int value, int line);
  void (*exchange)(enum exchange how, void *value, int bytes, int by, int line);
  void (*copy_later)(void *to, const void *from, int bytes);
  void (*await_copies)(void);
  // Something is read or written, where that is counted.
  void (*touch)(const void *start, int bytes, int write, const void *place);
  // For compilers that know no such functions.
  int (*bits_set)(unsigned long long x);
  int (*leading_zeros)(unsigned long long x);
  int (*first_set)(unsigned long long x);
};

#endif
