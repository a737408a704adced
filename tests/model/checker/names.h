// What the model's sites and changesets are called.
#pragma once

#include <string>
#include <string_view>

#include "tests/model/checker/history.h"

namespace quadrille::model_check {

std::string_view site_name(Site site);
std::string changeset_name(Place place);  // "ams:1"
std::string set_name(ChangesetSet set);   // "ams:1 nyc:1 nyc:2"

}  // namespace quadrille::model_check
