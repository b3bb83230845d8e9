"""Rounds of a council's bin lorries; the weighbridge writes text, the crews forget to tick boxes."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(77031)
    n = 1640
    days = pd.date_range("2023-01-02", "2024-06-28", freq="D")
    days = days[days.day_of_week < 6]
    chance = np.where(days.day_of_week == 5, .3, 1.0)
    day = np.sort(rng.choice(len(days), n, p=chance / chance.sum()))
    left = pd.Series(days[day] + pd.to_timedelta(rng.normal(405, 45, n).round().clip(300, 590),
                                                 unit="min"))
    lorries = ["KX19 BDA", "KX19 BDC", "KX20 FWE", "KX21 LMO", "KX21 LMP", "KX22 ROT", "KX22 ROU",
               "KX70 TNB", "KX71 TNH", "GW18 AAP", "GW18 AAR", "GW19 DVS", "GW20 EEJ", "GW21 HKL"]
    lorry = pd.Series(rng.choice(lorries, n, p=np.array([9, 8, 8, 7, 9, 6, 5, 8, 7, 8, 9, 6, 7, 3])
                                 / 100))
    contr = lorry.str.startswith("GW").map({True: "Greenway", False: "in-house"})
    stream = pd.Series(rng.choice(["general", "recycling", "food", "garden"], n,
                                  p=[.38, .31, .17, .14]))
    ward = rng.choice(["Harbour", "Castle", "Mill Hill", "St Anne's", "Northgate", "Elmwood",
                       "Parkside"], n, p=[.2, .17, .15, .11, .14, .13, .1])
    bins = rng.normal(780, 170, n).round().clip(260, 1350).astype(int)
    per_bin = stream.map({"general": 10.2, "recycling": 6.1, "food": 3.3, "garden": 8.4})
    summer = 1 + .35 * np.sin((left.dt.day_of_year - 105) / 365 * 2 * np.pi) * (stream == "garden")
    kg = (bins * per_bin * summer * rng.normal(1, .12, n).clip(.6, 1.5)).round(-1).astype(int)
    note = pd.Series(rng.choice(["road blocked", "short staffed", "breakdown", "snow/ice"], n,
                                p=[.45, .3, .18, .07])).mask(pd.Series(rng.random(n) < .83))
    missed = pd.Series(rng.poisson(bins * .014 * (1 + 1.3 * note.notna())
                                   * (contr == "Greenway").map({True: 1.25, False: 1}))).astype(float)
    missed = missed.mask(pd.Series(rng.random(n) < .045))
    miles = rng.gamma(9, 3.1, n).round(1) + 9
    diesel = (miles * rng.normal(1.15, .13, n) + bins / 45).round(1)
    hours = 2.6 + bins / 260 + note.notna() * .8 + rng.normal(0, .55, n)
    back = (left + pd.to_timedelta((hours.clip(lower=2) * 60).round(), unit="min")) \
        .dt.strftime("%Y-%m-%d %H:%M").mask(pd.Series(rng.random(n) < .03))
    contam = pd.Series(np.where(rng.random(n) < stream.map(
        {"general": .02, "recycling": .17, "food": .1, "garden": .06}), "Y", "N")) \
        .mask(pd.Series(rng.random(n) < .06))
    spelt = rng.random(n)
    stream = stream.where(spelt > .12, stream.str.capitalize()).where(spelt > .04, stream.str.upper())
    net = pd.Series([f"{k:,}" for k in kg]).mask(pd.Series(rng.random(n) < .025), "n/a")
    return {"waste": pd.DataFrame({
        "round_no": [f"R{i:05}" for i in range(20411, 20411 + n)], "ward": ward, "stream": stream,
        "contr": contr, "lorry": lorry, "left_depot": left, "back_at": back, "net_kg": net,
        "bins_sched": bins, "bins_missed": missed, "contam": contam, "diesel_l": diesel,
        "miles": miles, "note": note})}


def prepare(waste):
    gaps = waste.replace("n/a", np.nan).isna().sum()
    d = waste
    d["stream"] = d.stream.str.lower()
    d["kg"] = pd.to_numeric(d.net_kg.str.replace(",", ""), errors="coerce")
    d["t"] = d.kg / 1000
    d["back"] = pd.to_datetime(d.back_at)
    d["h"] = (d.back - d.left_depot).dt.total_seconds() / 3600
    d["dirty"] = d.contam.map({"Y": 1.0, "N": 0.0})
    d["month"] = d.left_depot.dt.to_period("M")
    d["year"] = d.left_depot.dt.year
    d["day"] = d.left_depot.dt.day_name()
    d["hour"] = d.left_depot.dt.hour
    return {"d": d, "gaps": gaps, "k": d.dropna(subset="bins_missed"), "w": d.dropna(subset="kg")}


QUESTIONS = [
    q("n", "e", "how many collection rounds are in the data?", "len(d)"),
    q("ward", "e", "rounds by ward", "d.ward.value_counts()"),
    q("kgs", "e", "total weight for each waste stream", "d.groupby('stream').kg.sum()",
      "d.groupby('stream').t.sum()"),
    q("miles", "e", "avg miles per round", "d.miles.mean()"),
    q("heavy", "e", "what was the heaviest load ever weighed?", "d.kg.max()", "d.t.max()",
      "top(d.set_index('round_no').kg)"),
    q("nlor", "e", "how many different lorries do we run", "d.lorry.nunique()"),
    q("lormost", "e", "which lorry goes out most often?", "top(d.lorry.value_counts())"),
    q("histd", "e", "histogram of diesel_l", "Hist(d.diesel_l)", chart="hist"),
    q("mon", "e", "plot the number of rounds month by month", "d.month.value_counts().sort_index()",
      chart="any"),
    q("scat", "e", "scatter miles vs diesel", "Pairs(d.miles, d.diesel_l)",
      "Pairs(d.diesel_l, d.miles)", chart="scatter"),
    q("missward", "e", "draw a bar chart of the missed bins in each ward",
      "d.groupby('ward').bins_missed.sum()", assumes("d.groupby('ward').bins_missed.mean()"),
      chart="bar"),
    q("meddie", "e", "median diesel, contractor by contractor", "d.groupby('contr').diesel_l.median()"),
    q("pie", "e", "pie: rounds by contractor", "d.contr.value_counts()", chart="pie"),
    q("notes", "e", "how often does each note come up", "d.note.value_counts()"),
    q("noweight", "e", "rounds that came back without a weight - count", "d.kg.isna().sum()"),
    q("minmax", "e", "lowest and highest mileage of a round", "Values([d.miles.min(), d.miles.max()])"),
    q("box", "e", "box plot of miles by ward", "box(d,'ward','miles')", chart="box"),
    q("food", "e", "number of food waste rounds", "(d.stream=='food').sum()"),
    q("diesel", "e", "total litres of diesel burnt", "d.diesel_l.sum()"),
    q("bins", "e", "typical number of bins scheduled for a round", "d.bins_sched.median()",
      "d.bins_sched.mean()"),

    q("missrate", "m", "missed bins as a percentage of scheduled bins",
      "d.bins_missed.sum()/d.bins_sched.sum()", "k.bins_missed.sum()/k.bins_sched.sum()",
      assumes("(d.bins_missed/d.bins_sched).mean()"), share=True),
    q("contrec", "m", "contamination rate for recycling", "d[d.stream=='recycling'].dirty.mean()",
      assumes("(d[d.stream=='recycling'].contam=='Y').mean()"), share=True),
    q("contward", "m", "what share of loads was flagged contaminated, ward by ward?",
      "d.groupby('ward').dirty.mean()", assumes("(d.contam=='Y').groupby(d.ward).mean()"),
      share=True),
    q("ton24", "m", "tonnes collected per month in 2024", "d[d.year==2024].groupby('month').t.sum()"),
    q("hours", "m", "average time between leaving the depot and returning (hours) per stream",
      "d.groupby('stream').h.mean()"),
    q("long", "m", "longest round, in hours", "d.h.max()", "top(d.set_index('round_no').h)"),
    q("after15", "m", "rounds that got back to the depot after 3pm",
      "((d.back.dt.hour*60+d.back.dt.minute)>900).sum()", "(d.back.dt.hour>=15).sum()",
      "Keys(d[(d.back.dt.hour*60+d.back.dt.minute)>900].round_no)",
      "Keys(d[d.back.dt.hour>=15].round_no)"),
    q("dep", "m", "departures by hour of the day as a chart", "d.hour.value_counts().sort_index()",
      chart="any"),
    q("inout", "m", "in-house versus Greenway: average kg per load", "d.groupby('contr').kg.mean()"),
    q("over8", "m", "loads heavier than 8 tonnes", "(d.kg>8000).sum()",
      "Keys(d[d.kg>8000].round_no)"),
    q("few", "m", "find lorries with fewer than 100 rounds",
      "(lambda s: s[s<100])(d.lorry.value_counts())",
      "(lambda s: Keys(s[s<100].index))(d.lorry.value_counts())"),
    q("top5", "m", "top 5 lorries by miles driven", "top(d.groupby('lorry').miles.sum(),5)"),
    q("harb", "m", "Harbour ward only, weight by stream",
      "d[d.ward=='Harbour'].groupby('stream').kg.sum()",
      "d[d.ward=='Harbour'].groupby('stream').t.sum()"),
    q("brk", "m", "breakdowns per lorry", "d[d.note=='breakdown'].lorry.value_counts()"),
    q("noted", "m", "percent of rounds with a note", "d.note.notna().mean()", share=True),
    q("gen", "m", "which ward produces the most general waste?",
      "top(d[d.stream=='general'].groupby('ward').kg.sum())",
      "top(d[d.stream=='general'].groupby('ward').t.sum())"),
    q("piv", "m", "pivot table of mean missed bins, wards down the side and streams across",
      "d.pivot_table(index='ward', columns='stream', values='bins_missed')"),
    q("corr", "m", "is load weight correlated with the number of scheduled bins?",
      "d.kg.corr(d.bins_sched)", assumes("d.kg.corr(d.bins_sched,method='spearman')")),
    q("heat", "m", "heatmap of rounds, weekday by departure hour", "pd.crosstab(d.day, d.hour)",
      "pd.crosstab(d.hour, d.day)", chart="heat"),
    q("gaps", "h", "where are values missing, and how many?", "gaps",
      assumes("waste.isna().sum()")),
    q("unfl", "m", "rounds where nobody filled in contam, by contractor",
      "d[d.contam.isna()].contr.value_counts()"),
    q("mix", "m", "how is the total weight split between the streams, in %",
      "d.groupby('stream').kg.sum()/d.kg.sum()", share=True),
    q("sat", "m", "do we collect much on Saturdays? count the rounds", "(d.day=='Saturday').sum()"),

    q("mpl", "h", "fuel economy (miles per litre) of every lorry",
      "d.groupby('lorry').miles.sum()/d.groupby('lorry').diesel_l.sum()",
      assumes("(d.miles/d.diesel_l).groupby(d.lorry).mean()")),
    q("yoy", "h", "by how many percent did the weight collected change from Jan-Jun 2023 to Jan-Jun 2024?",
      "d[d.year==2024].kg.sum()/d[(d.year==2023)&(d.left_depot.dt.month<=6)].kg.sum()-1",
      share=True),
    q("roll", "h", "3 month moving average of missed bins",
      "d.groupby('month').bins_missed.sum().rolling(3).mean().dropna()",
      "d.groupby('month').bins_missed.sum().rolling(3,min_periods=1).mean()",
      assumes("d.groupby('month').bins_missed.mean().rolling(3).mean().dropna()")),
    q("cum", "h", "line showing how the recycling tonnage accumulates over the months of 2023",
      "d[(d.year==2023)&(d.stream=='recycling')].groupby('month').t.sum().cumsum()",
      "d[(d.year==2023)&(d.stream=='recycling')].groupby('month').kg.sum().cumsum()",
      chart="line"),
    q("two", "h", "for each contractor, the two lorries that used the most diesel",
      "d.groupby(['contr','lorry']).diesel_l.sum().groupby('contr',group_keys=False).nlargest(2)",
      "d.groupby(['contr','lorry']).diesel_l.sum().groupby('contr',group_keys=False).nlargest(2)"
      ".droplevel('contr')"),
    q("impr", "h", "in which ward did the missed bin rate fall the most between 2023 and 2024?",
      "bottom((lambda g: (g.bins_missed/g.bins_sched).unstack().pipe(lambda u: u[2024]-u[2023]))"
      "(d.groupby(['ward','year'])[['bins_missed','bins_sched']].sum()))",
      "bottom((lambda g: (g.bins_missed/g.bins_sched).unstack().pipe(lambda u: u[2024]-u[2023]))"
      "(k.groupby(['ward','year'])[['bins_missed','bins_sched']].sum()))",
      assumes("bottom((d.bins_missed/d.bins_sched).groupby([d.ward,d.year]).mean().unstack()"
              ".pipe(lambda u: u[2024]-u[2023]))")),
    q("kgbin", "h", "kg per scheduled bin by stream, highest first",
      "(w.groupby('stream').kg.sum()/w.groupby('stream').bins_sched.sum()).sort_values(ascending=False)",
      "(d.groupby('stream').kg.sum()/d.groupby('stream').bins_sched.sum()).sort_values(ascending=False)",
      assumes("(d.kg/d.bins_sched).groupby(d.stream).mean().sort_values(ascending=False)"),
      order=True),
    q("over7", "h", "proportion of rounds lasting more than 7 hours, Greenway and in-house",
      "(d.dropna(subset='h').h>7).groupby(d.contr).mean()",
      assumes("(d.h>7).groupby(d.contr).mean()"), share=True),
    q("bad", "h", "list the rounds that left more than 5% of their bins behind",
      "Keys(d[d.bins_missed/d.bins_sched>.05].round_no)",
      "(d.bins_missed/d.bins_sched>.05).sum()"),
    q("season", "h", "garden waste: mean load in summer (june to august) against winter (december to february)",
      "Values([d[(d.stream=='garden')&d.left_depot.dt.month.isin([6,7,8])].kg.mean(),"
      "d[(d.stream=='garden')&d.left_depot.dt.month.isin([12,1,2])].kg.mean()])",
      "Values([d[(d.stream=='garden')&d.left_depot.dt.month.isin([6,7,8])].t.mean(),"
      "d[(d.stream=='garden')&d.left_depot.dt.month.isin([12,1,2])].t.mean()])"),
    q("delta", "h", "change in food waste kg from one month to the next",
      "d[d.stream=='food'].groupby('month').kg.sum().diff().dropna()",
      assumes("d[d.stream=='food'].groupby('month').kg.sum().pct_change().dropna()*100")),
    q("above", "h", "count the loads heavier than the mean of their own stream",
      "(d.kg>d.groupby('stream').kg.transform('mean')).sum()"),
    q("cost", "h", "disposal cost per tonne in each ward", REFUSE),
    q("resid", "h", "which streets complain most about late collections?", REFUSE),
]
