#include "policies/first_writer_wins.h"

namespace quadrille::policies {

size_t FirstWriterWins::pick(const reconcile::Outline& outline) const {
  size_t first = 0;  // they stand by stamp and origin
  while (!outline.versions[first].is_maximal) ++first;
  return first;
}

}  // namespace quadrille::policies
