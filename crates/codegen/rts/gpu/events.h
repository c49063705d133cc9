// Start of events.h: what the device did and how long it took, while profiling.

struct device_event {
  const char *name;
  int place;
  // How a kernel was launched, or if the grid is 0, how many bytes were copied.
  int64_t grid, block, shared, bytes;
  // The API's marks.
  void *start, *end;
};

// More of them would only fill memory.
#define MAX_EVENTS ((int64_t)1 << 22)

// A new event, or NULL if none is wanted.
CALLED_FUN struct device_event *event_new(struct futhark_context *ctx, const struct device_event *about) {
  struct device *d = &ctx->device;
  if (!ctx->profiling || ctx->profiling_paused || d->num_events >= MAX_EVENTS) {
    return NULL;
  }
  if (d->num_events == d->room_events) {
    int64_t room = d->room_events == 0 ? 256 : 2 * d->room_events;
    struct device_event *events = realloc(d->events, (size_t)room * sizeof(struct device_event));
    if (events == NULL) {
      return NULL;
    }
    d->events = events;
    d->room_events = room;
  }
  struct device_event *event = &d->events[d->num_events++];
  *event = *about;
  return event;
}

RTS_FUN struct device_event *event_kernel(struct futhark_context *ctx, const struct kernel_info *info, int64_t grid,
                                          int64_t block, int64_t shared) {
  struct device_event about = {
      .name = info->label, .place = info->place, .grid = grid, .block = block, .shared = shared};
  return event_new(ctx, &about);
}

RTS_FUN struct device_event *event_copy(struct futhark_context *ctx, const char *name, int64_t bytes) {
  struct device_event about = {.name = name, .place = NO_PLACE, .bytes = bytes};
  return event_new(ctx, &about);
}

TOOL_FUN void events_clear(struct futhark_context *ctx) {
  for (int64_t i = 0; i < ctx->device.num_events; i++) {
    api_event_free(ctx, &ctx->device.events[i]);
  }
  ctx->device.num_events = 0;
}

TOOL_FUN void json_characters(struct string *out, const char *text) {
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      string_printf(out, "\\%c", c);
    } else if (c < 32) {
      string_printf(out, "\\u%04x", c);
    } else {
      string_append(out, text, 1);
    }
  }
}

TOOL_FUN void json_string(struct string *out, const char *text) {
  string_printf(out, "\"");
  json_characters(out, text);
  string_printf(out, "\"");
}

// A field of JSON with microseconds. Not by %f, which may print a comma.
TOOL_FUN void json_microseconds(struct string *out, const char *field, double time) {
  int64_t nanoseconds = (int64_t)(time * 1000 + 0.5);
  string_printf(out, ",\"%s\":%" PRId64 ".%03d", field, nanoseconds / 1000, (int)(nanoseconds % 1000));
}

static void backend_report(struct futhark_context *ctx, struct string *events) {
  bool first = true;
  if (ctx->device.num_events == 0 || api_wait(ctx) != FUTHARK_SUCCESS) {
    return;
  }
  for (int64_t i = 0; i < ctx->device.num_events; i++) {
    const struct device_event *event = &ctx->device.events[i];
    double start = 0, time = 0;
    if (api_event_time(ctx, &ctx->device.events[0], event, &start, &time) != FUTHARK_SUCCESS) {
      continue;
    }
    string_printf(events, "%s{\"name\":", first ? "" : ",");
    json_string(events, event->name);
    json_microseconds(events, "start", start);
    json_microseconds(events, "duration", time);
    string_printf(events, ",\"provenance\":\"");
    for (int place = event->place; place != NO_PLACE;) {
      json_characters(events, place_text(place, &place));
      string_printf(events, place == NO_PLACE ? "" : " -> ");
    }
    string_printf(events, "\"");
    if (event->grid > 0) {
      string_printf(events, ",\"details\":{\"grid\":%" PRId64 ",\"block\":%" PRId64 ",\"shared memory\":%" PRId64 "}}",
                    event->grid, event->block, event->shared);
    } else {
      string_printf(events, ",\"details\":{\"bytes\":%" PRId64 "}}", event->bytes);
    }
    first = false;
  }
  // The next report is about what comes after this one.
  events_clear(ctx);
}

static void backend_forget(struct futhark_context *ctx) {
  if (ctx->device.num_events != 0 && api_wait(ctx) == FUTHARK_SUCCESS) {
    events_clear(ctx);
  }
}

// End of events.h.
