/* The layer in double, straight from its definition. */
#include "host_layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double host_from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

uint16_t host_to_bf16(double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  bits += 0x7fff + ((bits >> 16) & 1);
  return (uint16_t)(bits >> 16);
}

double host_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 40) / (double)(1 << 24);
}

host_weights host_make_weights(const host_problem *problem, int64_t n, int64_t k,
                               uint64_t *seed) {
  host_weights w = {.n = n, .k = k};
  w.groups = (k + problem->group - 1) / problem->group;
  size_t words = (size_t)(problem->experts * n * k / 8);
  size_t scales = (size_t)(problem->experts * n * w.groups);
  w.values_bytes = words * 4;
  w.scales_bytes = scales * 2;
  w.values = malloc(w.values_bytes);
  w.scales = malloc(w.scales_bytes);
  if (!w.values || !w.scales)
    abort();
  for (size_t i = 0; i < words; ++i) {
    uint32_t word = 0;
    for (int nibble = 0; nibble < 8; ++nibble)
      word |= (uint32_t)(host_random(seed) * 16) << (4 * nibble);
    w.values[i] = word;
  }
  for (size_t i = 0; i < scales; ++i)
    w.scales[i] = host_to_bf16(0.01 + 0.02 * host_random(seed));
  return w;
}

void host_free_weights(host_weights *weights) {
  free(weights->values);
  free(weights->scales);
}

static double weight(const host_problem *p, const host_weights *w, int64_t expert,
                     int64_t n, int64_t k) {
  int64_t row = expert * w->n + n;
  uint32_t word = w->values[row * (w->k / 8) + k / 8];
  int q = (int)((word >> (4 * (k % 8))) & 15) - 8;
  return q * host_from_bf16(w->scales[row * w->groups + k / p->group]);
}

void host_layer(const host_problem *p, const host_weights *w13,
                const host_weights *w2, int64_t tokens, const uint16_t *x,
                const int32_t *ids, const float *weights, double *expected) {
  double *h = malloc((size_t)p->inter * sizeof *h);
  if (!h)
    abort();
  memset(expected, 0, (size_t)(tokens * p->hidden) * sizeof *expected);
  for (int64_t pair = 0; pair < tokens * p->topk; ++pair) {
    int64_t token = pair / p->topk, expert = ids[pair];
    if (expert < 0 || expert >= p->experts)
      continue;
    for (int64_t i = 0; i < p->inter; ++i) {
      double gate = 0, up = 0;
      for (int64_t k = 0; k < p->hidden; ++k) {
        double value = host_from_bf16(x[token * p->hidden + k]);
        gate += value * weight(p, w13, expert, i, k);
        up += value * weight(p, w13, expert, p->inter + i, k);
      }
      h[i] = host_from_bf16(host_to_bf16(gate / (1 + exp(-gate)) * up));
    }
    for (int64_t n = 0; n < p->hidden; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < p->inter; ++k)
        sum += h[k] * weight(p, w2, expert, n, k);
      expected[token * p->hidden + n] += weights[pair] * sum;
    }
  }
  free(h);
}
