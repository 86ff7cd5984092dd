# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of cameo as tests read them: each is held against its schema in docs/schemas first."""
import functools
import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "schemas"
SUFFIX = ".schema.json"


@functools.cache
def validators():
    """By the report's name; a schema that is none raises."""
    # Seconds to import: of a long suite most tests are skipped before they read a report.
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
    schemas = {path.name.removesuffix(SUFFIX): json.loads(path.read_text()) for path in sorted(FOLDER.glob("*" + SUFFIX))}
    registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas.values())
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {name: Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}


def read_report(kind, source):
    """The report of this kind in a text, or in a file where `source` is a Path."""
    from jsonschema.exceptions import best_match
    report = json.loads(source.read_text() if isinstance(source, Path) else source)
    wrong = best_match(validators()[kind].iter_errors(report))
    assert wrong is None, f"{kind}.schema.json: {wrong.json_path}: {wrong.message[:400]}"
    return report
