/* Libraries that are no policies, each by another definition of BROKEN_*. */
#include <quadrille_policy.h>

static int32_t resolve(const quadrille_conflict* conflict, quadrille_answer* answer) {
  (void)conflict;
  (void)answer;
  return BROKEN_STATUS;
}

static const quadrille_policy_v1 policy = {
    .struct_size = BROKEN_SIZE,
    .abi_version = BROKEN_ABI_VERSION,
    .name = BROKEN_NAME,
    .version = 1,
    .decides = BROKEN_DECIDES,
    .retention = BROKEN_RETENTION,
    .reads_context = BROKEN_READS_CONTEXT,
    .resolve = BROKEN_RESOLVE,
};

const quadrille_policy_v1* quadrille_policy(void) {
  (void)resolve;
  return BROKEN_OFFER;
}
