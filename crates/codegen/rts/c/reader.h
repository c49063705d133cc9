// Start of reader.h: values from text or binary data.
//
// Whether a value is binary shows in its first character, `b`; text and binary
// may alternate. Nothing is believed: sizes are checked before they are used,
// and memory grows with the data that is really there.

struct reader {
  FILE *file;
  // Bytes that were read from the file, and where we are in them.
  unsigned char *buffer;
  size_t at, end;
  // What was wrong, when a function here has returned false.
  char problem[160];
};

#define READER_BUFFER ((size_t)1 << 16)

TOOL_FUN bool reader_open(struct reader *r, FILE *file) {
  memset(r, 0, sizeof *r);
  r->file = file;
  r->buffer = malloc(READER_BUFFER);
  return r->buffer != NULL;
}

TOOL_FUN void reader_close(struct reader *r) {
  free(r->buffer);
}

CALLED_FUN bool reader_fill(struct reader *r) {
  r->at = 0;
  r->end = fread(r->buffer, 1, READER_BUFFER, r->file);
  return r->end > 0;
}

// The next byte, or EOF.
RTS_FUN int peek(struct reader *r) {
  return r->at < r->end || reader_fill(r) ? r->buffer[r->at] : EOF;
}

// Makes room for a byte after the one that `peek` has shown.
TOOL_FUN bool reader_more(struct reader *r) {
  r->buffer[0] = r->buffer[r->at];
  r->at = 0;
  r->end = 1 + fread(r->buffer + 1, 1, READER_BUFFER - 1, r->file);
  return r->end > 1;
}

// Goes past the byte that `peek` has shown.
RTS_FUN void advance(struct reader *r) {
  r->at++;
}

TOOL_FUN bool reader_problem(struct reader *r, const char *format, ...) PRINTF_LIKE(2, 3);
TOOL_FUN bool reader_problem(struct reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->problem, sizeof r->problem, format, args);
  va_end(args);
  return false;
}

RTS_FUN bool is_space(int c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Skips spaces and comments. A single `-` is left for the number it belongs to.
CALLED_FUN void skip_space(struct reader *r) {
  for (;;) {
    int c = peek(r);
    if (is_space(c)) {
      advance(r);
    } else if (c == '-' && (r->at + 1 < r->end || reader_more(r)) && r->buffer[r->at + 1] == '-') {
      while (c != '\n' && c != EOF) {
        advance(r);
        c = peek(r);
      }
    } else {
      return;
    }
  }
}

TOOL_FUN bool at_end(struct reader *r) {
  skip_space(r);
  return peek(r) == EOF;
}

// A word of letters, digits and what numbers are made of.
#define MAX_TOKEN 512

RTS_FUN bool is_token_char(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == '+' || c == '-';
}

CALLED_FUN bool read_token(struct reader *r, char *token) {
  int n = 0;
  skip_space(r);
  int c = peek(r);
  for (; is_token_char(c); c = peek(r)) {
    if (n == MAX_TOKEN - 1) {
      return reader_problem(r, "a word is too long");
    }
    token[n++] = (char)c;
    advance(r);
  }
  token[n] = '\0';
  if (n > 0) {
    return true;
  }
  return c == EOF ? reader_problem(r, "unexpected end of input")
                  : reader_problem(r, c >= 32 && c < 127 ? "unexpected character '%c'" : "unexpected byte %d", c);
}

TOOL_FUN bool read_symbol(struct reader *r, char symbol) {
  skip_space(r);
  int c = peek(r);
  if (c == symbol) {
    advance(r);
    return true;
  }
  return reader_problem(r, c == EOF ? "expected '%c', but the input ends" : "expected '%c'", symbol);
}

TOOL_FUN bool no_scalar(struct reader *r, const char *token, enum scalar scalar) {
  return reader_problem(r, "'%.80s' is no value of type %s", token, scalar_names[scalar]);
}

RTS_FUN int digit_value(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

// An integer: sign, decimal, hexadecimal or binary digits with underscores, suffix.
CALLED_FUN bool parse_integer(struct reader *r, const char *token, enum scalar scalar, union word *out) {
  const char *at = token;
  bool negative = *at == '-';
  if (*at == '-' || *at == '+') {
    at++;
  }
  uint64_t base = 10, value = 0;
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X' || at[1] == 'b' || at[1] == 'B')) {
    base = at[1] == 'x' || at[1] == 'X' ? 16 : 2;
    at += 2;
  }
  bool any = false, too_large = false;
  for (; *at == '_' || (uint64_t)digit_value(*at) < base; at++) {
    if (*at == '_') {
      continue;
    }
    uint64_t digit = (uint64_t)digit_value(*at);
    too_large = too_large || value > (UINT64_MAX - digit) / base;
    value = value * base + digit;
    any = true;
  }
  if (!any || (*at != '\0' && strcmp(at, scalar_names[scalar]) != 0)) {
    return no_scalar(r, token, scalar);
  }
  int bits = 8 * (int)scalar_sizes[scalar];
  bool is_signed = scalar <= SCALAR_I64;
  uint64_t most = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
  int64_t least = is_signed ? -(int64_t)most - 1 : 0;
  if (too_large || value > (!negative ? most : is_signed ? most + 1 : 0)) {
    return reader_problem(r, "'%.80s' is out of range: the numbers of type %s are %" PRId64 " to %" PRIu64, token,
                          scalar_names[scalar], least, most);
  }
  value = negative ? 0 - value : value;
  switch (bits) {
  case 8: out->i8 = (int8_t)value; break;
  case 16: out->i16 = (int16_t)value; break;
  case 32: out->i32 = (int32_t)value; break;
  default: out->i64 = (int64_t)value; break;
  }
  return true;
}

// Digits with an optional point and exponent, or a hexadecimal number: checked
// here because the C library accepts more than the language does.
CALLED_FUN bool is_float_text(const char *text) {
  bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char *at = hex ? text + 2 : text;
  int digits = 0, points = 0;
  for (; digit_value(*at) < (hex ? 16 : 10) || *at == '.'; at++) {
    if (*at == '.') {
      points++;
    } else {
      digits++;
    }
  }
  if (*at == (hex ? 'p' : 'e') || *at == (hex ? 'P' : 'E')) {
    at++;
    if (*at == '+' || *at == '-') {
      at++;
    }
    if (digit_value(*at) > 9) {
      return false;
    }
    while (digit_value(*at) <= 9) {
      at++;
    }
  }
  return digits > 0 && points <= 1 && *at == '\0';
}

CALLED_FUN bool parse_float(struct reader *r, const char *token, enum scalar scalar, union word *out) {
  char text[MAX_TOKEN];
  size_t n = 0;
  for (const char *from = token; *from != '\0'; from++) {
    if (*from != '_') {
      text[n++] = *from;
    }
  }
  text[n] = '\0';
  char *at = text;
  bool negative = *at == '-';
  if (*at == '-' || *at == '+') {
    at++;
  }
  // A suffix; in a hexadecimal number without exponent it would be digits.
  const char *suffix = scalar_names[scalar];
  n = strlen(at);
  bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  if (n > 3 && strcmp(at + n - 3, suffix) == 0 && (!hex || strpbrk(at, "pP.") != NULL)) {
    at[n - 3] = '\0';
  }
  double value;
  const char *word = strncmp(at, suffix, 3) == 0 && at[3] == '.' ? at + 4 : at;
  if (strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0) {
    value = word[0] == 'n' ? (double)NAN : (double)INFINITY;
  } else if (is_float_text(at)) {
    // Rounded once.
    value = scalar == SCALAR_F32 ? (double)strtof(at, NULL) : strtod(at, NULL);
  } else {
    return no_scalar(r, token, scalar);
  }
  if (scalar == SCALAR_F64) {
    out->f64 = negative ? -value : value;
  } else if (scalar == SCALAR_F32) {
    out->f32 = negative ? -(float)value : (float)value;
  } else {
    out->f16 = (f16)(f64_to_f16(value) ^ (negative ? 0x8000 : 0));
  }
  return true;
}

CALLED_FUN bool read_text_scalar(struct reader *r, enum scalar scalar, union word *out) {
  char token[MAX_TOKEN];
  if (!read_token(r, token)) {
    return false;
  }
  if (scalar == SCALAR_BOOL) {
    out->b = strcmp(token, "true") == 0;
    return out->b || strcmp(token, "false") == 0 || no_scalar(r, token, scalar);
  }
  return scalar < SCALAR_F16 ? parse_integer(r, token, scalar, out) : parse_float(r, token, scalar, out);
}

// Elements read so far.
struct elements {
  unsigned char *data;
  int64_t count, room;
};

TOOL_FUN bool elements_grow(struct reader *r, struct elements *e, int64_t room, int64_t size) {
  unsigned char *data = room > INT64_MAX / size ? NULL : realloc(e->data, (size_t)(room * size));
  if (data == NULL) {
    return reader_problem(r, "out of memory");
  }
  e->data = data;
  e->room = room;
  return true;
}

// Gives a dimension its size, which all rows must have.
TOOL_FUN bool set_size(struct reader *r, int64_t *size, int64_t found) {
  if (*size != -1 && *size != found) {
    return reader_problem(r, "rows have %" PRId64 " and %" PRId64 " elements", *size, found);
  }
  *size = found;
  return true;
}

// `empty([0][3]i32)`, of which the first word has been read: all dimensions from a level on.
TOOL_FUN bool read_empty(struct reader *r, const struct leaf *leaf, int level, int64_t *shape) {
  char token[MAX_TOKEN];
  bool empty = false;
  if (!read_symbol(r, '(')) {
    return false;
  }
  for (int i = level; i < leaf->rank; i++) {
    union word size;
    if (!read_symbol(r, '[') || !read_token(r, token) || !parse_integer(r, token, SCALAR_I64, &size) ||
        !read_symbol(r, ']')) {
      return false;
    }
    if (size.i64 < 0 || token[0] == '-') {
      return reader_problem(r, "'%.80s' is no size", token);
    }
    if (!set_size(r, &shape[i], size.i64)) {
      return false;
    }
    empty = empty || size.i64 == 0;
  }
  if (!empty) {
    return reader_problem(r, "an empty array must have a size that is 0");
  }
  if (!read_token(r, token)) {
    return false;
  }
  if (strcmp(token, scalar_names[leaf->scalar]) != 0) {
    return reader_problem(r, "expected elements of type %s, not '%.80s'", scalar_names[leaf->scalar], token);
  }
  return read_symbol(r, ')');
}

TOOL_FUN bool put_byte(struct reader *r, struct elements *e, uint32_t byte) {
  if (e->count == e->room && !elements_grow(r, e, 2 * e->room, 1)) {
    return false;
  }
  e->data[e->count++] = (unsigned char)byte;
  return true;
}

// A character as UTF-8.
TOOL_FUN bool put_character(struct reader *r, struct elements *e, uint32_t code) {
  if (code < 0x80) {
    return put_byte(r, e, code);
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  bool ok = put_byte(r, e, (0xff00u >> (more + 1) & 0xff) | code >> 6 * more);
  while (ok && more-- > 0) {
    ok = put_byte(r, e, 0x80 | (code >> 6 * more & 0x3f));
  }
  return ok;
}

// What follows a backslash: a letter, or the number of a character.
TOOL_FUN bool read_escape(struct reader *r, struct elements *e) {
  static const char letters[] = "abfnrtv\\\"'", meanings[] = "\a\b\f\n\r\t\v\\\"'";
  int c = peek(r);
  const char *letter = c > 0 ? strchr(letters, c) : NULL;
  if (letter != NULL) {
    advance(r);
    return put_byte(r, e, (unsigned char)meanings[letter - letters]);
  }
  uint32_t base = c == 'x' ? 16 : c == 'o' ? 8 : 10, code = 0;
  if (base != 10) {
    advance(r);
  }
  bool any = false;
  for (c = peek(r); c != EOF && (uint32_t)digit_value((char)c) < base; c = peek(r)) {
    code = code > 0x10ffff ? code : code * base + (uint32_t)digit_value((char)c);
    any = true;
    advance(r);
  }
  if (!any || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    return reader_problem(r, "unknown escape in a string");
  }
  return put_character(r, e, code);
}

// A string in double quotes, of which the first one has been read, as its bytes.
TOOL_FUN bool read_string(struct reader *r, struct elements *e) {
  for (;;) {
    int c = peek(r);
    if (c == EOF) {
      return reader_problem(r, "a string that does not end");
    }
    advance(r);
    if (c == '"') {
      return true;
    }
    if (c == '\\' ? !read_escape(r, e) : !put_byte(r, e, (uint32_t)c)) {
      return false;
    }
  }
}

// Whether a string, as a row of bytes, comes next at a level.
TOOL_FUN bool at_string(struct reader *r, const struct leaf *leaf, int level) {
  return level + 1 == leaf->rank && leaf->scalar == SCALAR_U8 && peek(r) == '"';
}

// One level of brackets, or a string. Sizes are -1 until a first row has shown them.
CALLED_FUN bool read_rows(struct reader *r, const struct leaf *leaf, int level, int64_t *shape, struct elements *e) {
  int64_t n = 0;
  skip_space(r);
  if (at_string(r, leaf, level)) {
    int64_t before = e->count;
    advance(r);
    return read_string(r, e) && set_size(r, &shape[level], e->count - before);
  }
  if (!read_symbol(r, '[')) {
    return false;
  }
  for (;;) {
    skip_space(r);
    if (peek(r) == ']') {
      advance(r);
      break;
    }
    if (level + 1 < leaf->rank && peek(r) == 'e') {
      char token[MAX_TOKEN];
      if (!read_token(r, token)) {
        return false;
      }
      if (strcmp(token, "empty") != 0) {
        return reader_problem(r, "expected a row, not '%.80s'", token);
      }
      if (!read_empty(r, leaf, level + 1, shape)) {
        return false;
      }
    } else if (level + 1 < leaf->rank) {
      if (!read_rows(r, leaf, level + 1, shape, e)) {
        return false;
      }
    } else {
      int64_t size = scalar_sizes[leaf->scalar];
      union word word;
      if (!read_text_scalar(r, leaf->scalar, &word) ||
          (e->count == e->room && !elements_grow(r, e, 2 * e->room, size))) {
        return false;
      }
      memcpy(e->data + e->count++ * size, &word, (size_t)size);
    }
    n++;
    skip_space(r);
    if (peek(r) == ',') {
      advance(r);
    } else if (peek(r) != ']') {
      return reader_problem(r, "expected ',' or ']' after an element");
    }
  }
  return set_size(r, &shape[level], n);
}

TOOL_FUN bool read_text_array(struct reader *r, const struct leaf *leaf, int64_t *shape, struct elements *e) {
  char token[MAX_TOKEN];
  for (int i = 0; i < leaf->rank; i++) {
    shape[i] = -1;
  }
  skip_space(r);
  if (peek(r) != '[' && !at_string(r, leaf, 0)) {
    if (!read_token(r, token)) {
      return false;
    }
    return strcmp(token, "empty") == 0 ? read_empty(r, leaf, 0, shape)
                                       : reader_problem(r, "expected an array, not '%.80s'", token);
  }
  if (!read_rows(r, leaf, 0, shape, e)) {
    return false;
  }
  for (int i = 0; i < leaf->rank; i++) {
    if (shape[i] == -1) {
      return reader_problem(r, "cannot see all sizes of an empty array; write 'empty([0]...%s)'",
                            scalar_names[leaf->scalar]);
    }
  }
  return true;
}

TOOL_FUN bool read_bytes(struct reader *r, void *to, size_t n) {
  size_t have = r->end - r->at < n ? r->end - r->at : n;
  memcpy(to, r->buffer + r->at, have);
  r->at += have;
  return fread((unsigned char *)to + have, 1, n - have, r->file) == n - have ||
         reader_problem(r, "binary data ends too early");
}

// Binary data, of which the `b` has been read.
TOOL_FUN bool read_binary(struct reader *r, const struct leaf *leaf, int64_t *shape, struct elements *e) {
  unsigned char header[BINARY_HEADER - 1];
  if (!read_bytes(r, header, sizeof header)) {
    return false;
  }
  if (header[0] != BINARY_VERSION) {
    return reader_problem(r, "binary data of version %d, but only version %d is known", header[0], BINARY_VERSION);
  }
  if (header[1] != leaf->rank || memcmp(header + 2, scalar_tag(leaf->scalar), 4) != 0) {
    for (int i = 2; i < 6; i++) {
      header[i] = header[i] >= 32 && header[i] < 127 ? header[i] : '?';
    }
    return reader_problem(r, "expected binary data of rank %d and element type '%s', got rank %d and type '%.4s'",
                          leaf->rank, scalar_names[leaf->scalar], header[1], (const char *)header + 2);
  }
  int64_t size = scalar_sizes[leaf->scalar];
  if (!read_bytes(r, shape, 8 * (size_t)leaf->rank)) {
    return false;
  }
  swap_if_big_endian((unsigned char *)shape, leaf->rank, 8);
  int64_t n = shape_elements(leaf->rank, shape, size);
  if (n < 0) {
    return reader_problem(r, "binary data of an impossible size");
  }
  // Half a megabyte at first, then as much again as there was.
  int64_t step = ((int64_t)1 << 19) / size;
  while (e->count < n) {
    int64_t more = n - e->count < step ? n - e->count : step;
    if ((e->count + more > e->room && !elements_grow(r, e, e->count + more, size)) ||
        !read_bytes(r, e->data + e->count * size, (size_t)(more * size))) {
      return false;
    }
    e->count += more;
    step = e->count;
  }
  swap_if_big_endian(e->data, n, size);
  if (leaf->scalar == SCALAR_BOOL) {
    for (int64_t i = 0; i < n; i++) {
      if (e->data[i] > 1) {
        return reader_problem(r, "a byte of binary data is no boolean");
      }
    }
  }
  return true;
}

// Reads a leaf into the words of a value.
TOOL_FUN bool read_leaf(struct futhark_context *ctx, struct reader *r, const struct leaf *leaf, union word *words) {
  int64_t shape[256];
  struct elements e = {NULL, 0, 0};
  bool ok = leaf->rank < 256 && elements_grow(r, &e, 64, scalar_sizes[leaf->scalar]);
  skip_space(r);
  if (ok && peek(r) == 'b') {
    advance(r);
    ok = read_binary(r, leaf, shape, &e);
    if (ok && leaf->rank == 0) {
      memcpy(&words[leaf->word], e.data, (size_t)scalar_sizes[leaf->scalar]);
    }
  } else if (ok && leaf->rank == 0) {
    ok = read_text_scalar(r, leaf->scalar, &words[leaf->word]);
  } else if (ok) {
    ok = read_text_array(r, leaf, shape, &e);
  }
  if (ok && leaf->rank > 0) {
    enter(ctx);
    int err = leaf_alloc(ctx, leaf, words, shape, leaf->rank, NULL);
    if (err != FUTHARK_SUCCESS) {
      ok = reader_problem(r, "the array is too large");
    } else if (e.count > 0) {
      int64_t bytes = e.count * scalar_sizes[leaf->scalar];
      if (block_write(ctx, words[leaf->word].block, 0, e.data, bytes) != FUTHARK_SUCCESS) {
        ok = reader_problem(r, "the array does not fit on the device");
      }
    }
    leave(ctx);
  }
  free(e.data);
  return ok;
}

// Reads a value: scalars into `out`, of others a pointer.
TOOL_FUN bool read_value(struct futhark_context *ctx, struct reader *r, const struct type *type, union word *out) {
  if (type->kind == KIND_SCALAR) {
    return read_leaf(ctx, r, type->leaves, out);
  }
  struct value *v = value_new(ctx, type);
  bool ok = v != NULL || reader_problem(r, "out of memory");
  for (int i = 0; i < type->num_leaves && ok; i++) {
    ok = read_leaf(ctx, r, &type->leaves[i], v->words);
  }
  if (!ok) {
    value_drop(ctx, v);
    return false;
  }
  memcpy(out, &v, sizeof v);
  return true;
}

// End of reader.h.
