"""The inputs of a target as lines of hexadecimal digits, and as the files that the fuzzer reads.

python3 corpus.py unpack corpus/run_lines.hex FOLDER
python3 corpus.py pack FOLDER corpus/run_lines.hex
"""

import sys
from pathlib import Path


def main() -> None:
    """Write lines from files, or files from lines."""
    what, source, target = sys.argv[1:]
    if what == "unpack":
        folder = Path(target)
        folder.mkdir(parents=True, exist_ok=True)
        for number, line in enumerate(Path(source).read_text().split()):
            (folder / f"{number:04}").write_bytes(bytes.fromhex(line))
    else:
        inputs = {path.read_bytes() for path in Path(source).iterdir()}
        lines = (data.hex() for data in sorted(inputs, key=lambda data: (len(data), data)) if data)
        Path(target).write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
