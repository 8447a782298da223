"""Makes the files of this folder with other people's programs: pip install openpyxl==3.1.5 pyarrow==26.0.1; python make.py"""
from datetime import date
from decimal import Decimal
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
NAMES = ["Ann", "Bob", "Cem"]
HEIGHT = [1.62, 1.8, 1.75]
WEIGHT = [58, None, 81.5]

book = openpyxl.Workbook()
sheet = book.active
sheet.append(["name", "height", "weight", "weight", "born", "far"])
for row in zip(NAMES, HEIGHT, WEIGHT, [1, 2, 3], [date(1990, 1, 2)] * 3):
    sheet.append(list(row))
sheet["F3"] = 0.1
book.create_sheet("second").append(["not", "read"])
book.save(HERE / "people.xlsx")

# The table is on the second sheet.
book = openpyxl.Workbook()
sheet = book.create_sheet("second")
for row in [["height"], [1.62], [1.8]]:
    sheet.append(row)
book.save(HERE / "second.xlsx")

table = pa.table(
    {
        "name": NAMES,
        "height": pa.array(HEIGHT, pa.float32()),
        "weight": pa.array(WEIGHT, pa.float64()),
        "id": pa.array([1, 2, 2**50], pa.int64()),
        "price": pa.array(["1.10", "2.25", "3.00"]).cast(pa.decimal128(10, 2)),
    }
)
for compression in ["snappy", "zstd", "gzip"]:
    pq.write_table(table, HERE / f"people-{compression}.parquet", compression=compression)

# A table further down, and numbers as other programs write them: with all digits, or with the 17 of a double.
book = openpyxl.Workbook()
sheet = book.active
for row in [[], [" "], ["long", "short", "bits"], [111, 2.5, 222], [3, 4, 5]]:
    sheet.append(row)
path = HERE / "digits.xlsx"
book.save(path)
with ZipFile(path) as file:
    parts = {part: file.read(part) for part in file.infolist()}
with ZipFile(path, "w") as file:
    for part, content in parts.items():
        content = content.replace(b"<v>111</v>", b"<v>12345678901234567890</v>")
        file.writestr(part, content.replace(b"<v>222</v>", b"<v>1.6200000000000001</v>"))

# Two columns of one name, behind one that has parts; decimals in bytes and in whole numbers.
LONG = Decimal("12345678901234567890.12")
table = pa.Table.from_arrays(
    [
        pa.array([{"a": 1, "b": 2}, None]),
        pa.array([1, 2]),
        pa.array([3, 4]),
        pa.array([LONG, Decimal("1.00")], pa.decimal128(38, 2)),
        pa.array([Decimal("-0.05"), Decimal("12.50")], pa.decimal128(38, 2)),
        pa.array([Decimal("-123456789012.3456"), None], pa.decimal128(18, 4)),
        pa.array([Decimal("7"), Decimal("-8")], pa.decimal128(5, 0)),
        pa.array([b"\xff\x85", b"\x01\x00\x00"], pa.binary()),
        pa.array(["1.5", "x"], pa.binary()),
        pa.array(["9007199254740993", "1"], pa.json_()),
    ],
    names=["parts", "x", "x", "long", "bytes", "int64", "int32", "varied", "letters", "json"],
)
path = HERE / "digits.parquet"
pq.write_table(table, path, store_decimal_as_integer=True)
# Bytes of any number as a decimal, which no program here writes: converted type 5, scale 1, precision 18, behind the name.
content = path.read_bytes()
name = b"\x18\x06varied"
footer = content[-8 - int.from_bytes(content[-8:-4], "little") : -8]
body = content[: -8 - len(footer)]
footer = footer.replace(name, name + bytes([0x25, 10, 0x15, 2, 0x15, 36]), 1)
path.write_bytes(body + footer + len(footer).to_bytes(4, "little") + b"PAR1")
