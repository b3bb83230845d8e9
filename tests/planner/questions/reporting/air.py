"""Readings of air sensors in several towns."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(1606)
    frames = []
    hours = pd.date_range("2024-03-01", "2024-09-30 18:00", freq="6h")
    for i, (sensor, town, kind, base) in enumerate((
            ("S-01", "Arden", "roadside", 19), ("S-02", "Arden", "park", 10),
            ("S-03", "Bexhill", "roadside", 23), ("S-04", "Bexhill", "industrial", 27),
            ("S-05", "Corby", "park", 9), ("S-06", "Corby", "school", 13),
            ("S-07", "Dunmore", "school", 12), ("S-08", "Dunmore", "roadside", 21))):
        n = len(hours)
        rush = np.where(np.isin(hours.hour, [6, 18]), 1.3, .85)
        free = np.where(hours.dayofweek >= 5, .8, 1)
        pm = (base * rush * free * rng.lognormal(0, .35, n)).round(1)
        temp = 15 - 7 * np.cos((hours.dayofyear - 20) / 366 * 2 * np.pi) + rng.normal(0, 2.5, n)
        rain = np.where(rng.random(n) < .2, rng.gamma(1, 3, n), 0).round(1)
        frame = pd.DataFrame({
            "sensor": sensor, "town": town, "loc_type": kind,
            "ts": (hours + pd.to_timedelta(rng.integers(0, 50, n), unit="min")),
            "pm25_ugm3": pm, "no2_ppb": (pm * .9 + rng.normal(8, 4, n)).clip(1).round(1),
            "temp_f": (temp * 9 / 5 + 32).round(1),
            "rh": [f"{v:.0f} %" for v in rng.normal(68, 12, n).clip(20, 100)],
            "rain_mm": rain, "wind": rng.choice(["calm", "light", "strong", "Light"], n,
                                                p=[.25, .45, .2, .1]),
            "batt_v": (4.1 - np.linspace(0, .6, n) + rng.normal(0, .03, n)).round(2),
            "valid": rng.choice(["TRUE", "FALSE"], n, p=[.95, .05]),
            "cal_date": str((pd.Timestamp("2023-05-10") + pd.Timedelta(days=40 * i)).date())})
        frames.append(frame)
    air = pd.concat(frames, ignore_index=True)
    gone = rng.random(len(air))
    air.loc[gone < .025, "pm25_ugm3"] = np.nan
    air.loc[(gone > .9) & (air.sensor == "S-04"), "no2_ppb"] = np.nan
    return {"air": air.sample(frac=1, random_state=5).reset_index(drop=True)}


def prepare(air):
    d = air
    d["ok"] = d.valid == "TRUE"
    d["hum"] = d.rh.str.replace(" %", "").astype(float)
    d["temp_c"] = (d.temp_f - 32) * 5 / 9
    d["w"] = d.wind.str.lower()
    d["month"] = d.ts.dt.to_period("M")
    d["day"] = d.ts.dt.to_period("D")
    d["week"] = d.ts.dt.to_period("W")
    d["rainy"] = d.rain_mm > 0
    d["cal"] = pd.to_datetime(d.cal_date)
    daily = d.groupby(["town", "day"]).pm25_ugm3.mean()
    return {"d": d, "daily": daily}


QUESTIONS = [
    q("n", "e", "how many readings are there", "len(d)"),
    q("sensors", "e", "number of sensors", "d.sensor.nunique()"),
    q("pm", "e", "average pm25_ugm3", "d.pm25_ugm3.mean()"),
    q("pmtown", "e", "mean pm2.5 by town", "d.groupby('town').pm25_ugm3.mean()"),
    q("maxpm", "e", "maximum pm25 per sensor", "d.groupby('sensor').pm25_ugm3.max()"),
    q("no2type", "e", "average no2_ppb by loc_type, highest first",
      "d.groupby('loc_type').no2_ppb.mean().sort_values(ascending=False)", order=True),
    q("hist", "e", "histogram of pm25_ugm3", "Hist(d.pm25_ugm3)", chart="hist"),
    q("rain", "e", "total rain_mm", "d.rain_mm.sum()"),
    q("bar", "e", "bar chart of readings by location type", "d.loc_type.value_counts()", chart="bar"),
    q("pie", "e", "readings per town as pie chart", "d.town.value_counts()", chart="pie"),
    q("miss", "e", "how many pm25 readings are missing?", "d.pm25_ugm3.isna().sum()"),
    q("hot", "e", "hottest temperature in fahrenheit", "d.temp_f.max()"),
    q("batt", "e", "lowest battery voltage by sensor", "d.groupby('sensor').batt_v.min()"),
    q("box", "e", "box plot of no2_ppb by town", "box(d,'town','no2_ppb')", chart="box"),
    q("arden", "e", "median pm25_ugm3 in Arden", "d[d.town=='Arden'].pm25_ugm3.median()"),
    q("scatter", "e", "scatter plot of pm25_ugm3 vs no2_ppb", "Pairs(d.pm25_ugm3,d.no2_ppb)",
      chart="scatter"),
    q("last", "e", "time of the last reading", "d.ts.max()"),
    q("invalid", "m", "percentage of invalid readings", "(~d.ok).mean()", share=True),
    q("validpm", "m", "mean pm25 using valid readings only", "d[d.ok].pm25_ugm3.mean()"),
    q("hum", "m", "average relative humidity by town", "d.groupby('town').hum.mean()", share=True),
    q("celsius", "m", "average temperature in celsius", "d.temp_c.mean()"),
    q("wind", "m", "readings by wind (same word in any case is the same)", "d.w.value_counts()"),
    q("daily", "m", "daily mean of pm25 as a line chart", "d.groupby('day').pm25_ugm3.mean()",
      chart="line"),
    q("monthly", "m", "monthly average no2", "d.groupby('month').no2_ppb.mean()"),
    q("hour", "m", "pm25 by hour of the day, on average", "d.groupby(d.ts.dt.hour).pm25_ugm3.mean()"),
    q("days", "m", "is pm25 higher on Mondays or on Fridays? show both averages",
      "d[d.ts.dt.dayofweek.isin([0, 4])].groupby(d.ts.dt.day_name()).pm25_ugm3.mean()"),
    q("over", "m", "how many readings exceed 25 ug/m3 pm25?", "(d.pm25_ugm3>25).sum()"),
    q("overpct", "m", "share of readings above 25 pm25 by sensor",
      "(d.pm25_ugm3>25).groupby(d.sensor).mean()",
      "(lambda s: (s.pm25_ugm3>25).groupby(s.sensor).mean())(d[d.pm25_ugm3.notna()])", share=True),
    q("dry", "m", "mean pm25 with and without rain", "d.groupby('rainy').pm25_ugm3.mean()"),
    q("notroad", "m", "average no2 everywhere but roadside", "d[d.loc_type!='roadside'].no2_ppb.mean()",
      "d[d.loc_type!='roadside'].groupby('loc_type').no2_ppb.mean()"),
    q("july", "m", "total rain in July 2024 by town",
      "d[d.month=='2024-07'].groupby('town').rain_mm.sum()"),
    q("p98", "m", "98th percentile of no2_ppb", "d.no2_ppb.quantile(.98)"),
    q("worst", "m", "sensor with the highest average pm25", "top(d.groupby('sensor').pm25_ugm3.mean())"),
    q("top5", "m", "5 highest pm25 readings", "top(d.pm25_ugm3,5)", "top(d.set_index('ts').pm25_ugm3,5)",
      "Values(d.pm25_ugm3.nlargest(5).tolist())"),
    q("lowbatt", "m", "sensors whose battery fell below 3.45 V",
      "Keys(d[d.batt_v<3.45].sensor.unique())", "d[d.batt_v<3.45].sensor.value_counts()"),
    q("cross", "m", "mean pm25 by town and wind (lowercase)",
      "d.pivot_table(index='town',columns='w',values='pm25_ugm3')"),
    q("std", "m", "variability: std of pm25 per loc_type", "d.groupby('loc_type').pm25_ugm3.std()"),
    q("nullsensor", "m", "missing no2 values per sensor", "d.no2_ppb.isna().groupby(d.sensor).sum()"),
    q("bexdun", "m", "compare Bexhill and Dunmore: average pm25 and no2",
      "d[d.town.isin(['Bexhill','Dunmore'])].groupby('town')[['pm25_ugm3','no2_ppb']].mean()"),
    q("lines", "m", "monthly mean pm25 per town as lines",
      "d.pivot_table(index='month',columns='town',values='pm25_ugm3')", chart="line"),
    q("wkday", "m", "average no2 per weekday", "d.groupby(d.ts.dt.day_name()).no2_ppb.mean()"),
    q("mom", "h", "percent change of the monthly mean pm25",
      "d.groupby('month').pm25_ugm3.mean().pct_change().dropna()", share=True),
    q("roll", "h", "rolling 7 day mean of daily average no2",
      "d.groupby('day').no2_ppb.mean().rolling(7).mean().dropna()"),
    q("cum", "h", "cumulative rain per month", "d.groupby('month').rain_mm.sum().cumsum()"),
    q("baddays", "h", "number of days per town with a daily mean pm25 above 20",
      "(daily>20).groupby('town').sum()"),
    q("worstday", "h", "dirtiest day: highest daily mean pm25", "top(d.groupby('day').pm25_ugm3.mean())"),
    q("cleanest", "h", "cleanest month by mean pm25 for each town",
      "d.pivot_table(index='month',columns='town',values='pm25_ugm3').idxmin()"),
    q("corr", "h", "correlation between temperature and no2", "d.temp_f.corr(d.no2_ppb)"),
    q("corrtype", "h", "correlation of pm25 and no2 for every location type",
      "d.groupby('loc_type').apply(lambda s: s.pm25_ugm3.corr(s.no2_ppb))"),
    q("last14", "h", "average pm25 per town over the last two weeks of the data",
      "d[d.ts > d.ts.max()-pd.Timedelta(days=14)].groupby('town').pm25_ugm3.mean()",
      "d[d.ts.dt.normalize() > d.ts.max().normalize()-pd.Timedelta(days=14)].groupby('town').pm25_ugm3.mean()",
      "d[d.ts >= d.ts.max().normalize()-pd.Timedelta(days=14)].groupby('town').pm25_ugm3.mean()"),
    q("seasons", "h", "compare mean pm25 in March-May with June-August",
      "Values([d[d.ts.dt.month.isin([3,4,5])].pm25_ugm3.mean(), "
      "d[d.ts.dt.month.isin([6,7,8])].pm25_ugm3.mean()])"),
    q("heat", "h", "heatmap of mean pm25 by town and month",
      "d.pivot_table(index='town',columns='month',values='pm25_ugm3')", chart="heat"),
    q("ratio", "h", "ratio of no2 to pm25, mean by loc_type",
      "d.assign(r=d.no2_ppb/d.pm25_ugm3).groupby('loc_type').r.mean()",
      "d.groupby('loc_type').no2_ppb.mean()/d.groupby('loc_type').pm25_ugm3.mean()"),
    q("rainshare", "h", "share of readings with rain, per month",
      "d.groupby('month').rainy.mean()", share=True),
    q("weekbest", "h", "which week had the most rain", "top(d.groupby('week').rain_mm.sum())"),
    q("strong", "h", "pm25 difference between calm and strong wind",
      "(lambda s: s['calm']-s['strong'])(d.groupby('w').pm25_ugm3.mean())",
      "(lambda s: s['strong']-s['calm'])(d.groupby('w').pm25_ugm3.mean())",
      "(lambda s: s[['calm','strong']])(d.groupby('w').pm25_ugm3.mean())"),
    q("min100", "h", "hours of the day with at least 1500 readings and their mean pm25",
      "(lambda g: g.pm25_ugm3.mean()[g.size()>=1500])(d.groupby(d.ts.dt.hour))"),
    q("caldays", "h", "days between calibration and the last reading, by sensor",
      "(lambda g: (g.ts.max().dt.normalize()-g.cal.max()).dt.days)(d.groupby('sensor'))",
      "(lambda g: (g.ts.max()-g.cal.max()).dt.total_seconds()/86400)(d.groupby('sensor'))"),
    q("ozone", "e", "average ozone level", REFUSE),
    q("asthma", "m", "number of asthma cases by town", REFUSE),
    q("tomorrow", "h", "will pm25 exceed the limit tomorrow?", REFUSE),
]
