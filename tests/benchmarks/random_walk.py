"""A random walk of 5,000 user actions in the real window on the sample: nothing goes wrong, and memory stays flat.

Run by hand:  python tests/benchmarks/random_walk.py [--steps 5000] [--seed 0]
It fails (exit code 1) on an exception, a warning of Qt, a crash, or a growing memory.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.faults.closing import index  # noqa: E402
from tests.ui.support.random_user import growth, walk  # noqa: E402
from tests.ui.support.xvfb import screen  # noqa: E402

MOST = 20.0  # megabytes in 1,000 actions


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, screen() as environment:
        home = Path(made)
        index(home / "workspace", ROOT / "resources" / "sample")
        environment |= {"DOCEXPLORER_HOME": str(home / "home")}
        begun = time.monotonic()
        found, wrong = walk(
            home / "workspace", home / "walk.json", steps=chosen.steps, seed=chosen.seed, environment=environment
        )
    if found:
        held, grown = [mega for _, mega in found["memory"]], growth(found["memory"])
        print(
            json.dumps(
                {
                    "actions": found["done"],
                    "minutes": round((time.monotonic() - begun) / 60, 1),
                    "seed": chosen.seed,
                    "megabytes_first_middle_last": [round(held[0]), round(held[len(held) // 2]), round(held[-1])],
                    "megabytes_in_1000_actions": round(grown, 1),
                    "most": MOST,
                }
            )
        )
    print(wrong, file=sys.stderr)
    return int(bool(wrong) or not found or grown > MOST)


if __name__ == "__main__":
    sys.exit(main())
