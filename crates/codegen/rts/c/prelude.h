// Start of prelude.h: the C library, and what compilers call things.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifdef _MSC_VER
#define _CRT_SECURE_NO_WARNINGS
#endif

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define UNUSED __attribute__((unused))
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((cold, noinline))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MAY_ALIAS __attribute__((may_alias))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define UNUSED
#define NOINLINE
#define COLD
#define PRINTF_LIKE(fmt, args)
#define MAY_ALIAS
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#endif

// Comparisons that are always true or false are no mistake in generated code.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#endif

// Every operation of the language rounds by itself, on every processor and with every standard of C.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

// Nobody asks for the flags of floats, so both sides of a choice may be computed: without that, loops with choices are no vector code.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

// Nobody asks what square roots leave in errno, and without that they have vector forms.
#if defined(__GNUC__) || defined(__clang__)
extern double sqrt(double x) __attribute__((const));
extern float sqrtf(float x) __attribute__((const));
#endif

// Helper functions; a program uses some of them. Those of entry points and
// values are called, not pasted in; those that only talk to the outside world
// need not be fast.
#define RTS_FUN static UNUSED
#define CALLED_FUN static UNUSED NOINLINE
#define TOOL_FUN static UNUSED COLD
#define SCALAR_FUN static inline UNUSED

// End of prelude.h.
