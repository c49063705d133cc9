// Start of kernel_halves.h: sums of half floats in pairs, which are words of global memory. To add -0 leaves an element of a pair as it is.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
SCALAR_FUN void atomic_fadd_halves_i32_global(int32_t *p, int32_t x) {
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}
#else
#ifdef __OPENCL_VERSION__
#define PAIR volatile __global int32_t
#else
#define PAIR int32_t
#endif
SCALAR_FUN void atomic_fadd_halves_i32_global(PAIR *p, int32_t x) {
  int32_t seen = *p, old;
  do {
    old = seen;
    uint32_t low = fadd16((f16)old, (f16)x);
    uint32_t high = fadd16((f16)((uint32_t)old >> 16), (f16)((uint32_t)x >> 16));
    seen = atomic_cas_i32_global(p, old, (int32_t)(high << 16 | low));
  } while (seen != old);
}
#undef PAIR
#endif
// End of kernel_halves.h.
