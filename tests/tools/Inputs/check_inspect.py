"""The fields of `moec inspect --json` that other programs rely on."""
import json
import sys

bundle = json.load(open(sys.argv[1]))
assert bundle["kind"] == "bundle" and bundle["target"] == "gfx942", bundle["target"]
assert bundle["kernels"], "no kernels"
fields = (
    "name stage problem target schedule buckets vgpr agpr sgpr lds_bytes "
    "scratch_bytes waves_per_simd code_bytes"
).split()
for kernel in bundle["kernels"]:
    missing = [field for field in fields if field not in kernel]
    assert not missing, f"{kernel['name']} lacks {missing}"
    assert 1 <= kernel["waves_per_simd"] <= 8, kernel
    assert kernel["scratch_bytes"] == 0, kernel
    assert kernel["vgpr_spills"] == kernel["sgpr_spills"] == 0, kernel
    assert kernel["code_bytes"] > 0, kernel
stages = {kernel["stage"] for kernel in bundle["kernels"]}
assert {"gate_up", "down"} <= stages, stages
assert [plan["bucket"] for plan in bundle["plans"]] == [1, 16], bundle["plans"]
