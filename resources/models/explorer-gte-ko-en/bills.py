"""Bills of the Korean assembly: titles and why they were proposed.

From PyPI's `korean-assembly-bills` 0.1.0 (CC BY 4.0). Its source archive is read, none of its code is run. One bill in
20 is held out, by a digest of its number, so that what is measured on them was never learned from.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

SHA256 = "a00e9eb3d2f724d3c232c576074afe901bbf3a74871291e66e81b4afe1616a2f"
HELD_OUT = 20  # one in so many
_LEAST, _MOST = 80, 1500  # letters of a reason that is worth reading
_LINE = re.compile(r"\n|(?<=[임음함])\.")
_SO = "이에"  # how the sentence begins that says what a bill does about what was said before
_HEADING = re.compile(r"^\s*(■|○|◇|□|가\.|[0-9]+\.)?\s*(제안\s*이유( 및 주요\s*내용)?|주요\s*내용)\s*", re.MULTILINE)


@dataclass(frozen=True)
class Bill:
    """A bill.

    Attributes:
        id: Its number.
        title: Its name, without what most bills share.
        reason: Why it was proposed.
        aim: The sentence that says what it does; empty if none was found.
    """

    id: str
    title: str
    reason: str
    aim: str

    @property
    def held_out(self) -> bool:
        """Whether it is kept for measuring."""
        return int(hashlib.sha256(self.id.encode()).hexdigest()[:8], 16) % HELD_OUT == 0


def read(archive: Path) -> list[Bill]:
    """Read the bills that say why they were proposed, from the unpacked archive; equal reasons once."""
    from pyarrow import parquet

    names = parquet.read_table(archive / "data" / "bills.parquet", columns=["BILL_ID", "BILL_NAME"]).to_pylist()
    reasons = parquet.read_table(
        archive / "data" / "bill_texts.parquet", columns=["BILL_ID", "propose_reason"]
    ).to_pylist()
    titles = {row["BILL_ID"]: row["BILL_NAME"] for row in names}
    found: dict[str, Bill] = {}
    for row in reasons:
        text = _HEADING.sub("", row["propose_reason"] or "").strip()
        title = titles.get(row["BILL_ID"])
        if title and len(text) >= _LEAST:
            lines = (line.strip() for line in _LINE.split(text))
            aim = next((line for line in lines if line.startswith(_SO)), "")
            found.setdefault(text[:200], Bill(row["BILL_ID"], _short(title), text[:_MOST], aim))
    return sorted(found.values(), key=lambda bill: bill.id)


def _short(title: str) -> str:
    """Return a title without the words for what kind of bill it is, which nearly all share."""
    return re.sub(r"\s*(일부|전부)?개정법률안.*$|\s*\((대안|수정안)\)", "", title).strip() or title
