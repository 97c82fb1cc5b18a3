"""A KRM function in Python that calls a correct one, with a fault. Usage: faulty.py FAULT PROGRAM ARGS…"""
import subprocess
import sys

fault, command = sys.argv[1], sys.argv[2:]
text = sys.stdin.buffer.read()
if fault == "traceback" and b'"Unknown"' in text:
    raise KeyError("data")
run = subprocess.run(command, input=text, stdout=subprocess.PIPE)
out = run.stdout
if run.returncode == 0 and fault == "progress":
    out = b"Processing items...\n---\n" + out
if run.returncode == 0 and fault == "set":  # the order of a set of strings differs between runs
    out += "".join("# %s\n" % name for name in {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"}).encode()
sys.stdout.buffer.write(out)
sys.exit(run.returncode)
