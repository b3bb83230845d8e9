"""An employee survey with answers on scales."""

import numpy as np
import pandas as pd
from spec import REFUSE, q

SCALE = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


def make():
    rng = np.random.default_rng(606)
    n = 1400
    dept = rng.choice(["Engineering", "Sales", "Support", "HR", "Finance", "Marketing"], n,
                      p=[.32, .22, .2, .06, .08, .12])
    lean = pd.Series(dept).map({"Engineering": .2, "Sales": -.1, "Support": -.5, "HR": .4,
                                "Finance": 0, "Marketing": .1}).to_numpy()

    def likert(shift):
        level = np.clip(np.round(3.4 + lean + shift + rng.normal(0, 1.1, n)), 1, 5).astype(int)
        words = pd.Series([SCALE[i - 1] for i in level], dtype=object)
        words[rng.random(n) < .04] = np.nan
        return words

    tenure = pd.Series(rng.gamma(2, 2.2, n).round(1))
    nps = np.clip(np.round(7 + lean * 1.5 + rng.normal(0, 2.2, n)), 0, 10).astype(int)
    salary = (38000 + 2500 * tenure + 9000 * (dept == "Engineering") + rng.normal(0, 7000, n)).round(-2)
    salary = pd.Series([f"{s:,.0f} EUR" for s in salary], dtype=object)
    salary[rng.random(n) < .12] = np.nan
    return {"survey": pd.DataFrame({
        "resp_id": np.arange(1, n + 1),
        "submitted": pd.Timestamp("2024-09-02 08:00") + pd.to_timedelta(
            rng.gamma(1.5, 4 * 1440, n).round(), unit="min"),
        "dept": dept, "age_grp": rng.choice(["18-24", "25-34", "35-44", "45-54", "55+"], n,
                                            p=[.08, .34, .3, .18, .1]),
        "gender": rng.choice(["f", "m", "F", "M", "x"], n, p=[.4, .4, .07, .1, .03]),
        "tenure_yrs": tenure, "remote": rng.choice(["never", "sometimes", "always"], n,
                                                   p=[.25, .5, .25]),
        "manager": rng.choice(["Yes", "No"], n, p=[.18, .82]),
        "likes_job": likert(.3), "fair_pay": likert(-.5), "trusts_boss": likert(0),
        "enps": nps, "would_leave": rng.choice([0, 1], n, p=[.77, .23]),
        "salary": salary, "hrs_wk": rng.normal(40, 4.5, n).round(1)})}


def prepare(survey):
    d = survey
    points = {word: i + 1 for i, word in enumerate(SCALE)}
    for column in ("likes_job", "fair_pay", "trusts_boss"):
        d[column + "_n"] = d[column].map(points)
        d[column + "_ok"] = d[column].isin(SCALE[3:])
    d["pay"] = pd.to_numeric(d.salary.str.replace("[^0-9]", "", regex=True))
    d["sex"] = d.gender.str.lower()
    d["day"] = d.submitted.dt.to_period("D")
    d["promoter"] = d.enps >= 9
    d["detractor"] = d.enps <= 6
    d["mgr"] = d.manager == "Yes"
    return {"d": d, "SCALE": SCALE,
            "nps": lambda s: ((s >= 9).mean() - (s <= 6).mean()) * 100}


QUESTIONS = [
    q("n", "e", "how many people responded", "len(d)"),
    q("dept", "e", "responses by department", "d.dept.value_counts()"),
    q("tenure", "e", "average tenure", "d.tenure_yrs.mean()"),
    q("tendept", "e", "mean tenure_yrs per dept", "d.groupby('dept').tenure_yrs.mean()"),
    q("hist", "e", "histogram of tenure", "Hist(d.tenure_yrs)", chart="hist"),
    q("likes", "e", "how many people gave each answer to likes_job", "d.likes_job.value_counts()",
      "d.likes_job.value_counts(dropna=False)"),
    q("pie", "e", "pie of remote", "d.remote.value_counts()", chart="pie"),
    q("bar", "e", "bar chart of respondents by age group", "d.age_grp.value_counts()",
      chart="bar"),
    q("hrs", "e", "median hours per week by dept", "d.groupby('dept').hrs_wk.median()"),
    q("mgr", "e", "number of managers", "d.mgr.sum()"),
    q("leave", "e", "how many would leave?", "d.would_leave.sum()"),
    q("enps", "e", "average enps score per age group", "d.groupby('age_grp').enps.mean()"),
    q("nosal", "e", "how many did not state their salary", "d.salary.isna().sum()"),
    q("maxhrs", "e", "most hours worked per week", "d.hrs_wk.max()"),
    q("remhrs", "e", "average weekly hours by remote", "d.groupby('remote').hrs_wk.mean()"),
    q("engcount", "e", "how many engineers answered the survey", "(d.dept=='Engineering').sum()"),
    q("deptn", "e", "departments with the fewest responses first",
      "d.dept.value_counts(ascending=True)", order=True),
    q("likepct", "m", "percentage who agree or strongly agree that they like their job",
      "d.likes_job_ok.mean()", "d[d.likes_job.notna()].likes_job_ok.mean()", share=True),
    q("paydis", "m", "share of people who disagree or strongly disagree on fair_pay, by dept",
      "d.fair_pay.isin(SCALE[:2]).groupby(d.dept).mean()",
      "(lambda s: s.fair_pay.isin(SCALE[:2]).groupby(s.dept).mean())(d[d.fair_pay.notna()])",
      share=True),
    q("leaverate", "m", "what % would leave, by department",
      "d.groupby('dept').would_leave.mean()", share=True),
    q("leavedept", "m", "which department has the highest share of people who would leave?",
      "top(d.groupby('dept').would_leave.mean())"),
    q("mgrcmp", "m", "do managers work longer hours than others? compare the averages",
      "d.groupby('mgr').hrs_wk.mean()"),
    q("sal", "m", "average salary", "d.pay.mean()"),
    q("saldept", "m", "median salary by dept, highest first",
      "d.groupby('dept').pay.median().sort_values(ascending=False)", order=True),
    q("gender", "m", "respondents by gender, F and f are the same", "d.sex.value_counts()"),
    q("gendpct", "m", "percentage of women among the respondents", "(d.sex=='f').mean()",
      "(lambda s: (s.sex=='f').mean())(d[d.gender.notna()])", share=True),
    q("stack", "m", "stacked bar chart of likes_job by dept", "pd.crosstab(d.dept,d.likes_job)",
      "pd.crosstab(d.dept,d.likes_job,normalize='index')", chart="bar"),
    q("cross", "m", "crosstab of remote and age_grp", "pd.crosstab(d.remote,d.age_grp)"),
    q("box", "m", "box plot of hrs_wk by dept", "box(d,'dept','hrs_wk')", chart="box"),
    q("long", "m", "how many people with more than 10 years of tenure work over 45 hours",
      "((d.tenure_yrs>10)&(d.hrs_wk>45)).sum()"),
    q("daily", "m", "responses per day", "d.groupby('day').size()"),
    q("first", "m", "when did the last response come in?", "d.submitted.max()"),
    q("nothr", "m", "average enps without HR", "d[d.dept!='HR'].enps.mean()"),
    q("missing", "m", "which columns have missing values and how many",
      "pd.Series({c: d[c].isna().sum() for c in ['likes_job','fair_pay','trusts_boss','salary']})"),
    q("p10", "m", "10th and 90th percentile of hours per week",
      "Values([d.hrs_wk.quantile(.1), d.hrs_wk.quantile(.9)])"),
    q("remleave", "m", "would_leave rate for people who never work remotely",
      "d[d.remote=='never'].would_leave.mean()", share=True),
    q("scatter", "m", "plot hrs_wk over tenure_yrs as dots", "Pairs(d.tenure_yrs,d.hrs_wk)",
      chart="scatter"),
    q("young", "m", "share of under-35s in each department",
      "d.age_grp.isin(['18-24','25-34']).groupby(d.dept).mean()", share=True),
    q("remdept", "m", "percentage of always remote people per department",
      "(d.remote=='always').groupby(d.dept).mean()", share=True),
    q("likert", "h", "mean score of likes_job with strongly disagree = 1 and strongly agree = 5",
      "d.likes_job_n.mean()"),
    q("likertdept", "h", "average trusts_boss on a 1 to 5 scale per department",
      "d.groupby('dept').trusts_boss_n.mean()"),
    q("nps", "h", "eNPS overall: % of 9-10 minus % of 0-6", "nps(d.enps)"),
    q("npsdept", "h", "net promoter score by department (promoters 9-10, detractors 0-6)",
      "d.groupby('dept').enps.apply(nps)", share=True),
    q("ladder", "h", "distribution of fair_pay in the natural order of the answers, as bars",
      "d.fair_pay.value_counts().reindex(SCALE)", chart="bar", order=True),
    q("gap", "h", "difference in average salary between men and women",
      "d[d.sex=='m'].pay.mean()-d[d.sex=='f'].pay.mean()",
      "d[d.sex=='f'].pay.mean()-d[d.sex=='m'].pay.mean()",
      "d[d.sex.isin(['m','f'])].groupby('sex').pay.mean()"),
    q("corr", "h", "correlation between tenure and salary", "d.tenure_yrs.corr(d.pay)"),
    q("leavelike", "h", "leave rate for each answer of likes_job",
      "d.groupby('likes_job').would_leave.mean()", share=True),
    q("bands", "h", "average enps by tenure: under 2 years, 2 to 5, over 5",
      "Values(d.groupby(pd.cut(d.tenure_yrs,[-1,2,5,99],right=False),observed=True).enps.mean().tolist())",
      "Values(d.groupby(pd.cut(d.tenure_yrs,[-1,2,5,99]),observed=True).enps.mean().tolist())",
      "Values([d[d.tenure_yrs<2].enps.mean(), d[d.tenure_yrs.between(2,5)].enps.mean(), "
      "d[d.tenure_yrs>5].enps.mean()])"),
    q("big", "h", "for departments with at least 150 responses, the average enps",
      "(lambda g: g.mean()[g.size()>=150])(d.groupby('dept').enps)"),
    q("heat", "h", "heatmap of would_leave rate by dept and age_grp",
      "d.pivot_table(index='dept',columns='age_grp',values='would_leave')", chart="heat",
      share=True),
    q("cum", "h", "cumulative number of responses by day", "d.groupby('day').size().cumsum()"),
    q("firstweek", "h", "share of responses in the first 7 days",
      "(d.submitted < d.submitted.min()+pd.Timedelta(days=7)).mean()",
      "(d.submitted < d.submitted.min().normalize()+pd.Timedelta(days=7)).mean()",
      "(d.submitted.dt.normalize() <= d.submitted.min().normalize()+pd.Timedelta(days=7)).mean()",
      share=True),
    q("modal", "h", "most common answer to fair_pay in each department",
      "pd.crosstab(d.dept,d.fair_pay).idxmax(axis=1)"),
    q("hourly", "h", "pay per hour: salary / (hrs_wk * 52), average by dept",
      "d.assign(r=d.pay/(d.hrs_wk*52)).groupby('dept').r.mean()"),
    q("both", "h", "how many are unhappy with pay (disagree or worse) but would not leave",
      "(d.fair_pay.isin(SCALE[:2])&(d.would_leave==0)).sum()"),
    q("promshare", "h", "share of promoters (enps 9 or 10) by remote status",
      "d.groupby('remote').promoter.mean()", share=True),
    q("blank", "h", "how many respondents left at least one of likes_job, fair_pay, trusts_boss "
      "empty", "d[['likes_job','fair_pay','trusts_boss']].isna().any(axis=1).sum()"),
    q("canteen", "e", "how satisfied are people with the canteen?", REFUSE),
    q("lastyear", "m", "enps change compared to last year's survey", REFUSE),
    q("response", "h", "response rate by department", REFUSE),
]
