"""What the scripts share that run ggml's operator tests in a root that debian-root.sh made."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = "/usr/libexec/x86_64-linux-gnu/ggml/test-backend-ops"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def words(root, mode, *flags, before=()):
    """Gives the command that runs the tests on the first Vulkan device."""
    return [os.path.join(HERE, "debian-root.sh"), "run", root, *before, TESTS, mode, "-b", "Vulkan0", *flags]
