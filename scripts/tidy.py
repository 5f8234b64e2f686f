"""clang-tidy on the compiled core, on all cores of the machine.

A file that was clean is not read again until it, a header it includes, the checks or the compiler's options change.
What was clean is remembered in build/tidy, so that removing `build/` forgets it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
BUILD = ROOT / "build/tidy"
CLEAN = BUILD / "clean.json"
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def tool(name: str) -> str:
    """A program of this environment."""
    return str(Path(sys.executable).with_name(name))


def read_with_includes(source: Path, core: Path = CORE) -> dict[str, str]:
    """A file and every header of the core that it includes, directly or not, by name."""
    found: dict[str, str] = {}
    waiting = [source.relative_to(core).as_posix()]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = (core / name).read_text(encoding="utf-8")
            waiting += INCLUDE.findall(found[name])
    return found


def digest(source: Path, *further: str, core: Path = CORE) -> str:
    """Changes when the file, one of its headers or anything given besides does."""
    parts = [*sorted(read_with_includes(source, core).items()), *further]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def configure() -> dict[str, str]:
    """The compiler's command for every source, from CMake; nothing is compiled."""
    nanobind = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], check=True, capture_output=True, text=True
    )
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind.stdout.strip(),
    }
    command = [
        tool("cmake"),
        "-S",
        str(ROOT),
        "-B",
        str(BUILD),
        *(f"-D{name}={value}" for name, value in settings.items()),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    return {one["file"]: one["command"] for one in commands}


def findings(source: Path) -> str:
    """What clang-tidy has to say of a file; nothing if it is clean."""
    # The commands are those of the compiler that builds the core, whose warnings clang may not know by name.
    command = [tool("clang-tidy"), "--quiet", "-p", str(BUILD), "--extra-arg=-Wno-unknown-warning-option", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> int:
    """Read what is not known to be clean; 0 if all of it is."""
    commands = configure()
    checks = (ROOT / ".clang-tidy").read_text()
    version = subprocess.run([tool("clang-tidy"), "--version"], check=True, capture_output=True, text=True).stdout
    sources = sorted(CORE.rglob("*.cpp"))
    digests = {str(source): digest(source, checks, version, commands[str(source)]) for source in sources}
    clean: dict[str, str] = json.loads(CLEAN.read_text()) if CLEAN.exists() else {}
    due = [source for source in sources if clean.get(str(source)) != digests[str(source)]]
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        found = dict(zip(due, workers.map(findings, due), strict=True))
    clean = {name: value for name, value in digests.items() if not found.get(Path(name))}
    CLEAN.write_text(json.dumps(clean))
    broken = [text for text in found.values() if text]
    for text in broken:
        sys.stdout.write(text)
    sys.stdout.write(f"clang-tidy: {len(sources)} files, {len(due)} read, {len(broken)} with findings\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
