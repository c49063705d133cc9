/* Escape times over a rectangle of the complex plane: plain C needs no lists. */
#include "mandelbrot.c"
