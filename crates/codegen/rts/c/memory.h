// Start of memory.h: reference-counted blocks from a caching allocator.
//
// Blocks that are given back wait in lists by size class, so that a loop
// which allocates in each iteration asks the operating system only once.
// Constants of the program text are blocks of count -1: never freed, never
// written, and shared by all contexts without counting.

#ifdef __linux__
#include <sys/mman.h>
#endif

#define STATIC_BLOCK (-1)
#define BLOCK_ALIGNMENT 64
// Four classes to each power of two.
#define SIZE_CLASSES (4 * 64)

// Blocks of at least so many bytes are in large pages, where the system has them: each page that is touched
// for the first time costs as much as to write it.
#define LARGE_BLOCK ((int64_t)1 << 23)

// What the interface calls the memory of an array.
typedef unsigned char *raw_memory;

struct block {
  int64_t refs;
  // How many bytes were asked for, how many there are, and whether they are the user's.
  int64_t size;
  int64_t room;
  unsigned char *mem;
  struct block *next;
  bool foreign;
  // Whether the program keeps it: never written, copied when it leaves.
  bool constant;
};

struct memory {
  struct block *cache[SIZE_CLASSES];
  // Bytes in use (as asked for) and the most there ever were; the same of the blocks that they are in; bytes of
  // blocks in the cache.
  int64_t live, peak, taken, most_taken, cached;
};

// The class of a size, and the size all blocks of the class have.
RTS_FUN int size_class(int64_t *size) {
  uint64_t n = *size < BLOCK_ALIGNMENT ? BLOCK_ALIGNMENT : (uint64_t)*size;
  int log = 63 - leading_zeros(n);
  int quarter_log = log - 2;
  uint64_t quarters = (n + ((uint64_t)1 << quarter_log) - 1) >> quarter_log;
  *size = (int64_t)(quarters << quarter_log);
  return quarters == 8 ? 4 * (log + 1) : 4 * log + (int)(quarters - 4);
}

CALLED_FUN void memory_trim(struct memory *memory) {
  for (int i = 0; i < SIZE_CLASSES; i++) {
    while (memory->cache[i] != NULL) {
      struct block *b = memory->cache[i];
      memory->cache[i] = b->next;
      free(b);
    }
  }
  memory->cached = 0;
}

RTS_FUN void large_pages(void *start, size_t bytes) {
#ifdef MADV_HUGEPAGE
  uintptr_t page = 4096, first = ((uintptr_t)start + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)start + bytes) / page * page;
  if (first < end) {
    // Only advice: it may be refused.
    (void)madvise((void *)first, (size_t)(end - first), MADV_HUGEPAGE);
  }
#else
  (void)start, (void)bytes;
#endif
}

// What was in use at most is what is in use now.
CALLED_FUN void memory_forget(struct memory *memory) {
  memory->peak = memory->live;
  memory->most_taken = memory->taken;
}

// From this size on, the machine is asked whether it has the memory: it promises more than it has, and ends
// programs that use what it promised.
#define ASKED_SIZE ((int64_t)1 << 28)

#ifdef __linux__
// The number after a word at the start of a line of a file; the largest there is if there is none.
RTS_FUN int64_t system_number(const char *path, const char *word) {
  FILE *f = fopen(path, "r");
  char line[256];
  int64_t number = INT64_MAX;
  while (f != NULL && number == INT64_MAX && fgets(line, sizeof(line), f) != NULL) {
    char *end = line + strlen(word);
    if (strncmp(line, word, strlen(word)) == 0) {
      int64_t found = strtoll(end, &end, 10);
      number = end != line + strlen(word) && found < INT64_MAX / 2048 ? found : INT64_MAX;
    }
  }
  if (f != NULL) {
    fclose(f);
  }
  return number;
}

// Whether memory can be had beside what the program has: blocks that it has not written yet count as well.
RTS_FUN bool memory_fits(const struct memory *memory, int64_t bytes) {
  const char *info = "/proc/meminfo";
  int64_t total = system_number(info, "MemTotal:"), free = system_number(info, "MemAvailable:");
  int64_t group = system_number("/sys/fs/cgroup/memory.max", "");
  if (group == INT64_MAX) {
    group = system_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", "");
  }
  if (total == INT64_MAX || free == INT64_MAX) {
    return true;
  }
  int64_t swap = system_number(info, "SwapTotal:"), free_swap = system_number(info, "SwapFree:");
  int64_t most = 1024 * (total + (swap == INT64_MAX ? 0 : swap));
  int64_t now = 1024 * (free + (free_swap == INT64_MAX ? 0 : free_swap));
  return bytes <= now && memory->taken + bytes <= (group < most ? group : most);
}
#else
RTS_FUN bool memory_fits(const struct memory *memory, int64_t bytes) {
  (void)memory;
  (void)bytes;
  return true;
}
#endif

// A block with one reference, or NULL when out of memory.
CALLED_FUN struct block *memory_take(struct memory *memory, int64_t bytes) {
  int64_t size = bytes;
  if (bytes > INT64_MAX / 4) {
    return NULL;
  }
  int class = size_class(&size);
  struct block *b = NULL;
  // A block up to twice as large will do.
  for (int i = class; i <= class + 4; i++) {
    if (memory->cache[i] != NULL) {
      b = memory->cache[i];
      memory->cache[i] = b->next;
      memory->cached -= b->room;
      break;
    }
  }
  if (b == NULL && size >= ASKED_SIZE && !memory_fits(memory, size)) {
    memory_trim(memory);
    if (!memory_fits(memory, size)) {
      return NULL;
    }
  }
  if (b == NULL) {
    size_t total = (size_t)size + sizeof(struct block) + BLOCK_ALIGNMENT;
    b = malloc(total);
    if (b == NULL) {
      memory_trim(memory);
      b = malloc(total);
    }
    if (b == NULL) {
      return NULL;
    }
    if (size >= LARGE_BLOCK) {
      large_pages(b, total);
    }
    uintptr_t start = (uintptr_t)(b + 1);
    b->mem = (unsigned char *)(b + 1) + (BLOCK_ALIGNMENT - start % BLOCK_ALIGNMENT) % BLOCK_ALIGNMENT;
    b->room = size;
    b->foreign = false;
  }
  b->refs = 1;
  b->constant = false;
  b->next = NULL;
  b->size = bytes;
  memory->live += bytes;
  if (memory->live > memory->peak) {
    memory->peak = memory->live;
  }
  memory->taken += b->room;
  if (memory->taken > memory->most_taken) {
    memory->most_taken = memory->taken;
  }
  return b;
}

// Takes back a block. Keeps in the cache no more than was ever in use.
CALLED_FUN void memory_give(struct memory *memory, struct block *b) {
  if (b->foreign) {
    free(b);
    return;
  }
  memory->live -= b->size;
  memory->taken -= b->room;
  int64_t limit = memory->most_taken < ((int64_t)1 << 26) ? (int64_t)1 << 26 : memory->most_taken;
  if (memory->cached + b->room > limit) {
    free(b);
    return;
  }
  int64_t size = b->room;
  int class = size_class(&size);
  b->next = memory->cache[class];
  memory->cache[class] = b;
  memory->cached += b->room;
}

// End of memory.h.
