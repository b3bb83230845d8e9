"""Train runs of a small railway; day and times are text, passengers too, and what was cancelled has none."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

LINES = {"Coast": ("Elrick", "Seahaven", 52.4, 64), "Valley": ("Elrick", "Upper Dale", 31.8, 47),
         "Moorland": ("Dunmore", "Stanhope", 44.1, 71), "Airport": ("Elrick", "Airport", 14.6, 18)}


def clock(minutes):
    return pd.Series([f"{int(m) // 60:02}:{int(m) % 60:02}" for m in minutes])


def make():
    rng = np.random.default_rng(6093)
    days = pd.date_range("2024-09-02", "2025-02-27")
    day = np.repeat(days, rng.choice([3, 4, 5], len(days), p=[.6, .3, .1]))
    n = len(day)
    line = pd.Series(rng.choice(list(LINES), n, p=[.31, .27, .17, .25]))
    there = rng.random(n) < .5
    ends = [LINES[k][:2] if t else LINES[k][1::-1] for k, t in zip(line, there)]
    km = line.map(lambda k: LINES[k][2])
    took = line.map(lambda k: LINES[k][3])
    dep = rng.choice(np.arange(330, 1265, 5), n)
    units = pd.DataFrame({"unit": [f"U{i}" for i in (*range(201, 208), *range(411, 416), *range(701, 704))],
                          "UnitType": ["DMU-2"] * 7 + ["EMU-3"] * 5 + ["Battery"] * 3,
                          "Seats": [124] * 7 + [196] * 5 + [98] * 3})
    unit = units.iloc[rng.choice(15, n)].reset_index(drop=True)
    cold = pd.Series(day).dt.month.isin([12, 1, 2])
    weather = pd.Series(np.where(cold, rng.choice(["clear", "rain", "snow", "fog"], n, p=[.35, .3, .25, .1]),
                                 rng.choice(["clear", "rain", "fog"], n, p=[.6, .3, .1])))
    peak = ((dep >= 420) & (dep < 540)) | ((dep >= 960) & (dep < 1080))
    more = line.map({"Coast": 1.1, "Valley": .6, "Moorland": 1.9, "Airport": .3}) \
        + weather.map({"clear": 0, "rain": .5, "snow": 2.4, "fog": .9}) + np.where(peak, .8, 0)
    left = np.minimum(30, rng.poisson(1 + more * rng.gamma(.7, 1.6, n)))
    late = np.clip(left + rng.integers(-3, 4, n) + np.where(rng.random(n) < .05, rng.integers(6, 25, n), 0), -4, 44)
    canc = pd.Series(rng.random(n) < line.map({"Coast": .06, "Valley": .05, "Moorland": .13, "Airport": .04})
                     + np.where(weather == "snow", .08, 0))
    pax = np.round(rng.gamma(5, 13, n) * np.where(peak, 1.6, 1) * np.where(pd.Series(day).dt.day_of_week >= 5, .7, 1)
                   * line.map({"Coast": 1.15, "Valley": .9, "Moorland": .6, "Airport": 1.3}))
    rev = (pax * (2.1 + km * .11) * rng.normal(1, .09, n)).round(2)
    why = pd.Series(rng.choice(["no crew", "unit fault", "weather", "signal failure"], n, p=[.4, .27, .2, .13]))
    mess = rng.random(n)
    named = line.mask(mess < .04, line.str.lower()).mask(mess > .95, line.str.upper())
    count = pd.Series([f"{p:.0f}" for p in pax]).mask(rng.random(n) < .03, "n/k").mask(canc)
    runs = pd.DataFrame({
        "svc_date": pd.Series(day).dt.strftime("%d/%m/%Y"),
        "TrainNo": [f"{k}{h:02}{'A' if t else 'B'}" for k, h, t in zip(line.str[0], dep // 60, there)],
        "Line": named, "orig": [e[0] for e in ends], "dest": [e[1] for e in ends],
        "schedDep": clock(dep), "actDep": clock(dep + left).mask(canc),
        "schedArr": clock(dep + took), "actArr": clock(dep + took + late).mask(canc),
        "delay_min": pd.Series(late).where(~canc),
        "canc": np.where(canc, rng.choice(["yes", "Yes"], n, p=[.8, .2]), rng.choice(["no", "No"], n, p=[.85, .15])),
        "canc_rsn": why.where(canc & (rng.random(n) > .12)),
        "unit": unit.unit, "UnitType": unit.UnitType, "Seats": unit.Seats, "km": km, "PAX": count,
        "fare_rev_eur": rev.where(~canc), "bikes": pd.Series(rng.poisson(1.7, n)).where(~canc),
        "weather": weather.mask(rng.random(n) < .05)})
    runs = runs.assign(_d=day, _t=dep).sort_values(["_d", "_t"]).drop(columns=["_d", "_t"]).reset_index(drop=True)
    runs.insert(0, "RunID", [f"R{i:05}" for i in range(10001, 10001 + n)])
    return {"runs": runs}


def prepare(runs):
    d = runs
    d["day"] = pd.to_datetime(d.svc_date, format="%d/%m/%Y")
    d["month"] = d.day.dt.to_period("M")
    d["wd"] = d.day.dt.day_name()
    d["weekend"] = d.day.dt.day_of_week >= 5
    d["line"] = d.Line.str.title()
    d["off"] = d.canc.str.lower() == "yes"
    d["pax"] = pd.to_numeric(d.PAX, errors="coerce")
    for a in ("schedDep", "actDep", "schedArr", "actArr"):
        t = d[a].str.split(":", expand=True).astype(float)
        d["t_" + a] = t[0] * 60 + t[1]
    d["hour"] = (d.t_schedDep // 60).astype(int)
    d["left"] = d.t_actDep - d.t_schedDep
    d["took"] = d.t_actArr - d.t_actDep
    d["plan"] = d.t_schedArr - d.t_schedDep
    d["late"] = d.delay_min
    d["load"] = d.pax / d.Seats
    d["rev"] = d.fare_rev_eur
    r = d[~d.off]
    k = r[r.pax.notna()]
    a, b = d.late.quantile(.25), d.late.quantile(.75)
    return {"d": d, "r": r, "k": k, "bymonth": d.groupby("month").pax.sum(),
            "out": r[(r.late > b + 1.5 * (b - a)) | (r.late < a - 1.5 * (b - a))],
            "z3": r[(r.late - r.late.mean()).abs() > 3 * r.late.std()],
            "band": pd.cut(r.late, [-99, 0, 5, 15, 99])}


QUESTIONS = [
    # easy
    q("runs", "e", "number of runs per line", "d.line.value_counts()", assumes("r.line.value_counts()")),
    q("avg", "e", "average delay", "d.late.mean()", assumes("d.left.mean()")),
    q("avgl", "e", "avg delay by line", "d.groupby('line').late.mean()",
      assumes("d.groupby('line').left.mean()")),
    q("canc", "e", "how many trains were cancelled?", "d.off.sum()"),
    q("pax", "e", "how many passengers did we carry altogether", "d.pax.sum()"),
    q("paxl", "e", "passengers per line", "d.groupby('line').pax.sum()"),
    q("rev", "e", "how much money did tickets bring in each month", "d.groupby('month').rev.sum()"),
    q("linec", "e", "line chart of passengers per month", "bymonth", chart="line"),
    q("hist", "e", "histogram of the delays", "Hist(d.late.dropna())", chart="hist"),
    q("rsn", "e", "bar chart of cancellations by reason", "d[d.off].canc_rsn.value_counts()",
      "d[d.off].canc_rsn.fillna('missing').value_counts()", chart="bar"),
    q("scat", "e", "plot delay against number of passengers as a scatter", "Pairs(k.pax, k.late)",
      "Pairs(k.late, k.pax)", chart="scatter"),
    q("box", "e", "box plot of delay for each line", "box(d,'line','late')", chart="box"),
    q("max", "e", "What was the longest delay?", "d.late.max()", "top(d.set_index('RunID').late)"),
    q("units", "e", "how many different units do we use", "d.unit.nunique()"),
    q("types", "e", "runs by rolling stock type", "d.UnitType.value_counts()", assumes("r.UnitType.value_counts()")),
    q("wea", "e", "pie of weather conditions", "d.weather.value_counts()",
      "d.weather.fillna('missing').value_counts()", chart="pie"),
    q("busy", "e", "which line carries the most passengers?", "top(d.groupby('line').pax.sum())"),
    q("elr", "e", "how many trains start at Elrick?", "(d.orig=='Elrick').sum()",
      assumes("(r.orig=='Elrick').sum()")),
    q("bike", "e", "bicycles carried by line", "d.groupby('line').bikes.sum()"),
    # medium
    q("crate", "m", "cancellation rate by line", "d.groupby('line').off.mean()", share=True),
    q("cshare", "m", "what percentage of services got cancelled?", "d.off.mean()", share=True),
    q("five", "m", "share of trains arriving more than 5 minutes late", "(r.late>5).mean()",
      assumes("(d.late>5).mean()"), share=True),
    q("worstd", "m", "which day of the week has the worst delays?", "top(d.groupby('wd').late.mean())",
      assumes("top(d.groupby('wd').late.sum())")),
    q("paxd", "m", "average number of passengers by weekday", "d.groupby('wd').pax.mean()"),
    q("wend", "m", "Do we carry fewer people per train at the weekend than on working days?",
      "d.groupby('weekend').pax.mean()", "d.groupby('weekend').pax.median()"),
    q("hour", "m", "passengers by hour of scheduled departure", "d.groupby('hour').pax.sum()",
      assumes("d.groupby('hour').pax.mean()")),
    q("snow", "m", "delay in snow vs clear weather",
      "d[d.weather.isin(['snow','clear'])].groupby('weather').late.mean()",
      "d.groupby('weather').late.mean()", "d[d.weather.isin(['snow','clear'])].groupby('weather').late.median()"),
    q("dot", "m", "how many trains left exactly on schedule?", "(d.actDep==d.schedDep).sum()"),
    q("reason", "m", "most common reason for cancelling a train on the Moorland line",
      "top(d[d.off&(d.line=='Moorland')].canc_rsn.value_counts())"),
    q("norsn", "m", "cancelled trains with no reason given", "(d.off&d.canc_rsn.isna()).sum()",
      "Keys(d[d.off&d.canc_rsn.isna()].RunID)"),
    q("nk", "m", "for how many of the trains that ran is the passenger count unknown?", "r.pax.isna().sum()"),
    q("full", "m", "how many trains had more passengers than seats?", "(d.pax>d.Seats).sum()",
      "Keys(d[d.pax>d.Seats].RunID)"),
    q("corr", "m", "are fuller trains later? correlation of passengers and delay", "d.pax.corr(d.late)",
      "d.load.corr(d.late)", assumes("d.pax.corr(d.late, method='spearman')")),
    q("q4", "m", "fare income October to December 2024",
      "d[d.day.between('2024-10-01','2024-12-31')].rev.sum()",
      "d[d.day.between('2024-10-01','2024-12-31')].groupby('month').rev.sum()"),
    q("jan", "m", "passengers in january by line", "d[d.day.dt.month==1].groupby('line').pax.sum()"),
    q("heat", "m", "heat map of average delay, line by weekday",
      "d.pivot_table(index='line', columns='wd', values='late')",
      "d.pivot_table(index='wd', columns='line', values='late')", chart="heat"),
    q("wt", "m", "median delay per weather and unit type",
      "d.groupby(['weather','UnitType']).late.median()",
      "d.pivot_table(index='weather', columns='UnitType', values='late', aggfunc='median')"),
    q("comp", "m", "compare Coast and Valley on average fare revenue per train",
      "d[d.line.isin(['Coast','Valley'])].groupby('line').rev.mean()",
      assumes("d[d.line.isin(['Coast','Valley'])].fillna({'rev':0}).groupby('line').rev.mean()")),
    q("early", "m", "how many trains got in early?", "(d.late<0).sum()"),
    q("unitkm", "m", "which unit has run the most kilometres? leave out cancelled trains",
      "top(r.groupby('unit').km.sum())"),
    q("dests", "m", "top 3 destinations by passengers", "top(d.groupby('dest').pax.sum(),3)", order=True),
    # hard
    q("otp", "h", "punctuality by line, where on time means at most 3 minutes late",
      "(r.late<=3).groupby(r.line).mean()",
      assumes("(d.late<=3).groupby(d.line).mean()"), share=True),
    q("ldep", "h", "how late do trains leave on average, by line?", "d.groupby('line').left.mean()"),
    q("trip", "h", "actual journey time per line in minutes, average", "d.groupby('line').took.mean()"),
    q("load", "h", "load factor by line", "k.groupby('line').pax.sum()/k.groupby('line').Seats.sum()",
      "d.groupby('line').load.mean()", share=True),
    q("rpp", "h", "revenue per passenger for each line",
      "k.groupby('line').rev.sum()/k.groupby('line').pax.sum()",
      assumes("d.groupby('line').rev.sum()/d.groupby('line').pax.sum()"),
      assumes("(d.rev/d.pax).groupby(d.line).mean()")),
    q("roll", "h", "7-day rolling average of the delay",
      "d.groupby('day').late.mean().rolling(7).mean().dropna()",
      "d.groupby('day').late.mean().rolling('7D').mean()",
      "r.set_index('day').late.rolling('7D').mean().groupby('day').last()"),
    q("cum", "h", "cumulative fare revenue month by month", "d.groupby('month').rev.sum().cumsum()"),
    q("mom", "h", "how did passenger numbers change from one month to the next, in percent?",
      "bymonth.pct_change().dropna()*100", share=True),
    q("w3", "h", "the three units with the highest average delay on each line",
      "d.groupby(['line','unit']).late.mean().groupby('line', group_keys=False).nlargest(3)"),
    q("pkm", "h", "passenger-kilometres by line", "(d.pax*d.km).groupby(d.line).sum()"),
    q("rkm", "h", "fare revenue per train kilometre, by unit type",
      "r.groupby('UnitType').rev.sum()/r.groupby('UnitType').km.sum()",
      assumes("d.groupby('UnitType').rev.sum()/d.groupby('UnitType').km.sum()"),
      assumes("(d.rev/d.km).groupby(d.UnitType).mean()")),
    q("air", "h", "what part of total fare revenue does the airport line bring in, each month?",
      "d[d.line=='Airport'].groupby('month').rev.sum()/d.groupby('month').rev.sum()", share=True),
    q("band", "h", "trains by delay: on time or early, 1-5 min, 6-15 min, over 15 min",
      "Values(r.groupby(band, observed=True).size().tolist())"),
    q("am", "h", "average delay of trains leaving between 7 and 9 in the morning",
      "d[(d.t_schedDep>=420)&(d.t_schedDep<=540)].late.mean()",
      "d[(d.t_schedDep>=420)&(d.t_schedDep<540)].late.mean()",
      assumes("d[(d.t_actDep>=420)&(d.t_actDep<=540)].late.mean()"),
      assumes("d[(d.t_actDep>=420)&(d.t_actDep<540)].late.mean()"),
      assumes("d[d.hour.between(7,9)].late.mean()")),
    q("speed", "h", "avg speed in km/h by line",
      "r.groupby('line').km.sum()/r.groupby('line').took.sum()*60", "(r.km/r.took*60).groupby(r.line).mean()",
      assumes("d.groupby('line').km.sum()/d.groupby('line').plan.sum()*60"),
      assumes("(d.km/d.plan*60).groupby(d.line).mean()")),
    q("lastd", "h", "passengers carried over the last 30 days, per line",
      "d[d.day>d.day.max()-pd.Timedelta(days=30)].groupby('line').pax.sum()",
      assumes("d[d.day>=d.day.max()-pd.Timedelta(days=30)].groupby('line').pax.sum()")),
    q("outl", "h", "are there outliers in the delays, and how many?", "len(out)", "Keys(out.RunID)",
      assumes("len(z3)"), assumes("Keys(z3.RunID)")),
    # cannot be answered
    q("drv", "m", "which driver has the most delays?", REFUSE),
    q("fuel", "h", "diesel consumption per unit type", REFUSE),
]
