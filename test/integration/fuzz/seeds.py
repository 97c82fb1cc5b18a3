"""Writes a seed corpus: the inputs of go test (https://go.dev/doc/security/fuzz/#glos-corpus) in a folder, the first value of
each if it is text or bytes, and the documents of the examples. Usage: seeds.py ZIP INPUTS EXAMPLES"""
import ast
import pathlib
import re
import sys
import zipfile


def value(text):
    """Returns the bytes of the first value of an input, None if it is no text."""
    lines = text.splitlines()
    found = re.fullmatch(r'(string|\[\]byte)\((".*")\)', lines[1]) if len(lines) > 1 else None
    if not found:
        return None
    # In Go, \\xNN is a byte and other characters are UTF-8. A literal of bytes in Python has no others.
    escaped = re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda m: chr(int(m[1] or m[2], 16)), found[2])
    return ast.literal_eval("b" + "".join(
        c if ord(c) < 128 else "".join("\\x%02x" % b for b in c.encode("utf-8", "replace")) for c in escaped))


with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as corpus:
    for file in sorted(pathlib.Path(sys.argv[2]).glob("*")):
        content = value(file.read_text(encoding="utf-8"))
        if content is not None:
            corpus.writestr("input_" + file.name, content)
    for file in sorted(pathlib.Path(sys.argv[3]).rglob("*")):
        if file.suffix in (".yaml", ".yml", ".json") and file.is_file():
            corpus.writestr(str(file).replace("/", "_"), file.read_bytes())
