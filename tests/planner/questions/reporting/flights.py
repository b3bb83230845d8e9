"""Departures of one airport in a quarter."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1101)
    n = 9000
    carrier = rng.choice(["LH", "BA", "AF", "KL", "FR", "U2", "SK"], n,
                         p=[.3, .14, .12, .1, .16, .12, .06])
    lag = pd.Series(carrier).map({"LH": 6, "BA": 9, "AF": 11, "KL": 5, "FR": 14, "U2": 12,
                                  "SK": 4}).to_numpy()
    sched = (pd.Timestamp("2024-07-01") + pd.to_timedelta(rng.integers(0, 92, n), unit="D")
             + pd.to_timedelta(rng.choice(np.arange(5, 23), n) * 60 + rng.integers(0, 12, n) * 5,
                               unit="min"))
    delay = pd.Series(np.round(rng.gamma(.8, lag / .8, n) - 5 + (rng.random(n) < .03) * 90))
    cancelled = rng.random(n) < .022
    delay[cancelled] = np.nan
    dest = rng.choice(["LHR", "CDG", "AMS", "MAD", "FCO", "CPH", "VIE", "DUB", "ATH", "JFK"], n,
                      p=[.16, .14, .12, .11, .1, .08, .09, .07, .08, .05])
    dist = pd.Series(dest).map({"LHR": 655, "CDG": 450, "AMS": 365, "MAD": 1420, "FCO": 960,
                                "CPH": 680, "VIE": 620, "DUB": 1090, "ATH": 1800, "JFK": 6200})
    air = (dist / 12.5 + 22 + rng.normal(0, 5, n)).round()
    air[cancelled] = np.nan
    arr = (delay + rng.normal(-3, 8, n)).round()
    return {"flights": pd.DataFrame({
        "flt_no": [f"{c}{i}" for c, i in zip(carrier, rng.integers(100, 999, n))],
        "carrier": carrier, "dest": dest, "sched_dep": sched.strftime("%Y-%m-%d %H:%M"),
        "dep_delay": delay, "arr_delay": arr, "air_time": air, "dist_km": dist,
        "cancelled": cancelled.astype(int),
        "aircraft": rng.choice(["A320", "A319", "B738", "E190", "a320"], n,
                               p=[.38, .2, .25, .12, .05]),
        "seats": rng.choice([120, 150, 180, 189], n), "load_factor": [
            f"{v:.0f}%" for v in rng.normal(82, 9, n).clip(30, 100)],
        "gate": rng.choice(["A1", "A2", "A3", "B1", "B2", "C1", None], n),
        "intl": rng.choice(["Y", "N"], n, p=[.87, .13])})}


def prepare(flights):
    d = flights
    d["dep"] = pd.to_datetime(d.sched_dep)
    d["load"] = d.load_factor.str.rstrip("%").astype(float)
    d["type"] = d.aircraft.str.upper()
    d["day"] = d.dep.dt.to_period("D")
    d["week"] = d.dep.dt.to_period("W")
    d["month"] = d.dep.dt.to_period("M")
    d["mname"] = d.dep.dt.month_name()
    d["hour"] = d.dep.dt.hour
    d["speed"] = d.dist_km / d.air_time * 60
    d["gain"] = d.dep_delay - d.arr_delay
    d["late"] = d.dep_delay > 15
    d["pax"] = d.seats * d.load / 100
    f = d[d.cancelled == 0]
    return {"d": d, "f": f}


QUESTIONS = [
    q("n", "e", "number of flights", "len(d)", assumes("len(f)")),
    q("carrier", "e", "flights by carrier", "d.carrier.value_counts()"),
    q("avgdelay", "e", "average departure delay", "d.dep_delay.mean()"),
    q("delaycarrier", "e", "avg dep_delay per carrier, worst first",
      "d.groupby('carrier').dep_delay.mean().sort_values(ascending=False)", order=True),
    q("cancel", "e", "how many flights were cancelled", "d.cancelled.sum()"),
    q("maxdelay", "e", "longest arrival delay", "d.arr_delay.max()"),
    q("dests", "e", "how many destinations are served?", "d.dest.nunique()"),
    q("hist", "e", "histogram of dep_delay", "Hist(d.dep_delay)", chart="hist"),
    q("bardest", "e", "bar chart of the number of flights per destination",
      "d.dest.value_counts()", chart="bar"),
    q("pie", "e", "flights by carrier as a pie", "d.carrier.value_counts()", chart="pie"),
    q("jfk", "e", "how many flights went to JFK", "(d.dest=='JFK').sum()",
      assumes("(f.dest=='JFK').sum()")),
    q("medair", "e", "median air time by destination", "d.groupby('dest').air_time.median()"),
    q("topdest", "e", "3 most frequent destinations", "top(d.dest.value_counts(),3)"),
    q("nogate", "e", "flights with missing gate", "d.gate.isna().sum()",
      "Keys(d[d.gate.isna()].flt_no)"),
    q("distance", "e", "total distance flown per carrier", "d.groupby('carrier').dist_km.sum()",
      assumes("f.groupby('carrier').dist_km.sum()")),
    q("box", "e", "box plot of arr_delay by carrier", "box(d,'carrier','arr_delay')", chart="box"),
    q("types", "m", "flights per aircraft type (a320 = A320)", "d.type.value_counts()"),
    q("late", "m", "share of flights departing more than 15 minutes late", "d.late.mean()",
      "f.late.mean()", share=True),
    q("latecarrier", "m", "percent of flights delayed over 15 min, by carrier",
      "d.groupby('carrier').late.mean()", "f.groupby('carrier').late.mean()", share=True),
    q("cancelrate", "m", "cancellation rate per carrier", "d.groupby('carrier').cancelled.mean()",
      share=True),
    q("worst", "m", "which carrier cancels most often, relative to its flights?",
      "top(d.groupby('carrier').cancelled.mean())"),
    q("ontime", "m", "share of flights that left on time or early", "(d.dep_delay<=0).mean()",
      "(f.dep_delay<=0).mean()", share=True),
    q("daily", "m", "flights per day as a line chart", "d.groupby('day').size()", chart="line"),
    q("month", "m", "mean departure delay by month", "d.groupby('month').dep_delay.mean()",
      "d.groupby('mname').dep_delay.mean()"),
    q("hour", "m", "average delay by hour of scheduled departure",
      "d.groupby('hour').dep_delay.mean()", assumes("d.groupby('hour').arr_delay.mean()")),
    q("days", "m", "avg departure delay monday vs friday",
      "d[d.dep.dt.dayofweek.isin([0, 4])].groupby(d.dep.dt.day_name()).dep_delay.mean()"),
    q("load", "m", "average load factor by destination", "d.groupby('dest').load.mean()",
      share=True),
    q("scatter", "m", "scatter dep_delay vs arr_delay", "Pairs(d.dep_delay,d.arr_delay)",
      chart="scatter"),
    q("aug", "m", "number of flights in August 2024", "(d.month=='2024-08').sum()",
      assumes("(f.month=='2024-08').sum()")),
    q("morning", "m", "flights scheduled before 9 am", "(d.hour<9).sum()"),
    q("intl", "m", "percentage of international flights", "(d.intl=='Y').mean()", share=True),
    q("p95", "m", "95th percentile of departure delay", "d.dep_delay.quantile(.95)"),
    q("notlh", "m", "avg dep_delay of all carriers other than LH",
      "d[d.carrier!='LH'].dep_delay.mean()",
      "d[d.carrier!='LH'].groupby('carrier').dep_delay.mean()"),
    q("longhaul", "m", "flights over 1000 km by carrier",
      "d[d.dist_km>1000].carrier.value_counts()"),
    q("lhba", "m", "compare mean arr_delay of LH and BA",
      "d[d.carrier.isin(['LH','BA'])].groupby('carrier').arr_delay.mean()"),
    q("wkday", "m", "busiest day of the week", "top(d.dep.dt.day_name().value_counts())"),
    q("crosst", "m", "table of carrier by destination, number of flights",
      "pd.crosstab(d.carrier,d.dest)"),
    q("top5delay", "m", "the five largest departure delays",
      "top(d.dep_delay,5)", "top(d.set_index('flt_no').dep_delay,5)",
      "Values(d.dep_delay.nlargest(5).tolist())"),
    q("share", "m", "market share of each carrier by flights",
      "d.carrier.value_counts(normalize=True)", share=True),
    q("speed", "h", "average speed in km/h by aircraft", "d.groupby('type').speed.mean()",
      assumes("d.groupby('aircraft').speed.mean()"),
      assumes("f.groupby('type').dist_km.sum()/f.groupby('type').air_time.sum()*60")),
    q("gain", "h", "minutes made up in the air (dep_delay - arr_delay), mean by carrier",
      "d.groupby('carrier').gain.mean()"),
    q("worstday", "h", "day with the most cancellations", "top(d.groupby('day').cancelled.sum())"),
    q("corr", "h", "correlation between distance and arrival delay", "d.dist_km.corr(d.arr_delay)"),
    q("roll", "h", "7 day rolling average of departure delay",
      "d.groupby('day').dep_delay.mean().rolling(7).mean().dropna()"),
    q("wow", "h", "weekly number of flights and the change against the week before",
      "d.groupby('week').size().diff().dropna()", "d.groupby('week').size().pct_change().dropna()*100",
      "d.groupby('week').size().pct_change().dropna()"),
    q("bestdest", "h", "for every destination, the carrier with the lowest mean departure delay",
      "d.groupby(['dest','carrier']).dep_delay.mean().unstack().idxmin(axis=1)"),
    q("minflights", "h", "mean dep_delay of destinations with at least 800 flights",
      "(lambda g: g.dep_delay.mean()[g.size()>=800])(d.groupby('dest'))",
      "d[d.dest.map(d.dest.value_counts())>=800].dep_delay.mean()"),
    q("pax", "h", "estimated passengers per carrier: seats times load factor",
      "d.groupby('carrier').pax.sum()", assumes("f.groupby('carrier').pax.sum()")),
    q("last14", "h", "share of cancelled flights in the last 14 days of the data",
      "d[d.dep > d.dep.max()-pd.Timedelta(days=14)].cancelled.mean()",
      "d[d.dep.dt.normalize() > d.dep.max().normalize()-pd.Timedelta(days=14)].cancelled.mean()",
      "d[d.dep >= d.dep.max().normalize()-pd.Timedelta(days=14)].cancelled.mean()", share=True),
    q("julsep", "h", "how did the average departure delay change from July to September?",
      "d[d.mname=='September'].dep_delay.mean()-d[d.mname=='July'].dep_delay.mean()",
      "d[d.mname.isin(['July','September'])].groupby('mname').dep_delay.mean()",
      "d.groupby('month').dep_delay.mean()"),
    q("heat", "h", "heat map of mean departure delay by weekday and hour",
      "d.pivot_table(index=d.dep.dt.day_name(),columns='hour',values='dep_delay')", chart="heat"),
    q("cum", "h", "cumulative cancellations over the days", "d.groupby('day').cancelled.sum().cumsum()"),
    q("early", "h", "of the flights that left late, what share arrived on time or early?",
      "(d[d.dep_delay>0].arr_delay<=0).mean()", assumes("(d[d.late].arr_delay<=0).mean()"),
      share=True),
    q("full", "h", "how many flights had a load factor of 95% or more", "(d.load>=95).sum()"),
    q("bins", "h", "number of flights by delay: early or on time, 1-15, 16-60, over 60 minutes",
      "d.groupby(pd.cut(d.dep_delay,[-999,0,15,60,9999]),observed=True).size()",
      "Values([(d.dep_delay<=0).sum(), d.dep_delay.between(1,15).sum(), "
      "d.dep_delay.between(16,60).sum(), (d.dep_delay>60).sum()])"),
    q("stdev", "h", "most unpredictable carrier: highest standard deviation of arr_delay",
      "top(d.groupby('carrier').arr_delay.std())"),
    q("latemonth", "h", "percentage of late flights (>15 min) by month and carrier",
      "d.pivot_table(index='month',columns='carrier',values='late')",
      "f.pivot_table(index='month',columns='carrier',values='late')", share=True),
    q("price", "e", "average ticket price by carrier", REFUSE),
    q("weather", "m", "how many delays were caused by weather?", REFUSE),
    q("pred", "h", "predict tomorrow's average delay", REFUSE),
]
