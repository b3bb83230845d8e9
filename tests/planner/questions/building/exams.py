"""Exam results of a group of schools, one row a paper; marks out of 100 and teachers' forecasts."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(5107)
    n, pupils = 3400, 520
    who = rng.integers(0, pupils, n)
    ability = rng.normal(61, 12, pupils)[who]
    subject = rng.choice(["Maths", "English", "Physics", "History", "Spanish", "Art"], n,
                         p=[.24, .24, .14, .15, .13, .1])
    mark = pd.Series((ability + pd.Series(subject).map(
        {"Maths": -4, "English": 1, "Physics": -6, "History": 2, "Spanish": 3, "Art": 8})
        + rng.normal(0, 9, n)).clip(0, 100).round())
    absent = rng.random(n) < .03
    mark[absent] = np.nan
    return {"results": pd.DataFrame({
        "pupil_no": who + 1000, "school": rng.choice(
            ["Ashfield", "Brookside", "Castle Hill", "Dale"], pupils, p=[.3, .3, .22, .18])[who],
        "yr_group": rng.choice([10, 11, 12, 13], pupils)[who], "sex": rng.choice(["F", "M"], pupils)[who],
        "free_meals": rng.choice(["Y", "N"], pupils, p=[.18, .82])[who], "subject": subject,
        "exam_board": rng.choice(["AQB", "OKR", "Edex"], n), "exam_date": pd.to_datetime(
            rng.choice(["2022-06-10", "2023-01-18", "2023-06-12", "2024-01-16", "2024-06-11"], n))
        + pd.to_timedelta(rng.integers(0, 9, n), unit="D"),
        "mark": mark, "forecast_mark": (ability + rng.normal(2, 6, n)).clip(0, 100).round(),
        "time_used_min": rng.normal(82, 15, n).clip(20, 120).round().astype(int),
        "attendance_pct": [f"{a:.1f}%" for a in rng.beta(18, 1.6, pupils)[who] * 100],
        "resit": rng.random(n) < .11, "extra_time": rng.choice([0, 1], n, p=[.9, .1]),
        "effort": rng.choice(["low", "fair", "good", "outstanding"], n, p=[.12, .3, .42, .16]),
        "entry_fee": rng.choice([42.5, 48.0, 55.75], n)})}


def prepare(results):
    d = results
    d["att"] = d.attendance_pct.str.strip("%").astype(float)
    d["year"], d["month"] = d.exam_date.dt.year, d.exam_date.dt.to_period("M")
    d["ok"] = d.mark >= 50
    d["over"] = d.mark - d.forecast_mark
    return {"d": d, "sat": d.dropna(subset="mark")}


QUESTIONS = [
    q("avg", "e", "average mark by subject", "d.groupby('subject').mark.mean()"),
    q("best", "e", "which school has the highest average mark?", "top(d.groupby('school').mark.mean())"),
    q("pup", "e", "how many pupils took exams?", "d.pupil_no.nunique()"),
    q("pups", "e", "number of pupils per school", "d.groupby('school').pupil_no.nunique()"),
    q("papers", "e", "exam papers per subject, most first", "d.subject.value_counts()", "d.subject.value_counts()"),
    q("hist", "e", "histogram of marks", "Hist(d.mark)", chart="hist"),
    q("box", "e", "box plot of marks by school", "box(d,'school','mark')", chart="box"),
    q("max", "e", "highest mark in Physics", "d[d.subject=='Physics'].mark.max()"),
    q("med", "e", "median mark for each year group", "d.groupby('yr_group').mark.median()"),
    q("resit", "e", "how many papers were resits?", "d.resit.sum()"),
    q("fees", "e", "total entry fees by school", "d.groupby('school').entry_fee.sum()"),
    q("eff", "e", "papers by effort from low to outstanding",
      "d.effort.value_counts().reindex(['low','fair','good','outstanding'])", order=True),
    q("board", "e", "pie chart of exam boards", "d.exam_board.value_counts()", chart="pie"),
    q("abs", "m", "how many marks are missing?", "d.mark.isna().sum()"),
    q("absp", "m", "share of papers without a mark per subject", "d.mark.isna().groupby(d.subject).mean()", share=True),
    q("pass", "m", "pass rate by subject, a pass being 50 or more",
      "sat.ok.groupby(sat.subject).mean()", "d.ok.groupby(d.subject).mean()", share=True),
    q("passn", "m", "how many maths papers got at least 70 marks?", "((d.subject=='Maths')&(d.mark>=70)).sum()"),
    q("sex", "m", "do girls do better than boys? average mark", "d.groupby('sex').mark.mean()"),
    q("sexsub", "m", "mean mark by subject and sex", "d.groupby(['subject','sex']).mark.mean().unstack()"),
    q("free", "m", "average mark of pupils with free meals versus those without",
      "d.groupby('free_meals').mark.mean()"),
    q("june", "m", "number of papers in June 2023", "(d.month=='2023-06').sum()"),
    q("years", "m", "average mark per year as a line chart", "d.groupby('year').mark.mean()", chart="line"),
    q("att", "m", "average attendance by school", "d.groupby('school').att.mean()"),
    q("attlow", "m", "how many papers by pupils with attendance below 85%?", "(d.att<85).sum()"),
    q("corr", "m", "correlation between attendance and mark", "d.att.corr(d.mark)"),
    q("scat", "m", "forecast mark against actual mark, scatter", "Pairs(d.forecast_mark,d.mark)",
      "Pairs(d.mark,d.forecast_mark)", chart="scatter"),
    q("time", "m", "average time used in hours by exam board", "d.groupby('exam_board').time_used_min.mean()/60"),
    q("early", "m", "what percent of papers were finished in under an hour?", "(d.time_used_min<60).mean()", share=True),
    q("top10", "m", "top 10 pupils by average mark", "top(d.groupby('pupil_no').mark.mean(),10)"),
    q("worst", "m", "subject with the lowest median mark", "bottom(d.groupby('subject').mark.median())"),
    q("xt", "m", "effort by year group, counts", "pd.crosstab(d.effort,d.yr_group)"),
    q("stack", "m", "stacked bar chart of papers per school and subject", "pd.crosstab(d.school,d.subject)", chart="bar"),
    q("nsci", "m", "average mark in everything except Art", "d[d.subject!='Art'].mark.mean()"),
    q("sixth", "m", "how many year 12 and 13 papers are there?", "d.yr_group.isin([12,13]).sum()",
      "d[d.yr_group.isin([12,13])].yr_group.value_counts()"),
    q("gap", "h", "average difference between mark and forecast by subject", "d.groupby('subject').over.mean()"),
    q("beat", "h", "share of papers where the mark was higher than forecast, by school",
      "(d.over>0).groupby(d.school).mean()", "(sat.over>0).groupby(sat.school).mean()", share=True),
    q("below", "h", "how many papers came in more than 20 marks below the forecast?", "(d.over<-20).sum()"),
    q("perp", "h", "average number of papers per pupil by school", "d.groupby('school').size()/d.groupby('school').pupil_no.nunique()"),
    q("many", "h", "pupils who took more than 11 papers", "(lambda s: s[s>11])(d.pupil_no.value_counts())",
      "(lambda s: Keys(s[s>11].index))(d.pupil_no.value_counts())", "(d.pupil_no.value_counts()>11).sum()"),
    q("bestsub", "h", "best subject in each school by average mark",
      "d.groupby(['school','subject']).mark.mean().unstack().idxmax(axis=1)"),
    q("yoy", "h", "how did the average mark change between 2023 and 2024?",
      "d[d.year==2024].mark.mean()-d[d.year==2023].mark.mean()",
      "d[d.year.isin([2023,2024])].groupby('year').mark.mean()",
      "(d[d.year==2024].mark.mean()/d[d.year==2023].mark.mean()-1)*100"),
    q("band", "h", "number of papers in mark bands of 10", "(d.mark//10*10).value_counts()",
      "pd.cut(d.mark,range(0,101,10)).value_counts()", "Hist(d.mark)"),
    q("effsh", "h", "effort mix within each school in percent", "pd.crosstab(d.school,d.effort,normalize='index')", share=True),
    q("good", "h", "percentage of good or outstanding effort by sex",
      "d.effort.isin(['good','outstanding']).groupby(d.sex).mean()", share=True),
    q("p90", "h", "90th percentile of marks per subject", "d.groupby('subject').mark.quantile(.9)"),
    q("sd", "h", "in which subject do marks vary the most?", "top(d.groupby('subject').mark.std())", "top(d.groupby('subject').mark.var())"),
    q("feep", "h", "entry fees per pupil by school", "d.groupby('school').entry_fee.sum()/d.groupby('school').pupil_no.nunique()"),
    q("above60", "h", "subjects with an average mark above 60", "(lambda s: s[s>60])(d.groupby('subject').mark.mean())",
      "(lambda s: Keys(s[s>60].index))(d.groupby('subject').mark.mean())"),
    q("extra", "h", "gap in average mark between those with extra time and the rest",
      "d.groupby('extra_time').mark.mean()", "d[d.extra_time==1].mark.mean()-d[d.extra_time==0].mark.mean()",
      "d[d.extra_time==0].mark.mean()-d[d.extra_time==1].mark.mean()"),
    q("teach", "m", "average mark by teacher", REFUSE),
    q("uni", "m", "how many went on to university?", REFUSE),
]
