"""Makes the files of this folder with other people's programs: pip install openpyxl==3.1.5 pyarrow==26.0.1; python make.py"""
from datetime import date
from pathlib import Path

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
