// Start of memory.h: reference-counted blocks of device memory from a caching
// allocator.
//
// Devices are slow to give memory and to take it back, so blocks that are no
// longer used wait in lists by size class until a block of that size is wanted,
// or all memory is needed. Operations happen in order, so that a block can be used
// again while the last ones on it are still to come.

#define STATIC_BLOCK (-1)
#define BLOCK_ALIGNMENT 256
// Eight classes to each power of two.
#define SIZE_CLASSES (8 * 64)

typedef device_memory raw_memory;

struct block {
  int64_t refs;
  // How many bytes were asked for, how many there are, and whether they are the user's.
  int64_t size;
  int64_t room;
  device_memory mem;
  struct block *next;
  bool foreign;
  // Whether the program keeps it: never written, copied when it leaves.
  bool constant;
  // Where the host sees its bytes, if a kernel writes them to the host's memory, and the memory that it has otherwise.
  const unsigned char *host;
  device_memory own;
  // Whether there was no such memory left when it was first wanted: what is written to it stays there.
  bool stays;
};

// When the host reads an element, it reads so many bytes around it.
#define SEEN_BYTES 64
// So many parts of blocks are kept, such as the same part of several arrays.
#define SEEN_PARTS 4

// A part of a block that the host has read.
struct seen {
  const struct block *block;
  int64_t at;
  unsigned char bytes[SEEN_BYTES];
};

struct memory {
  struct futhark_context *ctx;
  struct block *cache[SIZE_CLASSES];
  // Bytes in use (as asked for), the most there ever were, bytes in the cache, and bytes of all blocks of the device.
  int64_t live, peak, cached, held;
  // Whether the last block was refused for another reason than its size, which is the error by now.
  bool failed;
  // What the host has read since anything has changed, and how often that was: parts take turns.
  struct seen seen[SEEN_PARTS];
  int64_t num_seen;
  // A block whose copy to the host is on its way.
  const struct block *ahead;
};

#define MEMORY_SPACE "space 'device'"
#define MEMORY_FAILED(ctx) ((ctx)->memory.failed)
#define MEMORY_THERE(ctx) ((ctx)->device.limits.memory)

// The class of a size, and the size all blocks of the class have.
RTS_FUN int size_class(int64_t *size) {
  uint64_t n = *size < BLOCK_ALIGNMENT ? BLOCK_ALIGNMENT : (uint64_t)*size;
  int log = 63 - leading_zeros(n);
  int part_log = log - 3;
  uint64_t parts = (n + ((uint64_t)1 << part_log) - 1) >> part_log;
  *size = (int64_t)(parts << part_log);
  return parts == 16 ? 8 * (log + 1) : 8 * log + (int)(parts - 8);
}

static int api_allocate(struct futhark_context *ctx, int64_t bytes, device_memory *mem);
static void api_release(struct futhark_context *ctx, device_memory mem);
static int api_wait(struct futhark_context *ctx);
static const unsigned char *api_take_host(struct futhark_context *ctx, device_memory *mem);
static void api_give_host(struct futhark_context *ctx, const unsigned char *host);

// Forgets what the host has read: something has changed, or may.
RTS_FUN void memory_unsee(struct memory *memory) {
  memory->num_seen = 0;
}

CALLED_FUN void memory_trim(struct memory *memory) {
  for (int i = 0; i < SIZE_CLASSES; i++) {
    while (memory->cache[i] != NULL) {
      struct block *b = memory->cache[i];
      memory->cache[i] = b->next;
      api_release(memory->ctx, b->mem);
      memory->held -= b->room;
      free(b);
    }
  }
  memory->cached = 0;
}

// What was in use at most is what is in use now.
CALLED_FUN void memory_forget(struct memory *memory) {
  memory->peak = memory->live;
}

// Fresh memory, at the price of the cache. What is still in use by operations to come is not given back before they
// have happened.
CALLED_FUN int memory_fresh(struct memory *memory, int64_t size, device_memory *mem) {
  int err = api_allocate(memory->ctx, size, mem);
  if (err == FUTHARK_OUT_OF_MEMORY) {
    err = api_wait(memory->ctx);
    if (err == FUTHARK_SUCCESS) {
      memory_trim(memory);
      return api_allocate(memory->ctx, size, mem);
    }
    return DEVICE_ERROR;
  }
  return err;
}

// A block with one reference, or NULL when out of memory.
CALLED_FUN struct block *memory_take(struct memory *memory, int64_t bytes) {
  int64_t size = bytes;
  memory->failed = false;
  if (bytes > INT64_MAX / 4) {
    return NULL;
  }
  int class = size_class(&size);
  struct block *b = NULL;
  for (int i = class; i <= class + 1 && b == NULL; i++) {
    b = memory->cache[i];
    if (b != NULL) {
      memory->cache[i] = b->next;
      memory->cached -= b->room;
    }
  }
  if (b == NULL) {
    b = calloc(1, sizeof(struct block));
    if (b == NULL) {
      return NULL;
    }
    int err = memory_fresh(memory, size, &b->mem);
    if (err != FUTHARK_SUCCESS) {
      memory->failed = err != FUTHARK_OUT_OF_MEMORY;
      free(b);
      return NULL;
    }
    b->room = size;
    memory->held += size;
  }
  b->refs = 1;
  b->constant = false;
  b->next = NULL;
  b->size = bytes;
  memory->live += bytes;
  if (memory->live > memory->peak) {
    memory->peak = memory->live;
  }
  return b;
}

// Takes back a block.
CALLED_FUN void memory_give(struct memory *memory, struct block *b) {
  for (int i = 0; i < SEEN_PARTS; i++) {
    if (memory->seen[i].block == b) {
      memory->seen[i].block = NULL;
    }
  }
  if (memory->ahead == b) {
    memory->ahead = NULL;
  }
  if (b->foreign) {
    free(b);
    return;
  }
  if (b->host != NULL) {
    api_give_host(memory->ctx, b->host);
    b->host = NULL;
    b->mem = b->own;
  }
  b->stays = false;
  memory->live -= b->size;
  int64_t size = b->room;
  int class = size_class(&size);
  b->next = memory->cache[class];
  memory->cache[class] = b;
  memory->cached += b->room;
}

// End of memory.h.
