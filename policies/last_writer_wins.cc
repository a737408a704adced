#include "policies/last_writer_wins.h"

namespace quadrille::policies {

reconcile::Decision LastWriterWins::resolve(const reconcile::Conflict& conflict) const {
  return {conflict.versions.back().left};  // they stand by stamp and origin
}

}  // namespace quadrille::policies
