"""Results of a clinical laboratory; one row a test, results out of range are flagged."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(1303)
    n = 4200
    taken = pd.Timestamp("2024-02-01") + pd.to_timedelta(rng.integers(0, 240 * 1440, n), unit="min")
    test = rng.choice(["glucose", "creatinine", "hemoglobin", "CRP", "TSH"], n,
                      p=[.3, .2, .25, .15, .1])
    centre = pd.Series(test).map({"glucose": 96, "creatinine": .95, "hemoglobin": 13.8, "CRP": 6,
                                  "TSH": 2.2}).to_numpy()
    value = pd.Series(centre * rng.lognormal(0, .25, n)).round(2)
    low, high = (centre * .7).round(2), (centre * 1.4).round(2)
    wait = pd.Series(rng.gamma(2, 55, n).round() + 8)
    value[rng.random(n) < .02] = np.nan
    return {"results": pd.DataFrame({
        "sample_id": [f"S{i:06}" for i in range(1, n + 1)],
        "patient_id": rng.integers(1000, 1900, n), "gender": rng.choice(["female", "male"], n),
        "age_years": rng.integers(1, 96, n), "test_name": test, "result_value": value,
        "ref_low": low, "ref_high": high, "collected_at": taken,
        "reported_at": taken + pd.to_timedelta(wait, unit="min"),
        "lab_site": rng.choice(["North", "South", "Harbour"], n, p=[.5, .3, .2]),
        "analyser": rng.choice(["AX-1", "AX-2", "BZ-9"], n), "urgent": rng.choice([0, 1], n, p=[.8, .2]),
        "rejected": rng.choice([False, True], n, p=[.96, .04]),
        "technician": rng.choice(["Ines", "Jonas", "Mira", "Otto", "Pia"], n)})}


def prepare(results):
    d = results
    d["tat"] = (d.reported_at - d.collected_at).dt.total_seconds() / 60
    d["hi"], d["lo"] = d.result_value > d.ref_high, d.result_value < d.ref_low
    d["hour"], d["month"] = d.collected_at.dt.hour, d.collected_at.dt.to_period("M")
    d["week"], d["day"] = d.collected_at.dt.to_period("W"), d.collected_at.dt.to_period("D")
    return {"d": d}


QUESTIONS = [
    q("n", "e", "number of tests by test name", "d.test_name.value_counts()"),
    q("patients", "e", "how many patients are in the data?", "d.patient_id.nunique()"),
    q("glu", "e", "mean glucose result", "d[d.test_name=='glucose'].result_value.mean()"),
    q("hb", "e", "median hemoglobin by gender",
      "d[d.test_name=='hemoglobin'].groupby('gender').result_value.median()"),
    q("rej", "e", "how many samples were rejected?", "d.rejected.sum()"),
    q("urgent", "e", "urgent samples by site", "d[d.urgent==1].lab_site.value_counts()"),
    q("rejrate", "m", "rejection rate by site", "d.groupby('lab_site').rejected.mean()", share=True),
    q("rejtech", "e", "which technician has the highest rejection rate?",
      "top(d.groupby('technician').rejected.mean())", share=True),
    q("urgpct", "e", "percent of samples that are urgent, per month",
      "d.groupby('month').urgent.mean()", share=True),
    q("tat", "e", "average turnaround time in minutes (collected to reported)", "d.tat.mean()"),
    q("tatsite", "e", "median minutes from collection to report by lab site",
      "d.groupby('lab_site').tat.median()"),
    q("taturg", "m", "is the time from collected_at to reported_at shorter for urgent samples?",
      "d.groupby('urgent').tat.mean()", "d.groupby('urgent').tat.median()"),
    q("tat120", "h", "share of samples reported within two hours", "(d.tat<=120).mean()",
      "(d.tat<120).mean()", share=True),
    q("tatslow", "h", "how many samples took more than 4 hours from collection to reporting",
      "(d.tat>240).sum()"),
    q("high", "m", "how many results are above the upper reference limit?", "d.hi.sum()"),
    q("highref", "m", "number of tests where result_value is greater than ref_high, by test_name",
      "d[d.hi].test_name.value_counts()"),
    q("abn", "h", "share of results below ref_low or above ref_high by test",
      "d.assign(a=d.hi|d.lo).groupby('test_name').a.mean()", share=True),
    q("hour", "m", "at what hour are the most samples collected?", "top(d.hour.value_counts())"),
    q("hours", "m", "samples collected by hour of day", "d.hour.value_counts()"),
    q("night", "h", "how many samples were collected between 22:00 and 6:00?",
      "((d.hour>=22)|(d.hour<6)).sum()"),
    q("over65", "m", "average creatinine of patients over 65",
      "d[(d.test_name=='creatinine')&(d.age_years>65)].result_value.mean()"),
    q("agebands", "m", "number of tests by age group in steps of 20",
      "pd.cut(d.age_years, range(0,101,20), right=False).value_counts()"),
    q("weekly", "m", "weekly number of samples", "d.groupby('week').size()"),
    q("roll", "h", "7 day rolling average of the daily number of samples",
      "d.groupby(d.collected_at.dt.normalize()).size().asfreq('D',fill_value=0).rolling(7).mean().dropna()"),
    q("busyday", "m", "average samples per day", "d.groupby('day').size().mean()",
      "len(d)/d.day.nunique()"),
    q("repeat", "h", "patients with at least 10 tests",
      "(lambda s: Keys(s[s>=10].index))(d.patient_id.value_counts())",
      "(lambda s: s[s>=10])(d.patient_id.value_counts())", "(d.patient_id.value_counts()>=10).sum()"),
    q("perpat", "m", "mean number of tests per patient", "d.patient_id.value_counts().mean()"),
    q("crp", "h", "the 5 patients with the highest average CRP",
      "top(d[d.test_name=='CRP'].groupby('patient_id').result_value.mean(), 5)"),
    q("maxtest", "m", "highest value for each test", "d.groupby('test_name').result_value.max()"),
    q("sd", "m", "standard deviation of TSH per analyser",
      "d[d.test_name=='TSH'].groupby('analyser').result_value.std()"),
    q("diff", "h", "difference in mean glucose between men and women",
      "(lambda s: abs(s['male']-s['female']))(d[d.test_name=='glucose'].groupby('gender').result_value.mean())",
      "(lambda s: s['male']-s['female'])(d[d.test_name=='glucose'].groupby('gender').result_value.mean())",
      "d[d.test_name=='glucose'].groupby('gender').result_value.mean()"),
    q("box", "m", "boxplot of glucose by gender",
      "box(d[d.test_name=='glucose'],'gender','result_value')", chart="box"),
    q("hist", "m", "histogram of CRP values", "Hist(d[d.test_name=='CRP'].result_value)", chart="hist"),
    q("missing", "m", "how many results are missing per test",
      "d[d.result_value.isna()].test_name.value_counts()"),
    q("besttech", "h", "the technician who processed the most samples at each site",
      "pd.crosstab(d.lab_site,d.technician).idxmax(axis=1)"),
    q("minors", "m", "percentage of tests done on children under 18", "(d.age_years<18).mean()",
      share=True),
    q("pivot", "m", "table of test by site with the number of samples",
      "pd.crosstab(d.test_name,d.lab_site)"),
    q("spread", "h", "range between the lowest and the highest hemoglobin",
      "(lambda s: s.max()-s.min())(d[d.test_name=='hemoglobin'].result_value)",
      "(lambda s: Values([s.min(),s.max()]))(d[d.test_name=='hemoglobin'].result_value)"),
    q("doctor", "m", "tests by ordering doctor", REFUSE),
    q("chol", "m", "average cholesterol", REFUSE),
    q("oldest", "e", "how old is the oldest patient?", "d.age_years.max()"),
    q("avgage", "e", "average age of the patients", "d.age_years.mean()",
      "d.drop_duplicates('patient_id').age_years.mean()"),
    q("byan", "e", "bar chart of tests per analyser", "d.analyser.value_counts()", chart="bar"),
    q("urg", "m", "what share of the tests is urgent?", "d.urgent.mean()", share=True),
    q("noturg", "m", "number of non-urgent samples per technician",
      "d[d.urgent==0].technician.value_counts()"),
    q("crp2", "m", "how many CRP results are over 10?", "((d.test_name=='CRP')&(d.result_value>10)).sum()"),
    q("femhb", "h", "average hemoglobin of women",
      "d[(d.test_name=='hemoglobin')&(d.gender=='female')].result_value.mean()"),
    q("march", "h", "how many samples were rejected in March?",
      "(d.rejected&(d.collected_at.dt.month==3)).sum()"),
    q("sitemon", "m", "samples by month and site",
      "d.groupby(['month','lab_site']).size().unstack()"),
    q("pairs", "h", "technician and analyser pair with the most samples",
      "top(d.groupby(['technician','analyser']).size())"),
    q("worstday", "m", "which day had the fewest samples?", "bottom(d.groupby('day').size())"),
]
