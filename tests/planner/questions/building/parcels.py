"""Parcels of a carrier, with columns as databases name them."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(909)
    n = 3000
    ship = pd.Timestamp("2024-01-02") + pd.to_timedelta(np.sort(rng.integers(0, 270, n)), unit="D")
    promised = rng.choice([1, 2, 3, 5], n)
    took = np.clip(promised + rng.choice([-1, 0, 0, 0, 1, 2, 4], n), 1, None)
    arrived = pd.Series(ship + pd.to_timedelta(took, unit="D")).where(rng.random(n) > .03)
    weight = rng.gamma(2, 3, n).round(2)
    km = rng.integers(20, 1900, n)
    parcels = pd.DataFrame({
        "tracking_no": [f"P{i:06d}" for i in range(n)], "ship_dt": ship, "delivery_dt": arrived,
        "orig_depot": rng.choice(["Lyon", "Turin", "Graz", "Ghent"], n, p=[.4, .3, .2, .1]),
        "dest_country": rng.choice(["France", "Italy", "Austria", "Belgium", "Spain"], n),
        "service": rng.choice(["express", "standard", "economy"], n, p=[.25, .5, .25]),
        "weight_kg": weight, "distance_km": km,
        "cost": (3 + weight * .4 + km * .004).round(2),
        "price": (5 + weight * .6 + km * .006 + rng.normal(0, 1, n)).round(2),
        "promised_days": promised, "is_damaged": rng.random(n) < .03,
        "is_late": took > promised,
        "customer_type": rng.choice(["private", "business"], n, p=[.35, .65])})
    return {"parcels": parcels}


def prepare(parcels):
    d = parcels
    d["month"] = d.ship_dt.dt.to_period("M")
    d["week"] = d.ship_dt.dt.to_period("W")
    d["q"] = d.ship_dt.dt.to_period("Q")
    d["profit"] = d.price - d.cost
    d["days"] = (d.delivery_dt - d.ship_dt).dt.days
    d["wd"] = d.ship_dt.dt.day_name()
    return {"d": d}


QUESTIONS = [
    q("n", "e", "count the parcels", "len(d)"),
    q("late", "e", "how many parcels were late?", "d.is_late.sum()"),
    q("latepct", "e", "what % of parcels arrive late", "d.is_late.mean()", share=True),
    q("latedepot", "m", "late rate by depot, worst first",
      "d.groupby('orig_depot').is_late.mean()", share=True),
    q("ontime", "m", "on which service are we on time most often?",
      "top((~d.is_late).groupby(d.service).mean())", REFUSE),
    q("wt", "e", "total weight shipped to Italy", "d[d.dest_country=='Italy'].weight_kg.sum()"),
    q("avgw", "e", "avg weight of a parcel", "d.weight_kg.mean()"),
    q("heavy", "e", "what's the heaviest parcel", "d.weight_kg.max()",
      "Keys(d.nlargest(1,'weight_kg').tracking_no)"),
    q("over20", "e", "parcels heavier than 20 kg", "(d.weight_kg>20).sum()",
      "Keys(d[d.weight_kg>20].tracking_no)"),
    q("n20", "e", "how many parcels weigh less than 2 kg?", "(d.weight_kg<2).sum()"),
    q("far", "m", "average cost of parcels travelling more than 1000 km",
      "d[d.distance_km>1000].cost.mean()"),
    q("margin", "m", "total profit (price minus cost) per service",
      "d.groupby('service').profit.sum()"),
    q("perkm", "m", "cost per km by depot",
      "d.groupby('orig_depot').cost.sum()/d.groupby('orig_depot').distance_km.sum()"),
    q("perkg", "m", "price per kg for each destination country",
      "d.groupby('dest_country').price.sum()/d.groupby('dest_country').weight_kg.sum()"),
    q("dest", "e", "where do most parcels go?", "top(d.dest_country.value_counts())", REFUSE),
    q("destc", "e", "parcels by destination", "d.dest_country.value_counts()"),
    q("lyon", "m", "how many parcels from Lyon to Spain?",
      "((d.orig_depot=='Lyon')&(d.dest_country=='Spain')).sum()"),
    q("matrix", "m", "number of parcels for every combination of depot and destination country",
      "d.groupby(['orig_depot','dest_country']).size()"),
    q("transit", "m", "how long does delivery take on average?", "d.days.mean()"),
    q("transitsv", "m", "average time between shipping and delivery by service",
      "d.groupby('service').days.mean()"),
    q("damaged", "e", "damaged parcels per month", "d[d.is_damaged].groupby('month').size()"),
    q("damrate", "m", "damage rate of express vs economy",
      "d[d.service.isin(['express','economy'])].groupby('service').is_damaged.mean()", share=True),
    q("undeliv", "m", "how many parcels are still undelivered",
      "d.delivery_dt.isna().sum()", REFUSE),
    q("nodate", "m", "how many parcels have no delivery date?", "d.delivery_dt.isna().sum()"),
    q("biz", "m", "what share of revenue comes from business customers?",
      "d[d.customer_type=='business'].price.sum()/d.price.sum()", REFUSE, share=True),
    q("bizp", "m", "business customers' share of total price",
      "d[d.customer_type=='business'].price.sum()/d.price.sum()", share=True),
    q("monthcost", "m", "monthly cost trend", "d.groupby('month').cost.sum()",
      "d.groupby('month').cost.mean()"),
    q("q2", "m", "how much did we spend on cost in Q2", "d[d.q=='2024Q2'].cost.sum()"),
    q("mom", "h", "month over month growth in parcels in percent",
      "d.groupby('month').size().pct_change()*100"),
    q("roll", "h", "4-week rolling average of the number of parcels",
      "d.groupby('week').size().rolling(4).mean()"),
    q("best", "m", "which month had the most parcels", "top(d.groupby('month').size())"),
    q("top3", "h", "top 3 destination countries per depot by number of parcels",
      "d.groupby(['orig_depot','dest_country']).size().sort_values(ascending=False)"
      ".groupby('orig_depot').head(3)"),
    q("cheap", "m", "what is the cheapest service on average by price?",
      "Top(d.groupby('service').price.mean(),1,True)"),
    q("wd", "m", "parcels by weekday", "d.wd.value_counts()"),
    q("mon", "m", "how many parcels do we ship on Mondays?", "(d.wd=='Monday').sum()"),
    q("band", "h", "number of parcels in weight classes of 5 kg",
      "d.groupby((d.weight_kg//5*5)).size()"),
    q("loss", "h", "how many parcels cost more than they were priced at",
      "(d.cost>d.price).sum()"),
    q("lossb", "h", "number of parcels where cost exceeds price", "(d.cost>d.price).sum()"),
    q("mix", "h", "percentage breakdown of services within each depot",
      "d.groupby('orig_depot').service.value_counts(normalize=True)*100", share=True),
    q("both", "m", "parcels that were late and damaged", "(d.is_late&d.is_damaged).sum()",
      "Keys(d[d.is_late&d.is_damaged].tracking_no)"),
    q("either", "m", "how many parcels were late or damaged", "(d.is_late|d.is_damaged).sum()"),
    q("jan", "e", "number of parcels in January", "(d.ship_dt.dt.month==1).sum()"),
    q("summary", "m", "mean, median and max of distance by service",
      "d.groupby('service').distance_km.agg(['mean','median','max']).stack()"),
    q("fuel", "m", "fuel used by depot", REFUSE),
    q("ex", "m", "average price excluding economy", "d[d.service!='economy'].price.mean()"),
    q("last30", "m", "parcels shipped in the last 30 days",
      "(d.ship_dt>d.ship_dt.max()-pd.Timedelta(days=30)).sum()"),
    q("since", "m", "how many parcels since August",
      "(d.ship_dt>='2024-08-01').sum()"),
]
