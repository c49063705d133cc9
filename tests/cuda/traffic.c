// What kernels read and write, counted as a GPU would: warp by warp, in sectors of 32 bytes. See driver.h.
//
// A compiler that has the option `-fsanitize=kernel-address` calls a function before each access to memory. Lanes run one after the other, so what they touch is
// collected, and put together when the warp waits: the k-th access of every lane at a place of the text is one request.
//
//   lane 0 reads 4 bytes at 0, lane 1 at 4, ...       1 request of 4 sectors, all bytes used
//   lane 0 reads 4 bytes at 0, lane 1 at 4096, ...    1 request of 32 sectors, an eighth of the bytes used
//
// Shared memory has 32 banks of words of 4 bytes, each of which gives one word in a turn. A warp needs as many turns as there are different words in one bank;
// one that touches 8 bytes per lane goes by halves, and one of 16 bytes by quarters:
//
//   lane 0 reads the word 0, lane 1 the word 1, ...   1 request, 1 turn of 1 that is needed at least
//   lane 0 reads the word 0, lane 1 the word 64, ...  1 request, 32 turns
//
// Of each launch, a few blocks are watched, and stand for all.

#include "driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 32
#define BANKS 32
#define LANES 32
#define SITES 4096
#define WATCHED_BLOCKS 6
#define MAX_KERNELS 1024

struct access {
  uint32_t site, turn;
  uint64_t start;
  uint32_t bytes, lane;
};

struct sums {
  double requests, sectors, used, different;
};

struct counts {
  char name[96];
  double launches, blocks;
  // Of shared memory: requests, turns of the banks, and how many these would be without conflicts.
  double shared_requests, turns, least_turns;
  struct sums reads, writes;
};

static struct counts all[MAX_KERNELS];
static int num_kernels;
static struct counts *now;
static double weight;
static int watching;

static struct {
  const void *place;
  int write;
  uint32_t turn, of_lane;
} sites[SITES];
// Changes from thread to thread; and the thread's place in its warp.
static uint32_t lane_number, lane_of_warp;

static struct access *global, *shared;
static size_t num_global, num_shared, room;
// Sectors that a block has touched, so that each is counted once.
static uint64_t *touched;
static size_t num_touched, room_touched;
static const struct module *module;

int traffic_wanted(void) {
  return getenv("FAKE_TRAFFIC") != NULL;
}

void traffic_launch(const struct kernel *kernel) {
  now = NULL;
  for (int i = 0; i < num_kernels && now == NULL; i++) {
    now = strcmp(all[i].name, kernel->name) == 0 ? &all[i] : NULL;
  }
  if (now == NULL && num_kernels < MAX_KERNELS) {
    now = &all[num_kernels++];
    snprintf(now->name, sizeof now->name, "%s", kernel->name);
  }
  if (now != NULL) {
    now->launches++;
  }
  module = kernel->module;
}

// Blocks at even distances.
void traffic_block(unsigned int block, unsigned int grid) {
  unsigned int step = grid <= WATCHED_BLOCKS ? 1 : grid / WATCHED_BLOCKS;
  watching = traffic_wanted() && now != NULL && block % step == step / 2;
  weight = step;
  num_touched = 0;
  if (watching) {
    now->blocks += weight;
  }
}

void traffic_lane(unsigned int thread) {
  lane_number++;
  lane_of_warp = thread % LANES;
}

static uint32_t site_of(const void *place, int write) {
  uint32_t i = (uint32_t)((uintptr_t)place * 2654435761u >> 8) % SITES;
  while (sites[i].place != NULL && (sites[i].place != place || sites[i].write != write)) {
    i = (i + 1) % SITES;
  }
  sites[i].place = place;
  sites[i].write = write;
  return i;
}

void traffic_touch(const void *start, int bytes, int write, const void *place) {
  if (!watching || of_machine(start) || start == module->machine) {
    return;
  }
  if (num_global == room || num_shared == room) {
    room = room == 0 ? 1 << 16 : 2 * room;
    global = realloc(global, room * sizeof *global);
    shared = realloc(shared, room * sizeof *shared);
  }
  uint32_t site = site_of(place, write);
  if (sites[site].of_lane != lane_number) {
    sites[site].of_lane = lane_number;
    sites[site].turn = 0;
  }
  const char *at = start;
  int is_shared = at >= module->start && at < module->end;
  struct access access = {site, sites[site].turn++, (uint64_t)(uintptr_t)start, (uint32_t)bytes,
                          lane_of_warp};
  if (is_shared) {
    shared[num_shared++] = access;
  } else {
    global[num_global++] = access;
  }
}

static int in_order(const void *a, const void *b) {
  const struct access *x = a, *y = b;
  if (x->site != y->site) {
    return x->site < y->site ? -1 : 1;
  }
  if (x->turn != y->turn) {
    return x->turn < y->turn ? -1 : 1;
  }
  return x->start < y->start ? -1 : x->start > y->start;
}

// A request of neighbours in the list, which are in order of their places.
static void count_request(const struct access *from, size_t count) {
  struct sums *sums = sites[from->site].write ? &now->writes : &now->reads;
  uint64_t last = UINT64_MAX, end = 0;
  sums->requests += weight;
  for (size_t i = 0; i < count; i++) {
    uint64_t upto = from[i].start + from[i].bytes;
    for (uint64_t sector = from[i].start / SECTOR; sector * SECTOR < upto; sector++) {
      if (sector != last) {
        sums->sectors += weight;
        last = sector;
        if (num_touched == room_touched) {
          room_touched = room_touched == 0 ? 1 << 16 : 2 * room_touched;
          touched = realloc(touched, room_touched * sizeof *touched);
        }
        touched[num_touched++] = 2 * sector + (uint64_t)sites[from->site].write;
      }
    }
    if (upto > end) {
      sums->used += weight * (double)(upto - (from[i].start > end ? from[i].start : end));
      end = upto;
    }
  }
}

// How many turns the banks need for the lanes from one to another: different words of one bank come one after the other.
static unsigned int turns(const struct access *from, size_t count, uint32_t first, uint32_t end) {
  uint64_t words[BANKS][LANES];
  unsigned int of_bank[BANKS] = {0}, most = 0;
  for (size_t i = 0; i < count; i++) {
    if (from[i].lane < first || from[i].lane >= end) {
      continue;
    }
    for (uint64_t word = from[i].start / 4; word * 4 < from[i].start + from[i].bytes; word++) {
      unsigned int bank = (unsigned int)(word % BANKS), k = 0;
      while (k < of_bank[bank] && words[bank][k] != word) {
        k++;
      }
      if (k == of_bank[bank] && k < LANES) {
        words[bank][of_bank[bank]++] = word;
      }
      most = of_bank[bank] > most ? of_bank[bank] : most;
    }
  }
  return most;
}

static void count_turns(const struct access *from, size_t count) {
  uint32_t lanes = LANES / (from->bytes > 8 ? 4 : from->bytes > 4 ? 2 : 1);
  now->shared_requests += weight;
  for (uint32_t first = 0; first < LANES; first += lanes) {
    unsigned int needed = turns(from, count, first, first + lanes);
    now->turns += weight * needed;
    now->least_turns += weight * (needed > 0);
  }
}

static void for_requests(struct access *accesses, size_t count, void (*of)(const struct access *, size_t)) {
  qsort(accesses, count, sizeof *accesses, in_order);
  for (size_t i = 0, j; i < count; i = j) {
    for (j = i + 1; j < count && accesses[j].site == accesses[i].site && accesses[j].turn == accesses[i].turn; j++) {
    }
    of(&accesses[i], j - i);
  }
}

void traffic_warp(void) {
  if (watching) {
    for_requests(global, num_global, count_request);
    for_requests(shared, num_shared, count_turns);
  }
  num_global = num_shared = 0;
}

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

void traffic_block_end(void) {
  if (!watching) {
    return;
  }
  qsort(touched, num_touched, sizeof *touched, by_number);
  for (size_t i = 0; i < num_touched; i++) {
    if (i == 0 || touched[i] != touched[i - 1]) {
      struct sums *sums = touched[i] % 2 ? &now->writes : &now->reads;
      sums->different += weight;
    }
  }
}

static void say(FILE *out, const struct sums *s) {
  fprintf(out, " %11.3f %11.3f %5.0f%% %5.1f", s->different * SECTOR / 1e6, s->sectors * SECTOR / 1e6,
          s->sectors == 0 ? 100 : 100 * s->used / (s->sectors * SECTOR), s->requests == 0 ? 0 : s->sectors / s->requests);
}

__attribute__((destructor)) static void report(void) {
  if (!traffic_wanted() || num_kernels == 0) {
    return;
  }
  FILE *out = fopen(getenv("FAKE_TRAFFIC"), "w");
  fprintf(out, "%-44s %8s | %11s %11s %6s %5s | %11s %11s %6s %5s | %11s %6s\n", "kernel", "launches", "read MB", "sectors MB", "used", "each",
          "written MB", "sectors MB", "used", "each", "shared 1000", "turns");
  for (int i = 0; i < num_kernels; i++) {
    fprintf(out, "%-44s %8.0f |", all[i].name, all[i].launches);
    say(out, &all[i].reads);
    fprintf(out, " |");
    say(out, &all[i].writes);
    fprintf(out, " | %11.3f %6.2f\n", all[i].shared_requests / 1000, all[i].least_turns == 0 ? 0 : all[i].turns / all[i].least_turns);
  }
  fclose(out);
}
