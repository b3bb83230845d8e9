"""Inspections of places to eat, as a city publishes them: capitals, codes, grades with an order."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(5104)
    n, places = 2600, 620
    who = rng.integers(0, places, n)
    area = rng.choice(["NORTH", "SOUTH", "EAST", "WEST", "CENTRE"], places)
    kind = rng.choice(["Pizza", "Indian", "Chinese", "Bakery", "Burger", "Cafe"], places)
    score = rng.poisson(rng.gamma(2.2, 6, places)[who])
    grade = pd.Series(np.select([score <= 9, score <= 18], ["A", "B"], "C"))
    grade[rng.random(n) < .05] = None
    return {"inspections": pd.DataFrame({
        "INSPECTION_ID": np.arange(70001, 70001 + n), "BUSINESS_ID": who + 5000,
        "BUSINESS_NAME": [f"Place {i}" for i in who], "DISTRICT": area[who], "CUISINE": kind[who],
        "INSPECTION_DATE": pd.to_datetime(np.sort(rng.integers(0, 1096, n)), unit="D",
                                          origin="2021-01-01").strftime("%Y-%m-%d"),
        "INSPECTOR": rng.choice(["Adeyemi", "Brandt", "Cohen", "Duarte", "Evans"], n),
        "INSPECTION_TYPE": rng.choice(["routine", "follow-up", "complaint"], n, p=[.68, .2, .12]),
        "SCORE": score, "GRADE": grade, "CRITICAL_VIOLATIONS": rng.binomial(5, np.clip(score / 60, 0, .9)),
        "TOTAL_VIOLATIONS": score // 3 + rng.poisson(1, n),
        "CLOSED": np.where(rng.random(n) < np.clip(score / 400, 0, 1), "Yes", "No"),
        "FINE": pd.Series(np.where(score > 15, (score * rng.uniform(8, 22, n)).round(), np.nan)),
        "DURATION_MIN": rng.gamma(5, 11, n).round().astype(int), "SEATS": rng.integers(6, 140, places)[who]})}


def prepare(inspections):
    d = inspections
    d["date"] = pd.to_datetime(d.INSPECTION_DATE)
    d["year"], d["month"] = d.date.dt.year, d.date.dt.to_period("M")
    d["shut"] = d.CLOSED == "Yes"
    d["crit"] = d.CRITICAL_VIOLATIONS > 0
    return {"d": d, "place": d.groupby("BUSINESS_ID")}


QUESTIONS = [
    q("n", "e", "how many inspections were carried out each year?", "d.year.value_counts()"),
    q("dist", "e", "inspections by district", "d.DISTRICT.value_counts()"),
    q("grades", "e", "bar chart of grades", "d.GRADE.value_counts()", chart="bar"),
    q("score", "e", "average score by cuisine", "d.groupby('CUISINE').SCORE.mean()"),
    q("fines", "e", "total fines", "d.FINE.sum()"),
    q("finesd", "e", "total fines per district, largest first",
      "d.groupby('DISTRICT').FINE.sum().sort_values(ascending=False)"),
    q("biz", "e", "how many different businesses were inspected?", "d.BUSINESS_ID.nunique()",
      "d.BUSINESS_NAME.nunique()"),
    q("insp", "e", "which inspector did the most inspections?", "top(d.INSPECTOR.value_counts())"),
    q("dur", "e", "median duration of an inspection by type",
      "d.groupby('INSPECTION_TYPE').DURATION_MIN.median()"),
    q("maxf", "e", "what was the highest fine?", "d.FINE.max()", "top(d.set_index('INSPECTION_ID').FINE)"),
    q("hist", "e", "histogram of scores", "Hist(d.SCORE)", chart="hist"),
    q("crit", "e", "sum of critical violations by cuisine",
      "d.groupby('CUISINE').CRITICAL_VIOLATIONS.sum()"),
    q("comp", "e", "how many inspections were triggered by a complaint?",
      "(d.INSPECTION_TYPE=='complaint').sum()"),
    q("closed", "m", "how many times was a place closed?", "d.shut.sum()"),
    q("closer", "m", "closure rate by cuisine", "d.groupby('CUISINE').shut.mean()", share=True),
    q("clow", "m", "which district has the highest closure rate?",
      "top(d.groupby('DISTRICT').shut.mean())"),
    q("agr", "m", "share of A grades per district",
      "d.assign(a=d.GRADE=='A').groupby('DISTRICT').a.mean()",
      "d.dropna(subset='GRADE').assign(a=lambda x: x.GRADE=='A').groupby('DISTRICT').a.mean()",
      share=True),
    q("cgr", "m", "how many C grades did pizza places get in 2022?",
      "((d.GRADE=='C')&(d.CUISINE=='Pizza')&(d.year==2022)).sum()"),
    q("nograde", "m", "inspections without a grade", "d.GRADE.isna().sum()",
      "Keys(d[d.GRADE.isna()].INSPECTION_ID)"),
    q("pct", "m", "what percentage of inspections found at least one critical violation?",
      "d.crit.mean()", share=True),
    q("finen", "m", "how many inspections ended with a fine?", "d.FINE.notna().sum()"),
    q("finea", "m", "average fine in the south", "d[d.DISTRICT=='SOUTH'].FINE.mean()"),
    q("fine500", "m", "fines above 500 by inspector", "d[d.FINE>500].INSPECTOR.value_counts()",
      "d[d.FINE>500].groupby('INSPECTOR').FINE.sum()"),
    q("route", "m", "mean score of routine inspections compared with follow-ups",
      "d[d.INSPECTION_TYPE.isin(['routine','follow-up'])].groupby('INSPECTION_TYPE').SCORE.mean()"),
    q("mon", "m", "number of inspections per month in 2023",
      "d[d.year==2023].month.value_counts().sort_index()",
      "d[d.year==2023].date.dt.month.value_counts().sort_index()"),
    q("xt", "m", "grade by district", "pd.crosstab(d.GRADE,d.DISTRICT)",
      "pd.crosstab(d.DISTRICT,d.GRADE)"),
    q("xts", "m", "stacked bar chart of grades by cuisine",
      "pd.crosstab(d.CUISINE,d.GRADE)", chart="bar"),
    q("worst", "m", "10 businesses with the most violations in total",
      "top(d.groupby('BUSINESS_ID').TOTAL_VIOLATIONS.sum(),10)",
      "top(d.groupby('BUSINESS_NAME').TOTAL_VIOLATIONS.sum(),10)"),
    q("box", "m", "boxplot of the score per inspector", "box(d,'INSPECTOR','SCORE')", chart="box"),
    q("seats", "m", "do bigger places (more seats) score higher? correlation please",
      "d.SEATS.corr(d.SCORE)", "Pairs(d.SEATS,d.SCORE)"),
    q("small", "m", "average number of violations in places with fewer than 30 seats",
      "d[d.SEATS<30].TOTAL_VIOLATIONS.mean()"),
    q("long", "m", "how many inspections took longer than 90 minutes?", "(d.DURATION_MIN>90).sum()"),
    q("notnorth", "m", "inspections outside the north", "(d.DISTRICT!='NORTH').sum()",
      "Keys(d[d.DISTRICT!='NORTH'].INSPECTION_ID)"),
    q("perb", "h", "average number of inspections per business", "len(d)/d.BUSINESS_ID.nunique()"),
    q("rep", "h", "how many businesses were inspected more than 6 times?",
      "(place.size()>6).sum()"),
    q("once", "h", "businesses that have been inspected only once",
      "(place.size()==1).sum()", "(lambda s: Keys(s[s==1].index))(place.size())",
      "(lambda s: s[s==1])(place.size())",
      "(lambda s: Keys(s[s==1].index))(d.BUSINESS_NAME.value_counts())",
      "(lambda s: s[s==1])(d.BUSINESS_NAME.value_counts())"),
    q("twice", "h", "how many businesses have been closed at least twice?",
      "(d[d.shut].BUSINESS_ID.value_counts()>=2).sum()"),
    q("yoy", "h", "did the average score go up or down from 2022 to 2023?",
      "d[d.year.isin([2022,2023])].groupby('year').SCORE.mean()",
      "d[d.year==2023].SCORE.mean()-d[d.year==2022].SCORE.mean()"),
    q("ytd", "h", "average score per year and cuisine",
      "d.groupby(['year','CUISINE']).SCORE.mean().unstack()"),
    q("rank", "h", "the cuisine with the worst average score in each district",
      "d.groupby(['DISTRICT','CUISINE']).SCORE.mean().unstack().idxmax(axis=1)", assumes(
          "d.groupby(['DISTRICT','CUISINE']).SCORE.mean().unstack().idxmin(axis=1)")),
    q("shareft", "h", "each district's share of all fines",
      "d.groupby('DISTRICT').FINE.sum()/d.FINE.sum()", share=True),
    q("pers", "h", "critical violations as a share of total violations by inspector",
      "d.groupby('INSPECTOR').CRITICAL_VIOLATIONS.sum()/d.groupby('INSPECTOR').TOTAL_VIOLATIONS.sum()",
      share=True),
    q("vph", "h", "violations found per hour of inspection, by inspector",
      "d.groupby('INSPECTOR').TOTAL_VIOLATIONS.sum()/(d.groupby('INSPECTOR').DURATION_MIN.sum()/60)"),
    q("cum", "h", "cumulative fines by month", "d.groupby('month').FINE.sum().cumsum()"),
    q("last12", "h", "closures in the last 12 months by district",
      "d[d.shut&(d.date>d.date.max()-pd.DateOffset(months=12))].DISTRICT.value_counts()",
      assumes("d[d.shut&(d.month>d.month.max()-12)].DISTRICT.value_counts()")),
    q("big", "h", "cuisines with more than 400 inspections and their average score",
      "d.groupby('CUISINE').SCORE.mean()[d.CUISINE.value_counts()>400]"),
    q("p95", "h", "95th percentile of the score for each inspection type",
      "d.groupby('INSPECTION_TYPE').SCORE.quantile(.95)"),
    q("quart", "h", "which quarter of 2022 had the fewest inspections?",
      "bottom(d[d.year==2022].date.dt.quarter.value_counts())",
      "bottom(d[d.year==2022].date.dt.to_period('Q').value_counts())"),
    q("owner", "m", "violations by owner", REFUSE),
    q("food", "m", "how many cases of food poisoning were there", REFUSE),
]
