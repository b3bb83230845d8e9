"""Exam results of a school."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(808)
    n = 1800
    subject = rng.choice(["Maths", "English", "Physics", "Art", "Geography"], n)
    score = np.clip(rng.normal(62, 15, n) + np.where(subject == "Art", 8, 0), 0, 100).round(1)
    score = pd.Series(score).where(rng.random(n) > .03)
    exams = pd.DataFrame({
        "StudentName": [f"Student {i:03d}" for i in rng.integers(1, 240, n)],
        "Gender": rng.choice(["F", "M"], n),
        "YearGroup": rng.choice([7, 8, 9, 10, 11], n),
        "House": rng.choice(["Red", "Blue", "Green", "Yellow"], n),
        "Subject": subject,
        "Teacher": rng.choice(["Ms Adler", "Mr Boyd", "Dr Chen", "Mrs Diaz", "Mr Evans"], n),
        "Term": rng.choice(["Autumn", "Spring", "Summer"], n),
        "Score": score,
        "HoursStudied": np.clip(rng.normal(9, 4, n), 0, None).round(1),
        "AbsentDays": rng.poisson(3, n),
        "ExamDate": pd.Timestamp("2022-10-03") + pd.to_timedelta(rng.integers(0, 640, n), unit="D"),
        "Passed": (score >= 50).fillna(False),
        "FreeMeals": rng.choice([True, False], n, p=[.2, .8])})
    return {"exams": exams}


def prepare(exams):
    d = exams
    d["ym"] = d.ExamDate.dt.to_period("M")
    d["yr"] = d.ExamDate.dt.year
    return {"d": d}


QUESTIONS = [
    q("avg", "e", "what is the mean score?", "d.Score.mean()"),
    q("bysub", "e", "mean score per subject please", "d.groupby('Subject').Score.mean()"),
    q("hard", "e", "which subject has the lowest average score?",
      "Top(d.groupby('Subject').Score.mean(), 1, True)"),
    q("pass", "e", "how many exams were passed?", "d.Passed.sum()"),
    q("fail", "e", "how many students failed", "(~d.Passed).sum()",
      "d[~d.Passed].StudentName.nunique()"),
    q("passrate", "e", "pass rate by teacher", "d.groupby('Teacher').Passed.mean()", share=True),
    q("girls", "m", "do girls score higher than boys in maths?",
      "d[d.Subject=='Maths'].groupby('Gender').Score.mean()", REFUSE),
    q("gender", "m", "compare the scores of F and M in Physics",
      "d[d.Subject=='Physics'].groupby('Gender').Score.mean()"),
    q("best", "m", "who got the best score in English?",
      "top(d[d.Subject=='English'].groupby('StudentName').Score.max())"),
    q("top10", "m", "list the 10 students with the highest average score",
      "top(d.groupby('StudentName').Score.mean(),10)"),
    q("missing", "e", "how many results are missing a score", "d.Score.isna().sum()"),
    q("house", "e", "bar chart of average score by house", "d.groupby('House').Score.mean()",
      chart="bar"),
    q("corr", "m", "is there a correlation between hours studied and score?",
      "d.HoursStudied.corr(d.Score)"),
    q("scatter", "e", "plot score against hours studied", "Pairs(d.HoursStudied, d.Score)",
      chart="scatter"),
    q("corrsub", "h", "how strongly does studying relate to score in each subject",
      "d.groupby('Subject').apply(lambda g: g.HoursStudied.corr(g.Score))", REFUSE),
    q("yg", "e", "number of students per year group",
      "d.groupby('YearGroup').StudentName.nunique()", "d.YearGroup.value_counts()"),
    q("y9", "e", "average score in year group 9", "d[d.YearGroup==9].Score.mean()"),
    q("absent", "m", "average days absent of those who failed compared with those who passed",
      "d.groupby('Passed').AbsentDays.mean()"),
    q("over90", "e", "how many scores above 90 are there?", "(d.Score>90).sum()"),
    q("pct80", "m", "what percent of exams scored 80 or more",
      "(d.Score>=80).mean()", "(d.Score>=80).sum()/d.Score.notna().sum()", share=True),
    q("meals", "m", "pass rate for students with free meals vs without",
      "d.groupby('FreeMeals').Passed.mean()", share=True),
    q("median", "e", "median score by term and subject",
      "d.groupby(['Term','Subject']).Score.median()"),
    q("spread", "m", "which subject has the widest spread of scores",
      "top(d.groupby('Subject').Score.std())",
      "top(d.groupby('Subject').Score.agg(lambda s: s.max()-s.min()))"),
    q("topsub", "h", "best student in each subject by average score",
      "d.groupby(['Subject','StudentName']).Score.mean().sort_values(ascending=False)"
      ".groupby('Subject').head(1)"),
    q("trend", "m", "how has the average score developed over time?",
      "d.groupby('ym').Score.mean()", "d.groupby('ExamDate').Score.mean()",
      "d.groupby('yr').Score.mean()"),
    q("chen", "e", "Dr Chen's average score", "d[d.Teacher=='Dr Chen'].Score.mean()"),
    q("chenart", "m", "how many exams did Dr Chen mark in Art?",
      "((d.Teacher=='Dr Chen')&(d.Subject=='Art')).sum()"),
    q("yg2", "m", "average score of year groups 7 and 8",
      "d[d.YearGroup.isin([7,8])].Score.mean()",
      "d[d.YearGroup.isin([7,8])].groupby('YearGroup').Score.mean()"),
    q("p90", "m", "what is the 90th percentile of the score", "d.Score.quantile(.9)"),
    q("ratio", "m", "ratio of passed to failed exams", "d.Passed.sum()/(~d.Passed).sum()"),
    q("stddev", "e", "standard deviation of scores for each teacher",
      "d.groupby('Teacher').Score.std()"),
    q("bothh", "m", "average score for exams with fewer than 5 hours studied",
      "d[d.HoursStudied<5].Score.mean()"),
    q("yoy", "h", "by what percentage did the number of exams change from 2022 to 2023?",
      "((d.yr==2023).sum()/(d.yr==2022).sum()-1)*100"),
    q("summer", "e", "exams taken in summer term", "(d.Term=='Summer').sum()"),
    q("box", "e", "box plot of scores per subject", "box(d,'Subject','Score')", chart="box"),
    q("reds", "m", "what fraction of passed exams belongs to the Red house?",
      "(d[d.Passed].House=='Red').mean()", share=True),
    q("teach", "e", "how many different teachers are there", "d.Teacher.nunique()"),
    q("who5", "h", "how many students sat more than 10 exams",
      "(d.StudentName.value_counts()>10).sum()"),
    q("iq", "m", "average IQ by house", REFUSE),
    q("max3", "m", "3 lowest scores in Geography", "d[d.Subject=='Geography'].Score.nsmallest(3)",
      "Top(d[d.Subject=='Geography'].groupby('StudentName').Score.min(),3,True)"),
]
