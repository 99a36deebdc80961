"""Compares the installed versions of all that the program is built from with the public list of known vulnerabilities.

Run by hand, with a network:  python tests/security/known_vulnerabilities.py [--server https://api.osv.dev]

Names and versions of packages are sent, nothing else. Exit code: 0 none known, 1 some, 2 the list could not be asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from resources.app.shipping import pins


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="https://api.osv.dev")
    chosen = parser.parse_args(arguments)
    versions = pins.installed(pins.needed())
    try:
        found = ask(chosen.server, versions)
    except (OSError, ValueError) as error:
        print(f"{chosen.server}: the list cannot be asked ({error}). Try again with a network.", file=sys.stderr)
        return 2
    for name, ids in found.items():
        print(f"{name} {versions[name]}: {', '.join(ids)}")
    print(f"{len(versions)} packages, {len(found)} with known vulnerabilities")
    return 1 if found else 0


def ask(server: str, versions: dict[str, str]) -> dict[str, list[str]]:
    """The known vulnerabilities of each package that has any.

    Raises:
        OSError: There is no answer.
        ValueError: The answer is no answer to this.
    """
    queries = [
        {"package": {"ecosystem": "PyPI", "name": name}, "version": version} for name, version in versions.items()
    ]
    request = urllib.request.Request(
        f"{server}/v1/querybatch",
        data=json.dumps({"queries": queries}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        results = json.load(answer)["results"]
    if len(results) != len(queries):
        raise ValueError("it answered for other packages than asked")
    told = zip(versions, results, strict=True)
    return {name: [one["id"] for one in result["vulns"]] for name, result in told if result.get("vulns")}


if __name__ == "__main__":
    sys.exit(main())
