// Start of strings.h: strings that grow.

struct string {
  char *text;
  size_t length, room;
  // Whether there was no memory for a part of it. It has no text then, whatever is appended.
  bool lost;
};

CALLED_FUN void string_lose(struct string *s) {
  free(s->text);
  *s = (struct string){.lost = true};
}

CALLED_FUN void string_append(struct string *s, const char *text, size_t length) {
  if (s->lost) {
    return;
  }
  if (s->length + length + 1 > s->room) {
    size_t room = 2 * (s->length + length + 1);
    char *text_new = realloc(s->text, room);
    if (text_new == NULL) {
      string_lose(s);
      return;
    }
    s->text = text_new;
    s->room = room;
  }
  memcpy(s->text + s->length, text, length);
  s->length += length;
  s->text[s->length] = '\0';
}

CALLED_FUN void string_vprintf(struct string *s, const char *format, va_list args) PRINTF_LIKE(2, 0);
CALLED_FUN void string_vprintf(struct string *s, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text == NULL) {
    string_lose(s);
  } else {
    vsnprintf(text, (size_t)length + 1, format, again);
    string_append(s, text, (size_t)length);
    free(text);
  }
  va_end(again);
}

CALLED_FUN void string_printf(struct string *s, const char *format, ...) PRINTF_LIKE(2, 3);
CALLED_FUN void string_printf(struct string *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  string_vprintf(s, format, args);
  va_end(args);
}

CALLED_FUN char *string_copy(const char *text) {
  size_t length = strlen(text) + 1;
  char *copy = malloc(length);
  if (copy != NULL) {
    memcpy(copy, text, length);
  }
  return copy;
}

// End of strings.h.
