#include "policies/last_writer_wins.h"

namespace quadrille::policies {

size_t LastWriterWins::pick(const reconcile::Outline& outline) const {
  return outline.versions.size() - 1;  // they stand by stamp and origin
}

}  // namespace quadrille::policies
