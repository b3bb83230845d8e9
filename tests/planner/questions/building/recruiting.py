"""Job applications of a mid-sized company; expected pay and decision dates typed as text, sources partly missing."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(6207)
    n = 1640
    applied = pd.Series(pd.Timestamp("2023-01-02") + pd.to_timedelta(
        (rng.beta(1.15, 1, n) * 543).astype(int) * 1440
        + np.clip(rng.normal(820, 210, n), 5, 1430).astype(int), unit="min"))
    dept = pd.Series(rng.choice(["Engineering", "Sales", "Data", "Product", "Finance", "Support"], n,
                                p=[.31, .22, .12, .1, .08, .17]))
    lvl = pd.Series(rng.choice(["Junior", "Mid", "Senior", "Lead"], n, p=[.3, .38, .24, .08]))
    src = pd.Series(rng.choice(["LinkedIn", "Job board", "Careers page", "Referral", "Agency"], n,
                               p=[.34, .27, .2, .11, .08]))
    years = lvl.map({"Junior": 1.6, "Mid": 4.5, "Senior": 9, "Lead": 13}) * rng.gamma(7, 1 / 7, n)
    pay = (lvl.map({"Junior": 38, "Mid": 53, "Senior": 71, "Lead": 88})
           * dept.map({"Engineering": 1.14, "Sales": .96, "Data": 1.1, "Product": 1.06,
                       "Finance": 1, "Support": .8}) * rng.normal(1, .1, n) * 2).round() * 500
    score = (58 + 8 * (src == "Referral") + 3 * (src == "Agency") + years * .35
             + rng.normal(0, 12, n)).clip(5, 100).round(1)
    rounds = np.where(score < 52, rng.choice([0, 1], n, p=[.8, .2]), rng.integers(0, 6, n))
    good = (score - 60) / 90 + rounds * .09
    draw = rng.random(n)
    status = pd.Series(np.where((rounds >= 2) & (draw < good * .42), "hired", "rejected"))
    status[(rounds >= 2) & (draw > .91)] = "offer declined"
    status[(status == "rejected") & (rng.random(n) < .12)] = "withdrawn"
    status[(applied > "2024-04-20") & (rng.random(n) < .55)] = "open"
    wait = (4 + rounds * 6.5 + rng.gamma(2, 4.5, n)).round()
    decided = (applied.dt.normalize() + pd.to_timedelta(wait, unit="D")).dt.strftime("%d.%m.%Y")
    case = rng.random(n)
    office = rng.choice(["Berlin", "Dublin", "Lisbon", "Warsaw"], n, p=[.37, .26, .2, .17])
    return {"applications": pd.DataFrame({
        "app_id": [f"A-{i:05}" for i in np.arange(n) * 3 + 20011], "applied_at": applied,
        "dept": dept.where(case < .9, dept.str.lower()).where(case < .97, dept.str.upper()),
        "role_lvl": lvl, "office": office, "src": src.mask(rng.random(n) < .06),
        "yrs_exp": years.round(1).clip(.2).mask(rng.random(n) < .05),
        "exp_sal": pd.Series([f"€{p:,.0f}" for p in pay]).mask(rng.random(n) < .09),
        "scr_score": score.mask(rng.random(n) < .07), "n_intv": rounds, "status": status,
        "decided_on": decided.mask(status == "open"),
        "reloc": pd.Series(rng.choice(["Y", "N"], n, p=[.41, .59])).mask(rng.random(n) < .04),
        "recruiter": rng.choice(["Okafor", "Lindqvist", "Moreau", "Pereira", "Novak", "Byrne",
                                 "Haddad"], n, p=[.2, .18, .16, .15, .13, .1, .08])})}


def prepare(applications):
    d = applications
    d["dept"] = d.dept.str.title()
    d["sal"] = pd.to_numeric(d.exp_sal.str.replace("[€,]", "", regex=True))
    d["decided"] = pd.to_datetime(d.decided_on, format="%d.%m.%Y")
    d["days"] = (d.decided - d.applied_at.dt.normalize()).dt.days
    d["daysf"] = (d.decided - d.applied_at).dt.total_seconds() / 86400
    d["daysi"] = (d.decided - d.applied_at).dt.days
    d["hired"] = d.status == "hired"
    d["offer"] = d.status.isin(["hired", "offer declined"])
    d["month"] = d.applied_at.dt.to_period("M")
    d["quarter"] = d.applied_at.dt.to_period("Q")
    d["dmonth"] = d.decided.dt.to_period("M")
    d["year"] = d.applied_at.dt.year
    d["wday"] = d.applied_at.dt.day_name()
    d["hour"] = d.applied_at.dt.hour
    d["move"] = d.reloc.map({"Y": 1.0, "N": 0.0})
    d["ref"] = d.src == "Referral"
    return {"d": d, "closed": d[d.status != "open"], "m": d.month.value_counts().sort_index(),
            "mean_score": d.scr_score.mean()}


QUESTIONS = [
    # --- easy
    q("dept", "e", "how many applications do we have per department?", "d.dept.value_counts()"),
    q("src", "e", "applications by source, most common first", "d.src.value_counts()", order=True),
    q("hires", "e", "number of people hired", "d.hired.sum()"),
    q("score", "e", "what's the average screening score?", "d.scr_score.mean()"),
    q("medexp", "e", "median yrs of experience", "d.yrs_exp.median()"),
    q("monthly", "e", "plot applications per month", "m", chart="any"),
    q("hist", "e", "histogram of screening scores please", "Hist(d.scr_score.dropna())",
      chart="hist"),
    q("sallvl", "e", "mean expected salary for each role level", "d.groupby('role_lvl').sal.mean()"),
    q("office", "e", "which office gets the most applications?", "top(d.office.value_counts())"),
    q("pie", "e", "pie of applications by status", "d.status.value_counts()", chart="pie"),
    q("recs", "e", "count the distinct recruiters", "d.recruiter.nunique()"),
    q("hireoff", "e", "bar chart with hires in every office", "d[d.hired].office.value_counts()",
      chart="bar"),
    q("maxsal", "e", "highest salary anyone asked for", "d.sal.max()",
      "top(d.set_index('app_id').sal)"),
    q("na", "e", "missing values per column", "applications.isna().sum()"),
    q("reloc", "e", "how many candidates are willing to relocate?", "(d.reloc=='Y').sum()"),
    q("intv", "e", "total interviews by recruiter, descending",
      "d.groupby('recruiter').n_intv.sum().sort_values(ascending=False)", order=True),
    q("exp5", "e", "show me the 5 most experienced applicants",
      "top(d.set_index('app_id').yrs_exp, 5)"),
    q("scat", "e", "scatter expected salary over years of experience",
      "Pairs(d.dropna(subset=['yrs_exp','sal']).yrs_exp, d.dropna(subset=['yrs_exp','sal']).sal)",
      "Pairs(d.dropna(subset=['yrs_exp','sal']).sal, d.dropna(subset=['yrs_exp','sal']).yrs_exp)",
      chart="scatter"),
    q("box", "e", "box plot of the screening score by level", "box(d, 'role_lvl', 'scr_score')",
      chart="box"),
    q("open", "e", "applications still open", "(d.status=='open').sum()",
      "Keys(d[d.status=='open'].app_id)"),
    # --- medium
    q("rate", "m", "hire rate by source", "d.groupby('src').hired.mean()",
      assumes("closed.groupby('src').hired.mean()"), share=True),
    q("wdraw", "m", "what percentage of applicants withdrew?", "(d.status=='withdrawn').mean()",
      assumes("(closed.status=='withdrawn').mean()"), share=True),
    q("senior", "m", "how many senior candidates applied to Data or Product?",
      "((d.role_lvl=='Senior') & d.dept.isin(['Data','Product'])).sum()",
      "d[(d.role_lvl=='Senior') & d.dept.isin(['Data','Product'])].dept.value_counts()"),
    q("wday", "m", "on what days of the week do people apply?", "d.wday.value_counts()"),
    q("hour", "m", "busiest hour of the day for incoming applications",
      "top(d.hour.value_counts())"),
    q("nosrc", "m", "share of applications where we don't know the source", "d.src.isna().mean()",
      share=True),
    q("q1", "m", "Q1 2024 applications versus Q1 2023",
      "d[d.quarter.astype(str).isin(['2023Q1','2024Q1'])].quarter.value_counts()",
      "d[d.applied_at.dt.quarter==1].year.value_counts()",
      "Values(d[d.applied_at.dt.quarter==1].year.value_counts().tolist())"),
    q("cross", "m", "crosstab department and status", "pd.crosstab(d.dept, d.status)"),
    q("salout", "m", "compare salary expectations of hired and rejected people",
      "d[d.status.isin(['hired','rejected'])].groupby('status').sal.mean()",
      "d[d.status.isin(['hired','rejected'])].groupby('status').sal.median()"),
    q("heat", "m", "heatmap weekday x hour, number of applications",
      "pd.crosstab(d.wday, d.hour)", "pd.crosstab(d.hour, d.wday)", chart="heat"),
    q("over90", "m", "applicants asking for more than 90k", "(d.sal>90000).sum()",
      "Keys(d[d.sal>90000].app_id)"),
    q("stack", "m", "stacked bars: status within each office", "pd.crosstab(d.office, d.status)",
      "pd.crosstab(d.office, d.status, normalize='index')", chart="bar"),
    q("corr", "m", "is the screening score correlated with experience?",
      "d.scr_score.corr(d.yrs_exp)", "d.scr_score.corr(d.yrs_exp, method='spearman')"),
    q("wait", "m", "average days from application to decision, per office",
      "d.groupby('office').days.mean()", "d.groupby('office').daysf.mean()",
      "d.groupby('office').daysi.mean()"),
    q("longest", "h", "what is the longest someone had to wait for our decision?", "d.days.max()",
      "d.daysf.max()", "d.daysi.max()", "top(d.set_index('app_id').days)",
      "top(d.set_index('app_id').daysf)"),
    q("closer", "m", "which recruiter has brought in the most hires",
      "top(d[d.hired].recruiter.value_counts())"),
    q("h23", "m", "hires among 2023 applications, split by dept",
      "d[d.hired & (d.year==2023)].dept.value_counts()"),
    q("fresh", "m", "number of candidates with under 2 years' experience", "(d.yrs_exp<2).sum()"),
    q("ranksal", "m", "rank departments by median expected salary",
      "d.groupby('dept').sal.median().sort_values(ascending=False)",
      "d.groupby('dept').sal.median().rank(ascending=False)", order=True),
    q("agency", "h", "how much of our hiring comes through agencies?",
      "(d[d.hired].src=='Agency').mean()", "(d[d.hired].src.dropna()=='Agency').mean()",
      "(d[d.hired].src=='Agency').sum()", share=True),
    q("moveoff", "m", "fraction open to relocation by office", "d.groupby('office').move.mean()",
      "(d.reloc=='Y').groupby(d.office).mean()", share=True),
    q("zero", "m", "what proportion of rejected applications never got an interview?",
      "(d[d.status=='rejected'].n_intv==0).mean()", share=True),
    q("p90", "m", "90th percentile of expected salary for engineering leads",
      "d[(d.dept=='Engineering') & (d.role_lvl=='Lead')].sal.quantile(.9)"),
    q("load", "m", "applications handled by each recruiter in the last 60 days of the data",
      "d[d.applied_at>d.applied_at.max()-pd.Timedelta(days=60)].recruiter.value_counts()",
      "d[d.applied_at.dt.normalize()>d.applied_at.max().normalize()-pd.Timedelta(days=60)]"
      ".recruiter.value_counts()",
      "d[d.applied_at.dt.normalize()>=d.applied_at.max().normalize()-pd.Timedelta(days=60)]"
      ".recruiter.value_counts()"),
    # --- hard
    q("accept", "h", "offer acceptance rate by department, i.e. hired out of hired plus offer declined",
      "d[d.offer].groupby('dept').hired.mean()", share=True),
    q("top2", "h", "two largest sources inside each department",
      "d.groupby('dept').src.apply(lambda s: s.value_counts().head(2))"),
    q("roll", "h", "3-month rolling mean of application numbers", "m.rolling(3).mean().dropna()",
      "m.rolling(3, min_periods=1).mean()"),
    q("cum", "h", "draw a line of cumulative hires by month of decision",
      "d[d.hired].dmonth.value_counts().sort_index().cumsum()", chart="line"),
    q("peryear", "h", "divide expected salary by years of experience, then give the median for every level",
      "(d.sal/d.yrs_exp).groupby(d.role_lvl).median()"),
    q("above", "h", "which source most often yields candidates scoring above the overall average?",
      "top((d.dropna(subset='scr_score').scr_score>mean_score).groupby(d.src).mean())",
      "top((d.scr_score>mean_score).groupby(d.src).mean())",
      assumes("top(d[d.scr_score>mean_score].src.value_counts())")),
    q("halves", "h", "hiring rate in Jan-Jun 2023 next to Jan-Jun 2024, for each dept",
      "d[d.applied_at.dt.month<=6].groupby(['dept','year']).hired.mean()",
      assumes("closed[closed.applied_at.dt.month<=6].groupby(['dept','year']).hired.mean()"),
      share=True),
    q("gap", "h", "gap between the best and worst paid office in terms of average salary expectation",
      "(lambda s: s.max()-s.min())(d.groupby('office').sal.mean())"),
    q("three", "h", "once someone has had at least three interviews, how likely are they to be hired? break it down by level",
      "d[d.n_intv>=3].groupby('role_lvl').hired.mean()",
      assumes("closed[closed.n_intv>=3].groupby('role_lvl').hired.mean()"), share=True),
    q("mix", "h", "quarterly source mix in percent",
      "pd.crosstab(d.quarter, d.src, normalize='index')*100",
      "pd.crosstab(d.quarter, d.src.fillna('unknown'), normalize='index').drop(columns='unknown')*100",
      share=True),
    q("gender", "h", "gender split of hires by department", REFUSE),
    q("cost", "h", "recruiting cost per hire, agency against job board", REFUSE),
    q("left", "h", "how many hires quit during probation?", REFUSE),
]
