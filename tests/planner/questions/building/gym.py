"""Memberships of a chain of gyms, one row a member; who has left has an end date."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(5101)
    n = 1900
    joined = pd.Timestamp("2021-01-04") + pd.to_timedelta(rng.integers(0, 1270, n), unit="D")
    plan = rng.choice(["Basic", "Plus", "Premium", "Student"], n, p=[.42, .28, .16, .14])
    fee = pd.Series(plan).map({"Basic": 24.9, "Plus": 39.9, "Premium": 64.9, "Student": 19.9})
    left = pd.Series(joined + pd.to_timedelta(rng.integers(40, 900, n), unit="D"))
    left[(left > pd.Timestamp("2024-06-30")) | (rng.random(n) < .35)] = pd.NaT
    visits = rng.poisson(rng.gamma(1.4, 4.5, n))
    last = pd.Series(np.where(rng.random(n) < .5, "2024-06", "2024-05"))
    last[visits == 0] = None
    return {"members": pd.DataFrame({
        "memberId": [f"M-{i:05}" for i in rng.permutation(n) + 1], "club": rng.choice(
            ["Harbour", "Old Town", "Riverside", "University"], n, p=[.3, .27, .25, .18]),
        "plan": plan, "joinDate": joined, "endDate": left, "age": rng.integers(16, 78, n),
        "gender": rng.choice(["f", "m", "x"], n, p=[.49, .48, .03]),
        "monthlyFee": fee.round(2), "visitsLastMonth": visits, "lastSeen": last,
        "classesBooked": rng.poisson(1.6, n), "noShows": rng.binomial(4, .12, n),
        "hasTrainer": rng.random(n) < .17, "autoRenew": rng.choice(["yes", "no"], n, p=[.71, .29]),
        "signupChannel": rng.choice(["web", "front desk", "app", "referral"], n,
                                    p=[.38, .25, .22, .15]),
        "outstandingBalance": np.where(rng.random(n) < .12, rng.gamma(2, 28, n).round(2), 0.0),
        "rating": pd.Series(rng.choice([1, 2, 3, 4, 5], n, p=[.06, .09, .2, .38, .27])
                            .astype(float)).mask(pd.Series(rng.random(n) < .3))})}


def prepare(members):
    d = members
    d["active"] = d.endDate.isna()
    d["year"], d["month"] = d.joinDate.dt.year, d.joinDate.dt.to_period("M")
    d["days"] = (d.endDate - d.joinDate).dt.days
    d["renew"] = d.autoRenew == "yes"
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many members are there?", "len(d)"),
    q("club", "e", "members per club", "d.club.value_counts()"),
    q("age", "e", "average age of our members", "d.age.mean()"),
    q("ageplan", "e", "mean age by plan, oldest first",
      "d.groupby('plan').age.mean().sort_values(ascending=False)"),
    q("visits", "e", "which club has the most visits?",
      "top(d.groupby('club').visitsLastMonth.sum())"),
    q("trainer", "e", "how many members have a personal trainer?", "d.hasTrainer.sum()"),
    q("renew", "e", "share of members with auto-renew switched on", "d.renew.mean()", share=True),
    q("fee", "e", "total monthly fees by club", "d.groupby('club').monthlyFee.sum()"),
    q("pie", "e", "pie chart of members by plan", "d.plan.value_counts()", chart="pie"),
    q("hist", "e", "distribution of age", "Hist(d.age)"),
    q("chan", "e", "bar chart of signups per channel", "d.signupChannel.value_counts()",
      chart="bar"),
    q("oldest", "e", "who is the oldest member?", "top(d.set_index('memberId').age)", "d.age.max()",
      "Keys(d[d.age==d.age.max()].memberId)"),
    q("rating", "e", "average rating for each club", "d.groupby('club').rating.mean()"),
    q("active", "m", "how many active members do we have (no end date)?", "d.active.sum()"),
    q("left23", "m", "how many members left in 2023?", "(d.endDate.dt.year==2023).sum()"),
    q("join", "m", "new members per month", "d.month.value_counts().sort_index()"),
    q("joinq", "m", "signups by quarter for each club",
      "d.groupby([d.joinDate.dt.to_period('Q'),'club']).size().unstack(fill_value=0)"),
    q("u25", "m", "how many members are under 25?", "(d.age<25).sum()"),
    q("u25p", "m", "percentage of Student plan members older than 30",
      "(d[d.plan=='Student'].age>30).mean()", share=True),
    q("noshow", "m", "which plan has the most no-shows per member?",
      "top(d.groupby('plan').noShows.mean())"),
    q("lazy", "m", "how many people did not visit at all last month?", "(d.visitsLastMonth==0).sum()"),
    q("lazyp", "m", "what proportion of members at each club never came last month?",
      "(d.visitsLastMonth==0).groupby(d.club).mean()", share=True),
    q("owe", "m", "how much money do members owe us in total? (outstanding balance)",
      "d.outstandingBalance.sum()"),
    q("owen", "m", "number of members with an outstanding balance", "(d.outstandingBalance>0).sum()"),
    q("owetop", "m", "ten members with the highest outstanding balance",
      "top(d.set_index('memberId').outstandingBalance, 10)"),
    q("gender", "m", "visits last month of women and men on average",
      "d[d.gender.isin(['f','m'])].groupby('gender').visitsLastMonth.mean()",
      assumes("d.groupby('gender').visitsLastMonth.mean()")),
    q("trvis", "m", "do members with a trainer visit more often?",
      "d.groupby('hasTrainer').visitsLastMonth.mean()"),
    q("xt", "m", "cross tab of club and plan", "pd.crosstab(d.club, d.plan)"),
    q("stack", "m", "stacked bars of members per club, coloured by plan",
      "pd.crosstab(d.club, d.plan)", chart="bar"),
    q("unrated", "m", "how many members have not rated us?", "d.rating.isna().sum()"),
    q("happy", "m", "share of ratings that are 4 or better", "(d.rating.dropna()>=4).mean()",
      assumes("(d.rating>=4).mean()"), share=True),
    q("summer", "m", "how many joined in January, all years taken together?",
      "(d.joinDate.dt.month==1).sum()"),
    q("box", "m", "box plot of age by plan", "box(d,'plan','age')", chart="box"),
    q("corr", "m", "is there a correlation between age and visits last month?",
      "d.age.corr(d.visitsLastMonth)", "Pairs(d.age, d.visitsLastMonth)"),
    q("stay", "h", "how many days did members who left stay on average?", "d.days.mean()"),
    q("stayp", "h", "median length of membership by plan for those who left",
      "d.groupby('plan').days.median()", assumes("d.groupby('plan').days.median()/30.4375")),
    q("churn", "h", "share of members who have left, by signup channel",
      "(~d.active).groupby(d.signupChannel).mean()", share=True),
    q("perv", "h", "fee per visit by plan (fees divided by visits)",
      "d.groupby('plan').monthlyFee.sum()/d.groupby('plan').visitsLastMonth.sum()"),
    q("year", "h", "change in the number of signups from year to year",
      "d.year.value_counts().sort_index().diff().dropna()",
      "d.year.value_counts().sort_index().pct_change().dropna()*100"),
    q("cum", "h", "running total of signups by month",
      "d.month.value_counts().sort_index().cumsum()"),
    q("band", "h", "visits last month by age group in steps of 10 years, average",
      "d.groupby(d.age//10*10).visitsLastMonth.mean()"),
    q("rev", "h", "what share of fee revenue comes from Premium members?",
      "d[d.plan=='Premium'].monthlyFee.sum()/d.monthlyFee.sum()", share=True),
    q("revact", "h", "monthly fee income from active members only, per plan",
      "d[d.active].groupby('plan').monthlyFee.sum()"),
    q("best", "h", "the most popular plan in each club",
      "pd.crosstab(d.club,d.plan).idxmax(axis=1)"),
    q("top2", "h", "top 2 signup channels for every club",
      "d.groupby('club').signupChannel.apply(lambda s: s.value_counts().head(2))"),
    q("both", "h", "members who neither booked a class nor visited last month",
      "((d.classesBooked==0)&(d.visitsLastMonth==0)).sum()",
      "Keys(d[(d.classesBooked==0)&(d.visitsLastMonth==0)].memberId)"),
    q("above", "h", "how many members visit more than the average?",
      "(d.visitsLastMonth>d.visitsLastMonth.mean()).sum()"),
    q("quart", "h", "what is the 75th percentile of visits for Plus and Premium members?",
      "d[d.plan.isin(['Plus','Premium'])].visitsLastMonth.quantile(.75)",
      "d[d.plan.isin(['Plus','Premium'])].groupby('plan').visitsLastMonth.quantile(.75)"),
    q("busy", "h", "clubs where the average rating is below 3.65",
      "(lambda s: s[s<3.65])(d.groupby('club').rating.mean())",
      "(lambda s: Keys(s[s<3.65].index))(d.groupby('club').rating.mean())"),
    q("weight", "m", "average body weight by gender", REFUSE),
    q("why", "m", "reasons for cancelling", REFUSE),
]
