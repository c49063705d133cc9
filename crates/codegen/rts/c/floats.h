// Start of floats.h: floats as text, with the fewest digits that read back as the same number.
//
// Half floats are written as the `f32` that they are. The decimal point of the C library, which a program may change, is
// neither written nor read.

#define FLOAT_TEXT_SIZE 40
// Room for the text of a float, as long as the block goes on that it is in.
#define FLOAT_TEXT ((char[FLOAT_TEXT_SIZE]){0})

// The digits of a number, without zeros at their end, and the power of ten of the first one.
struct decimal {
  char digits[20];
  int count, exponent;
};

RTS_FUN void decimal_trim(struct decimal *d) {
  while (d->count > 1 && d->digits[d->count - 1] == '0') {
    d->count--;
  }
}

// Whether a float is the one that digits are read as.
CALLED_FUN bool decimal_reads_back(const struct decimal *d, double x, bool is_f64) {
  char text[FLOAT_TEXT_SIZE];
  snprintf(text, sizeof text, "%.*se%d", d->count, d->digits, d->exponent - d->count + 1);
  return (is_f64 ? strtod(text, NULL) : (double)strtof(text, NULL)) == x;
}

// The nearest number of so many digits.
CALLED_FUN void decimal_round(struct decimal *d, double x, int digits) {
  char text[FLOAT_TEXT_SIZE];
  snprintf(text, sizeof text, "%.*e", digits - 1, x);
  const char *at = text;
  d->count = 0;
  for (; *at != 'e'; at++) {
    if (*at >= '0' && *at <= '9') {
      d->digits[d->count++] = *at;
    }
  }
  d->exponent = (int)strtol(at + 1, NULL, 10);
}

// The next larger number of as many digits. Below a power of two floats are closer to each other than above, so that it
// may read back when the nearest does not.
CALLED_FUN void decimal_increase(struct decimal *d) {
  int i = d->count - 1;
  while (i >= 0 && d->digits[i] == '9') {
    d->digits[i--] = '0';
  }
  if (i >= 0) {
    d->digits[i]++;
  } else {
    d->digits[0] = '1';
    d->exponent++;
  }
}

// The shortest digits of a positive number; of several the nearest.
CALLED_FUN void decimal_shortest(struct decimal *d, double x, bool is_f64) {
  // So few digits are the shortest ones once zeros at their end are left out, unless the number has less precision.
  int digits = is_f64 ? DBL_DIG : FLT_DIG;
  int most = is_f64 ? 17 : 9;
  if (x < (is_f64 ? DBL_MIN : (double)FLT_MIN)) {
    digits = 1;
  }
  for (;; digits++) {
    decimal_round(d, x, digits);
    if (digits >= most || decimal_reads_back(d, x, is_f64)) {
      break;
    }
    struct decimal next = *d;
    decimal_increase(&next);
    if (decimal_reads_back(&next, x, is_f64)) {
      *d = next;
      break;
    }
  }
  decimal_trim(d);
}

// Writes `1.5`, `1.0e-2`, `f32.nan`: an exponent only below 0.1 and from ten million on.
CALLED_FUN const char *show_float(char *to, double x, const char *type) {
  char *at = to;
  if (x != x) {
    snprintf(to, FLOAT_TEXT_SIZE, "%s.nan", type);
    return to;
  }
  if (x < -DBL_MAX || x > DBL_MAX) {
    snprintf(to, FLOAT_TEXT_SIZE, "%s%s.inf", x < 0 ? "-" : "", type);
    return to;
  }
  if (signbit(x)) {
    *at++ = '-';
    x = -x;
  }
  struct decimal d = {"0", 1, 0};
  if (x > 0) {
    decimal_shortest(&d, x, strcmp(type, "f64") == 0);
  }
  bool scientific = d.exponent < -1 || d.exponent > 6;
  // How many digits are before the point.
  int whole = scientific ? 1 : d.exponent + 1;
  if (whole == 0) {
    *at++ = '0';
  }
  for (int i = 0; i < whole || i < d.count; i++) {
    if (i == whole) {
      *at++ = '.';
    }
    *at++ = i < d.count ? d.digits[i] : '0';
  }
  if (d.count <= whole) {
    *at++ = '.';
    *at++ = '0';
  }
  *at = '\0';
  if (scientific) {
    snprintf(at, FLOAT_TEXT_SIZE - (size_t)(at - to), "e%d", d.exponent);
  }
  return to;
}

RTS_FUN const char *show_f16(char *to, f16 x) {
  return show_float(to, f16_to_f64(x), "f16");
}

RTS_FUN const char *show_f32(char *to, float x) {
  return show_float(to, (double)x, "f32");
}

RTS_FUN const char *show_f64(char *to, double x) {
  return show_float(to, x, "f64");
}

// End of floats.h.
