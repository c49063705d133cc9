// Start of batch.h: launches that go to the device together.
//
// A launch takes the host 3 us, longer than a small kernel runs. In a graph of kernels that was made before, it takes 0.2 us
// to say what a node is to launch, and the device 0.5 us to start it. So once several kernels have been launched and
// nobody has waited for them, further launches are collected, and sent as a chain of nodes whose kernels, grids and
// arguments are set to those of the launches. The same chains serve all launches of a program:
//
//   launch a, ... launch h        each by itself: the device has something to do
//   launch i, ... launch n        collected
//   copy, or wait                 i, ... n go first: as a chain if there are enough of them
//
// Where there are no graphs, or a call that has to do with them fails, launches go by themselves.

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

// So many launches go by themselves after somebody has waited.
#define LAUNCHES_ALONE 8
#define LONG_CHAIN 32
#define SHORT_CHAIN 8
// Words of arguments of launches that are collected.
#define BATCH_ARGS 4096

struct kernel_node {
  CUfunction function;
  unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  void **params, **extra;
  void *kernel, *context;
};

// In the order in which they are looked for; drivers before CUDA 12 lack some.
#define GRAPH_FUNCTIONS(F)                                                                                           \
  F(GraphCreate, "GraphCreate", (CUgraph *, unsigned int))                                                           \
  F(GraphAddKernelNode, "GraphAddKernelNode_v2",                                                                     \
    (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const struct kernel_node *))                               \
  F(GraphInstantiate, "GraphInstantiateWithFlags", (CUgraphExec *, CUgraph, unsigned long long))                     \
  F(GraphExecKernelNodeSetParams, "GraphExecKernelNodeSetParams_v2",                                                 \
    (CUgraphExec, CUgraphNode, const struct kernel_node *))                                                          \
  F(GraphLaunch, "GraphLaunch", (CUgraphExec, CUstream))                                                             \
  F(GraphDestroy, "GraphDestroy", (CUgraph))                                                                         \
  F(GraphExecDestroy, "GraphExecDestroy", (CUgraphExec))

struct waiting_launch {
  int kernel;
  unsigned int grid, block, shared;
  // The first word of its arguments, and how many they have.
  int args, num_words;
};

struct chain {
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode nodes[LONG_CHAIN];
  // What it launched last.
  struct waiting_launch sent[LONG_CHAIN];
  uint64_t values[BATCH_ARGS];
};

struct batch {
#define FIELD(NAME, SYMBOL, ARGS) CUresult(*NAME) ARGS;
  GRAPH_FUNCTIONS(FIELD)
#undef FIELD
  // What is collected.
  int num, num_words;
  struct waiting_launch waiting[LONG_CHAIN];
  uint64_t values[BATCH_ARGS];
  void *args[BATCH_ARGS];
  struct chain long_chain, short_chain;
};

// Whether launches can be collected from now on.
TOOL_FUN bool batch_open(struct api *api) {
  struct batch *batch = calloc(1, sizeof(struct batch));
  bool all = batch != NULL;
#define LOAD(NAME, SYMBOL, ARGS)                                              \
  if (all) {                                                                  \
    *(void **)&batch->NAME = library_symbol(api->cu.library, "cu" SYMBOL);    \
    all = batch->NAME != NULL;                                                \
  }
  GRAPH_FUNCTIONS(LOAD)
#undef LOAD
  if (!all) {
    free(batch);
    batch = NULL;
  }
  api->batch = batch;
  api->launches_alone = !all;
  return all;
}

TOOL_FUN void chain_close(const struct batch *batch, struct chain *chain) {
  if (chain->exec != NULL) {
    batch->GraphExecDestroy(chain->exec);
  }
  if (chain->graph != NULL) {
    batch->GraphDestroy(chain->graph);
  }
  chain->exec = NULL;
  chain->graph = NULL;
}

TOOL_FUN void chains_close(struct batch *batch) {
  chain_close(batch, &batch->long_chain);
  chain_close(batch, &batch->short_chain);
}

TOOL_FUN void batch_close(struct api *api) {
  if (api->batch != NULL) {
    chains_close(api->batch);
    free(api->batch);
    api->batch = NULL;
  }
}

TOOL_FUN int cuda_fail(struct futhark_context *ctx, const char *what, CUresult code);

TOOL_FUN int launch_failed(struct futhark_context *ctx, int kernel, CUresult code) {
  struct string what = {0};
  string_printf(&what, "launch the kernel %s", kernel_infos[kernel].label);
  int err = cuda_fail(ctx, what.text == NULL ? "launch a kernel" : what.text, code);
  free(what.text);
  return err;
}

RTS_FUN struct kernel_node waiting_node(struct api *api, const struct waiting_launch *launch) {
  struct kernel_node node = {api->kernels[launch->kernel], launch->grid, 1, 1, launch->block, 1, 1, launch->shared,
                             api->batch->args + launch->args, NULL, NULL, NULL};
  return node;
}

// Makes a chain of the first launches that it is to send.
TOOL_FUN CUresult chain_open(struct api *api, struct chain *chain, const struct waiting_launch *launches, int size) {
  const struct batch *batch = api->batch;
  CUresult code = batch->GraphCreate(&chain->graph, 0);
  for (int i = 0; i < size && code == CUDA_SUCCESS; i++) {
    struct kernel_node node = waiting_node(api, &launches[i]);
    code = batch->GraphAddKernelNode(&chain->nodes[i], chain->graph, i == 0 ? NULL : &chain->nodes[i - 1], i > 0, &node);
  }
  return code == CUDA_SUCCESS ? batch->GraphInstantiate(&chain->exec, chain->graph, 0) : code;
}

// Whether a node launches the same as before. In loops that use blocks in turns, most do.
RTS_FUN bool same_launch(const struct batch *batch, const struct chain *chain, int node, const struct waiting_launch *launch) {
  const struct waiting_launch *sent = &chain->sent[node];
  return sent->kernel == launch->kernel && sent->grid == launch->grid && sent->block == launch->block &&
         sent->shared == launch->shared && sent->num_words == launch->num_words &&
         memcmp(chain->values + sent->args, batch->values + launch->args, (size_t)sent->num_words * sizeof(uint64_t)) == 0;
}

// Whether launches were sent as a chain.
CALLED_FUN bool chain_send(struct api *api, struct chain *chain, const struct waiting_launch *launches, int size) {
  struct batch *batch = api->batch;
  CUresult code = CUDA_SUCCESS;
  if (chain->exec == NULL) {
    code = chain_open(api, chain, launches, size);
  } else {
    for (int i = 0; i < size && code == CUDA_SUCCESS; i++) {
      if (!same_launch(batch, chain, i, &launches[i])) {
        struct kernel_node node = waiting_node(api, &launches[i]);
        code = batch->GraphExecKernelNodeSetParams(chain->exec, chain->nodes[i], &node);
      }
    }
  }
  if (code == CUDA_SUCCESS) {
    const struct waiting_launch *last = &launches[size - 1];
    int first = launches[0].args;
    memcpy(chain->sent, launches, (size_t)size * sizeof(struct waiting_launch));
    memcpy(chain->values + first, batch->values + first, (size_t)(last->args + last->num_words - first) * sizeof(uint64_t));
    code = batch->GraphLaunch(chain->exec, api->stream);
  }
  if (code != CUDA_SUCCESS) {
    chains_close(batch);
    api->launches_alone = true;
  }
  return code == CUDA_SUCCESS;
}

// Sends what is collected. Whatever else is sent to the device comes after this.
CALLED_FUN int batch_send(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  struct batch *batch = api->batch;
  int n = batch == NULL ? 0 : batch->num, done = 0;
  if (n == 0) {
    return FUTHARK_SUCCESS;
  }
  batch->num = 0;
  batch->num_words = 0;
  while (done < n) {
    const struct waiting_launch *launch = &batch->waiting[done];
    bool is_long = n - done >= LONG_CHAIN;
    int size = is_long ? LONG_CHAIN : SHORT_CHAIN;
    if (!api->launches_alone && n - done >= size &&
        chain_send(api, is_long ? &batch->long_chain : &batch->short_chain, launch, size)) {
      done += size;
      continue;
    }
    CUresult code = api->cu.LaunchKernel(api->kernels[launch->kernel], launch->grid, 1, 1, launch->block, 1, 1,
                                         launch->shared, api->stream, batch->args + launch->args, NULL);
    if (code != CUDA_SUCCESS) {
      return launch_failed(ctx, launch->kernel, code);
    }
    done++;
  }
  return FUTHARK_SUCCESS;
}

// Whether launches are collected from the next one on.
RTS_FUN bool batch_collects(const struct api *api) {
  return api->launches >= LAUNCHES_ALONE && !api->launches_alone;
}

// Whether the next launch, with parameters of so many words, is collected.
RTS_FUN bool batch_takes(struct api *api, int words) {
  bool collects = batch_collects(api);
  api->launches++;
  return collects && words <= BATCH_ARGS && (api->batch != NULL || batch_open(api));
}

RTS_FUN int words_of(size_t bytes) {
  return (int)((bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

// Collects a launch with these parameters, each of so many bytes.
CALLED_FUN int batch_add(struct futhark_context *ctx, const struct waiting_launch *launch, void **params,
                         const size_t *sizes, int num) {
  struct batch *batch = ctx->api.batch;
  if (batch->num_words + launch->num_words > BATCH_ARGS) {
    int err = batch_send(ctx);
    if (err != FUTHARK_SUCCESS) {
      return err;
    }
  }
  struct waiting_launch *place = &batch->waiting[batch->num++];
  *place = *launch;
  place->args = batch->num_words;
  for (int i = 0; i < num; i++) {
    uint64_t *value = &batch->values[batch->num_words];
    batch->num_words += words_of(sizes[i]);
    batch->values[batch->num_words - 1] = 0;
    memcpy(value, params[i], sizes[i]);
    batch->args[place->args + i] = value;
  }
  return batch->num == LONG_CHAIN ? batch_send(ctx) : FUTHARK_SUCCESS;
}

// End of batch.h.
