"""Writes 'a;b', which no INFO of a VCF can hold, as the first text of STORE/variant_S: python3 unpack_bad.py STORE."""
import json
import pathlib
import struct
import sys

store = pathlib.Path(sys.argv[1])
array = store / "variant_S"
meta = json.loads((array / ".zarray").read_text())
meta["compressor"] = None
(array / ".zarray").write_text(json.dumps(meta))
whole = json.loads((store / ".zmetadata").read_text())
whole["metadata"]["variant_S/.zarray"] = meta
(store / ".zmetadata").write_text(json.dumps(whole))
items = 1
for n in meta["chunks"]:
    items *= n
texts = [b"a;b"] + [b""] * (items - 1)
data = struct.pack("<I", items) + b"".join(struct.pack("<I", len(t)) + t for t in texts)
(array / ".".join("0" * len(meta["chunks"]))).write_bytes(data)
