"""Plays the runtime's side of the worker protocol against `moec worker`."""
import json
import struct
import subprocess
import sys

moec, without_compiler = sys.argv[1], "--without-compiler" in sys.argv
worker = subprocess.Popen(
    [moec, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)


def ask(request):
    worker.stdin.write(struct.pack("<I", len(request)) + request)
    worker.stdin.flush()
    meta_size, status, data_size = struct.unpack("<IIQ", worker.stdout.read(16))
    meta = json.loads(worker.stdout.read(meta_size) or b"{}")
    return status, meta, worker.stdout.read(data_size)


status, meta, data = ask(b'{"op": "targets"}')
if without_compiler:
    assert status == 3 and "cannot load the compiler" in str(meta), (status, meta)
else:
    assert status == 0 and "gfx942" in data.decode(), (status, meta)
    # Bad requests are answered, and the worker lives on.
    for bad in (b"", b"{", b"[]", b'{"op": "nothing"}', b"\xff\xfe"):
        status, meta, data = ask(bad)
        assert status in (1, 2, 70) and meta["diagnostics"], (bad, status, meta)
    status, meta, data = ask(b'{"op": "targets"}')
    assert status == 0, meta
worker.stdin.close()
assert worker.stdout.read() == b"", "bytes that are no frame"
assert worker.wait(timeout=60) == 0, worker.returncode
