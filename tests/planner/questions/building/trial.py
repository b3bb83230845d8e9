"""Subjects of a clinical trial; one row a subject, of those that left a reason is noted."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(2102)
    n = 640
    arm = rng.choice(["placebo", "low dose", "high dose"], n)
    gain = pd.Series(arm).map({"placebo": 2, "low dose": 6, "high dose": 9}).to_numpy()
    base = rng.normal(52, 8, n).round(1)
    event = rng.random(n) < pd.Series(arm).map({"placebo": .1, "low dose": .18, "high dose": .3}).to_numpy()
    left = rng.random(n) < .14
    after = np.where(left, np.nan, (base - gain - rng.normal(0, 5, n)).round(1))
    return {"subjects": pd.DataFrame({
        "SubjectID": [f"T-{i:04}" for i in range(1, n + 1)], "Arm": arm,
        "Site": rng.choice(["Oslo", "Leeds", "Porto", "Graz"], n, p=[.4, .3, .2, .1]),
        "Sex": rng.choice(["F", "M"], n, p=[.55, .45]), "Age": rng.integers(18, 80, n),
        "BMI": rng.normal(27, 4, n).round(1), "Smoker": rng.choice(["yes", "no", "former"], n, p=[.2, .6, .2]),
        "EnrolledOn": (pd.Timestamp("2022-03-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")),
        "ScoreBaseline": base, "ScoreWeek12": after,
        "AdverseEvent": event, "Severity": np.where(event, rng.choice(["mild", "moderate", "severe"], n, p=[.6, .3, .1]), None),
        "DropoutReason": np.where(left, rng.choice(["side effects", "moved away", "no reason given"], n), None),
        "VisitsAttended": np.where(left, rng.integers(1, 6, n), rng.integers(5, 9, n))})}


def prepare(subjects):
    d = subjects
    d["change"] = d.ScoreWeek12 - d.ScoreBaseline
    d["left"] = d.DropoutReason.notna()
    d["month"] = d.EnrolledOn.dt.to_period("M")
    return {"d": d}


QUESTIONS = [
    q("arms", "e", "how many subjects are in each arm?", "d.Arm.value_counts()"),
    q("age", "e", "mean age by arm", "d.groupby('Arm').Age.mean()"),
    q("women", "e", "how many women were enrolled in Oslo?", "((d.Sex=='F')&(d.Site=='Oslo')).sum()"),
    q("ae", "e", "adverse event rate per arm", "d.groupby('Arm').AdverseEvent.mean()", share=True),
    q("aesev", "m", "adverse events by severity", "d.Severity.value_counts()"),
    q("severe", "m", "what percentage of the high dose group had a severe adverse event?",
      "((d.Severity=='severe')&(d.Arm=='high dose')).sum()/(d.Arm=='high dose').sum()", share=True),
    q("enrol", "e", "enrolments per month", "d.groupby('month').size()"),
    q("cum", "m", "cumulative number of enrolled subjects over time", "d.groupby('month').size().cumsum()",
      "d.groupby('EnrolledOn').size().cumsum()"),
    q("drop", "m", "dropout rate by site", "d.groupby('Site').left.mean()", share=True),
    q("dropwhy", "e", "reasons for dropping out", "d.DropoutReason.value_counts()"),
    q("ndrop", "m", "how many subjects dropped out because of side effects?", "(d.DropoutReason=='side effects').sum()"),
    q("change", "h", "average change from baseline to week 12 in each arm", "d.groupby('Arm').change.mean()",
      "(-d.change).groupby(d.Arm).mean()"),
    q("best", "h", "which arm improved the most between baseline and week 12?",
      "top((-d.change).groupby(d.Arm).mean())", "top(d.groupby('Arm').change.mean())"),
    q("base", "e", "distribution of baseline scores", "Hist(d.ScoreBaseline)", chart="hist"),
    q("box", "e", "box plot of week 12 score by arm", "box(d, 'Arm', 'ScoreWeek12')", chart="box"),
    q("smk", "m", "share of smokers in each arm", "d.assign(s=d.Smoker=='yes').groupby('Arm').s.mean()", share=True),
    q("nons", "m", "average BMI of people who never smoked or have stopped",
      "d[d.Smoker.isin(['no','former'])].BMI.mean()", REFUSE),
    q("old", "m", "number of subjects over 65 by arm and sex", "d[d.Age>65].groupby(['Arm','Sex']).size()"),
    q("bands", "m", "subjects by age group in 10 year bands", "d.groupby((d.Age//10)*10).size()"),
    q("visits", "m", "average visits attended for dropouts versus completers",
      "d.groupby('left').VisitsAttended.mean()", REFUSE),
    q("lowv", "m", "how many attended fewer than 4 visits?", "(d.VisitsAttended<4).sum()"),
    q("siteage", "m", "which site has the oldest subjects on average?", "top(d.groupby('Site').Age.mean())"),
    q("oldest", "e", "the five oldest subjects", "top(d.set_index('SubjectID').Age, 5)"),
    q("piv", "m", "mean week 12 score by arm and sex as a table", "d.groupby(['Arm','Sex']).ScoreWeek12.mean()"),
    q("miss", "e", "how many subjects have no week 12 score?", "d.ScoreWeek12.isna().sum()"),
    q("sex", "e", "proportion of women and men at each site",
      "pd.crosstab(d.Site, d.Sex, normalize='index')", share=True),
    q("p90", "m", "90th percentile of BMI", "d.BMI.quantile(.9)"),
    q("corr", "m", "correlation between age and baseline score", "d.Age.corr(d.ScoreBaseline)"),
    q("first", "m", "when was the first subject enrolled?", "d.EnrolledOn.min()"),
    q("bp", "e", "average blood pressure by arm", REFUSE),
]
