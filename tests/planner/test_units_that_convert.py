"""Units that convert, shares of groups and averages to compare with: worked out here."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

PARCELS = pd.DataFrame({"parcel_id": range(1, 7), "customer_id": [1, 1, 2, 3, 3, 3],
                        "weight_g": [400, 6000, 5200, 900, 5000, 7300],
                        "dist_m": [1500, 2500, 900, 4000, 7000, 8100]})


@pytest.mark.parametrize("question, answer", [
    ("how many parcels weigh more than 5 kg?", 3),
    ("average dist in km", 4.0),
    ("what share of customers had more than one parcel?", 200 / 3),
    ("how many parcels have a weight above the average?", 4),
])
def test_an_answer(question: str, answer: float) -> None:
    reply = bench_client.ask(question, {"parcels": PARCELS})
    names: dict = {"parcels": PARCELS, "__name__": "cell"}
    exec(reply["code"], names)
    assert names.get("answer", names.get("result")) == pytest.approx(answer)
