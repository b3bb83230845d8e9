"""Parcels of a courier; a timestamp for each step, weights in grams, some lost."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(5102)
    n = 3100
    sent = pd.Timestamp("2024-01-02 07:00") + pd.to_timedelta(
        rng.integers(0, 270, n) * 1440 + rng.integers(0, 780, n), unit="min")
    service = rng.choice(["express", "standard", "economy"], n, p=[.22, .56, .22])
    days = pd.Series(service).map({"express": 1.1, "standard": 2.7, "economy": 5.2}) \
        * rng.gamma(6, 1 / 6, n)
    promised = pd.Series(service).map({"express": 1, "standard": 3, "economy": 6})
    got = pd.Series(sent + pd.to_timedelta((days * 1440).round(), unit="min"))
    status = pd.Series(rng.choice(["delivered", "returned", "lost", "in transit"], n,
                                  p=[.9, .05, .01, .04]))
    got[status != "delivered"] = pd.NaT
    weight = rng.gamma(1.6, 1500, n).round().astype(int) + 40
    return {"parcels": pd.DataFrame({
        "tracking_no": [f"PX{i:07}" for i in rng.permutation(n) + 1000], "shipped_at": sent,
        "delivered_at": got, "service": service, "promised_days": promised, "status": status,
        "depot": rng.choice(["Leeds", "York", "Hull", "Bristol", "Cardiff"], n,
                            p=[.3, .15, .15, .25, .15]),
        "driver": rng.choice([f"D{i:02}" for i in range(1, 19)], n),
        "zone": rng.choice(["urban", "suburban", "rural"], n, p=[.5, .32, .18]),
        "weight_g": weight, "dist_km": rng.gamma(2, 60, n).round(1),
        "attempts": rng.choice([1, 2, 3], n, p=[.82, .13, .05]),
        "signature": rng.choice(["Y", "N"], n, p=[.35, .65]),
        "price_gbp": [f"£{p:,.2f}" for p in 2.4 + weight / 900 + promised.rsub(7) * .8],
        "fuel_surcharge": (rng.random(n) * 1.2).round(2),
        "damaged": (rng.random(n) < .024).astype(int),
        "complaint": pd.Series(rng.choice(["late", "damaged", "wrong address", "rude"], n))
        .mask(pd.Series(rng.random(n) < .93))})}


def prepare(parcels):
    d = parcels
    d["price"] = d.price_gbp.str.replace("[£,]", "", regex=True).astype(float)
    d["kg"] = d.weight_g / 1000
    d["h"] = (d.delivered_at - d.shipped_at).dt.total_seconds() / 3600
    d["late"] = d.h / 24 > d.promised_days
    d["month"] = d.shipped_at.dt.to_period("M")
    d["signed"] = d.signature == "Y"
    d["weekend"] = d.shipped_at.dt.dayofweek >= 5
    return {"d": d}


QUESTIONS = [
    q("n", "e", "number of parcels by depot", "d.depot.value_counts()"),
    q("status", "e", "how many parcels are in each status?", "d.status.value_counts()"),
    q("lost", "e", "how many parcels got lost?", "(d.status=='lost').sum()"),
    q("rev", "e", "total price per service", "d.groupby('service').price.sum()"),
    q("wt", "e", "average weight by zone", "d.groupby('zone').weight_g.mean()",
      "d.groupby('zone').kg.mean()"),
    q("heavy", "e", "the heaviest parcel", "top(d.set_index('tracking_no').weight_g)",
      "d.weight_g.max()"),
    q("drivers", "e", "how many drivers do we have?", "d.driver.nunique()"),
    q("busy", "e", "which driver delivered the most parcels?",
      "top(d[d.status=='delivered'].driver.value_counts())", assumes("top(d.driver.value_counts())")),
    q("month", "e", "parcels shipped per month", "d.month.value_counts().sort_index()"),
    q("line", "e", "line chart of monthly revenue", "d.groupby('month').price.sum()", chart="line"),
    q("hist", "e", "histogram of distances", "Hist(d.dist_km)", chart="hist"),
    q("scat", "e", "plot price against weight", "Pairs(d.weight_g, d.price)",
      "Pairs(d.price, d.weight_g)", "Pairs(d.kg, d.price)", chart="scatter"),
    q("surch", "e", "average fuel surcharge", "d.fuel_surcharge.mean()"),
    q("over5", "m", "how many parcels weigh more than 5 kg?", "(d.weight_g>5000).sum()"),
    q("dam", "m", "damage rate by depot", "d.groupby('depot').damaged.mean()", share=True),
    q("damn", "e", "number of damaged parcels per service", "d.groupby('service').damaged.sum()"),
    q("ret", "m", "what share of economy parcels is returned?",
      "(d[d.service=='economy'].status=='returned').mean()", share=True),
    q("att", "m", "percentage of parcels delivered at the first attempt",
      "(d.attempts==1).mean()", "((d.attempts==1)&(d.status=='delivered')).mean()",
      "(d[d.status=='delivered'].attempts==1).mean()", share=True),
    q("att2", "m", "parcels that needed more than one attempt, by zone",
      "d[d.attempts>1].zone.value_counts()"),
    q("hours", "m", "how long does delivery take on average, by service?",
      "d.groupby('service').h.mean()", "d.groupby('service').h.mean()/24"),
    q("med", "m", "median delivery time in days per depot",
      "d.groupby('depot').h.median()/24"),
    q("fast", "m", "which depot delivers fastest?", "bottom(d.groupby('depot').h.mean())",
      "bottom(d.groupby('depot').h.median())", "bottom(d.groupby('depot').h.mean()/24)"),
    q("day", "m", "on which weekday do we ship the most?",
      "top(d.shipped_at.dt.day_name().value_counts())"),
    q("hour", "m", "shipments by hour of day", "d.shipped_at.dt.hour.value_counts()"),
    q("wend", "m", "how many parcels were shipped on a Saturday or Sunday?", "d.weekend.sum()"),
    q("sig", "m", "do signed-for parcels cost more?", "d.groupby('signed').price.mean()"),
    q("nosig", "m", "average price of parcels without signature", "d[~d.signed].price.mean()"),
    q("compl", "m", "how many parcels led to a complaint?", "d.complaint.notna().sum()"),
    q("complk", "m", "complaints by kind, most frequent first", "d.complaint.value_counts()",
      order=True),
    q("pkm", "h", "revenue per km by zone",
      "d.groupby('zone').price.sum()/d.groupby('zone').dist_km.sum()",
      assumes("(d.price/d.dist_km).groupby(d.zone).mean()")),
    q("pkg", "h", "price per kilogram by service",
      "d.groupby('service').price.sum()/d.groupby('service').kg.sum()",
      assumes("(d.price/d.kg).groupby(d.service).mean()")),
    q("within", "h", "share of parcels delivered within 48 hours", "(d.h<=48).mean()",
      "(d.dropna(subset='h').h<=48).mean()", share=True),
    q("within2", "h", "how many standard parcels took more than 4 days?",
      "(d[d.service=='standard'].h>96).sum()"),
    q("twow", "m", "parcels by depot and service", "pd.crosstab(d.depot, d.service)"),
    q("last", "h", "parcels shipped in the last 14 days by service",
      "d[d.shipped_at>d.shipped_at.max()-pd.Timedelta(days=14)].service.value_counts()",
      assumes("d[d.shipped_at.dt.normalize()>d.shipped_at.max().normalize()-pd.Timedelta(days=14)]"
              ".service.value_counts()")),
    q("comp", "m", "compare Leeds and Bristol by average delivery price",
      "d[d.depot.isin(['Leeds','Bristol'])].groupby('depot').price.mean()"),
    q("mom", "h", "month over month growth in parcels",
      "(d.month.value_counts().sort_index().pct_change()*100).dropna()", share=True),
    q("roll", "h", "7 day rolling average of parcels shipped",
      "d.groupby(d.shipped_at.dt.normalize()).size().asfreq('D',fill_value=0).rolling(7).mean().dropna()",
      "d.groupby(d.shipped_at.dt.normalize()).size().rolling(7).mean().dropna()",
      "d.groupby(d.shipped_at.dt.normalize()).size().rolling('7D').mean()"),
    q("top3", "h", "three busiest drivers in each depot",
      "d.groupby('depot').driver.apply(lambda s: s.value_counts().head(3))"),
    q("many", "h", "drivers with more than 180 parcels",
      "(lambda s: s[s>180])(d.driver.value_counts())",
      "(lambda s: Keys(s[s>180].index))(d.driver.value_counts())",
      "(d.driver.value_counts()>180).sum()"),
    q("q2", "m", "revenue in the second quarter of 2024",
      "d[d.shipped_at.dt.quarter==2].price.sum()"),
    q("rural", "h", "what percentage of revenue comes from rural deliveries?",
      "d[d.zone=='rural'].price.sum()/d.price.sum()", share=True),
    q("wband", "h", "number of parcels by weight: up to 1 kg, 1 to 5 kg, over 5 kg",
      "Values(d.groupby(pd.cut(d.kg,[0,1,5,1e9]),observed=True).size().tolist())"),
    q("light", "m", "average distance of parcels lighter than 500 g",
      "d[d.weight_g<500].dist_km.mean()"),
    q("latec", "h", "which depot has the highest share of late complaints among its complaints?",
      "top((d.complaint.dropna()=='late').groupby(d.depot).mean())"),
    q("totsur", "h", "total of price plus fuel surcharge by depot",
      "(d.price+d.fuel_surcharge).groupby(d.depot).sum()"),
    q("diff", "h", "difference between urban and rural average delivery time",
      "d[d.zone=='urban'].h.mean()-d[d.zone=='rural'].h.mean()",
      "d[d.zone=='rural'].h.mean()-d[d.zone=='urban'].h.mean()",
      "(d[d.zone=='rural'].h.mean()-d[d.zone=='urban'].h.mean())/24",
      "(d[d.zone=='urban'].h.mean()-d[d.zone=='rural'].h.mean())/24",
      "d[d.zone.isin(['urban','rural'])].groupby('zone').h.mean()/24"),
    q("corr", "m", "correlation of distance and number of attempts",
      "d.dist_km.corr(d.attempts)"),
    q("both", "m", "parcels that are both damaged and returned",
      "((d.damaged==1)&(d.status=='returned')).sum()",
      "Keys(d[(d.damaged==1)&(d.status=='returned')].tracking_no)"),
    q("co2", "m", "CO2 emissions per depot", REFUSE),
    q("cust", "m", "top 5 customers by number of parcels", REFUSE),
]
