"""Loans of a town's public libraries."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(707)
    n = 4000
    out = pd.Timestamp("2023-02-01") + pd.to_timedelta(np.sort(rng.integers(0, 600, n)), unit="D")
    kept = np.clip(rng.gamma(4, 5, n), 1, 90).round().astype(int)
    back = pd.Series(out) + pd.to_timedelta(kept, unit="D")
    back[rng.random(n) < .04] = pd.NaT
    genre = rng.choice(["Crime", "Fantasy", "Biography", "Children", "History", "Cooking"], n,
                       p=[.27, .2, .1, .25, .12, .06])
    loans = pd.DataFrame({
        "loan_id": np.arange(1, n + 1), "checked_out": out, "returned_on": back,
        "branch": rng.choice(["Central", "Northgate", "Riverside", "Old Mill"], n,
                             p=[.45, .25, .2, .1]),
        "genre": genre, "format": rng.choice(["hardcover", "paperback", "audiobook", "e-book"], n,
                                             p=[.3, .4, .12, .18]),
        "borrower_id": rng.integers(1, 700, n),
        "age_group": rng.choice(["child", "teen", "adult", "senior"], n, p=[.25, .15, .4, .2]),
        "pages": np.where(genre == "Children", 60, 320) + rng.integers(0, 300, n),
        "renewals": rng.choice([0, 1, 2, 3], n, p=[.6, .25, .1, .05]),
        "fine_eur": np.where(kept > 28, (kept - 28) * .25, 0.0),
        "reserved": rng.choice(["yes", "no"], n, p=[.2, .8])})
    return {"loans": loans}


def prepare(loans):
    d = loans
    d["month"] = d.checked_out.dt.to_period("M")
    d["year"] = d.checked_out.dt.year
    d["wd"] = d.checked_out.dt.day_name()
    d["days"] = (d.returned_on - d.checked_out).dt.days
    d["fined"] = d.fine_eur > 0
    d["res"] = d.reserved == "yes"
    d["open"] = d.returned_on.isna()
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many loans were there altogether?", "len(d)"),
    q("branches", "e", "how many loans did each branch have", "d.branch.value_counts()"),
    q("busy", "e", "which branch lends the most?", "top(d.branch.value_counts())"),
    q("genre", "e", "what's the most popular genre", "top(d.genre.value_counts())"),
    q("fines", "e", "how much did we collect in fines in total?", "d.fine_eur.sum()"),
    q("avgpages", "e", "how long is the average book, in pages?", "d.pages.mean()"),
    q("people", "e", "number of distinct borrowers", "d.borrower_id.nunique()"),
    q("crime", "e", "how many crime books were borrowed", "(d.genre=='Crime').sum()"),
    q("ebook", "e", "how many of the loans are e-books?", "(d.format=='e-book').sum()"),
    q("formats", "e", "split of loans across formats", "d.format.value_counts()",
      "d.format.value_counts(normalize=True)*100"),
    q("open", "m", "how many books have not been returned yet?", "d.open.sum()"),
    q("maxfine", "e", "what is the highest fine anyone had to pay", "d.fine_eur.max()"),
    q("teens", "e", "average number of renewals for teens",
      "d[d.age_group=='teen'].renewals.mean()"),
    q("months", "m", "show me loans month by month", "d.groupby('month').size()"),
    q("weekday", "m", "on which day of the week do people borrow most?", "top(d.wd.value_counts())"),
    q("pct", "m", "what percentage of loans ended with a fine?", "d.fined.mean()", share=True),
    q("pctage", "m", "what proportion of loans goes to seniors",
      "(d.age_group=='senior').mean()", share=True),
    q("resrate", "m", "reservation rate per branch", "d.groupby('branch').res.mean()", share=True),
    q("days", "m", "how many days does a loan last on average?", "d.days.mean()"),
    q("daysgen", "m", "average loan duration in days by genre", "d.groupby('genre').days.mean()"),
    q("fineage", "m", "which age group pays the highest fines on average",
      "top(d.groupby('age_group').fine_eur.mean())"),
    q("top2", "m", "for every branch, the two most borrowed genres",
      "d.groupby(['branch','genre']).size().sort_values(ascending=False)"
      ".groupby('branch').head(2)"),
    q("two", "m", "loans by branch and format", "d.groupby(['branch','format']).size()"),
    q("y23", "m", "how many loans in 2023 compared to 2024?", "d.year.value_counts()"),
    q("never", "m", "share of loans that were never renewed", "(d.renewals==0).mean()", share=True),
    q("longer", "m", "how many books with more than 500 pages were lent by Riverside",
      "((d.pages>500)&(d.branch=='Riverside')).sum()"),
    q("kids", "m", "what do children read most?", "top(d[d.age_group=='child'].genre.value_counts())"),
    q("readers", "m", "top 5 borrowers by number of loans", "top(d.borrower_id.value_counts(),5)"),
    q("heavy", "h", "how many borrowers took out at least 10 books?",
      "(d.borrower_id.value_counts()>=10).sum()"),
    q("avgper", "h", "how many loans does a borrower make on average?",
      "len(d)/d.borrower_id.nunique()"),
    q("cum", "h", "running total of fines over the months",
      "d.groupby('month').fine_eur.sum().cumsum()"),
    q("mom", "h", "by how much did the loans change from month to month?",
      "d.groupby('month').size().diff()", "d.groupby('month').size().pct_change()*100"),
    q("shareg", "h", "within each age group, what percentage of loans is fantasy?",
      "d.groupby('age_group').genre.apply(lambda s: (s=='Fantasy').mean())", share=True),
    q("wkend", "h", "do people borrow more on weekends than on weekdays?",
      "d.wd.isin(['Saturday','Sunday']).value_counts()",
      "pd.Series({'weekend': d.wd.isin(['Saturday','Sunday']).sum(), "
      "'weekday': (~d.wd.isin(['Saturday','Sunday'])).sum()})"),
    q("spring", "m", "loans between March and May 2024",
      "((d.checked_out>='2024-03-01')&(d.checked_out<'2024-06-01')).sum()"),
    q("latest", "e", "when was the last book checked out?", "d.checked_out.max()"),
    q("hist", "e", "distribution of pages", "Hist(d.pages)", chart="hist"),
    q("line", "m", "draw a line of monthly loans for each branch",
      "d.groupby(['month','branch']).size()", chart="line"),
    q("diff", "h", "how much longer are audiobooks kept than hardcovers?",
      "d[d.format=='audiobook'].days.mean()-d[d.format=='hardcover'].days.mean()",
      assumes("d.groupby('format').days.mean()[['audiobook','hardcover']]")),
    q("not", "m", "loans that are neither crime nor fantasy",
      "(~d.genre.isin(['Crime','Fantasy'])).sum()",
      "Keys(d[~d.genre.isin(['Crime','Fantasy'])].loan_id)"),
    q("author", "m", "loans per author", REFUSE),
    q("rating", "m", "which genre has the best rating?", REFUSE),
]
