"""People of a company; left_date is missing for those who are still there, salaries are text."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1111)
    n = 900
    hire = pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 4500, n), unit="D")
    left = pd.Series(hire + pd.to_timedelta(rng.integers(90, 2500, n), unit="D"))
    left[(rng.random(n) < .55) | (left > pd.Timestamp("2024-12-31"))] = pd.NaT
    level = rng.choice(["junior", "mid", "senior", "lead"], n, p=[.3, .4, .22, .08])
    base = pd.Series(level).map({"junior": 42, "mid": 55, "senior": 72, "lead": 95})
    salary = (base * rng.normal(1000, 90, n)).round(-2).astype(int)
    score = pd.Series(rng.normal(3.4, .7, n).round(1).clip(1, 5))
    score[rng.random(n) < .1] = np.nan
    return {"staff": pd.DataFrame({
        "EmpID": np.arange(n) + 1000, "Department": rng.choice(
            ["Sales", "Engineering", "Finance", "HR", "Support"], n, p=[.25, .35, .12, .08, .2]),
        "JobLevel": level, "Gender": rng.choice(["F", "M", "X"], n, p=[.46, .52, .02]),
        "Office": rng.choice(["Vienna", "Graz", "Linz"], n, p=[.6, .25, .15]),
        "HireDate": hire.strftime("%Y-%m-%d"), "LeftDate": left,
        "AnnualSalary": [f"EUR {s:,}" for s in salary],
        "BonusPct": rng.choice([0, 5, 10, 15], n, p=[.5, .25, .15, .1]),
        "PerfScore": score, "RemoteDays": rng.choice([0, 1, 2, 3, 5], n),
        "SickDays": rng.poisson(6, n), "Manager": rng.choice(["no", "yes"], n, p=[.88, .12])})}


def prepare(staff):
    d = staff
    d["pay"] = d.AnnualSalary.str.replace("[^0-9]", "", regex=True).astype(int)
    d["hired"] = pd.to_datetime(d.HireDate)
    d["year"] = d.hired.dt.year
    d["gone"] = d.LeftDate.notna()
    return {"d": d}


QUESTIONS = [
    q("n", "e", "headcount", "len(d)", assumes("(~d.gone).sum()")),
    q("dept", "e", "employees per department", "d.Department.value_counts()",
      assumes("d[~d.gone].Department.value_counts()")),
    q("sal", "e", "average salary", "d.pay.mean()"),
    q("sald", "e", "mean salary by department and gender",
      "d.groupby(['Department','Gender']).pay.mean()"),
    q("highd", "m", "Which department pays best on average?", "top(d.groupby('Department').pay.mean())"),
    q("maxe", "m", "who earns the most?", "top(d.set_index('EmpID').pay)"),
    q("gap", "h", "difference between average male and female salary",
      "d[d.Gender=='M'].pay.mean()-d[d.Gender=='F'].pay.mean()",
      "d[d.Gender=='F'].pay.mean()-d[d.Gender=='M'].pay.mean()", "d[d.Gender!='X'].groupby('Gender').pay.mean()"),
    q("gender", "e", "gender split in percent", "d.Gender.value_counts(normalize=True)",
      share=True),
    q("femeng", "m", "share of women in Engineering",
      "(d[d.Department=='Engineering'].Gender=='F').mean()", share=True),
    q("femdep", "h", "percentage of women by department",
      "(d.Gender=='F').groupby(d.Department).mean()", share=True),
    q("hires", "e", "hires per year", "d.year.value_counts()"),
    q("hires20", "e", "how many people were hired in 2020?", "(d.year==2020).sum()"),
    q("since", "m", "how many people joined since 2021?", "(d.year>=2021).sum()"),
    q("before", "m", "number of employees hired before 2015", "(d.year<2015).sum()"),
    q("left", "m", "how many employees have left?", "d.gone.sum()"),
    q("act", "h", "number of current employees (no left date) by office",
      "d[~d.gone].Office.value_counts()"),
    q("attr", "h", "what fraction of employees has left, by department",
      "d.groupby('Department').gone.mean()", share=True),
    q("leftyear", "h", "departures per year, by left date",
      "d.LeftDate.dt.year.value_counts()"),
    q("ten", "h", "average time between hire and leaving, in years",
      "((d.LeftDate-d.hired).dt.days/365.25).mean()", "((d.LeftDate-d.hired).dt.days/365).mean()"),
    q("bonus", "m", "how many get no bonus?", "(d.BonusPct==0).sum()"),
    q("bonusavg", "e", "mean bonus percentage for each job level",
      "d.groupby('JobLevel').BonusPct.mean()"),
    q("payroll", "m", "total payroll by office", "d.groupby('Office').pay.sum()"),
    q("perf", "e", "average performance score per department",
      "d.groupby('Department').PerfScore.mean()"),
    q("perfhi", "m", "employees with a performance score of 4.5 or higher",
      "(d.PerfScore>=4.5).sum()", "Keys(d[d.PerfScore>=4.5].EmpID)"),
    q("noperf", "m", "how many people have no performance score", "d.PerfScore.isna().sum()"),
    q("sick", "e", "which office has the most sick days per employee?",
      "top(d.groupby('Office').SickDays.mean())"),
    q("sick10", "m", "what percentage of staff took more than 10 sick days?",
      "(d.SickDays>10).mean()", share=True),
    q("remote", "m", "share of employees who never work remotely",
      "(d.RemoteDays==0).mean()", share=True),
    q("mgr", "m", "how many managers are there?", "(d.Manager=='yes').sum()"),
    q("ratio", "h", "ratio of managers to all employees per department",
      "(d.Manager=='yes').groupby(d.Department).mean()", share=True),
    q("order", "h", "median salary by job level, from junior to lead",
      "d.groupby('JobLevel').pay.median()"),
    q("top5", "h", "top 5 salaries in Finance", "top(d[d.Department=='Finance'].set_index('EmpID').pay, 5)",
      "Values(list(d[d.Department=='Finance'].pay.nlargest(5)))"),
    q("topeach", "h", "the highest salary in each department",
      "d.groupby('Department').pay.max()"),
    q("over60", "m", "how many employees earn more than 60000?", "(d.pay>60000).sum()"),
    q("over60k", "m", "how many employees earn over 60k", "(d.pay>60000).sum()"),
    q("btw", "h", "number of people earning between 40,000 and 50,000 by level",
      "d[d.pay.between(40000,50000)].JobLevel.value_counts()"),
    q("hist", "e", "salary distribution", "Hist(d.pay)"),
    q("box", "e", "box plot of salaries by level", "box(d,'JobLevel','pay')", chart="box"),
    q("corr", "m", "is there a relationship between salary and performance?",
      "d.pay.corr(d.PerfScore)", "Pairs(d.pay, d.PerfScore)", "Pairs(d.PerfScore, d.pay)"),
    q("cumh", "h", "cumulative hires by year", "d.year.value_counts().sort_index().cumsum()"),
    q("notv", "m", "average salary outside Vienna", "d[d.Office!='Vienna'].pay.mean()"),
    q("minmax", "e", "lowest and highest salary", "Values([d.pay.min(), d.pay.max()])"),
    q("offpie", "e", "pie of employees by office", "d.Office.value_counts()", chart="pie"),
    q("sickl", "m", "total sick days per department, most first",
      "d.groupby('Department').SickDays.sum()"),
    q("p75", "m", "75th percentile of salary by office", "d.groupby('Office').pay.quantile(.75)"),
    q("hmon", "m", "in which month of the year are most people hired?",
      "top(d.hired.dt.month.value_counts())", "top(d.hired.dt.month_name().value_counts())"),
    q("lvl", "h", "how many leads and seniors are in Engineering?",
      "((d.Department=='Engineering')&d.JobLevel.isin(['lead','senior'])).sum()",
      "d[(d.Department=='Engineering')&d.JobLevel.isin(['lead','senior'])].JobLevel.value_counts()"),
    q("mgrpay", "h", "average salary of managers compared to the rest",
      "d.groupby('Manager').pay.mean()"),
    q("edu", "m", "average salary by education", REFUSE),
    q("age", "e", "average age of employees", REFUSE),
]
