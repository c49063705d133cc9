// Orders of turns: see driver.h.

#include "driver.h"

#include <stdlib.h>
#include <string.h>

void order_start(struct order *order) {
  const char *wanted = getenv("FAKE_ORDER");
  order->backward = wanted != NULL && strcmp(wanted, "backward") == 0;
  order->random = wanted == NULL ? 0 : strtoull(wanted, NULL, 10);
}

static unsigned int below(struct order *order, unsigned int limit) {
  order->random = order->random * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned int)(order->random >> 33) % limit;
}

int order_backward(const struct order *order) {
  return order->backward || order->random % 2 == 1;
}

void order_of(struct order *order, unsigned int *places, unsigned int count) {
  for (unsigned int i = 0; i < count; i++) {
    places[i] = order->backward ? count - 1 - i : i;
  }
  for (unsigned int i = count; order->random != 0 && i > 1; i--) {
    unsigned int j = below(order, i), place = places[j];
    places[j] = places[i - 1];
    places[i - 1] = place;
  }
}
