"""Writes tests/data/checkpoints.tar.xz: checkpoints that real DeepSpeed has saved, without the numbers of tensors.

    python -m tests.resize.reduce FOLDER

FOLDER has a folder for each checkpoint, which DeepSpeed 0.19.8 and tests/resize/train.py have written: KIND-STAGE, of
2 or 4 ranks. Only `latest` and data.pkl of each file are kept, which is all that dsgen reads.
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path

ARCHIVE = Path(__file__).parent.parent / "data" / "checkpoints.tar.xz"


def unpack(folder: Path) -> None:
    """Write all checkpoints to the folder."""
    with tarfile.open(ARCHIVE) as archive:
        # The form that works with Pythons before 3.11.4, such as that of Debian 12, which have no filters.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        archive.extractall(folder)


def without_numbers(path: Path) -> bytes:
    """A file of torch.save with data.pkl only."""
    written = io.BytesIO()
    with zipfile.ZipFile(path) as given, zipfile.ZipFile(written, "w") as kept:
        for name in given.namelist():
            if name.endswith("/data.pkl"):
                kept.writestr(zipfile.ZipInfo(name), given.read(name))
    return written.getvalue()


def main(folder: Path) -> None:
    with tarfile.open(ARCHIVE, "w:xz") as archive:
        for latest in sorted(folder.glob("*/c/latest")):
            files = sorted(latest.parent.glob("*/*.pt"))
            for path in (latest, *files):
                data = without_numbers(path) if path.suffix == ".pt" else path.read_bytes()
                entry = tarfile.TarInfo(f"{latest.parent.parent.name}/{path.relative_to(latest.parent)}")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
