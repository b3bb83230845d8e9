"""Orders of a web shop, one line each."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(101)
    n = 6000
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 731 * 24 * 60, n), unit="min")
    category = rng.choice(["Electronics", "Home", "Toys", "Books", "Clothing", "Garden"], n,
                          p=[.22, .2, .15, .2, .15, .08])
    base = pd.Series(category).map({"Electronics": 120, "Home": 45, "Toys": 22, "Books": 14,
                                    "Clothing": 35, "Garden": 60}).to_numpy()
    price = (base * rng.lognormal(0, .5, n)).round(2)
    country = rng.choice(["Germany", "France", "Spain", "Italy", "Poland", "Austria"], n,
                         p=[.35, .2, .15, .12, .1, .08])
    status = rng.choice(["delivered", "returned", "cancelled", "pending"], n, p=[.78, .1, .08, .04])
    ship_days = rng.integers(1, 15, n)
    shipped = pd.Series(day).dt.normalize() + pd.to_timedelta(ship_days, unit="D")
    shipped[np.isin(status, ["cancelled", "pending"])] = pd.NaT
    rating = pd.Series(rng.choice([1, 2, 3, 4, 5], n, p=[.05, .08, .17, .35, .35]), dtype="float")
    rating[rng.random(n) < .3] = np.nan
    channel = rng.choice(["web", "app", "phone"], n, p=[.55, .38, .07])
    mixed = [c.upper() if r < .1 else c.title() if r < .25 else c
             for c, r in zip(channel, rng.random(n))]
    orders = pd.DataFrame({
        "order_id": np.arange(100001, 100001 + n), "order_date": day, "ship_date": shipped,
        "cust_id": rng.integers(1, 900, n), "country": country, "category": category,
        "qty": rng.choice([1, 2, 3, 4, 5, 6], n, p=[.5, .22, .12, .08, .05, .03]),
        "unit_price": price, "discount": [f"{d}%" for d in rng.choice([0, 5, 10, 20], n,
                                                                       p=[.6, .2, .15, .05])],
        "status": status, "channel": mixed, "gift": rng.choice(["yes", "no"], n, p=[.12, .88]),
        "rating": rating})
    return {"orders": orders.sort_values("order_date").reset_index(drop=True)}


def prepare(orders):
    d = orders
    d["rev"] = d.qty * d.unit_price
    d["disc"] = d.discount.str.rstrip("%").astype(float)
    d["net"] = d.rev * (1 - d.disc / 100)
    d["ch"] = d.channel.str.lower()
    d["month"] = d.order_date.dt.to_period("M")
    d["quarter"] = d.order_date.dt.to_period("Q")
    d["year"] = d.order_date.dt.year
    d["days"] = (d.ship_date - d.order_date).dt.total_seconds() / 86400
    d["daysn"] = (d.ship_date - d.order_date.dt.normalize()).dt.days
    d["ret"] = d.status == "returned"
    return {"d": d}


QUESTIONS = [
    q("count", "e", "how many orders are there?", "len(d)"),
    q("revenue", "e", "total revenue", "d.rev.sum()", assumes("d.net.sum()")),
    q("avgprice", "e", "average unit price", "d.unit_price.mean()"),
    q("bycountry", "e", "number of orders by country", "d.country.value_counts()"),
    q("qtycat", "e", "units sold per category", "d.groupby('category').qty.sum()"),
    q("pricecat", "e", "mean unit price by category, highest first",
      "d.groupby('category').unit_price.mean().sort_values(ascending=False)", order=True),
    q("customers", "e", "how many different customers do we have", "d.cust_id.nunique()"),
    q("maxprice", "e", "most expensive unit price", "d.unit_price.max()",
      "top(d.set_index('order_id').unit_price)"),
    q("returned", "e", "how many orders were returned?", "d.ret.sum()"),
    q("germanorders", "e", "orders from Germany", "(d.country=='Germany').sum()",
      "Keys(d[d.country=='Germany'].order_id)"),
    q("histprice", "e", "histogram of unit_price", "Hist(d.unit_price)", chart="hist"),
    q("piestatus", "e", "pie chart of order status", "d.status.value_counts()", chart="pie"),
    q("barcat", "e", "bar chart of orders per category", "d.category.value_counts()", chart="bar"),
    q("monthly", "e", "orders per month as a line", "d.groupby('month').size()", chart="line"),
    q("avgrating", "e", "avg rating per country", "d.groupby('country').rating.mean()"),
    q("norating", "e", "how many orders have no rating", "d.rating.isna().sum()"),
    q("mediandisc", "e", "median quantity per order", "d.qty.median()"),
    q("retrate", "m", "what share of orders got returned?", "d.ret.mean()", share=True),
    q("retratecat", "m", "return rate by category", "d.groupby('category').ret.mean()",
      share=True),
    q("revcountry", "m", "revenue (qty times unit price) by country",
      "d.groupby('country').rev.sum()"),
    q("revmonth", "m", "plot monthly revenue", "d.groupby('month').rev.sum()",
      assumes("d.groupby('month').net.sum()"), chart="any"),
    q("top5cust", "m", "top 5 customers by number of orders",
      "top(d.cust_id.value_counts(), 5)"),
    q("top10cust", "m", "who are our ten biggest customers by revenue?",
      "top(d.groupby('cust_id').rev.sum(), 10)",
      assumes("top(d.groupby('cust_id').net.sum(), 10)")),
    q("aov", "m", "average order value", "d.rev.mean()", assumes("d.net.mean()")),
    q("chan", "m", "orders by channel, ignoring upper/lower case", "d.ch.value_counts()"),
    q("chanshare", "m", "percentage of orders via each channel",
      "d.ch.value_counts(normalize=True)",
      assumes("d.channel.value_counts(normalize=True)"), share=True),
    q("gift", "m", "what percentage of orders are gifts", "(d.gift=='yes').mean()", share=True),
    q("giftprice", "m", "compare avg unit price of gifts vs non gifts",
      "d.groupby(d.gift=='yes').unit_price.mean()"),
    q("shipdays", "m", "average number of days between order date and ship date",
      "d.days.mean()", "d.daysn.mean()"),
    q("q3", "m", "number of orders in Q3 2024", "(d.quarter=='2024Q3').sum()"),
    q("weekend", "m", "how many orders were placed on weekends",
      "(d.order_date.dt.dayofweek>=5).sum()"),
    q("weekday", "m", "orders by day of the week", "d.order_date.dt.day_name().value_counts()"),
    q("notdeliv", "m", "count orders that were not delivered, by status",
      "d[d.status!='delivered'].status.value_counts()"),
    q("statusbycountry", "m", "stacked bar of order status by country",
      "pd.crosstab(d.country, d.status)", chart="bar"),
    q("boxprice", "m", "box plot of unit price per category",
      "box(d,'category','unit_price')", chart="box"),
    q("p90", "m", "90th percentile of unit price", "d.unit_price.quantile(.9)"),
    q("ratings", "m", "distribution of ratings", "d.rating.value_counts()", "Hist(d.rating)"),
    q("over100", "m", "how many orders have more than 3 units and cost over 100 per unit",
      "((d.qty>3)&(d.unit_price>100)).sum()"),
    q("avgdisc", "m", "mean discount by category", "d.groupby('category').disc.mean()", share=True),
    q("mom", "h", "month over month change in revenue, in percent",
      "d.groupby('month').rev.sum().pct_change().dropna()", share=True),
    q("cum", "h", "cumulative revenue over time by month",
      "d.groupby('month').rev.sum().cumsum()"),
    q("rolling", "h", "3 month rolling average of the number of orders",
      "d.groupby('month').size().rolling(3).mean().dropna()"),
    q("yoy", "h", "compare total revenue in 2023 and 2024 per category",
      "d.pivot_table(index='category',columns='year',values='rev',aggfunc='sum')"),
    q("bestcat", "h", "best selling category by units in each country",
      "d.groupby(['country','category']).qty.sum().unstack().idxmax(axis=1)"),
    q("custmin", "h", "average unit price for customers with at least 12 orders",
      "d.groupby('cust_id').filter(lambda g: len(g)>=12).unit_price.mean()",
      "d.groupby('cust_id').filter(lambda g: len(g)>=12).groupby('cust_id').unit_price.mean()"),
    q("ncustmin", "h", "how many customers ordered at least ten times?",
      "(d.cust_id.value_counts()>=10).sum()"),
    q("once", "h", "how many customers bought only once", "(d.cust_id.value_counts()==1).sum()"),
    q("net", "h", "total revenue after discount", "d.net.sum()"),
    q("netcat", "h", "net revenue by category, i.e. qty * unit_price * (1 - discount)",
      "d.groupby('category').net.sum()"),
    q("last30", "h", "revenue over the last 30 days of the data",
      "d[d.order_date > d.order_date.max()-pd.Timedelta(days=30)].rev.sum()",
      "d[d.order_date >= d.order_date.max().normalize()-pd.Timedelta(days=30)].rev.sum()",
      "d[d.order_date.dt.normalize() > d.order_date.max().normalize()-pd.Timedelta(days=30)].rev.sum()"),
    q("sharerev", "h", "each country's share of total revenue",
      "d.groupby('country').rev.sum()/d.rev.sum()", share=True),
    q("slow", "h", "which category takes longest to ship on average?",
      "top(d.groupby('category').days.mean())", "top(d.groupby('category').daysn.mean())"),
    q("late", "h", "percentage of shipped orders that took more than 10 days to ship",
      "(d.days.dropna()>10).mean()", "(d.daysn.dropna()>10).mean()", share=True),
    q("heat", "h", "heatmap of the number of orders by weekday and hour",
      "pd.crosstab(d.order_date.dt.day_name(), d.order_date.dt.hour)", chart="heat"),
    q("corr", "h", "is there a correlation between unit price and rating?",
      "d.unit_price.corr(d.rating)"),
    q("cancelq", "h", "cancellation rate by quarter",
      "(d.status=='cancelled').groupby(d.quarter).mean()", share=True),
    q("returnsdiff", "h", "difference in return rate between Electronics and Books",
      "d[d.category=='Electronics'].ret.mean()-d[d.category=='Books'].ret.mean()",
      "d[d.category.isin(['Electronics','Books'])].groupby('category').ret.mean()", share=True),
    q("top3each", "h", "top 3 most expensive orders by total value",
      "top(d.set_index('order_id').rev, 3)"),
    q("margin", "m", "profit margin by category", REFUSE),
    q("age", "m", "average age of our customers", REFUSE),
    q("forecast", "h", "predict revenue for the next 3 months", REFUSE),
]
