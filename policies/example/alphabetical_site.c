/* alphabetical-site: what the site left whose name comes first. In C, and by the outline of a conflict alone, so that
   the site need not even look up the text of its terms. */
#include <quadrille_policy.h>
#include <string.h>

static int comes_before(const quadrille_version* one, const quadrille_version* other) {
  const size_t size = one->site.size < other->site.size ? one->site.size : other->site.size;
  const int order = memcmp(one->site.data, other->site.data, size);
  return order != 0 ? order < 0 : one->site.size < other->site.size;
}

static int32_t choose(const quadrille_outline* outline, size_t* place, quadrille_answer* answer) {
  size_t best = outline->version_count;
  (void)answer;
  for (size_t i = 0; i < outline->version_count; ++i) {
    const quadrille_version* version = outline->versions[i];
    if (!version->is_maximal) continue;
    if (best == outline->version_count || comes_before(version, outline->versions[best])) best = i;
  }
  *place = best;
  return QUADRILLE_OK;
}

static const quadrille_policy_v1 policy = {
    .struct_size = sizeof(quadrille_policy_v1),
    .abi_version = QUADRILLE_POLICY_ABI_VERSION,
    .name = "alphabetical-site",
    .version = 1,
    .decides = 1u << QUADRILLE_QUAD_CELL | 1u << QUADRILLE_VALUE_CELL | 1u << QUADRILLE_RECORD_CELL,
    .retention = QUADRILLE_RETAIN_MAXIMAL,
    .choose = choose,
};

const quadrille_policy_v1* quadrille_policy(void) { return &policy; }
