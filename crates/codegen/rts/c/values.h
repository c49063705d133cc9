// Start of values.h: values as the outside world sees them.
//
// Every value that is no scalar (an array, a record, a sum, an array of those)
// is a `struct value`: its type, then the words of its flattened components,
// its *leaves*. A scalar leaf is one word; an array leaf is a block and a word
// for the size of each dimension. Types are generated tables, and the functions
// here work on values of any type; the public functions of the API wrap them.
//
// Where a function takes or gives a value of unknown type (`void *`), a scalar
// is a pointer to it, anything else the `struct value` itself.

// The names are long since headers of systems have the short ones.
enum scalar {
  SCALAR_I8,
  SCALAR_I16,
  SCALAR_I32,
  SCALAR_I64,
  SCALAR_U8,
  SCALAR_U16,
  SCALAR_U32,
  SCALAR_U64,
  SCALAR_F16,
  SCALAR_F32,
  SCALAR_F64,
  SCALAR_BOOL
};

static UNUSED const char *const scalar_names[] = {"i8",  "i16", "i32", "i64", "u8",  "u16",
                                                  "u32", "u64", "f16", "f32", "f64", "bool"};
static UNUSED const int64_t scalar_sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 1};

enum kind { KIND_SCALAR, KIND_ARRAY, KIND_OPAQUE, KIND_RECORD, KIND_SUM, KIND_OPAQUE_ARRAY, KIND_RECORD_ARRAY };

// A flattened component, and its first word.
struct leaf {
  enum scalar scalar;
  int rank;
  int word;
};

// A field of a record, or of an array of records, and its first leaf.
struct field {
  const char *name;
  const struct type *type;
  int leaf;
};

// An argument of a constructor, and the leaves that hold its leaves.
struct payload {
  const struct type *type;
  const int *leaves;
};

struct variant {
  const char *name;
  int arity;
  const struct payload *payloads;
};

// A size of an array in a sum that its type says: a constant, or (if there is another leaf) that of another array.
struct known_size {
  int leaf, dim;
  int64_t size;
  int other, other_dim;
};

struct type {
  const char *name;
  const char *ctype;
  enum kind kind;
  int num_leaves, num_words;
  const struct leaf *leaves;
  // Of arrays.
  int rank;
  const struct type *elem;
  // Of records and arrays of records.
  int num_fields;
  const struct field *fields;
  // Of sums.
  int num_variants;
  const struct variant *variants;
  int num_known_sizes;
  const struct known_size *known_sizes;
};

union word {
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  f16 f16;
  float f32;
  double f64;
  bool b;
  struct block *block;
};

_Static_assert(sizeof(union word) == 8, "shapes are read as arrays of words");

struct value {
  const struct type *type;
  union word words[];
};

// What functions on values return if there is no such element, or shapes do not go together: the caller's mistake, not
// the program's.
#define CALLER_ERROR 1

CALLED_FUN struct value *value_new(struct futhark_context *ctx, const struct type *type) {
  struct value *v = calloc(1, sizeof(struct value) + (size_t)type->num_words * sizeof(union word));
  if (v == NULL) {
    set_error(ctx, "Error: out of memory: cannot create a value of type %s.\n", type->name);
  } else {
    v->type = type;
  }
  return v;
}

CALLED_FUN void value_drop(struct futhark_context *ctx, struct value *v) {
  if (v != NULL) {
    for (int i = 0; i < v->type->num_leaves; i++) {
      if (v->type->leaves[i].rank > 0) {
        block_drop(ctx, v->words[v->type->leaves[i].word].block);
      }
    }
    free(v);
  }
}

// Ends an operation that has made a value, or failed and left an error.
CALLED_FUN int value_done(struct futhark_context *ctx, struct value *v, int err, void *out) {
  if (err != FUTHARK_SUCCESS) {
    value_drop(ctx, v);
  } else {
    *(struct value **)out = v;
  }
  leave(ctx);
  return err;
}

CALLED_FUN void leaf_copy(const struct leaf *to_leaf, union word *to, const struct leaf *from_leaf,
                       const union word *from) {
  memcpy(&to[to_leaf->word], &from[from_leaf->word], (size_t)(1 + from_leaf->rank) * sizeof(union word));
  if (from_leaf->rank > 0) {
    struct block *b = from[from_leaf->word].block;
    if (b != NULL && b->refs != STATIC_BLOCK) {
      b->refs++;
    }
  }
}

// Sizes are smaller, and so is the product of those of an array that are not 0. Compiled programs rely on it: they
// check no more that such numbers do not wrap around.
#define SIZE_LIMIT ((int64_t)1 << 48)
#define PRODUCT_LIMIT ((int64_t)1 << 60)

// How many elements, or -1 if there is no such array.
CALLED_FUN int64_t shape_elements(int rank, const int64_t *shape, int64_t elem_size) {
  int64_t n = 1;
  bool empty = false;
  for (int i = 0; i < rank; i++) {
    if (shape[i] < 0 || shape[i] >= SIZE_LIMIT) {
      return -1;
    }
    if (shape[i] == 0) {
      empty = true;
    } else if (shape[i] > (PRODUCT_LIMIT - 1) / n) {
      return -1;
    } else {
      n *= shape[i];
    }
  }
  return empty ? 0 : n > INT64_MAX / elem_size ? -1 : n;
}

CALLED_FUN const int64_t *leaf_shape(const struct leaf *leaf, const union word *words) {
  return &words[leaf->word + 1].i64;
}

CALLED_FUN int64_t leaf_bytes(const struct leaf *leaf, const union word *words) {
  return scalar_sizes[leaf->scalar] *
         shape_elements(leaf->rank, leaf_shape(leaf, words), scalar_sizes[leaf->scalar]);
}

// Ends an entry point that has made a value, or failed and left an error. An array without elements may have got here with
// any size of rows, as nobody made a row; as a value it has no such shape.
CALLED_FUN int result_done(struct futhark_context *ctx, struct value *v, int err, void *out) {
  for (int i = 0; err == FUTHARK_SUCCESS && i < v->type->num_leaves; i++) {
    if (v->type->leaves[i].rank > 0 && leaf_bytes(&v->type->leaves[i], v->words) < 0) {
      set_error(ctx, "Error: an array in the result cannot have its shape: a size is negative, or it is too large.\n");
      err = FUTHARK_PROGRAM_ERROR;
    }
  }
  return value_done(ctx, v, err, out);
}

// Gives an array leaf a shape and fresh memory for it.
CALLED_FUN int leaf_alloc(struct futhark_context *ctx, const struct leaf *leaf, union word *words,
                       const int64_t *outer, int outer_rank, const int64_t *inner) {
  for (int i = 0; i < leaf->rank; i++) {
    words[leaf->word + 1 + i].i64 = i < outer_rank ? outer[i] : inner == NULL ? 0 : inner[i - outer_rank];
  }
  int64_t bytes = leaf_bytes(leaf, words);
  if (bytes < 0) {
    set_error(ctx, "Error: an array cannot have this shape: a size is negative, or it is too large.\n");
    return FUTHARK_PROGRAM_ERROR;
  }
  struct block *b = block_alloc(ctx, words[leaf->word].block, bytes, NO_PLACE);
  words[leaf->word].block = b;
  return b == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
}

// Whether bytes from outside are booleans of compiled programs, which rely on 0 and 1; leaves an error if they are not.
CALLED_FUN bool want_booleans(struct futhark_context *ctx, enum scalar scalar, const unsigned char *bytes, int64_t n) {
  unsigned char all = 0;
  for (int64_t i = 0; i < n && scalar == SCALAR_BOOL; i++) {
    all |= bytes[i];
  }
  if (all > 1) {
    set_error(ctx, "Error: a boolean is neither 0 nor 1.\n");
  }
  return all <= 1;
}

// Arrays of scalars.

CALLED_FUN struct value *array_new(struct futhark_context *ctx, const struct type *type, const void *data,
                                const int64_t *shape) {
  struct value *out = NULL;
  enter(ctx);
  struct value *v = value_new(ctx, type);
  int err = v == NULL ? FUTHARK_OUT_OF_MEMORY : leaf_alloc(ctx, type->leaves, v->words, shape, type->rank, NULL);
  if (err == FUTHARK_SUCCESS) {
    int64_t bytes = leaf_bytes(type->leaves, v->words);
    if (!want_booleans(ctx, type->leaves[0].scalar, data, bytes)) {
      err = CALLER_ERROR;
    } else if (bytes > 0) {
      err = block_write(ctx, v->words[0].block, 0, data, bytes);
    }
  }
  value_done(ctx, v, err, &out);
  return out;
}

CALLED_FUN struct value *array_new_raw(struct futhark_context *ctx, const struct type *type, raw_memory data,
                                    const int64_t *shape) {
  struct value *out = NULL;
  enter(ctx);
  struct value *v = value_new(ctx, type);
  struct block *b = calloc(1, sizeof(struct block));
  int err = v == NULL || b == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
  if (err == FUTHARK_SUCCESS) {
    b->refs = 1;
    b->mem = data;
    b->foreign = true;
    v->words[0].block = b;
    for (int i = 0; i < type->rank; i++) {
      v->words[1 + i].i64 = shape[i];
    }
    b->size = leaf_bytes(type->leaves, v->words);
    if (b->size < 0) {
      set_error(ctx, "Error: an array cannot have this shape: a size is negative, or it is too large.\n");
      err = FUTHARK_PROGRAM_ERROR;
    } else if (b->size > 0 && data == 0) {
      set_error(ctx, "Error: no memory is given for an array of %" PRId64 " bytes.\n", b->size);
      err = FUTHARK_PROGRAM_ERROR;
    }
  } else {
    set_error(ctx, "Error: out of memory: cannot create a value of type %s.\n", type->name);
    free(b);
  }
  value_done(ctx, v, err, &out);
  return out;
}

CALLED_FUN int array_values(struct futhark_context *ctx, const struct value *v, void *data) {
  enter(ctx);
  int64_t bytes = leaf_bytes(v->type->leaves, v->words);
  int err = bytes > 0 ? block_read(ctx, v->words[0].block, 0, data, bytes) : FUTHARK_SUCCESS;
  leave(ctx);
  return err;
}

CALLED_FUN int value_free(struct futhark_context *ctx, struct value *v) {
  enter(ctx);
  value_drop(ctx, v);
  leave(ctx);
  return FUTHARK_SUCCESS;
}

static UNUSED const int64_t no_shape[MAX_COPY_RANK];

// The outer dimensions are those of the first leaf; they are the same in all.
CALLED_FUN const int64_t *value_shape(const struct value *v) {
  return v->type->num_leaves == 0 ? no_shape : leaf_shape(v->type->leaves, v->words);
}

// Elements of arrays of any kind.

// The position of an element in row-major order, or -1 with an error.
CALLED_FUN int64_t element_position(struct futhark_context *ctx, const struct value *arr, const int64_t *index) {
  const int64_t *shape = value_shape(arr);
  int64_t position = 0;
  for (int i = 0; i < arr->type->rank; i++) {
    if (index[i] < 0 || index[i] >= shape[i]) {
      struct string message = {0};
      for (int j = 0; j < arr->type->rank; j++) {
        string_printf(&message, "[%" PRId64 "]", index[j]);
      }
      string_printf(&message, " out of bounds for array of shape ");
      for (int j = 0; j < arr->type->rank; j++) {
        string_printf(&message, "[%" PRId64 "]", shape[j]);
      }
      set_error(ctx, "Error: Index %s.\n", message.text == NULL ? "" : message.text);
      free(message.text);
      return -1;
    }
    position = position * shape[i] + index[i];
  }
  return position;
}

CALLED_FUN int64_t element_bytes(const struct type *arr, int leaf, const union word *words) {
  const struct leaf *l = &arr->leaves[leaf];
  int64_t size = scalar_sizes[l->scalar];
  return size * shape_elements(l->rank - arr->rank, leaf_shape(l, words) + arr->rank, size);
}

// Reads the element at a position into the leaves of a value.
CALLED_FUN int element_get(struct futhark_context *ctx, const struct value *arr, int64_t position, union word *words) {
  const struct type *elem = arr->type->elem;
  for (int i = 0; i < elem->num_leaves; i++) {
    const struct leaf *from = &arr->type->leaves[i], *to = &elem->leaves[i];
    int64_t bytes = element_bytes(arr->type, i, arr->words);
    const struct block *source = arr->words[from->word].block;
    int err = FUTHARK_SUCCESS;
    if (to->rank > 0) {
      err = leaf_alloc(ctx, to, words, leaf_shape(from, arr->words) + arr->type->rank, to->rank, NULL);
      if (err == FUTHARK_SUCCESS && bytes > 0) {
        err = block_copy(ctx, words[to->word].block, 0, source, position * bytes, bytes);
      }
    } else {
      err = block_read(ctx, source, position * bytes, &words[to->word], bytes);
    }
    if (err != FUTHARK_SUCCESS) {
      return err;
    }
  }
  return FUTHARK_SUCCESS;
}

// Writes an element, which must have the shape of the others.
CALLED_FUN int element_put(struct futhark_context *ctx, struct value *arr, int64_t position, const union word *words) {
  const struct type *elem = arr->type->elem;
  for (int i = 0; i < elem->num_leaves; i++) {
    const struct leaf *to = &arr->type->leaves[i], *from = &elem->leaves[i];
    for (int d = 0; d < from->rank; d++) {
      if (leaf_shape(from, words)[d] != leaf_shape(to, arr->words)[arr->type->rank + d]) {
        set_error(ctx, "Error: the element's shape is not that of the array's elements.\n");
        return CALLER_ERROR;
      }
    }
  }
  for (int i = 0; i < elem->num_leaves; i++) {
    const struct leaf *to = &arr->type->leaves[i], *from = &elem->leaves[i];
    int64_t bytes = element_bytes(arr->type, i, arr->words);
    struct block *target = arr->words[to->word].block;
    int err = FUTHARK_SUCCESS;
    if (from->rank == 0) {
      err = block_write(ctx, target, position * bytes, &words[from->word], bytes);
    } else if (bytes > 0) {
      err = block_copy(ctx, target, position * bytes, words[from->word].block, 0, bytes);
    }
    if (err != FUTHARK_SUCCESS) {
      return err;
    }
  }
  return FUTHARK_SUCCESS;
}

// The words of a value of unknown type; a scalar is put into `word`.
CALLED_FUN const union word *value_words(const struct type *type, const void *v, union word *word) {
  if (type->kind == KIND_SCALAR) {
    memcpy(word, v, (size_t)scalar_sizes[type->leaves[0].scalar]);
    return word;
  }
  return ((const struct value *)v)->words;
}

CALLED_FUN int value_index(struct futhark_context *ctx, void *out, const struct value *arr, const int64_t *index) {
  const struct type *elem = arr->type->elem;
  enter(ctx);
  int64_t position = element_position(ctx, arr, index);
  if (position >= 0 && elem->kind == KIND_SCALAR) {
    union word word;
    int err = element_get(ctx, arr, position, &word);
    if (err == FUTHARK_SUCCESS) {
      memcpy(out, &word, (size_t)scalar_sizes[elem->leaves[0].scalar]);
    }
    leave(ctx);
    return err;
  }
  struct value *v = position < 0 ? NULL : value_new(ctx, elem);
  int err = position < 0 ? CALLER_ERROR
            : v == NULL  ? FUTHARK_OUT_OF_MEMORY
                         : element_get(ctx, arr, position, v->words);
  return value_done(ctx, v, err, out);
}

CALLED_FUN int value_set(struct futhark_context *ctx, struct value *arr, const void *elem, const int64_t *index) {
  union word word;
  enter(ctx);
  int64_t position = element_position(ctx, arr, index);
  int err = position < 0 ? CALLER_ERROR
                         : element_put(ctx, arr, position, value_words(arr->type->elem, elem, &word));
  leave(ctx);
  return err;
}

// An array of given elements, all of one shape.
CALLED_FUN int value_array(struct futhark_context *ctx, const struct type *type, void *out, const void *const *elems,
                        const int64_t *shape) {
  union word word;
  enter(ctx);
  struct value *v = value_new(ctx, type);
  int err = v == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
  int64_t n = shape_elements(type->rank, shape, 1);
  for (int i = 0; i < type->num_leaves && err == FUTHARK_SUCCESS; i++) {
    const int64_t *inner = NULL;
    if (n > 0 && type->elem->leaves[i].rank > 0) {
      inner = leaf_shape(&type->elem->leaves[i], value_words(type->elem, elems[0], &word));
    }
    err = leaf_alloc(ctx, &type->leaves[i], v->words, shape, type->rank, inner);
  }
  for (int64_t i = 0; i < n && err == FUTHARK_SUCCESS; i++) {
    err = element_put(ctx, v, i, value_words(type->elem, elems[i], &word));
  }
  return value_done(ctx, v, err, out);
}

// Records, sums, and arrays of records.

CALLED_FUN int value_part(struct futhark_context *ctx, const struct type *type, void *out, const struct value *v,
                       const int *leaves, int first_leaf) {
  if (type->kind == KIND_SCALAR) {
    const struct leaf *from = &v->type->leaves[leaves == NULL ? first_leaf : leaves[0]];
    memcpy(out, &v->words[from->word], (size_t)scalar_sizes[from->scalar]);
    return FUTHARK_SUCCESS;
  }
  struct value *part = value_new(ctx, type);
  if (part == NULL) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  for (int i = 0; i < type->num_leaves; i++) {
    const struct leaf *from = &v->type->leaves[leaves == NULL ? first_leaf + i : leaves[i]];
    leaf_copy(&type->leaves[i], part->words, from, v->words);
  }
  *(struct value **)out = part;
  return FUTHARK_SUCCESS;
}

CALLED_FUN int value_project(struct futhark_context *ctx, void *out, const struct value *v, int field) {
  enter(ctx);
  const struct field *f = &v->type->fields[field];
  int err = value_part(ctx, f->type, out, v, NULL, f->leaf);
  leave(ctx);
  return err;
}

CALLED_FUN void value_fill(struct value *v, const int *leaves, int first_leaf, const struct type *type,
                        const void *part) {
  union word word;
  const union word *words = value_words(type, part, &word);
  for (int i = 0; i < type->num_leaves; i++) {
    leaf_copy(&v->type->leaves[leaves == NULL ? first_leaf + i : leaves[i]], v->words, &type->leaves[i], words);
  }
}

CALLED_FUN int value_record(struct futhark_context *ctx, const struct type *type, void *out,
                         const void *const *fields) {
  enter(ctx);
  struct value *v = value_new(ctx, type);
  for (int i = 0; i < type->num_fields && v != NULL; i++) {
    value_fill(v, NULL, type->fields[i].leaf, type->fields[i].type, fields[i]);
  }
  return value_done(ctx, v, v == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS, out);
}

// An array of records from arrays of fields, whose outer shapes must agree.
CALLED_FUN int value_zip(struct futhark_context *ctx, const struct type *type, void *out, const void *const *fields) {
  enter(ctx);
  struct value *v = value_new(ctx, type);
  int err = v == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
  for (int i = 0; i < type->num_fields && err == FUTHARK_SUCCESS; i++) {
    const struct value *field = fields[i];
    value_fill(v, NULL, type->fields[i].leaf, type->fields[i].type, field);
    for (int d = 0; d < type->rank; d++) {
      if (value_shape(field)[d] != value_shape(fields[0])[d]) {
        set_error(ctx, "Error: cannot zip arrays of different shapes.\n");
        err = CALLER_ERROR;
      }
    }
  }
  return value_done(ctx, v, err, out);
}

CALLED_FUN int value_variant(const struct value *v) {
  return v->words[v->type->leaves[0].word].i8;
}

// The sizes of arrays of other constructors: those that the type says, as constants or as sizes of this one's; others are
// zeros.
CALLED_FUN void sum_sizes(const struct type *type, union word *words) {
  for (int i = 0; i < type->num_leaves; i++) {
    const struct leaf *leaf = &type->leaves[i];
    for (int d = 0; d < leaf->rank && words[leaf->word].block == NULL; d++) {
      words[leaf->word + 1 + d].i64 = -1;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < type->num_known_sizes; i++) {
      const struct known_size *known = &type->known_sizes[i];
      int64_t *size = &words[type->leaves[known->leaf].word + 1 + known->dim].i64;
      if (known->other >= 0) {
        int64_t *other = &words[type->leaves[known->other].word + 1 + known->other_dim].i64;
        changed = changed || (*size < 0) != (*other < 0);
        *size = *size < 0 ? *other : *size;
        *other = *other < 0 ? *size : *other;
      } else if (*size < 0) {
        *size = known->size;
        changed = true;
      }
    }
  }
  for (int i = 0; i < type->num_leaves; i++) {
    const struct leaf *leaf = &type->leaves[i];
    for (int d = 0; d < leaf->rank; d++) {
      int64_t *size = &words[leaf->word + 1 + d].i64;
      *size = *size < 0 ? 0 : *size;
    }
  }
}

// Leaves of other constructors are zeros and arrays of zeros.
CALLED_FUN int value_construct(struct futhark_context *ctx, const struct type *type, int variant, void *out,
                            const void *const *args) {
  enter(ctx);
  struct value *v = value_new(ctx, type);
  int err = v == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
  if (err == FUTHARK_SUCCESS) {
    const struct variant *constructor = &type->variants[variant];
    for (int i = 0; i < constructor->arity; i++) {
      value_fill(v, constructor->payloads[i].leaves, 0, constructor->payloads[i].type, args[i]);
    }
    // Units have no leaf of their own in a sum: they are in that of the constructor's number.
    memset(&v->words[type->leaves[0].word], 0, sizeof(union word));
    v->words[type->leaves[0].word].i8 = (int8_t)variant;
  }
  if (err == FUTHARK_SUCCESS) {
    sum_sizes(type, v->words);
  }
  for (int i = 0; i < type->num_leaves && err == FUTHARK_SUCCESS; i++) {
    const struct leaf *leaf = &type->leaves[i];
    if (leaf->rank > 0 && v->words[leaf->word].block == NULL) {
      err = leaf_alloc(ctx, leaf, v->words, leaf_shape(leaf, v->words), leaf->rank, NULL);
    }
  }
  return value_done(ctx, v, err, out);
}

CALLED_FUN int value_destruct(struct futhark_context *ctx, const struct value *v, int variant, void *const *outs) {
  const struct variant *constructor = &v->type->variants[variant];
  enter(ctx);
  int err = FUTHARK_SUCCESS, done = 0;
  if (value_variant(v) != variant) {
    set_error(ctx, "Error: the value is no instance of the variant %s.\n", constructor->name);
    err = FUTHARK_PROGRAM_ERROR;
  }
  for (; done < constructor->arity && err == FUTHARK_SUCCESS; done++) {
    const struct payload *p = &constructor->payloads[done];
    err = value_part(ctx, p->type, outs[done], v, p->leaves, 0);
  }
  for (int i = 0; i + 1 < done && err != FUTHARK_SUCCESS; i++) {
    if (constructor->payloads[i].type->kind != KIND_SCALAR) {
      value_drop(ctx, *(struct value **)outs[i]);
    }
  }
  leave(ctx);
  return err;
}

// End of values.h.
