#!/usr/bin/env python3
"""Writes a CycloneDX 1.5 list of components from `swift package show-dependencies --format json` on stdin.

    swift package show-dependencies --format json | scripts/bill-of-materials.py VERSION
"""
import json
import sys


def components(node, found):
    for dependency in node.get("dependencies", []):
        found[dependency["identity"]] = {
            "type": "library",
            "bom-ref": dependency["identity"],
            "name": dependency["name"],
            "version": dependency["version"],
            "purl": f"pkg:swift/{dependency['url'].removeprefix('https://').removesuffix('.git')}@{dependency['version']}",
        }
        components(dependency, found)


def edges(node, reference, found):
    names = sorted(dependency["identity"] for dependency in node.get("dependencies", []))
    found[reference] = {"ref": reference, "dependsOn": names}
    for dependency in node.get("dependencies", []):
        edges(dependency, dependency["identity"], found)


tree = json.load(sys.stdin)
libraries, dependencies = {}, {}
components(tree, libraries)
edges(tree, "pushscope", dependencies)
json.dump(
    {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": "pushscope", "name": "pushscope", "version": sys.argv[1]}
        },
        "components": [libraries[name] for name in sorted(libraries)],
        "dependencies": [dependencies[name] for name in sorted(dependencies)],
    },
    sys.stdout,
    indent=2,
)
print()
