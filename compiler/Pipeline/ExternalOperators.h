// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the user's own, as a file declares them (--external,
// docs/schemas/external.schema.json), and what such a file has to say of the operators that Cameo
// lacks.

#ifndef CAMEO_PIPELINE_EXTERNALOPERATORS_H
#define CAMEO_PIPELINE_EXTERNALOPERATORS_H

#include "Import/ExternalOperator.h"
#include "Support/Diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

/// Adds the declarations of the file `path` to `declared`; on failure says why: exit 3 where it
/// cannot be read, 2 where what it says cannot be, with the place in it.
std::optional<Diagnostic> readExternalOperators(const std::string &path,
                                                std::vector<ExternalOperator> &declared);

} // namespace cameo

#endif // CAMEO_PIPELINE_EXTERNALOPERATORS_H
