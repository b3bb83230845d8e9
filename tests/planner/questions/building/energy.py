"""Hourly electricity of office sites, and what they are like."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(505)
    hours = pd.date_range("2024-01-01", "2024-06-30 23:00", freq="3h")
    frames = []
    for site, base, solar, city in (("Alpha", 40, 0, "Oslo"), ("Bravo", 65, 1, "Bergen"),
                                    ("Charlie", 22, 1, "Oslo"), ("Delta", 90, 0, "Malmo"),
                                    ("Echo", 33, 0, "Malmo"), ("Foxtrot", 51, 1, "Bergen")):
        day = np.where((hours.hour >= 6) & (hours.hour < 18), 1.6, .8)
        week = np.where(hours.dayofweek >= 5, .6, 1)
        temp = 6 - 9 * np.cos((hours.dayofyear + 10) / 366 * 2 * np.pi) + rng.normal(0, 3, len(hours))
        kwh = base * day * week * (1 + .015 * np.clip(15 - temp, 0, None)) * rng.normal(1, .08, len(hours))
        frames.append(pd.DataFrame({
            "reading_ts": hours.strftime("%Y-%m-%dT%H:%M:%S"), "site": site, "city": city,
            "kwh": kwh.round(2), "temp_c": temp.round(1), "has_solar": bool(solar),
            "solar_kwh": (solar * np.clip(rng.normal(9, 4, len(hours)), 0, None) *
                          ((hours.hour >= 9) & (hours.hour <= 15))).round(2),
            "tariff": np.where((hours.hour >= 6) & (hours.hour < 18), "peak", "off-peak"),
            "price_eur": rng.normal(.14, .03, len(hours)).clip(.03).round(4),
            "co2_g_per_kwh": rng.normal(180, 40, len(hours)).clip(40).round(),
            "occupancy": [f"{v}%" for v in (np.where(day * week > 1.2, 70, 10)
                                            + rng.integers(-9, 10, len(hours)))],
            "status": rng.choice(["ok", "OK", "estimated", "fault"], len(hours),
                                 p=[.75, .15, .07, .03])}))
    readings = pd.concat(frames, ignore_index=True)
    gone = rng.random(len(readings))
    readings.loc[gone < .02, "kwh"] = np.nan
    readings.loc[gone > .97, "temp_c"] = np.nan
    return {"readings": readings}


def prepare(readings):
    d = readings
    d["ts"] = pd.to_datetime(d.reading_ts)
    d["cost"] = d.kwh * d.price_eur
    d["co2"] = d.kwh * d.co2_g_per_kwh
    d["net"] = d.kwh - d.solar_kwh
    d["occ"] = d.occupancy.str.rstrip("%").astype(float)
    d["st"] = d.status.str.lower()
    d["month"] = d.ts.dt.to_period("M")
    d["day"] = d.ts.dt.to_period("D")
    d["week"] = d.ts.dt.to_period("W")
    d["weekend"] = d.ts.dt.dayofweek >= 5
    return {"d": d}


QUESTIONS = [
    q("total", "e", "total kwh", "d.kwh.sum()"),
    q("site", "e", "total consumption in kwh by site", "d.groupby('site').kwh.sum()"),
    q("avgtemp", "e", "average temperature", "d.temp_c.mean()"),
    q("mintemp", "e", "coldest temperature measured", "d.temp_c.min()"),
    q("n", "e", "number of readings per site", "d.site.value_counts()"),
    q("city", "e", "mean kwh by city, largest first",
      "d.groupby('city').kwh.mean().sort_values(ascending=False)", order=True),
    q("bar", "e", "bar chart of total kwh per site", "d.groupby('site').kwh.sum()", chart="bar"),
    q("hist", "e", "distribution of temp_c as a histogram", "Hist(d.temp_c)", chart="hist"),
    q("nullkwh", "e", "how many kwh readings are missing?", "d.kwh.isna().sum()"),
    q("tariff", "e", "sum of kwh by tariff", "d.groupby('tariff').kwh.sum()"),
    q("pie", "e", "pie chart of kwh by city", "d.groupby('city').kwh.sum()", chart="pie"),
    q("sites", "e", "how many sites", "d.site.nunique()"),
    q("solar", "e", "total solar_kwh per site", "d.groupby('site').solar_kwh.sum()"),
    q("price", "e", "mean price", "d.price_eur.mean()"),
    q("fault", "e", "how many readings have status fault", "(d.status=='fault').sum()"),
    q("oslo", "e", "total kwh in Oslo", "d[d.city=='Oslo'].kwh.sum()"),
    q("max", "e", "maximum kwh of each site", "d.groupby('site').kwh.max()"),
    q("cost", "m", "total cost (kwh * price_eur)", "d.cost.sum()"),
    q("costsite", "m", "energy cost per site, kwh times price",
      "d.groupby('site').cost.sum()"),
    q("monthly", "m", "monthly consumption", "d.groupby('month').kwh.sum()"),
    q("line", "m", "line chart of kwh per month for each site",
      "d.pivot_table(index='month',columns='site',values='kwh',aggfunc='sum')", chart="line"),
    q("daily", "m", "plot daily kwh", "d.groupby('day').kwh.sum()", chart="any"),
    q("weekend", "m", "average kwh on weekends versus weekdays",
      "d.groupby('weekend').kwh.mean()",
      "pd.Series({'weekend': d[d.weekend].kwh.mean(), 'weekday': d[~d.weekend].kwh.mean()})"),
    q("hour", "m", "average kwh by hour of day", "d.groupby(d.ts.dt.hour).kwh.mean()"),
    q("peakshare", "m", "share of consumption in peak tariff",
      "d[d.tariff=='peak'].kwh.sum()/d.kwh.sum()", share=True),
    q("cityshare", "m", "percentage of total kwh by city",
      "d.groupby('city').kwh.sum()/d.kwh.sum()", share=True),
    q("scatter", "m", "kwh against temp_c as a scatter plot", "Pairs(d.temp_c,d.kwh)",
      chart="scatter"),
    q("box", "m", "boxplot kwh by tariff", "box(d,'tariff','kwh')", chart="box"),
    q("occ", "m", "average occupancy by site", "d.groupby('site').occ.mean()", share=True),
    q("status", "m", "count of readings by status, case-insensitive", "d.st.value_counts()"),
    q("notok", "m", "share of readings that are not ok", "(d.st!='ok').mean()",
      assumes("(d.status!='ok').mean()"), share=True),
    q("solaryes", "m", "compare average kwh of sites with and without solar",
      "d.groupby('has_solar').kwh.mean()"),
    q("march", "m", "kwh used in March", "d[d.month=='2024-03'].kwh.sum()"),
    q("q2", "m", "consumption in Q2 2024 by site",
      "d[d.ts>='2024-04-01'].groupby('site').kwh.sum()"),
    q("frost", "m", "how many readings below zero degrees", "(d.temp_c<0).sum()"),
    q("p90", "m", "90% quantile of kwh per site", "d.groupby('site').kwh.quantile(.9)"),
    q("highday", "m", "on which day was consumption highest?", "top(d.groupby('day').kwh.sum())"),
    q("stdev", "m", "which site has the most variable kwh (standard deviation)?",
      "top(d.groupby('site').kwh.std())"),
    q("tempmonth", "m", "mean temperature per month", "d.groupby('month').temp_c.mean()"),
    q("mom", "h", "month-over-month % change of kwh",
      "d.groupby('month').kwh.sum().pct_change().dropna()", share=True),
    q("cum", "h", "cumulative cost by month, cost being kwh x price_eur",
      "d.groupby('month').cost.sum().cumsum()"),
    q("roll", "h", "7-day rolling average of daily kwh",
      "d.groupby('day').kwh.sum().rolling(7).mean().dropna()"),
    q("net", "h", "net consumption (kwh minus solar_kwh) by site",
      "d.groupby('site').net.sum()", "d.groupby('site').kwh.sum()-d.groupby('site').solar_kwh.sum()"),
    q("co2", "h", "co2 emitted per site in kg", "d.groupby('site').co2.sum()/1000"),
    q("avgprice", "h", "consumption-weighted average price",
      "d.cost.sum()/d.dropna(subset=['kwh']).kwh.sum()"),
    q("solarshare", "h", "what share of their consumption do solar sites cover with solar?",
      "(lambda s: s.solar_kwh.sum()/s.kwh.sum())(d[d.has_solar])",
      "(lambda s: s.groupby('site').solar_kwh.sum()/s.groupby('site').kwh.sum())(d[d.has_solar])",
      share=True),
    q("corr", "h", "correlation between temperature and kwh for Delta",
      "(lambda s: s.temp_c.corr(s.kwh))(d[d.site=='Delta'])"),
    q("corrsite", "h", "correlation of temp_c and kwh per site",
      "d.groupby('site').apply(lambda g: g.temp_c.corr(g.kwh))"),
    q("heat", "h", "heatmap of mean kwh, weekday vs hour",
      "d.pivot_table(index=d.ts.dt.day_name(),columns=d.ts.dt.hour,values='kwh')", chart="heat"),
    q("bestmonth", "h", "month with the lowest consumption for each site",
      "d.pivot_table(index='month',columns='site',values='kwh',aggfunc='sum').idxmin()"),
    q("last30", "h", "total kwh in the last 30 days of data",
      "d[d.ts > d.ts.max()-pd.Timedelta(days=30)].kwh.sum()",
      "d[d.ts.dt.normalize() > d.ts.max().normalize()-pd.Timedelta(days=30)].kwh.sum()",
      "d[d.ts >= d.ts.max().normalize()-pd.Timedelta(days=30)].kwh.sum()",
      "d[d.ts >= d.ts.max()-pd.Timedelta(days=30)].kwh.sum()"),
    q("janjun", "h", "by how much did total kwh fall between January and June?",
      "(lambda s: s['2024-01']-s['2024-06'])(d.groupby('month').kwh.sum())",
      "(lambda s: s['2024-06']-s['2024-01'])(d.groupby('month').kwh.sum())",
      "(lambda s: (s['2024-06']/s['2024-01']-1)*100)(d.groupby('month').kwh.sum())"),
    q("missing", "h", "share of missing kwh values per site",
      "d.kwh.isna().groupby(d.site).mean()", share=True),
    q("bigdays", "h", "how many days had a total consumption above 20000 kwh",
      "(d.groupby('day').kwh.sum()>20000).sum()"),
    q("occhigh", "h", "mean kwh when occupancy is above 60%", "d[d.occ>60].kwh.mean()"),
    q("dailyavg", "h", "average daily consumption per site",
      "d.groupby(['site','day']).kwh.sum().groupby('site').mean()"),
    q("weekpeak", "h", "week with the highest total cost (kwh*price_eur)",
      "top(d.groupby('week').cost.sum())"),
    q("gas", "e", "total gas consumption", REFUSE),
    q("staff", "m", "kwh per employee by site", REFUSE),
    q("forecast", "h", "what will consumption be in July 2025?", REFUSE),
]
