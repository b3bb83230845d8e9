"""Loans of a city's libraries; the dates are text, what is still out has no return date."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1101)
    n = 3000
    out = pd.Timestamp("2023-01-02") + pd.to_timedelta(rng.integers(0, 600, n), unit="D")
    branch = rng.choice(["Central", "Riverside", "Oakwood", "Hillcrest", "Station"], n,
                        p=[.36, .24, .18, .12, .10])
    kept = pd.Series(rng.gamma(3, 7, n).round() + 1)
    genre = rng.choice(["crime", "romance", "history", "science", "children", "travel"], n,
                       p=[.27, .2, .15, .1, .21, .07])
    back = pd.Series(out + pd.to_timedelta(kept, unit="D"))
    gone = (rng.random(n) < .05)
    due = out + pd.to_timedelta(28, unit="D")
    late = (back - due).dt.days.clip(lower=0)
    fine = (late * .25).round(2)
    fine[gone] = 0
    return {"loans": pd.DataFrame({
        "loan_id": np.arange(70001, 70001 + n),
        "member_no": [f"M{i:04}" for i in rng.integers(1, 640, n)],
        "member_type": rng.choice(["adult", "child", "student", "senior"], n, p=[.5, .2, .18, .12]),
        "branch": branch, "title": [f"Book {i:03}" for i in rng.zipf(1.4, n) % 300],
        "genre": genre, "format": rng.choice(["print", "ebook", "audiobook"], n, p=[.7, .2, .1]),
        "loan_date": out.strftime("%Y-%m-%d"), "due_date": due.strftime("%Y-%m-%d"),
        "return_date": back.where(~gone).dt.strftime("%Y-%m-%d"),
        "renewals": rng.poisson(.6, n), "pages": rng.integers(80, 900, n),
        "fine_eur": fine, "reserved": rng.choice(["yes", "no"], n, p=[.18, .82])})}


def prepare(loans):
    d = loans
    d["out"], d["due"] = pd.to_datetime(d.loan_date), pd.to_datetime(d.due_date)
    d["back"] = pd.to_datetime(d.return_date)
    d["kept"] = (d.back - d.out).dt.days
    d["late"] = d.back > d.due
    d["month"], d["year"] = d.out.dt.to_period("M"), d.out.dt.year
    d["res"] = d.reserved == "yes"
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many loans are there?", "len(d)"),
    q("branch", "e", "loans per branch", "d.branch.value_counts()"),
    q("members", "e", "how many different members borrowed something?", "d.member_no.nunique()"),
    q("popular", "e", "which genre is borrowed the most?", "top(d.genre.value_counts())"),
    q("titles10", "e", "ten most borrowed titles", "top(d.title.value_counts(), 10)"),
    q("fines", "e", "how much did we collect in fines?", "d.fine_eur.sum()"),
    q("ebook", "e", "number of ebooks lent", "(d.format=='ebook').sum()"),
    q("pages", "e", "what is the average number of pages by genre?",
      "d.groupby('genre').pages.mean()"),
    q("ebookpct", "m", "what percentage of the loans are ebooks", "(d.format=='ebook').mean()",
      share=True),
    q("resrate", "e", "what proportion of loans was reserved, by branch?",
      "d.groupby('branch').res.mean()", share=True),
    q("out", "m", "how many books have not been returned yet?", "d.back.isna().sum()",
      assumes("d[d.back.isna()].title.nunique()")),
    q("kept", "m", "how long do people keep a book on average?", "d.kept.mean()"),
    q("keptgen", "m", "average number of days between loan and return by genre",
      "d.groupby('genre').kept.mean()"),
    q("longest", "m", "which genre is kept longest on average?",
      "top(d.groupby('genre').kept.mean())"),
    q("late", "m", "how many loans came back after the due date?", "d.late.sum()"),
    q("laterate", "h", "share of ebook loans that were returned late",
      "d[d.format=='ebook'].late.mean()",
      "d[d.back.notna()&(d.format=='ebook')].late.mean()", share=True),
    q("latebr", "h", "which branch has the highest proportion of late returns?",
      "top(d.groupby('branch').late.mean())", "top(d[d.back.notna()].groupby('branch').late.mean())",
      share=True),
    q("month", "m", "loans by month as a line", "d.groupby('month').size()", chart="line"),
    q("children", "m", "how many children's loans were there in 2024",
      "((d.genre=='children')&(d.year==2024)).sum()", assumes("((d.member_type=='child')&(d.year==2024)).sum()")),
    q("yoy", "h", "did loans rise or fall from 2023 to 2024?", "d.groupby('year').size()",
      "d.groupby('year').size().diff().iloc[-1]"),
    q("never", "m", "how many loans were never renewed", "(d.renewals==0).sum()"),
    q("renew3", "m", "loans with 3 or more renewals", "(d.renewals>=3).sum()",
      "Keys(d[d.renewals>=3].loan_id)"),
    q("permember", "m", "average number of loans per member", "d.member_no.value_counts().mean()",
      "len(d)/d.member_no.nunique()"),
    q("heavy", "h", "how many members borrowed more than 8 books?",
      "(d.member_no.value_counts()>8).sum()"),
    q("topbr", "h", "the three most popular genres in each branch",
      "d.groupby('branch').genre.value_counts().groupby(level=0).head(3)"),
    q("bestbr", "h", "for every branch the title that was lent most often",
      "d.groupby('branch').title.agg(lambda s: s.value_counts().index[0])"),
    q("kids", "m", "compare the average pages of children and crime books",
      "d[d.genre.isin(['children','crime'])].groupby('genre').pages.mean()"),
    q("weekday", "m", "on which day of the week are most books borrowed?",
      "top(d.out.dt.day_name().value_counts())"),
    q("finepl", "m", "fine per loan at each branch", "d.groupby('branch').fine_eur.mean()"),
    q("finelate", "h", "average fine of loans that had a fine", "d[d.fine_eur>0].fine_eur.mean()"),
    q("finepct", "h", "what share of all fines comes from students?",
      "d[d.member_type=='student'].fine_eur.sum()/d.fine_eur.sum()", share=True),
    q("sharebr", "h", "percentage of each format within each branch",
      "pd.crosstab(d.branch, d.format, normalize='index')", share=True),
    q("cum", "h", "running total of fines by month", "d.groupby('month').fine_eur.sum().cumsum()"),
    q("growth", "h", "how did the number of loans change month on month, in percent",
      "d.groupby('month').size().pct_change().dropna()", share=True),
    q("corr", "m", "is there a correlation between pages and days kept?", "d.pages.corr(d.kept)",
      "Pairs(d.pages, d.kept)"),
    q("q4", "m", "fines collected in the last quarter of 2023",
      "d[(d.year==2023)&(d.out.dt.quarter==4)].fine_eur.sum()"),
    q("author", "m", "loans by author", REFUSE),
    q("bought", "m", "what did the books cost us?", REFUSE),
    q("formats", "e", "what formats do we have?", "Keys(d.format.unique())", "d.format.value_counts()"),
    q("maxfine", "e", "the highest fine anybody had to pay", "d.fine_eur.max()"),
    q("types", "e", "loans by member type as a pie chart", "d.member_type.value_counts()", chart="pie"),
    q("central", "m", "how many crime novels were lent at Central in 2023?",
      "((d.genre=='crime')&(d.branch=='Central')&(d.year==2023)).sum()"),
    q("longpages", "m", "number of loans of books with more than 500 pages, by genre",
      "d[d.pages>500].genre.value_counts()"),
    q("resgenre", "m", "which genre has the highest share of reserved loans?", "top(d.groupby('genre').res.mean())", share=True),
    q("notadult", "m", "loans by members who are not adults", "(d.member_type!='adult').sum()"),
    q("quarter", "m", "fines per quarter", "d.groupby(d.out.dt.to_period('Q')).fine_eur.sum()"),
    q("unique", "h", "distinct members per branch", "d.groupby('branch').member_no.nunique()"),
    q("avgfine", "h", "average fine per member", "d.groupby('member_no').fine_eur.sum().mean()",
      "d.fine_eur.sum()/d.member_no.nunique()", "d.groupby('member_no').fine_eur.mean()"),
    q("studsen", "m", "compare how many books students and seniors borrowed",
      "d[d.member_type.isin(['student','senior'])].member_type.value_counts()"),
    q("pct2", "h", "what percent of loans were renewed at least twice?", "(d.renewals>=2).mean()",
      share=True),
    q("histp", "e", "histogram of pages", "Hist(d.pages)", chart="hist"),
]
