"""Subjects of a clinical trial; one row a subject, of those that left a reason is noted."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


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
    q("piv", "m", "mean week 12 score by arm and sex as a table", "d.groupby(['Arm','Sex']).ScoreWeek12.mean()"),
    q("miss", "e", "how many subjects have no week 12 score?", "d.ScoreWeek12.isna().sum()"),
    q("sex", "e", "proportion of women and men at each site",
      "pd.crosstab(d.Site, d.Sex, normalize='index')", share=True),
    q("p90", "m", "90th percentile of BMI", "d.BMI.quantile(.9)"),
    q("corr", "m", "correlation between age and baseline score", "d.Age.corr(d.ScoreBaseline)"),
    q("first", "m", "when was the first subject enrolled?", "d.EnrolledOn.min()"),
    q("bp", "e", "average blood pressure by arm", REFUSE),
    q("sites", "e", "number of subjects per site, most first", "d.Site.value_counts()"),
    q("bmi", "e", "average BMI of smokers", "d[d.Smoker=='yes'].BMI.mean()"),
    q("oldest", "e", "age of the oldest subject", "d.Age.max()"),
    q("agehist", "e", "histogram of age", "Hist(d.Age)", chart="hist"),
    q("sexarm", "m", "women and men by arm as a stacked bar chart", "pd.crosstab(d.Arm,d.Sex)", chart="bar"),
    q("basemed", "m", "median baseline score by site", "d.groupby('Site').ScoreBaseline.median()"),
    q("u30", "m", "what share of subjects is younger than 30?", "(d.Age<30).mean()", share=True),
    q("summer", "m", "how many subjects enrolled between June and August 2022?",
      "d[(d.EnrolledOn>='2022-06-01')&(d.EnrolledOn<'2022-09-01')].shape[0]"),
    q("notplac", "m", "mean age of everyone except the placebo arm", "d[d.Arm!='placebo'].Age.mean()"),
    q("aeage", "h", "average age of subjects with an adverse event compared to those without",
      "d.groupby('AdverseEvent').Age.mean()"),
    q("aeband", "h", "adverse event rate by age in bands of 20 years", "d.groupby(d.Age//20*20).AdverseEvent.mean()",
      share=True),
    q("rel", "h", "score at week 12 as a percentage of baseline score by arm",
      "d.groupby('Arm').ScoreWeek12.sum()/d.groupby('Arm').ScoreBaseline.sum()",
      "d[d.ScoreWeek12.notna()].groupby('Arm').ScoreWeek12.sum()/d[d.ScoreWeek12.notna()].groupby('Arm').ScoreBaseline.sum()",
      share=True),
    q("impr", "h", "how many subjects had a lower score at week 12 than at baseline?",
      "(d.ScoreWeek12<d.ScoreBaseline).sum()"),
    q("imprsh", "h", "share of subjects whose week 12 score is below their baseline score, by arm",
      "(d.ScoreWeek12<d.ScoreBaseline).groupby(d.Arm).mean()",
      "d.dropna(subset='ScoreWeek12').assign(x=lambda t: t.ScoreWeek12<t.ScoreBaseline).groupby('Arm').x.mean()",
      share=True),
    q("sevmix", "h", "severity of adverse events within each arm in percent",
      "pd.crosstab(d.Arm,d.Severity,normalize='index')", share=True),
    q("worst", "h", "most common dropout reason at each site",
      "d.groupby('Site').DropoutReason.agg(lambda s: s.value_counts().idxmax())"),
    q("diff", "h", "difference in mean baseline score between Oslo and Leeds",
      "d[d.Site=='Oslo'].ScoreBaseline.mean()-d[d.Site=='Leeds'].ScoreBaseline.mean()",
      "d[d.Site=='Leeds'].ScoreBaseline.mean()-d[d.Site=='Oslo'].ScoreBaseline.mean()",
      "d[d.Site.isin(['Oslo','Leeds'])].groupby('Site').ScoreBaseline.mean()"),
    q("enrolsite", "h", "cumulative enrolment by month and site",
      "d.groupby(['month','Site']).size().unstack(fill_value=0).cumsum()"),
    q("above", "h", "how many subjects have a BMI above average?", "(d.BMI>d.BMI.mean()).sum()"),
    q("sites20", "h", "sites with an adverse event rate above 18 percent",
      "(lambda s: s[s>.18])(d.groupby('Site').AdverseEvent.mean())",
      "(lambda s: Keys(s[s>.18].index))(d.groupby('Site').AdverseEvent.mean())", share=True),
    q("smkae", "h", "do smokers have more adverse events than others?",
      "d.assign(s=d.Smoker=='yes').groupby('s').AdverseEvent.mean()",
      "d.groupby('Smoker').AdverseEvent.mean()", share=True),
    q("sd", "h", "which arm has the largest spread of week 12 scores (standard deviation)?",
      "top(d.groupby('Arm').ScoreWeek12.std())"),
]
