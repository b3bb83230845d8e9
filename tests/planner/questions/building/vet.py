"""Visits at a veterinary clinic; one row a visit. Species in mixed case, weights with a unit."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(3307)
    n = 1600
    pets = 420
    kinds = rng.choice(["Dog", "Cat", "Rabbit", "Parrot"], pets, p=[.48, .36, .1, .06])
    weight = {"Dog": 22, "Cat": 4.4, "Rabbit": 2.1, "Parrot": .5}
    owners = rng.integers(100, 380, pets)
    who = rng.integers(0, pets, n)
    when = pd.Timestamp("2023-01-02 08:00") + pd.to_timedelta(
        np.sort(rng.integers(0, 720, n)) * 1440 + rng.integers(0, 600, n), unit="min")
    species = np.where(rng.random(n) < .1, np.char.upper(kinds.astype(str))[who], kinds[who])
    bill = rng.gamma(2, 55, n).round(2) + 25
    paid = rng.random(n) < .86
    return {"visits": pd.DataFrame({
        "visit_id": np.arange(9001, 9001 + n), "visit_ts": when, "pet_id": who + 1,
        "owner_id": owners[who], "species": species,
        "breed_class": rng.choice(["small", "medium", "large"], pets)[who],
        "weight": [f"{w:.1f} kg" for w in
                   np.array([weight[k] for k in kinds[who]]) * rng.uniform(.7, 1.3, n)],
        "age_months": rng.integers(2, 190, pets)[who], "vet": rng.choice(
            ["Dr. Amari", "Dr. Blum", "Dr. Costa"], n, p=[.4, .35, .25]),
        "visit_reason": rng.choice(["vaccination", "check-up", "surgery", "dental", "injury"], n,
                                   p=[.3, .3, .1, .15, .15]),
        "bill_eur": bill, "discount_pct": rng.choice([0, 5, 10, 20], n, p=[.7, .1, .12, .08]),
        "paid": np.where(paid, "Y", "N"), "insured": rng.integers(0, 2, n),
        "wait_min": np.where(rng.random(n) < .06, np.nan, rng.gamma(2, 9, n).round()),
        "satisfaction": rng.choice(["poor", "fair", "good", "excellent", None], n,
                                   p=[.07, .18, .4, .25, .1])})}


def prepare(visits):
    d = visits
    d["kg"] = d.weight.str.replace(" kg", "").astype(float)
    d["kind"] = d.species.str.title()
    d["month"], d["year"] = d.visit_ts.dt.to_period("M"), d.visit_ts.dt.year
    d["ok"] = d.paid == "Y"
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many visits in March 2024?", "(d.month=='2024-03').sum()"),
    q("pets", "e", "how many different pets have we seen?", "d.pet_id.nunique()"),
    q("species", "e", "visits by species", "d.kind.value_counts()", assumes("d.kind.value_counts()")),
    q("rev", "e", "total billed per vet", "d.groupby('vet').bill_eur.sum()"),
    q("revm", "e", "monthly billing", "d.groupby('month').bill_eur.sum()"),
    q("avgbill", "e", "average bill for surgery", "d[d.visit_reason=='surgery'].bill_eur.mean()"),
    q("wtcat", "m", "average weight of cats", "d[d.kind=='Cat'].kg.mean()"),
    q("heavy", "m", "how many dogs weigh more than 25 kg?",
      assumes("((d.kind=='Dog')&(d.kg>25)).sum()"),
      "d[(d.kind=='Dog')&(d.kg>25)].pet_id.nunique()"),
    q("unpaid", "e", "how many bills are unpaid?", "(~d.ok).sum()"),
    q("unpaidsum", "m", "total amount still unpaid", "d[~d.ok].bill_eur.sum()"),
    q("unpaidpct", "m", "share of unpaid visits by reason", "(~d.ok).groupby(d.visit_reason).mean()",
      share=True),
    q("ins", "m", "average bill of insured versus uninsured pets", "d.groupby('insured').bill_eur.mean()"),
    q("inspct", "m", "what percentage of dogs are insured?",
      "d[d.kind=='Dog'].insured.mean()", share=True),
    q("wait", "e", "median waiting time by vet", "d.groupby('vet').wait_min.median()"),
    q("long", "m", "visits where the wait was longer than half an hour",
      "Keys(d[d.wait_min>30].visit_id)", "(d.wait_min>30).sum()"),
    q("hour", "m", "at what time of day do we get the most visits?",
      "top(d.visit_ts.dt.hour.value_counts())"),
    q("weekday", "m", "visits per weekday as a bar chart", "d.visit_ts.dt.day_name().value_counts()",
      chart="bar"),
    q("sat", "m", "satisfaction by vet", "pd.crosstab(d.vet,d.satisfaction).stack()",
      "pd.crosstab(d.vet,d.satisfaction,normalize='index').stack()"),
    q("good", "h", "percent of visits rated good or excellent",
      "d.satisfaction.isin(['good','excellent']).mean()",
      "d.satisfaction.dropna().isin(['good','excellent']).mean()", share=True),
    q("repeat", "h", "how many owners came more than five times?", "(d.owner_id.value_counts()>5).sum()"),
    q("perpet", "h", "average number of visits per pet", "len(d)/d.pet_id.nunique()"),
    q("topown", "m", "top 10 owners by spending", "top(d.groupby('owner_id').bill_eur.sum(),10)"),
    q("old", "m", "how many visits by pets older than 10 years?", "(d.age_months>120).sum()"),
    q("young", "m", "average age of rabbits in years", "d[d.kind=='Rabbit'].age_months.mean()/12"),
    q("net", "h", "total billed after discount", "(d.bill_eur*(1-d.discount_pct/100)).sum()"),
    q("disc", "m", "how often do we give a discount?", "(d.discount_pct>0).mean()",
      "(d.discount_pct>0).sum()", share=True),
    q("yoy", "h", "growth in billing from 2023 to 2024",
      "(d[d.year==2024].bill_eur.sum()/d[d.year==2023].bill_eur.sum()-1)*100",
      "d.groupby('year').bill_eur.sum().diff().iloc[-1]",
      "d.groupby('year').bill_eur.sum().pct_change().dropna()*100", share=True),
    q("best", "h", "most common reason for each species",
      assumes("d.groupby('kind').visit_reason.agg(lambda x: x.value_counts().idxmax())"),
      "d.groupby('kind').visit_reason.agg(lambda x: x.value_counts().idxmax())"),
    q("emerg", "m", "number of emergency visits", REFUSE),
    q("ownage", "m", "average age of the owners", REFUSE),
    q("exotics", "h", "average bill for anything other than dogs and cats",
      "d[~d.kind.isin(['Dog','Cat'])].bill_eur.mean()"),
    q("sept", "m", "compare July and August 2024 billing",
      "Values([d[d.month=='2024-07'].bill_eur.sum(), d[d.month=='2024-08'].bill_eur.sum()])"),
    q("last30", "h", "billing in the last 30 days",
      assumes("d[d.visit_ts>d.visit_ts.max()-pd.Timedelta(days=30)].bill_eur.sum()"),
      assumes("d[d.visit_ts.dt.normalize()>d.visit_ts.max().normalize()-pd.Timedelta(days=30)].bill_eur.sum()")),
    q("rolling", "h", "3 month moving average of visits", "d.month.value_counts().sort_index().rolling(3).mean().dropna()"),
    q("q3", "m", "which quarter of 2024 brought in the most?",
      "top(d[d.year==2024].groupby(d.visit_ts.dt.to_period('Q')).bill_eur.sum())",
      "top(d[d.year==2024].groupby(d.visit_ts.dt.quarter).bill_eur.sum())"),
    q("least", "m", "which vet keeps people waiting the least?",
      "bottom(d.groupby('vet').wait_min.mean())", "bottom(d.groupby('vet').wait_min.median())"),
    q("two", "h", "number of visits and average bill for each reason",
      "d.groupby('visit_reason').bill_eur.mean()"),
    q("except", "m", "average wait except for check-ups", "d[d.visit_reason!='check-up'].wait_min.mean()"),
    q("only2", "h", "only the first visit of each pet: average bill",
      "d.sort_values('visit_ts').groupby('pet_id').bill_eur.first().mean()"),
    q("noon", "h", "bills before noon versus after noon",
      "d.groupby(d.visit_ts.dt.hour<12).bill_eur.sum()", "d.groupby(d.visit_ts.dt.hour<12).bill_eur.mean()",
      "d.groupby(d.visit_ts.dt.hour<12).size()"),
    q("p90", "m", "90th percentile of the waiting time", "d.wait_min.quantile(.9)"),
    q("reasons", "e", "bar chart of visits by reason", "d.visit_reason.value_counts()", chart="bar"),
    q("maxbill", "e", "highest bill", "d.bill_eur.max()", "top(d.set_index('visit_id').bill_eur)"),
    q("owners", "e", "number of owners per vet", "d.groupby('vet').owner_id.nunique()"),
    q("hist", "e", "histogram of the bills", "Hist(d.bill_eur)", chart="hist"),
    q("waitmiss", "e", "how many visits have no waiting time?", "d.wait_min.isna().sum()"),
    q("box", "m", "box plot of waiting time by reason", "box(d,'visit_reason','wait_min')", chart="box"),
    q("surgdog", "m", "number of surgeries on dogs in 2024",
      "((d.kind=='Dog')&(d.visit_reason=='surgery')&(d.year==2024)).sum()"),
    q("cum", "h", "cumulative billing by month", "d.groupby('month').bill_eur.sum().cumsum()"),
    q("hrs", "h", "average waiting time in hours by vet", "d.groupby('vet').wait_min.mean()/60"),
]
