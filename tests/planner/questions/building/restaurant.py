"""Bills of a small chain of restaurants; amounts are numbers, times are of day and date together."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1010)
    n = 3500
    day = pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 240, n), unit="D")
    lunch = rng.random(n) < .4
    minute = np.where(lunch, rng.integers(690, 870, n), rng.integers(1050, 1350, n))
    guests = rng.choice([1, 2, 3, 4, 6, 8], n, p=[.1, .45, .15, .2, .07, .03])
    food = (guests * rng.normal(19, 5, n)).clip(6).round(2)
    drinks = (guests * rng.gamma(2, 4, n)).round(2)
    tip = ((food + drinks) * rng.uniform(0, .2, n)).round(2)
    rating = pd.Series(rng.choice([1, 2, 3, 4, 5], n, p=[.05, .1, .2, .35, .3])).astype(float)
    rating[rng.random(n) < .4] = np.nan
    return {"bills": pd.DataFrame({
        "bill_id": np.arange(n) + 1, "opened_at": day + pd.to_timedelta(minute, unit="min"),
        "restaurant": rng.choice(["Old Mill", "Harbour", "Garden"], n, p=[.4, .35, .25]),
        "meal": np.where(lunch, "lunch", "dinner"), "waiter": rng.choice(
            ["Ana", "Bob", "Cleo", "Dmitri", "Elif", "Finn"], n), "guests": guests,
        "food_amt": food, "drinks_amt": drinks, "tip": tip,
        "pay_method": rng.choice(["card", "cash", "voucher"], n, p=[.65, .3, .05]),
        "reserved": rng.random(n) < .35, "rating": rating,
        "table_no": rng.integers(1, 25, n)})}


def prepare(bills):
    d = bills
    d["total"] = d.food_amt + d.drinks_amt
    d["month"] = d.opened_at.dt.to_period("M")
    d["wd"] = d.opened_at.dt.day_name()
    d["wkend"] = d.opened_at.dt.dayofweek >= 5
    d["pct"] = d.tip / d.total
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many bills were there", "len(d)"),
    q("guests", "e", "how many guests did we serve altogether?", "d.guests.sum()"),
    q("food", "e", "total food revenue", "d.food_amt.sum()"),
    q("rest", "e", "food sales per restaurant", "d.groupby('restaurant').food_amt.sum()"),
    q("tip", "e", "average tip by waiter", "d.groupby('waiter').tip.mean()"),
    q("besttip", "e", "Who gets the highest tips on average?",
      "top(d.groupby('waiter').tip.mean())"),
    q("mosttip", "m", "which waiter earned the most in tips?", "top(d.groupby('waiter').tip.sum())"),
    q("turn", "h", "turnover (food plus drinks) by restaurant",
      "d.groupby('restaurant').total.sum()"),
    q("tippct", "h", "tip as a percentage of food and drinks together, by meal",
      "d.groupby('meal').tip.sum()/d.groupby('meal').total.sum()",
      "d.groupby('meal').pct.mean()", share=True),
    q("notip", "m", "how many bills had no tip?", "(d.tip==0).sum()"),
    q("percap", "h", "food spend per guest in each restaurant",
      "d.groupby('restaurant').food_amt.sum()/d.groupby('restaurant').guests.sum()",
      "(d.food_amt/d.guests).groupby(d.restaurant).mean()"),
    q("party", "m", "what's the typical party size (median guests)?", "d.guests.median()"),
    q("big", "m", "how many tables had 6 or more guests?", "(d.guests>=6).sum()",
      assumes("d[d.guests>=6].table_no.nunique()")),
    q("lunch", "e", "guests at lunch", "d[d.meal=='lunch'].guests.sum()",
      assumes("(d.meal=='lunch').sum()")),
    q("ld", "m", "lunch vs dinner: average drinks amount", "d.groupby('meal').drinks_amt.mean()"),
    q("cash", "m", "proportion of bills paid in cash", "(d.pay_method=='cash').mean()", share=True),
    q("cashr", "h", "percent of bills paid by card at each restaurant",
      "(d.pay_method=='card').groupby(d.restaurant).mean()", share=True),
    q("res", "m", "how many guests came with a reservation?", "d[d.reserved].guests.sum()",
      assumes("d.reserved.sum()")),
    q("walk", "m", "share of bills without reservation", "(~d.reserved).mean()", share=True),
    q("rate", "e", "average rating per restaurant", "d.groupby('restaurant').rating.mean()"),
    q("unrated", "m", "how many bills have not been rated?", "d.rating.isna().sum()"),
    q("bad", "m", "number of ratings below 3 by waiter", "d[d.rating<3].waiter.value_counts()"),
    q("bestw", "m", "which restaurant has the best average rating?",
      "top(d.groupby('restaurant').rating.mean())"),
    q("wd", "e", "number of guests by day of week", "d.groupby('wd').guests.sum()"),
    q("hour", "m", "what hour is the busiest?", "top(d.opened_at.dt.hour.value_counts())",
      assumes("top(d.groupby(d.opened_at.dt.hour).guests.sum())")),
    q("we", "h", "average tip on weekends versus weekdays", "d.groupby('wkend').tip.mean()",
      "d.groupby(d.wkend.map({True: 'weekend', False: 'weekday'})).tip.mean()"),
    q("mon", "e", "monthly food sales as a line", "d.groupby('month').food_amt.sum()",
      chart="line"),
    q("bestmon", "m", "which month brought in the most drinks sales",
      "top(d.groupby('month').drinks_amt.sum())"),
    q("growth", "h", "month-over-month growth of food sales in percent",
      "d.groupby('month').food_amt.sum().pct_change().dropna()*100", share=True),
    q("top3", "m", "the three highest food bills", "top(d.set_index('bill_id').food_amt, 3)",
      "Values(list(d.food_amt.nlargest(3)))"),
    q("top2each", "h", "top 2 waiters by tips in each restaurant",
      "(lambda s: s[s.groupby(level=0).rank(ascending=False)<=2])(d.groupby(['restaurant',"
      "'waiter']).tip.sum())"),
    q("aug", "h", "drinks revenue in August at Harbour",
      "d[(d.opened_at.dt.month==8)&(d.restaurant=='Harbour')].drinks_amt.sum()"),
    q("may", "m", "how many dinners were served in the first week of May 2024?",
      "((d.opened_at>='2024-05-01')&(d.opened_at<'2024-05-08')&(d.meal=='dinner')).sum()"),
    q("after20", "h", "bills opened after 8pm", "(d.opened_at.dt.hour>=20).sum()"),
    q("sc", "e", "plot tip against food amount", "Pairs(d.food_amt, d.tip)",
      "Pairs(d.tip, d.food_amt)", chart="scatter"),
    q("corr", "m", "does the tip correlate with the number of guests?", "d.tip.corr(d.guests)"),
    q("stack", "h", "stacked bars of guests by month and meal",
      "d.groupby(['month','meal']).guests.sum().unstack()"),
    q("cum", "m", "running total of tips per month", "d.groupby('month').tip.sum().cumsum()"),
    q("sh", "h", "how much does each restaurant contribute to total food sales, in percent?",
      "d.groupby('restaurant').food_amt.sum()/d.food_amt.sum()", share=True),
    q("hav", "h", "waiters who had more than 560 bills",
      "(lambda s: Keys(s[s>560].index))(d.waiter.value_counts())",
      "(lambda s: s[s>560])(d.waiter.value_counts())", "(d.waiter.value_counts()>560).sum()"),
    q("solo", "m", "how many people dined alone?", "(d.guests==1).sum()"),
    q("foodbox", "m", "box plot of food amount by meal", "box(d,'meal','food_amt')", chart="box"),
    q("hist", "e", "histogram of tips", "Hist(d.tip)", chart="hist"),
    q("ratings", "e", "how many bills got each rating", "d.rating.value_counts()"),
    q("five", "m", "share of rated bills with 5 stars", "(d.rating.dropna()==5).mean()",
      assumes("(d.rating==5).mean()"), share=True),
    q("medtip", "h", "median tip for dinners with at least 4 guests",
      "d[(d.meal=='dinner')&(d.guests>=4)].tip.median()"),
    q("wtot", "m", "bills per waiter and restaurant", "pd.crosstab(d.waiter, d.restaurant)"),
    q("quiet", "m", "which day of the week has the fewest guests",
      "bottom(d.groupby('wd').guests.sum())"),
    q("profit", "m", "what was our profit?", REFUSE),
    q("veg", "e", "how many vegetarian dishes were sold?", REFUSE),
]
