"""Old office files, written after their published specifications: no kept program here writes them any more."""

from __future__ import annotations

import struct
import zlib

FREE, END, FAT_SECTOR = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def container(streams: dict[str, bytes]) -> bytes:
    """An OLE container ([MS-CFB]) of streams, "folder/name" in storages."""
    entries: list[dict] = [{"name": "Root Entry", "kind": 5, "children": []}]
    folders = {"": 0}
    for path, data in streams.items():
        folder, _, name = path.rpartition("/")
        steps = folder.split("/") if folder else []
        for depth, step in enumerate(steps, start=1):
            inner, outer = "/".join(steps[:depth]), "/".join(steps[: depth - 1])
            if inner not in folders:
                folders[inner] = len(entries)
                entries[folders[outer]]["children"].append(len(entries))
                entries.append({"name": step, "kind": 1, "children": []})
        entries[folders[folder]]["children"].append(len(entries))
        entries.append({"name": name, "kind": 2, "children": [], "data": data})
    sectors: list[bytes] = []
    fat: list[int] = []

    def store(data: bytes) -> int:
        count = -(-len(data) // 512)
        first = len(sectors)
        for number in range(count):
            sectors.append(data[512 * number : 512 * number + 512].ljust(512, b"\0"))
            fat.append(first + number + 1 if number < count - 1 else END)
        return first if count else END

    mini, mini_fat = bytearray(), []
    for entry in entries[1:]:
        data = entry.get("data", b"")
        if len(data) >= 4096:
            entry["start"] = store(data)
        elif data:
            entry["start"], count = len(mini) // 64, -(-len(data) // 64)
            mini_fat += [*range(entry["start"] + 1, entry["start"] + count), END]
            mini += data.ljust(64 * count, b"\0")
    entries[0]["data"], entries[0]["start"] = bytes(mini), store(bytes(mini))
    listed = b"".join(struct.pack("<I", one) for one in mini_fat)
    mini_start = store(listed.ljust(-(-len(listed) // 512) * 512, b"\xff"))
    for entry in entries:
        order = sorted(entry["children"], key=lambda one: (len(entries[one]["name"]), entries[one]["name"].upper()))
        entry["child"] = _tree(order, entries)
    directory = b"".join(_entry(entry) for entry in entries)
    directory_start = store(directory.ljust(-(-len(directory) // 512) * 512, b"\0"))
    fat_count = -(-(len(fat) + 2) // 127)
    fat_start = len(sectors)
    fat += [FAT_SECTOR] * fat_count
    table = b"".join(struct.pack("<I", one) for one in fat).ljust(512 * fat_count, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack(
        "<IIIIIIIII", 0, fat_count, directory_start, 0, 4096, mini_start, len(listed) // 512 + bool(listed), END, 0
    )
    header += struct.pack(f"<{fat_count}I", *range(fat_start, fat_start + fat_count)).ljust(436, b"\xff")
    return header + b"".join(sectors) + table


def _tree(order: list[int], entries: list[dict]) -> int:
    """A balanced tree of the children; returns its root."""
    if not order:
        return FREE
    middle = len(order) // 2
    entries[order[middle]]["left"] = _tree(order[:middle], entries)
    entries[order[middle]]["right"] = _tree(order[middle + 1 :], entries)
    return order[middle]


def _entry(entry: dict) -> bytes:
    name = entry["name"].encode("utf-16-le") + b"\0\0"
    data = name.ljust(64, b"\0") + struct.pack("<HBB", len(name), entry["kind"], 1)
    data += struct.pack("<III", entry.get("left", FREE), entry.get("right", FREE), entry["child"]) + bytes(36)
    return data + struct.pack("<IQ", entry.get("start", 0 if entry["kind"] == 1 else END), len(entry.get("data", b"")))


def doc(body: str, footnote: str = "", header: str = "", comment: str = "", box: str = "") -> bytes:
    """A Word 97 file: the body as 16-bit, the rest as 8-bit pieces."""
    parts = [body, footnote, header, "", comment, "", box, ""]
    rest = "".join(parts[1:])
    main = bytearray(2048)
    struct.pack_into("<HHHHHH", main, 0, 0xA5EC, 0xC1, 0, 0x409, 0, 0x200)
    for number, part in enumerate(parts):
        struct.pack_into("<I", main, 0x4C + 4 * number, len(part))
    wide, narrow = len(main), len(main) + 2 * len(body)
    main += body.encode("utf-16-le") + rest.encode("cp1252")
    ends = struct.pack("<III", 0, len(body), len(body) + len(rest))
    pieces = struct.pack("<HIH", 0, wide, 0) + struct.pack("<HIH", 0, 2 * narrow | 0x40000000, 0)
    table = b"\1\2\0xx" + b"\2" + struct.pack("<I", len(ends + pieces)) + ends + pieces
    struct.pack_into("<II", main, 0x1A2, 0, len(table))
    return container({"WordDocument": bytes(main), "1Table": table})


def ppt(*slides: str, notes: str = "") -> bytes:
    """A PowerPoint 97 file: text of slides in 16 bits, notes in 8."""

    def record(kind: int, content: bytes, flags: int = 0) -> bytes:
        return struct.pack("<HHI", flags, kind, len(content)) + content

    made = record(1016, record(4000, "Click to edit Master title".encode("utf-16-le")), 0xF)
    for text in slides:
        made += record(1006, record(0xF00D, record(4000, text.encode("utf-16-le")), 0xF), 0xF)
    made += record(1008, record(0xF00D, record(4008, notes.encode("latin-1")), 0xF), 0xF)
    return container({"PowerPoint Document": made, "Current User": b"x" * 20})


def msg(subject: str, body: str, attachments: dict[str, bytes], inner: dict[str, bytes] | None = None) -> bytes:
    """An Outlook message in Unicode with attachments, and one with the streams of a message of its own."""
    streams = message_streams(subject, body, {"007D": "Date: Tue, 6 Apr 2021 12:00:00 +0000\r\n"})
    for number, (name, data) in enumerate(attachments.items()):
        folder = f"__attach_version1.0_#{number:08X}"
        streams[f"{folder}/__substg1.0_3707001F"] = name.encode("utf-16-le")
        streams[f"{folder}/__substg1.0_37010102"] = data
    if inner is not None:
        folder = f"__attach_version1.0_#{len(attachments):08X}"
        streams[f"{folder}/__substg1.0_3001001F"] = "Forwarded".encode("utf-16-le")
        streams |= {f"{folder}/__substg1.0_3701000D/{name}": data for name, data in inner.items()}
    return container(streams)


def message_streams(subject: str, body: str, more: dict[str, str], properties: bytes = bytes(32)) -> dict[str, bytes]:
    """The streams of a message."""
    fields = {
        "0037": subject,
        "1000": body,
        "0C1A": "A. Sender",
        "5D01": "a@example.org",
        "0E04": "B. Receiver",
        **more,
    }
    texts = {f"__substg1.0_{tag}001F": text.encode("utf-16-le") for tag, text in fields.items()}
    return {"__properties_version1.0": properties, **texts}


def hwp(*paragraphs: str) -> bytes:
    """A Hangul 5 document: packed records of paragraphs."""

    def record(tag: int, level: int, content: bytes) -> bytes:
        return struct.pack("<I", tag | level << 10 | len(content) << 20) + content

    body = b""
    for text in paragraphs:
        letters = (text + "\r").encode("utf-16-le")
        body += record(66, 0, struct.pack("<IIHBBHHHI", len(text) + 1, 0, 0, 0, 0, 1, 0, 1, 0)[:22])
        body += record(67, 1, letters)
        body += record(68, 1, struct.pack("<II", 0, 0))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    section = packer.compress(body) + packer.flush()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    information = packer.compress(record(16, 0, struct.pack("<7H3I", 1, 1, 1, 1, 1, 1, 1, 0, 0, 0))) + packer.flush()
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, 1) + bytes(216)
    return container({"FileHeader": header, "DocInfo": information, "BodyText/Section0": section})
