// What the parts of the driver have in common.

#ifndef DRIVER_H
#define DRIVER_H

#include "block.h"

#include <stddef.h>

// What memory holds before anything is written there.
#define GARBAGE 0xcb

struct module {
  void *library;
  // Where it is; shared arrays are in it.
  const char *start, *end;
  // Of the compiled text: what it knows of the machine, its shared memory, and its kernels.
  struct machine **machine;
  unsigned char *shared;
  struct kernel *kernels;
  int num_kernels;
};

struct kernel {
  const char *name;
  void (*call)(void **args);
  const struct module *module;
  // The bytes of each parameter.
  int num_params;
  const unsigned int *bytes;
};

// block.c. Whether all went well; what was wrong.
int run_grid(const struct kernel *kernel, unsigned int grid, unsigned int size, unsigned int shared, void **args);
const char *last_fault(void);

// order.c. In which order blocks, warps and lanes have their turns: FAKE_ORDER is forward, backward, or a number that stands for one by chance.
struct order {
  unsigned long long random;
  int backward;
};
void order_start(struct order *order);
int order_backward(const struct order *order);
void order_of(struct order *order, unsigned int *places, unsigned int count);

// compile.c. The library that the host's compiler makes of kernels, or NULL; what the compiler said. Both are to be freed.
char *compile_kernels(const char *text, size_t *size, char **log);
// The module in such a library, or NULL.
struct module *load_kernels(const void *image);
void unload_kernels(struct module *module);

// traffic.c. What kernels read and write, if FAKE_TRAFFIC names a file: at exit it has a table with a row for each kernel,
//
//   read MB       sectors that blocks touch, each once for each block: what a cache of a multiprocessor must fetch, at least
//   sectors MB    sectors of all requests of warps
//   used          how much of these the lanes asked for
//   each          sectors of a request: 4 for neighbours of 4 bytes, 1 if all lanes read the same, 32 if each reads elsewhere
//   shared 1000   requests of warps to shared memory, in thousands
//   turns         turns of the banks for each one that they need at least: more than 1 where several words of one bank are asked for at once
int traffic_wanted(void);
void traffic_launch(const struct kernel *kernel);
void traffic_block(unsigned int block, unsigned int grid);
void traffic_lane(unsigned int thread);
void traffic_warp(void);
void traffic_block_end(void);
void traffic_touch(const void *start, int bytes, int write, const void *place);
// block.c. Whether it belongs to one thread, or says which one runs.
int of_machine(const void *start);

#endif
