"""Results of a clinical laboratory, one test each."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1404)
    n = 8000
    kinds = {"glucose": (98, 22, "mg/dL", 70, 110), "hemoglobin": (13.8, 1.6, "g/dL", 12, 16),
             "creatinine": (.95, .25, "mg/dL", .6, 1.2), "crp": (4, 5, "mg/L", 0, 8),
             "potassium": (4.2, .45, "mmol/L", 3.5, 5.1), "tsh": (2.1, 1.1, "mIU/L", .4, 4)}
    test = rng.choice(list(kinds), n, p=[.27, .22, .18, .13, .12, .08])
    mean, sd, unit, low, high = (np.array([kinds[t][i] for t in test]) for i in range(5))
    mean, sd, low, high = (a.astype(float) for a in (mean, sd, low, high))
    value = pd.Series(np.abs(rng.normal(mean, sd)).round(2))
    value[rng.random(n) < .03] = np.nan
    taken = pd.Series(pd.Timestamp("2023-10-01 06:00") + pd.to_timedelta(
        rng.integers(0, 366 * 24 * 60, n), unit="min"))
    wait = np.round(rng.gamma(2, 95, n) + 20)
    ready = taken + pd.to_timedelta(wait, unit="min")
    ready[value.isna()] = pd.NaT
    marks = np.where(value > high, "H", np.where(value < low, "L", "N"))
    return {"labs": pd.DataFrame({
        "sample_id": [f"S{i:06}" for i in range(n)], "pt_id": rng.integers(1, 2600, n),
        "sex": rng.choice(["F", "M", "f", "m"], n, p=[.46, .4, .08, .06]),
        "age_yrs": rng.normal(52, 18, n).clip(1, 97).round(), "test": test, "value": value,
        "unit": unit, "flag": pd.Series(marks, dtype=object).where(value.notna()),
        "collected_at": taken, "resulted_at": ready.dt.strftime("%Y-%m-%d %H:%M:%S"),
        "site": rng.choice(["Main", "East", "Clinic 3"], n, p=[.6, .25, .15]),
        "priority": rng.choice(["routine", "urgent", "stat"], n, p=[.7, .2, .1]),
        "hemolyzed": rng.choice(["Y", "N", "y", "n"], n, p=[.03, .85, .01, .11]),
        "fasting": pd.Series(rng.choice([1.0, 0.0], n)).where(rng.random(n) < .8),
        "cost_usd": rng.choice(["$4.50", "$7.00", "$12.25", "$18.00"], n, p=[.4, .3, .2, .1])})}


def prepare(labs):
    d = labs
    d["res"] = pd.to_datetime(d.resulted_at)
    d["tat"] = (d.res - d.collected_at).dt.total_seconds() / 60
    d["cost"] = d.cost_usd.str.lstrip("$").astype(float)
    d["sx"] = d.sex.str.upper()
    d["hem"] = d.hemolyzed.str.upper() == "Y"
    d["abn"] = d.flag.isin(["H", "L"])
    d["month"] = d.collected_at.dt.to_period("M")
    d["day"] = d.collected_at.dt.to_period("D")
    d["hour"] = d.collected_at.dt.hour
    g = d[d.test == "glucose"]
    r = d[d.flag.notna()]
    return {"d": d, "g": g, "r": r}


QUESTIONS = [
    q("n", "e", "how many samples", "len(d)"),
    q("tests", "e", "number of samples per test", "d.test.value_counts()"),
    q("mean", "e", "mean value by test", "d.groupby('test').value.mean()"),
    q("age", "e", "average age", "d.age_yrs.mean()"),
    q("site", "e", "samples per site, largest first", "d.site.value_counts()", order=True),
    q("pie", "e", "pie chart of priority", "d.priority.value_counts()", chart="pie"),
    q("hist", "e", "histogram of age_yrs", "Hist(d.age_yrs)", chart="hist"),
    q("missing", "e", "how many values are missing?", "d.value.isna().sum()"),
    q("pts", "e", "count distinct patients (pt_id)", "d.pt_id.nunique()"),
    q("stat", "e", "how many stat samples", "(d.priority=='stat').sum()"),
    q("maxglu", "e", "highest glucose value", "g.value.max()"),
    q("glumean", "e", "average value of the glucose test", "g.value.mean()"),
    q("bar", "e", "bar chart of sample counts by test and site", "pd.crosstab(d.test,d.site)",
      chart="bar"),
    q("median", "e", "median age per test", "d.groupby('test').age_yrs.median()"),
    q("flags", "e", "count of flags", "d.flag.value_counts()", "d.flag.value_counts(dropna=False)"),
    q("first", "e", "when was the first sample collected", "d.collected_at.min()"),
    q("sd", "e", "std dev of value per test", "d.groupby('test').value.std()"),
    q("high", "m", "share of results flagged H", "(r.flag=='H').mean()", "(d.flag=='H').mean()",
      share=True),
    q("abnormal", "m", "percentage of abnormal results (flag H or L) by test",
      "r.groupby('test').abn.mean()", "d.groupby('test').abn.mean()", share=True),
    q("sex", "m", "samples by sex, ignoring case", "d.sx.value_counts()"),
    q("hbsex", "m", "mean hemoglobin in women and men",
      "d[d.test=='hemoglobin'].groupby('sx').value.mean()",
      assumes("d[d.test=='hemoglobin'].groupby('sex').value.mean()")),
    q("cost", "m", "total cost_usd", "d.cost.sum()"),
    q("costtest", "m", "cost by test", "d.groupby('test').cost.sum()",
      assumes("d.groupby('test').cost.mean()")),
    q("tat", "m", "average turnaround time in minutes, collected to resulted", "d.tat.mean()"),
    q("tatprio", "m", "median minutes from collection to result by priority",
      "d.groupby('priority').tat.median()"),
    q("hem", "m", "hemolysis rate", "d.hem.mean()", share=True),
    q("hemsite", "m", "which site has the highest rate of hemolyzed samples",
      "top(d.groupby('site').hem.mean())"),
    q("monthly", "m", "samples per month", "d.groupby('month').size()"),
    q("line", "m", "plot the monthly mean of glucose as a line",
      "g.groupby('month').value.mean()", chart="line"),
    q("box", "m", "box plot of glucose value by site", "box(g,'site','value')", chart="box"),
    q("fasting", "m", "mean glucose fasting versus not fasting",
      "g.groupby(g.fasting==1).value.mean()", "g[g.fasting.notna()].groupby(g.fasting==1).value.mean()"),
    q("unknown", "m", "for what share of samples is the fasting status unknown",
      "d.fasting.isna().mean()", share=True),
    q("kids", "m", "samples of patients under 18 by test", "d[d.age_yrs<18].test.value_counts()"),
    q("nov", "m", "number of crp tests in November 2023",
      "((d.test=='crp')&(d.month=='2023-11')).sum()"),
    q("notroutine", "m", "how many samples were not routine", "(d.priority!='routine').sum()"),
    q("hour", "m", "samples by hour of collection", "d.hour.value_counts()"),
    q("p975", "m", "2.5th and 97.5th percentile of potassium",
      "Values(d[d.test=='potassium'].value.quantile([.025,.975]).tolist())"),
    q("top5", "m", "patients with the most samples, top 5", "top(d.pt_id.value_counts(),5)"),
    q("histglu", "m", "distribution of glucose values", "Hist(g.value)"),
    q("cross", "m", "flag by test as a table", "pd.crosstab(d.flag,d.test)",
      "pd.crosstab(d.test,d.flag)"),
    q("stateast", "m", "average cost of stat tests at the East site",
      "d[(d.priority=='stat')&(d.site=='East')].cost.mean()"),
    q("slow", "h", "share of stat samples that took longer than 3 hours",
      "(d[(d.priority=='stat')&d.tat.notna()].tat>180).mean()",
      assumes("(d[d.priority=='stat'].tat>180).mean()"), share=True),
    q("tatmonth", "h", "90th percentile of turnaround time by month, in hours",
      "d.groupby('month').tat.quantile(.9)/60"),
    q("mom", "h", "month over month change in sample volume, %",
      "d.groupby('month').size().pct_change().dropna()", share=True),
    q("cum", "h", "cumulative cost by month", "d.groupby('month').cost.sum().cumsum()"),
    q("roll", "h", "7 day moving average of samples per day",
      "d.groupby('day').size().rolling(7).mean().dropna()"),
    q("diab", "h", "how many patients had at least one glucose above 125",
      "g[g.value>125].pt_id.nunique()"),
    q("repeat", "h", "patients with at least 8 samples: how many are there",
      "(d.pt_id.value_counts()>=8).sum()"),
    q("corr", "h", "correlation of age and creatinine",
      "(lambda s: s.age_yrs.corr(s.value))(d[d.test=='creatinine'])"),
    q("agegroup", "h", "abnormal rate by age group 0-17, 18-39, 40-64, 65+",
      "r.groupby(pd.cut(r.age_yrs,[0,18,40,65,200],right=False),observed=True).abn.mean()",
      "d.groupby(pd.cut(d.age_yrs,[0,18,40,65,200],right=False),observed=True).abn.mean()",
      share=True),
    q("worsttest", "h", "for each site the test with the longest mean turnaround",
      "d.groupby(['site','test']).tat.mean().unstack().idxmax(axis=1)"),
    q("last30", "h", "abnormal share of the last 30 days of samples",
      "r[r.collected_at > d.collected_at.max()-pd.Timedelta(days=30)].abn.mean()",
      "d[d.collected_at > d.collected_at.max()-pd.Timedelta(days=30)].abn.mean()",
      "r[r.collected_at >= d.collected_at.max().normalize()-pd.Timedelta(days=30)].abn.mean()",
      "d[d.collected_at >= d.collected_at.max().normalize()-pd.Timedelta(days=30)].abn.mean()",
      "r[r.collected_at.dt.normalize() > d.collected_at.max().normalize()-pd.Timedelta(days=30)].abn.mean()",
      "d[d.collected_at.dt.normalize() > d.collected_at.max().normalize()-pd.Timedelta(days=30)].abn.mean()",
      share=True),
    q("q4q1", "h", "average crp in Q4 2023 and Q1 2024",
      "(lambda s: s.groupby(s.collected_at.dt.to_period('Q')).value.mean()[['2023Q4','2024Q1']])(d[d.test=='crp'])",
      "(lambda s: Values([s[s.collected_at<'2024-01-01'].value.mean(), "
      "s[(s.collected_at>='2024-01-01')&(s.collected_at<'2024-04-01')].value.mean()]))(d[d.test=='crp'])"),
    q("heat", "h", "heat map: weekday against hour, number of samples",
      "pd.crosstab(d.collected_at.dt.day_name(),d.hour)", chart="heat"),
    q("miss", "h", "share of missing values per test, highest first",
      "d.value.isna().groupby(d.test).mean().sort_values(ascending=False)", order=True, share=True),
    q("costshare", "h", "what share of the total cost goes to urgent and stat samples",
      "d[d.priority!='routine'].cost.sum()/d.cost.sum()",
      "d[d.priority!='routine'].groupby('priority').cost.sum()/d.cost.sum()", share=True),
    q("costpt", "h", "average cost per patient", "d.cost.sum()/d.pt_id.nunique()"),
    q("doctor", "e", "which physician ordered the most tests", REFUSE),
    q("bmi", "m", "mean glucose by bmi group", REFUSE),
    q("cause", "h", "what caused the abnormal potassium results?", REFUSE),
]
