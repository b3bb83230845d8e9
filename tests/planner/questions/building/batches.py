"""Batches of a factory, one row a batch; a batch that was scrapped has no units shipped."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(6203)
    n = 1700
    start = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 300 * 24 * 60, n)), unit="min")
    minutes = rng.gamma(6, 21, n).round().astype(int) + 15
    line = rng.choice(["L1", "L2", "L3", "L4"], n, p=[.31, .28, .23, .18])
    made = rng.integers(180, 1250, n)
    bad = rng.binomial(made, pd.Series(line).map({"L1": .018, "L2": .024, "L3": .041, "L4": .02}).to_numpy())
    scrapped = bad / made > .055
    return {"batches": pd.DataFrame({
        "BatchNo": [f"B{i:06}" for i in range(120000, 120000 + n)], "Line": line,
        "Product": rng.choice(["bracket", "hinge", "gear", "valve", "shaft"], n, p=[.3, .25, .2, .15, .1]),
        "Shift": rng.choice(["early", "late", "night"], n, p=[.4, .37, .23]),
        "Operator": rng.choice([f"op{i:02}" for i in range(1, 19)], n), "StartTime": start,
        "EndTime": start + pd.to_timedelta(minutes, unit="min"), "UnitsMade": made, "Defects": bad,
        "UnitsShipped": np.where(scrapped, np.nan, made - bad), "Downtime_min": np.where(
            rng.random(n) < .35, rng.gamma(1.5, 14, n).round(), 0), "Temp_C": rng.normal(71, 4.5, n).round(1),
        "Energy_kWh": (made * rng.normal(.31, .05, n)).round(1), "MaterialCost": (
            made * rng.choice([1.2, 1.9, 3.4], n)).round(2), "Scrapped": np.where(scrapped, "Y", "N"),
        "InspectedBy": rng.choice(["QA-1", "QA-2", None], n, p=[.45, .4, .15])})}


def prepare(batches):
    d = batches
    d["min"] = (d.EndTime - d.StartTime).dt.total_seconds() / 60
    d["month"], d["day"] = d.StartTime.dt.to_period("M"), d.StartTime.dt.normalize()
    d["scrap"] = d.Scrapped == "Y"
    d["rate"] = d.Defects / d.UnitsMade
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many batches were run?", "len(d)"),
    q("units", "e", "total units made per line", "d.groupby('Line').UnitsMade.sum()"),
    q("def", "e", "which product has the most defects?", "top(d.groupby('Product').Defects.sum())"),
    q("temp", "e", "average temperature by shift", "d.groupby('Shift').Temp_C.mean()"),
    q("scrap", "e", "how many batches were scrapped?", "d.scrap.sum()"),
    q("hist", "e", "distribution of temperature", "Hist(d.Temp_C)"),
    q("energy", "e", "total energy used", "d.Energy_kWh.sum()"),
    q("cost", "e", "material cost by product as a bar chart", "d.groupby('Product').MaterialCost.sum()", chart="bar"),
    q("hot", "e", "what was the highest temperature?", "d.Temp_C.max()"),
    q("scat", "e", "scatter units made against energy", "Pairs(d.UnitsMade, d.Energy_kWh)"),
    q("noqa", "e", "how many batches have not been inspected?", "d.InspectedBy.isna().sum()"),
    q("defrate", "m", "defect rate by line (defects divided by units made)",
      "d.groupby('Line').Defects.sum()/d.groupby('Line').UnitsMade.sum()", assumes("d.groupby('Line').rate.mean()"), "d.groupby('Line').rate.mean()", share=True),
    q("defall", "m", "overall defect rate", "d.Defects.sum()/d.UnitsMade.sum()", assumes("d.rate.mean()"), share=True),
    q("scrapr", "m", "scrap rate by shift", "d.groupby('Shift').scrap.mean()", share=True),
    q("scrapl", "m", "which line has the highest share of scrapped batches?", "top(d.groupby('Line').scrap.mean())"),
    q("dur", "m", "how long does a batch take on average?", "d['min'].mean()", "d['min'].mean()/60"),
    q("durp", "m", "average batch duration in minutes for each product", "d.groupby('Product')['min'].mean()"),
    q("long", "m", "batches that took longer than 4 hours", "(d['min']>240).sum()", "Keys(d[d['min']>240].BatchNo)"),
    q("down", "m", "total downtime in hours by line", "d.groupby('Line').Downtime_min.sum()/60"),
    q("downn", "m", "how many batches had any downtime?", "(d.Downtime_min>0).sum()"),
    q("downavg", "m", "average downtime of the batches that had downtime, per shift",
      "d[d.Downtime_min>0].groupby('Shift').Downtime_min.mean()"),
    q("month", "m", "units made by month", "d.groupby('month').UnitsMade.sum()"),
    q("night", "m", "defects on the night shift in March", "d[(d.Shift=='night')&(d.StartTime.dt.month==3)].Defects.sum()"),
    q("gear", "m", "number of gear and valve batches on L3", "(d.Product.isin(['gear','valve'])&(d.Line=='L3')).sum()"),
    q("range", "m", "batches with a temperature between 65 and 75 degrees", "d.Temp_C.between(65,75).sum()",
      "Keys(d[d.Temp_C.between(65,75)].BatchNo)"),
    q("kwh", "m", "energy per unit by product", "d.groupby('Product').Energy_kWh.sum()/d.groupby('Product').UnitsMade.sum()",
      "(d.Energy_kWh/d.UnitsMade).groupby(d.Product).mean()"),
    q("unitcost", "m", "material cost per unit made", "d.MaterialCost.sum()/d.UnitsMade.sum()", assumes("(d.MaterialCost/d.UnitsMade).mean()")),
    q("ops", "m", "how many operators work on each line?", "d.groupby('Line').Operator.nunique()"),
    q("opbest", "m", "5 operators with the most units made", "top(d.groupby('Operator').UnitsMade.sum(), 5)"),
    q("heat", "m", "heatmap of batches by line and shift", "pd.crosstab(d.Line, d.Shift)"),
    q("box", "m", "box plot of defects by line", "box(d, 'Line', 'Defects')"),
    q("perday", "m", "average number of batches per day", "d.groupby('day').size().mean()"),
    q("hour", "m", "at what hour of the day do most batches start?", "top(d.StartTime.dt.hour.value_counts())"),
    q("wkd", "m", "units made at weekends", "d[d.StartTime.dt.dayofweek>=5].UnitsMade.sum()"),
    q("yield", "h", "yield by product, i.e. units shipped over units made",
      "d.groupby('Product').UnitsShipped.sum()/d.groupby('Product').UnitsMade.sum()", share=True),
    q("lostu", "h", "how many units did we lose in scrapped batches?", "d[d.scrap].UnitsMade.sum()"),
    q("lostc", "h", "share of material cost that went into scrapped batches", "d[d.scrap].MaterialCost.sum()/d.MaterialCost.sum()", share=True),
    q("worst", "h", "the operator with the worst defect rate", "top(d.groupby('Operator').Defects.sum()/d.groupby('Operator').UnitsMade.sum())",
      "top(d.groupby('Operator').rate.mean())"),
    q("opmin", "h", "scrap rate of operators with at least 100 batches",
      "d.groupby('Operator').scrap.agg(['mean','size']).query('size>=100')['mean']", share=True),
    q("tempc", "h", "correlation between temperature and defects", "d.Temp_C.corr(d.Defects)"),
    q("bands", "h", "scrap rate by temperature band of 5 degrees", "d.groupby(d.Temp_C//5*5).scrap.mean()", share=True),
    q("mom", "h", "month over month change in units made", "d.groupby('month').UnitsMade.sum().diff().dropna()",
      "d.groupby('month').UnitsMade.sum().pct_change().dropna()"),
    q("roll", "h", "7-day rolling average of daily units made", "d.groupby('day').UnitsMade.sum().asfreq('D').rolling(7).mean().dropna()",
      "d.groupby('day').UnitsMade.sum().rolling(7).mean().dropna()"),
    q("mix", "h", "product mix of each line in percent", "pd.crosstab(d.Line, d.Product, normalize='index')", share=True),
    q("spread", "h", "lowest and highest temperature of every line",
      "d.groupby('Line').Temp_C.agg(['min','max'])"),
    q("p95", "h", "95th percentile of batch duration per line", "d.groupby('Line')['min'].quantile(.95)"),
    q("cool", "h", "average humidity per line", REFUSE),
    q("noise", "e", "average noise level by line", REFUSE),
    q("avgunits", "e", "average number of units made per batch", "d.UnitsMade.mean()"),
    q("l4", "e", "share of batches that ran on line L4", "(d.Line=='L4').mean()", share=True),
    q("june", "m", "energy used in June by line",
      "d[d.StartTime.dt.month==6].groupby('Line').Energy_kWh.sum()"),
    q("nodef", "m", "how many batches had no defects at all?", "(d.Defects==0).sum()"),
]
