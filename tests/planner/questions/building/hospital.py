"""Hospital admissions; dates of birth and admission times are text."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(202)
    n = 3200
    adm = pd.Timestamp("2022-03-01") + pd.to_timedelta(rng.integers(0, 900 * 1440, n), unit="min")
    ward = rng.choice(["Cardiology", "Surgery", "Oncology", "Neurology", "Pediatrics", "Maternity"],
                      n, p=[.24, .26, .15, .12, .13, .10])
    scale = pd.Series(ward).map({"Cardiology": 5, "Surgery": 4, "Oncology": 7, "Neurology": 6,
                                 "Pediatrics": 2.5, "Maternity": 3}).to_numpy()
    los = rng.gamma(1.6, scale / 1.6, n)
    out = pd.Series(adm + pd.to_timedelta((los * 1440).round() + 60, unit="min"))
    out[rng.random(n) < .03] = pd.NaT
    age = np.where(ward == "Pediatrics", rng.integers(0, 17, n),
                   np.where(ward == "Maternity", rng.integers(18, 45, n), rng.integers(18, 95, n)))
    dob = pd.Series(adm).dt.normalize() - pd.to_timedelta(age * 365 + rng.integers(10, 350, n),
                                                           unit="D")
    sex = np.where(ward == "Maternity", "F", rng.choice(["F", "M"], n))
    cost = (900 + los * rng.normal(1150, 200, n)).clip(400).round(2)
    insurance = rng.choice(["public", "private", "none"], n, p=[.68, .25, .07])
    insurance = [i.capitalize() if r < .2 else i for i, r in zip(insurance, rng.random(n))]
    bp = pd.Series(rng.normal(128, 18, n).round())
    bp[rng.random(n) < .08] = np.nan
    adm_table = pd.DataFrame({
        "pat_id": [f"P{i:05}" for i in rng.integers(1, 2000, n)],
        "sex": sex, "dob": dob.dt.strftime("%Y-%m-%d"),
        "admitted": pd.Series(adm).dt.strftime("%Y-%m-%d %H:%M"), "discharged": out,
        "ward": ward, "adm_type": rng.choice(["emergency", "elective", "transfer"], n,
                                             p=[.5, .4, .1]),
        "severity": rng.choice(["low", "moderate", "high", "critical"], n, p=[.35, .35, .22, .08]),
        "sys_bp_mmhg": bp, "readmitted": rng.choice([0, 1], n, p=[.86, .14]),
        "insurance": insurance, "total_cost": [f"${c:,.2f}" for c in cost],
        "doctor": rng.choice(["Dr. Adams", "Dr. Baker", "Dr. Chen", "Dr. Diaz", "Dr. Evans",
                              "Dr. Fox", "Dr. Gupta"], n),
        "died": rng.choice(["N", "Y"], n, p=[.965, .035])})
    return {"admissions": adm_table}


def prepare(admissions):
    d = admissions
    d["adm"] = pd.to_datetime(d.admitted)
    d["born"] = pd.to_datetime(d.dob)
    d["los"] = (d.discharged - d.adm).dt.total_seconds() / 86400
    d["losn"] = (d.discharged.dt.normalize() - d.adm.dt.normalize()).dt.days
    d["losf"] = (d.discharged - d.adm).dt.days
    d["age"] = (d.adm - d.born).dt.days / 365.25
    d["agef"] = (d.adm - d.born).dt.days // 365.25
    d["cost"] = d.total_cost.str.replace("[$,]", "", regex=True).astype(float)
    d["ins"] = d.insurance.str.lower()
    d["dead"] = d.died == "Y"
    d["month"] = d.adm.dt.to_period("M")
    d["year"] = d.adm.dt.year
    return {"d": d}


QUESTIONS = [
    q("n", "e", "number of admissions", "len(d)"),
    q("byward", "e", "how many admissions per ward", "d.ward.value_counts()"),
    q("wardbar", "e", "bar chart: admissions by ward, largest first", "d.ward.value_counts()",
      chart="bar", order=True),
    q("patients", "e", "how many distinct patients were there", "d.pat_id.nunique()"),
    q("avgbp", "e", "mean sys_bp_mmhg", "d.sys_bp_mmhg.mean()"),
    q("bpsex", "e", "average blood pressure by sex", "d.groupby('sex').sys_bp_mmhg.mean()"),
    q("bphist", "e", "show me the distribution of systolic blood pressure", "Hist(d.sys_bp_mmhg)"),
    q("deaths", "e", "how many patients died?", "d.dead.sum()",
      assumes("d[d.dead].pat_id.nunique()")),
    q("emerg", "e", "count emergency admissions", "(d.adm_type=='emergency').sum()"),
    q("readm", "e", "how many readmissions", "d.readmitted.sum()"),
    q("missbp", "e", "how many missing blood pressure values are there",
      "d.sys_bp_mmhg.isna().sum()"),
    q("sev", "e", "severity counts", "d.severity.value_counts()"),
    q("piesex", "e", "pie of sex", "d.sex.value_counts()", chart="pie"),
    q("doc", "e", "which doctor has the most admissions?", "top(d.doctor.value_counts())"),
    q("maxbp", "e", "highest blood pressure", "d.sys_bp_mmhg.max()"),
    q("bpmed", "e", "median blood pressure per ward", "d.groupby('ward').sys_bp_mmhg.median()"),
    q("sdbp", "e", "standard deviation of blood pressure", "d.sys_bp_mmhg.std()",
      "d.sys_bp_mmhg.std(ddof=0)"),
    q("mort", "m", "mortality rate", "d.dead.mean()", share=True),
    q("mortward", "m", "death rate by ward", "d.groupby('ward').dead.mean()", share=True),
    q("readrate", "m", "readmission rate per ward, in %", "d.groupby('ward').readmitted.mean()",
      share=True),
    q("totcost", "m", "what did all admissions cost in total?", "d.cost.sum()"),
    q("costward", "m", "average total_cost by ward", "d.groupby('ward').cost.mean()"),
    q("costmed", "m", "median cost by type of admission", "d.groupby('adm_type').cost.median()"),
    q("los", "m", "average length of stay in days", "d.los.mean()", "d.losn.mean()",
      assumes("d.losf.mean()")),
    q("losward", "m", "mean stay per ward (admitted to discharged)",
      "d.groupby('ward').los.mean()", "d.groupby('ward').losn.mean()",
      assumes("d.groupby('ward').losf.mean()")),
    q("loslong", "m", "longest stay, in days", "d.los.max()", "d.losn.max()", "d.losf.max()"),
    q("admmonth", "m", "admissions per month", "d.groupby('month').size()"),
    q("admline", "m", "line chart of monthly emergency admissions",
      "d[d.adm_type=='emergency'].groupby('month').size()", chart="line"),
    q("y2023", "m", "how many people were admitted in 2023?", "(d.year==2023).sum()",
      assumes("d[d.year==2023].pat_id.nunique()")),
    q("ins", "m", "admissions by insurance type", "d.ins.value_counts()",
      assumes("d.insurance.value_counts()")),
    q("uninsured", "m", "share of admissions without insurance", "(d.ins=='none').mean()",
      share=True),
    q("wkday", "m", "admissions by weekday, Monday first",
      "d.adm.dt.day_name().value_counts().reindex(['Monday','Tuesday','Wednesday','Thursday',"
      "'Friday','Saturday','Sunday'])", order=True),
    q("hour", "m", "at what hour of the day do most patients arrive?",
      "top(d.adm.dt.hour.value_counts())"),
    q("sevward", "m", "cross table of severity and ward", "pd.crosstab(d.severity, d.ward)"),
    q("boxcost", "m", "boxplot of cost by severity", "box(d,'severity','cost')", chart="box"),
    q("notmat", "m", "average blood pressure excluding maternity",
      "d[d.ward!='Maternity'].sys_bp_mmhg.mean()"),
    q("still", "m", "how many have not been discharged yet", "d.discharged.isna().sum()"),
    q("critfem", "m", "number of critical female patients in cardiology",
      "((d.severity=='critical')&(d.sex=='F')&(d.ward=='Cardiology')).sum()",
      assumes("d[(d.severity=='critical')&(d.sex=='F')&(d.ward=='Cardiology')].pat_id.nunique()")),
    q("top5stay", "m", "five doctors with the highest average blood pressure of their patients",
      "top(d.groupby('doctor').sys_bp_mmhg.mean(), 5)"),
    q("age", "h", "average age at admission", "d.age.mean()", "d.agef.mean()",
      "(d.year-d.born.dt.year).mean()"),
    q("agegrp", "h", "number of patients over 65 at admission by ward",
      "d[d.agef>65].ward.value_counts()", "d[d.age>65].ward.value_counts()",
      "d[(d.year-d.born.dt.year)>65].ward.value_counts()"),
    q("frequent", "h", "patients with more than 4 admissions",
      "(lambda s: Keys(s[s>4].index))(d.pat_id.value_counts())",
      "(lambda s: s[s>4])(d.pat_id.value_counts())",
      "(d.pat_id.value_counts()>4).sum()"),
    q("mom", "h", "change in number of admissions from month to month",
      "d.groupby('month').size().diff().dropna()",
      assumes("d.groupby('month').size().pct_change().dropna()*100")),
    q("roll", "h", "7-day moving average of daily admissions",
      "d.groupby(d.adm.dt.normalize()).size().asfreq('D', fill_value=0).rolling(7).mean().dropna()",
      assumes("d.groupby(d.adm.dt.normalize()).size().rolling(7).mean().dropna()")),
    q("docbest", "h", "for each ward, the doctor with most admissions",
      "pd.crosstab(d.ward,d.doctor).idxmax(axis=1)"),
    q("mortcmp", "h", "compare mortality of emergency and elective admissions",
      "d[d.adm_type.isin(['emergency','elective'])].groupby('adm_type').dead.mean()", share=True),
    q("costday", "h", "average cost per day of stay by ward",
      "(d.assign(r=d.cost/d.los)).groupby('ward').r.mean()",
      "d.dropna(subset=['los']).groupby('ward').cost.sum()/d.groupby('ward').los.sum()",
      assumes("d.groupby('ward').cost.sum()/d.groupby('ward').los.sum()"),
      assumes("d[d.losn>0].assign(r=d.cost/d.losn).groupby('ward').r.mean()")),
    q("corr", "h", "correlation of age and blood pressure", "d.age.corr(d.sys_bp_mmhg)",
      "d.agef.corr(d.sys_bp_mmhg)"),
    q("longpct", "h", "% of stays longer than a week", "(d.los.dropna()>7).mean()",
      "(d.losn.dropna()>7).mean()", assumes("(d.los>7).mean()"), assumes("(d.losn>7).mean()"),
      share=True),
    q("wardmin", "h", "wards with at least 400 admissions and their average cost",
      "(lambda g: g.mean()[g.size()>=400])(d.groupby('ward').cost)"),
    q("last90", "h", "deaths in the last 90 days of the data",
      "(d.dead & (d.adm > d.adm.max()-pd.Timedelta(days=90))).sum()",
      "(d.dead & (d.adm.dt.normalize() >= d.adm.max().normalize()-pd.Timedelta(days=90))).sum()",
      assumes("(d.dead & (d.discharged > d.discharged.max()-pd.Timedelta(days=90))).sum()")),
    q("yoyrate", "h", "readmission rate in 2022 versus 2023",
      "d[d.year.isin([2022,2023])].groupby('year').readmitted.mean()", share=True),
    q("p95", "h", "95th percentile of cost per insurance",
      "d.groupby('ins').cost.quantile(.95)", assumes("d.groupby('insurance').cost.quantile(.95)")),
    q("sevshare", "h", "within each ward, what fraction of admissions is critical",
      "(d.severity=='critical').groupby(d.ward).mean()", share=True),
    q("heat", "h", "heat map of admissions by ward and severity",
      "pd.crosstab(d.ward, d.severity)", chart="heat"),
    q("cum", "h", "running total of deaths by month",
      "d.groupby('month').dead.sum().cumsum()"),
    q("beds", "e", "how many beds does each ward have?", REFUSE),
    q("satis", "m", "average patient satisfaction by doctor", REFUSE),
    q("meds", "h", "which medication was prescribed most often", REFUSE),
]
