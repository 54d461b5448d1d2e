# lit configuration of all suites: tests/dialects, tests/compiler, tests/tools.
#
# Run through tools/test, or by hand: lit-22 -v BUILD/tests/tools.
import os
import sys

import lit.formats

config.name = "moec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.moec_source, "tests")
config.test_exec_root = os.path.join(config.moec_build, "tests")

bin_dir = os.path.join(config.moec_build, "bin")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools, config.environment["PATH"]]
)
# Nothing of the user's: no settings, and a cache directory of the build.
for name in list(config.environment):
    if name.startswith(("MOEC_", "HIPSIM_")):
        del config.environment[name]
config.environment["MOEC_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")

config.substitutions += [
    ("%moec-opt", os.path.join(bin_dir, "moec-opt")),
    ("%moec", os.path.join(bin_dir, "moec")),
    ("%hipsim-run", os.path.join(bin_dir, "hipsim-run")),
    ("%python", sys.executable),
    # Kernels of tests: %amdgpu-clang -mcpu=gfx942 FILE -o FILE.hsaco
    (
        "%amdgpu-clang",
        os.path.join(config.llvm_tools, "clang") + " --target=amdgcn-amd-amdhsa -nogpulib",
    ),
    # %exits CODE COMMAND: the command ends with that exit code.
    ("%exits", os.path.join(config.test_source_root, "exits")),
    ("%kernels", os.path.join(config.moec_source, "kernels")),
    ("%source", config.moec_source),
    ("%lib", os.path.join(config.moec_build, "lib")),
]

if config.moec_compiler:
    config.available_features.add("compiler")
if config.sanitize:
    config.available_features.add("sanitize")
