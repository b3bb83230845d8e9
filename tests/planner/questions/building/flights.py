"""Departures of one airport; delays are minutes, the early ones negative, cancelled ones missing."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(707)
    n = 4000
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 330, n), unit="D")
    carrier = rng.choice(["Norwind", "AeroSur", "Pacifica", "BlueJet", "Tundra Air"], n,
                         p=[.3, .25, .2, .15, .1])
    base = pd.Series(carrier).map({"Norwind": 6, "AeroSur": 14, "Pacifica": 9, "BlueJet": 19,
                                   "Tundra Air": 11}).to_numpy()
    delay = pd.Series((rng.gamma(1.2, base, n) - 6).round())
    cancelled = rng.random(n) < .025
    delay[cancelled] = np.nan
    dest = rng.choice(["LIS", "OSL", "JFK", "DXB", "FRA", "MAD", "HEL"], n)
    dist = pd.Series(dest).map({"LIS": 1560, "OSL": 1180, "JFK": 5540, "DXB": 5470, "FRA": 640,
                                "MAD": 1250, "HEL": 1850}).to_numpy()
    return {"flights": pd.DataFrame({
        "flight_date": day, "carrier": carrier,
        "flight_no": [f"{c[:2].upper()}{i}" for c, i in zip(carrier, rng.integers(100, 160, n))],
        "dest": dest, "dep_delay_min": delay,
        "arr_delay_min": (delay + rng.normal(-3, 9, n)).round(),
        "distance_km": dist, "seats": rng.choice([120, 150, 180, 240], n),
        "passengers": (rng.choice([120, 150, 180, 240], n) * rng.uniform(.4, .5, n)).astype(int),
        "cancelled": cancelled, "aircraft": rng.choice(["A320", "B737", "E190", "A330"], n),
        "delay_cause": np.where(delay > 15, rng.choice(["weather", "crew", "technical", "traffic"],
                                                       n), None)})}


def prepare(flights):
    d = flights
    d["month"] = d.flight_date.dt.to_period("M")
    d["wd"] = d.flight_date.dt.day_name()
    d["late"] = d.dep_delay_min > 15
    d["flew"] = ~d.cancelled
    d["load"] = d.passengers / d.seats
    return {"d": d, "f": d[d.flew]}


QUESTIONS = [
    q("n", "e", "How many flights are in the data?", "len(d)", assumes("d.flight_no.nunique()")),
    q("carriers", "e", "how many carriers are there", "d.carrier.nunique()"),
    q("list", "e", "what destinations do we serve?", "Keys(d.dest.unique())",
      "d.dest.value_counts()"),
    q("avg", "e", "what's the average departure delay", "d.dep_delay_min.mean()"),
    q("avgcar", "e", "average departure delay for every carrier",
      "d.groupby('carrier').dep_delay_min.mean()"),
    q("busiest", "e", "Which carrier flies the most?", "top(d.carrier.value_counts())",
      assumes("top(d.groupby('carrier').distance_km.sum())")),
    q("pax", "e", "how many passengers were carried in total?", "d.passengers.sum()"),
    q("canc", "e", "how many flights were cancelled?", "d.cancelled.sum()"),
    q("cancpct", "m", "what percentage of flights got cancelled", "d.cancelled.mean()", share=True),
    q("cancar", "m", "cancellation rate by carrier", "d.groupby('carrier').cancelled.mean()",
      share=True),
    q("worst", "m", "which airline has the worst average departure delay?",
      "top(d.groupby('carrier').dep_delay_min.mean())"),
    q("best", "m", "which destination has the lowest mean arrival delay",
      "bottom(d.groupby('dest').arr_delay_min.mean())"),
    q("toofl", "m", "how many flights left more than an hour late?", "(d.dep_delay_min>60).sum()"),
    q("early", "h", "How many flights departed early?", "(d.dep_delay_min<0).sum()"),
    q("shlate", "m", "share of departures delayed by more than 15 minutes",
      "d.late.mean()", "d.late.sum()/d.dep_delay_min.notna().sum()", share=True),
    q("shlatec", "h", "for each carrier, the percentage of flights with a departure delay over 15",
      "d.groupby('carrier').late.mean()",
      "d[d.dep_delay_min.notna()].groupby('carrier').late.mean()", share=True),
    q("mon", "e", "flights per month", "d.groupby('month').size()"),
    q("monline", "e", "plot the number of passengers per month as a line",
      "d.groupby('month').passengers.sum()", chart="line"),
    q("busymon", "m", "In which month did we have the most passengers?",
      "top(d.groupby('month').passengers.sum())"),
    q("wdbusy", "m", "what day of the week is the quietest",
      "bottom(d.wd.value_counts())"),
    q("jfk", "e", "how many flights to JFK?", "(d.dest=='JFK').sum()"),
    q("jfkdxb", "h", "compare average passengers on flights to JFK and DXB",
      "d[d.dest.isin(['JFK','DXB'])].groupby('dest').passengers.mean()"),
    q("norw", "m", "how many Norwind flights went to Oslo or OSL in March?",
      "((d.carrier=='Norwind')&(d.dest=='OSL')&(d.flight_date.dt.month==3)).sum()"),
    q("weath", "m", "How many delays were caused by weather?", "(d.delay_cause=='weather').sum()"),
    q("causes", "m", "what are the most common causes of delay?",
      "d.delay_cause.value_counts()"),
    q("causepct", "m", "break down the delay causes in percent",
      "d.delay_cause.value_counts(normalize=True)",
      assumes("d.delay_cause.value_counts()/len(d)"), share=True),
    q("load", "h", "average load factor (passengers divided by seats)", "d.load.mean()",
      "d.passengers.sum()/d.seats.sum()"),
    q("loadcar", "h", "passengers per seat by carrier",
      "d.groupby('carrier').passengers.sum()/d.groupby('carrier').seats.sum()",
      "d.groupby('carrier').load.mean()"),
    q("empty", "h", "how many seats stayed empty in total?", "(d.seats-d.passengers).sum()"),
    q("pctl", "m", "90th percentile of arrival delay per carrier",
      "d.groupby('carrier').arr_delay_min.quantile(.9)"),
    q("medlong", "m", "median departure delay of flights longer than 3000 km",
      "d[d.distance_km>3000].dep_delay_min.median()"),
    q("range", "m", "smallest and largest arrival delay",
      "Values([d.arr_delay_min.min(), d.arr_delay_min.max()])"),
    q("corr", "m", "is departure delay correlated with arrival delay?",
      "d.dep_delay_min.corr(d.arr_delay_min)"),
    q("scat", "e", "scatter of departure delay against arrival delay",
      "Pairs(d.dep_delay_min, d.arr_delay_min)", "Pairs(d.arr_delay_min, d.dep_delay_min)",
      chart="scatter"),
    q("hist", "e", "histogram of arrival delays", "Hist(d.arr_delay_min)", chart="hist"),
    q("box", "m", "show the spread of departure delays by carrier as boxes",
      "box(d,'carrier','dep_delay_min')", chart="box"),
    q("topdest", "m", "top 3 destinations by number of passengers",
      "top(d.groupby('dest').passengers.sum(), 3)"),
    q("topper", "h", "busiest destination of each carrier",
      "pd.crosstab(d.carrier, d.dest).idxmax(axis=1)"),
    q("carsh", "m", "each carrier's share of all passengers",
      "d.groupby('carrier').passengers.sum()/d.passengers.sum()", share=True),
    q("mom", "h", "how did the number of passengers change from one month to the next?",
      "d.groupby('month').passengers.sum().diff().dropna()",
      assumes("d.groupby('month').passengers.sum().pct_change().dropna()*100")),
    q("cum", "h", "cumulative cancellations over the months",
      "d.groupby('month').cancelled.sum().cumsum()"),
    q("wkend", "h", "do weekend flights have longer delays than weekday flights? use departure",
      "d.groupby(d.flight_date.dt.dayofweek>=5).dep_delay_min.mean()"),
    q("summer", "h", "number of flights between June and August",
      "d.flight_date.dt.month.between(6,8).sum()"),
    q("xt", "m", "flights by carrier and aircraft", "pd.crosstab(d.carrier, d.aircraft)"),
    q("having", "h", "which flight numbers were cancelled at least twice?",
      "(lambda s: Keys(s[s>=2].index))(d[d.cancelled].flight_no.value_counts())",
      "(lambda s: s[s>=2])(d[d.cancelled].flight_no.value_counts())"),
    q("nodel", "h", "what fraction of flights arrived on time or early, i.e. arrival delay of 0 or less",
      "(d.arr_delay_min<=0).mean()", "(d.arr_delay_min.dropna()<=0).mean()", share=True),
    q("sd", "m", "which destination has the most variable departure delay, by standard deviation",
      "top(d.groupby('dest').dep_delay_min.std())"),
    q("lis", "m", "flights to Lisbon (LIS) or Madrid (MAD) per month",
      "d[d.dest.isin(['LIS','MAD'])].groupby('month').size()",
      "pd.crosstab(d[d.dest.isin(['LIS','MAD'])].month, d.dest)"),
    q("km", "m", "average distance flown by aircraft type", "d.groupby('aircraft').distance_km.mean()"),
    q("q2", "m", "passengers in the second quarter", "d[d.flight_date.dt.quarter==2].passengers.sum()"),
    q("fuel", "m", "how much fuel was burnt per flight?", REFUSE),
    q("tix", "m", "average ticket price per carrier", REFUSE),
]
