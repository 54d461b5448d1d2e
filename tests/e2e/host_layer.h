/* An int4 SiLU MoE layer on the host: random operands and the expected result.
 *
 * Plain loops in double over the ct_pack source; shares nothing with moec. */
#ifndef HOST_LAYER_H
#define HOST_LAYER_H

#include <stdint.h>

typedef struct host_problem {
  int64_t hidden, inter, experts, topk, group;
} host_problem;

/* Weights of one tensor, [experts, n, k]. */
typedef struct host_weights {
  int64_t n, k, groups;
  uint32_t *values;  /* [experts, n, k/8] */
  uint16_t *scales;  /* [experts, n, groups] bf16 */
  uint64_t values_bytes, scales_bytes;
} host_weights;

double host_from_bf16(uint16_t bits);
uint16_t host_to_bf16(double value); /* nearest, ties to even */

/* A repeatable sequence in [0, 1). */
double host_random(uint64_t *state);

host_weights host_make_weights(const host_problem *problem, int64_t n, int64_t k,
                               uint64_t *seed);
void host_free_weights(host_weights *weights);

/* Expected [tokens, hidden]: h = bf16(silu(x.gate) * (x.up)), then the sum over
 * the token's valid slots of weight * (h.down). */
void host_layer(const host_problem *problem, const host_weights *w13,
                const host_weights *w2, int64_t tokens, const uint16_t *x,
                const int32_t *ids, const float *weights, double *expected);

#endif
