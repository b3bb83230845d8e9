"""Loans of a public library."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1202)
    n = 7000
    genre = rng.choice(["Crime", "Fantasy", "Romance", "Science", "History", "Children", "Comics"],
                       n, p=[.2, .14, .12, .1, .12, .22, .1])
    out = pd.Series(pd.Timestamp("2022-01-03") + pd.to_timedelta(rng.integers(0, 1090, n), unit="D"))
    due = out + pd.to_timedelta(rng.choice([14, 21, 28], n, p=[.2, .2, .6]), unit="D")
    back = due + pd.to_timedelta(np.round(rng.normal(-5, 8, n)), unit="D")
    back = pd.Series(np.maximum(back, out))
    back[rng.random(n) < .025] = pd.NaT
    late = (back - due).dt.days.clip(lower=0)
    fine = (late * .25).where(late > 0, 0)
    branch = rng.choice(["Central", "North", "Harbor", "Westend"], n, p=[.45, .2, .15, .2])
    branch = [b.upper() if r < .06 else b for b, r in zip(branch, rng.random(n))]
    year = rng.integers(1960, 2024, n).astype(float)
    year[rng.random(n) < .07] = np.nan
    return {"loans": pd.DataFrame({
        "loan_id": np.arange(50001, 50001 + n), "member_id": rng.integers(1, 1100, n),
        "title_id": [f"T{i:04}" for i in rng.zipf(1.3, n) % 900], "genre": genre, "branch": branch,
        "loan_dt": out, "due_dt": due, "return_dt": back.dt.strftime("%d.%m.%Y"),
        "renewals": rng.choice([0, 1, 2, 3], n, p=[.62, .22, .11, .05]),
        "fine": [f"€{f:.2f}" if f == f else None for f in fine],
        "pub_year": year, "pages": rng.normal(290, 110, n).clip(24).round(),
        "mem_type": rng.choice(["adult", "child", "student", "senior"], n, p=[.45, .25, .15, .15]),
        "ebook": rng.choice([True, False], n, p=[.18, .82]),
        "stars": pd.Series(rng.choice([1, 2, 3, 4, 5], n, p=[.04, .09, .22, .38, .27]),
                           dtype="float").where(rng.random(n) < .55)}).sort_values("loan_dt")
        .reset_index(drop=True)}


def prepare(loans):
    d = loans
    d["back"] = pd.to_datetime(d.return_dt, format="%d.%m.%Y")
    d["days"] = (d.back - d.loan_dt).dt.days
    d["latedays"] = (d.back - d.due_dt).dt.days
    d["late"] = d.latedays > 0
    d["eur"] = d.fine.str.replace("€", "").astype(float)
    d["br"] = d.branch.str.title()
    d["month"] = d.loan_dt.dt.to_period("M")
    d["quarter"] = d.loan_dt.dt.to_period("Q")
    d["year"] = d.loan_dt.dt.year
    d["open"] = d.back.isna()
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many loans", "len(d)"),
    q("genre", "e", "loans by genre, most popular first", "d.genre.value_counts()", order=True),
    q("members", "e", "number of distinct members", "d.member_id.nunique()"),
    q("pages", "e", "average number of pages", "d.pages.mean()"),
    q("pagesgenre", "e", "median pages per genre", "d.groupby('genre').pages.median()"),
    q("stars", "e", "mean stars by genre", "d.groupby('genre').stars.mean()"),
    q("hist", "e", "histogram of pub_year", "Hist(d.pub_year)", chart="hist"),
    q("pie", "e", "pie chart by mem_type", "d.mem_type.value_counts()", chart="pie"),
    q("bar", "e", "bar chart of renewals: how many loans with 0, 1, 2, 3",
      "d.renewals.value_counts()", chart="bar"),
    q("ebooks", "e", "how many loans were ebooks?", "d.ebook.sum()"),
    q("oldest", "e", "oldest publication year", "d.pub_year.min()"),
    q("nostars", "e", "how many loans have no star rating", "d.stars.isna().sum()"),
    q("renew", "e", "total renewals per member type", "d.groupby('mem_type').renewals.sum()"),
    q("titles", "e", "5 most borrowed titles", "top(d.title_id.value_counts(),5)"),
    q("child", "e", "loans to children (mem_type child)", "(d.mem_type=='child').sum()",
      "Keys(d[d.mem_type=='child'].loan_id)"),
    q("lastloan", "e", "date of the latest loan", "d.loan_dt.max()"),
    q("box", "e", "boxplot of pages by genre", "box(d,'genre','pages')", chart="box"),
    q("branch", "m", "loans per branch, whatever the spelling", "d.br.value_counts()"),
    q("yearly", "m", "loans per year", "d.groupby('year').size()"),
    q("monthly", "m", "line of monthly loans", "d.groupby('month').size()", chart="line"),
    q("ebookpct", "m", "percentage of ebooks by genre", "d.groupby('genre').ebook.mean()",
      share=True),
    q("late", "m", "what share of returned books came back late?",
      "(d[~d.open].latedays>0).mean()", assumes("d.late.mean()"), share=True),
    q("lategenre", "m", "late return rate by genre", "d[~d.open].groupby('genre').late.mean()",
      assumes("d.groupby('genre').late.mean()"), share=True),
    q("duration", "m", "average loan duration in days", "d.days.mean()"),
    q("durtype", "m", "avg days between loan and return by mem_type",
      "d.groupby('mem_type').days.mean()"),
    q("fines", "m", "total fines", "d.eur.sum()"),
    q("finebranch", "m", "sum of fines per branch", "d.groupby('br').eur.sum()",
      assumes("d.groupby('branch').eur.sum()")),
    q("open", "m", "how many books have not been returned", "d.open.sum()"),
    q("fined", "m", "how many loans ended with a fine", "(d.eur>0).sum()"),
    q("wkday", "m", "loans by weekday", "d.loan_dt.dt.day_name().value_counts()"),
    q("notebook", "m", "average stars of everything that is not an ebook",
      "d[~d.ebook].stars.mean()"),
    q("q1", "m", "number of loans in Q1 2023", "(d.quarter=='2023Q1').sum()"),
    q("dec", "m", "in which month of the year are most books borrowed",
      "top(d.loan_dt.dt.month_name().value_counts())"),
    q("stack", "m", "stacked bars: genre by member type", "pd.crosstab(d.genre,d.mem_type)",
      "pd.crosstab(d.mem_type,d.genre)", chart="bar"),
    q("long", "m", "how many crime novels over 400 pages were lent to students",
      "((d.genre=='Crime')&(d.pages>400)&(d.mem_type=='student')).sum()"),
    q("old", "m", "share of loans of books published before 1980", "(d.pub_year<1980).mean()",
      "(d.pub_year.dropna()<1980).mean()", share=True),
    q("p90", "m", "90th percentile of pages", "d.pages.quantile(.9)"),
    q("scatter", "m", "scatter plot of pages and pub_year", "Pairs(d.pages,d.pub_year)",
      chart="scatter"),
    q("topmem", "m", "who borrowed the most books?", "top(d.member_id.value_counts())"),
    q("genreshare", "m", "each genre's share of all loans",
      "d.genre.value_counts(normalize=True)", share=True),
    q("heavy", "h", "how many members borrowed more than 8 books", "(d.member_id.value_counts()>8).sum()"),
    q("permem", "h", "average number of loans per member", "len(d)/d.member_id.nunique()"),
    q("growth", "h", "change in the number of loans from year to year, in percent",
      "d.groupby('year').size().pct_change().dropna()", share=True),
    q("cum", "h", "cumulative fines by month of the loan", "d.groupby('month').eur.sum().cumsum()"),
    q("roll", "h", "three-month moving average of loans",
      "d.groupby('month').size().rolling(3).mean().dropna()"),
    q("favgenre", "h", "favourite genre of each member type",
      "pd.crosstab(d.mem_type,d.genre).idxmax(axis=1)"),
    q("besttitle", "h", "best rated titles with at least 20 ratings, top 5",
      "(lambda g: top(g.mean()[g.count()>=20],5))(d.groupby('title_id').stars)"),
    q("avglate", "h", "for late returns, by how many days are they late on average",
      "d[d.late].latedays.mean()"),
    q("fineperlate", "h", "average fine of the loans that were fined, per member type",
      "d[d.eur>0].groupby('mem_type').eur.mean()"),
    q("ebookyears", "h", "compare the ebook share of 2022 and 2024",
      "d[d.year.isin([2022,2024])].groupby('year').ebook.mean()", share=True),
    q("last60", "h", "loans per genre during the last 60 days",
      "d[d.loan_dt > d.loan_dt.max()-pd.Timedelta(days=60)].genre.value_counts()",
      "d[d.loan_dt >= d.loan_dt.max()-pd.Timedelta(days=60)].genre.value_counts()"),
    q("corr", "h", "do longer books get better ratings? correlation of pages and stars",
      "d.pages.corr(d.stars)"),
    q("decade", "h", "loans by decade of publication", "(d.pub_year//10*10).value_counts()"),
    q("heat", "h", "heatmap of loans by genre and branch (merge spellings)",
      "pd.crosstab(d.genre,d.br)", chart="heat"),
    q("renewrate", "h", "share of loans renewed at least once, by genre, highest first",
      "(d.renewals>0).groupby(d.genre).mean().sort_values(ascending=False)", order=True, share=True),
    q("once", "h", "titles that were borrowed only once: how many?",
      "(d.title_id.value_counts()==1).sum()"),
    q("latediff", "h", "difference in the share of late returns between adults and students",
      "(lambda s: s['adult']-s['student'])(d[~d.open].groupby('mem_type').late.mean())",
      "(lambda s: s['student']-s['adult'])(d[~d.open].groupby('mem_type').late.mean())",
      "(lambda s: s[['adult','student']])(d[~d.open].groupby('mem_type').late.mean())",
      assumes("(lambda s: s['adult']-s['student'])(d.groupby('mem_type').late.mean())"),
      assumes("(lambda s: s[['adult','student']])(d.groupby('mem_type').late.mean())"), share=True),
    q("author", "e", "most popular author", REFUSE),
    q("visits", "m", "visitors per branch per day", REFUSE),
    q("reason", "h", "why do people return books late?", REFUSE),
]
