// Random terms that stress every corner of the syntaxes.
#pragma once

#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "tests/support/seeded_random.h"

namespace quadrille::test {

// Any characters, controls and astral ones too; short.
std::string random_text(SeededRandom& random);
model::Term random_iri(SeededRandom& random);
model::Term random_literal(SeededRandom& random);
// Few distinct nodes, so that they meet. Subjects and graphs are never literals.
model::TermQuad random_quad(SeededRandom& random, bool with_graphs);
std::vector<model::TermQuad> random_quads(SeededRandom& random, size_t count, bool with_graphs);

}  // namespace quadrille::test
