"""Listings of homes for sale."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1303)
    n = 2600
    hood = rng.choice(["Riverside", "Old Town", "Hillcrest", "Eastgate", "Lakeview", "Midtown"], n,
                      p=[.2, .13, .17, .2, .12, .18])
    kind = rng.choice(["apartment", "house", "townhouse", "studio"], n, p=[.48, .3, .14, .08])
    sqm = np.where(kind == "house", rng.normal(145, 35, n), np.where(
        kind == "studio", rng.normal(33, 6, n), rng.normal(82, 22, n))).clip(18).round()
    rate = pd.Series(hood).map({"Riverside": 4100, "Old Town": 5200, "Hillcrest": 3600,
                                "Eastgate": 2700, "Lakeview": 4700, "Midtown": 3900}).to_numpy()
    price = (sqm * rate * rng.lognormal(0, .15, n)).round(-3)
    listed = pd.Series(pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 620, n), unit="D"))
    wait = np.round(rng.gamma(2, 24, n))
    sold = listed + pd.to_timedelta(wait, unit="D")
    gone = rng.random(n) < .74
    sold_price = pd.Series((price * rng.normal(.97, .035, n)).round(-2)).where(gone)
    built = pd.Series(rng.integers(1890, 2023, n), dtype="float").where(rng.random(n) > .06)
    return {"listings": pd.DataFrame({
        "listing_id": [f"L-{i}" for i in range(2000, 2000 + n)], "neighborhood": hood,
        "prop_type": [k.title() if r < .15 else k for k, r in zip(kind, rng.random(n))],
        "beds": np.where(kind == "studio", 0, (sqm // 32).clip(1, 6)).astype(int),
        "baths": rng.choice([1, 1.5, 2, 2.5, 3], n, p=[.4, .2, .25, .1, .05]), "sqm": sqm,
        "ask_price": [f"${p:,.0f}" for p in price], "sold_price": sold_price,
        "list_date": listed, "sold_date": sold.where(gone).dt.strftime("%m/%d/%Y"),
        "yr_built": built, "garage": rng.choice(["yes", "no", "Yes", "No"], n, p=[.35, .5, .05, .1]),
        "condition": rng.choice(["poor", "fair", "good", "excellent"], n, p=[.08, .27, .45, .2]),
        "agent": rng.choice(["Kim", "Lopez", "Nguyen", "Olsen", "Patel", "Quinn", None], n),
        "hoa_fee": pd.Series(rng.normal(210, 60, n).round()).where(rng.random(n) < .45)})}


def prepare(listings):
    d = listings
    d["ask"] = d.ask_price.str.replace("[$,]", "", regex=True).astype(float)
    d["sold"] = pd.to_datetime(d.sold_date, format="%m/%d/%Y")
    d["is_sold"] = d.sold.notna()
    d["dom"] = (d.sold - d.list_date).dt.days
    d["kind"] = d.prop_type.str.lower()
    d["gar"] = d.garage.str.lower() == "yes"
    d["ppm"] = d.ask / d.sqm
    d["sppm"] = d.sold_price / d.sqm
    d["cut"] = (d.ask - d.sold_price) / d.ask
    d["month"] = d.list_date.dt.to_period("M")
    d["smonth"] = d.sold.dt.to_period("M")
    d["quarter"] = d.list_date.dt.to_period("Q")
    d["squarter"] = d.sold.dt.to_period("Q")
    return {"d": d}


QUESTIONS = [
    q("n", "e", "number of listings", "len(d)"),
    q("hood", "e", "listings by neighborhood", "d.neighborhood.value_counts()"),
    q("sold", "e", "average sold_price", "d.sold_price.mean()"),
    q("soldhood", "e", "median sold price per neighborhood, highest first",
      "d.groupby('neighborhood').sold_price.median().sort_values(ascending=False)", order=True),
    q("sqm", "e", "mean sqm by neighborhood", "d.groupby('neighborhood').sqm.mean()"),
    q("hist", "e", "histogram of sqm", "Hist(d.sqm)", chart="hist"),
    q("beds", "e", "how many listings for each number of beds", "d.beds.value_counts()"),
    q("max", "e", "highest sold price", "d.sold_price.max()"),
    q("pie", "e", "pie of condition", "d.condition.value_counts()", chart="pie"),
    q("bar", "e", "bar chart of listings per agent", "d.agent.value_counts()", chart="bar"),
    q("nobuilt", "e", "how many have no year built", "d.yr_built.isna().sum()"),
    q("scatter", "e", "scatter plot of sqm vs sold_price", "Pairs(d.sqm,d.sold_price)",
      chart="scatter"),
    q("oldest", "e", "year the oldest home was built", "d.yr_built.min()"),
    q("hoa", "e", "average hoa_fee", "d.hoa_fee.mean()"),
    q("lake", "e", "how many listings in Lakeview?", "(d.neighborhood=='Lakeview').sum()"),
    q("agent", "e", "agent with the most listings", "top(d.agent.value_counts())"),
    q("box", "e", "box plot of sold_price by neighborhood", "box(d,'neighborhood','sold_price')",
      chart="box"),
    q("ask", "m", "average asking price", "d.ask.mean()"),
    q("askhood", "m", "mean ask price by neighborhood as bars", "d.groupby('neighborhood').ask.mean()",
      chart="bar"),
    q("kind", "m", "count by property type, merging upper and lower case", "d.kind.value_counts()"),
    q("soldpct", "m", "what percentage of listings sold?", "d.is_sold.mean()", share=True),
    q("soldpcthood", "m", "share of sold listings per neighborhood",
      "d.groupby('neighborhood').is_sold.mean()", share=True),
    q("unsold", "m", "how many listings are still unsold, by condition",
      "d[~d.is_sold].condition.value_counts()"),
    q("dom", "m", "average days on market (list date to sold date)", "d.dom.mean()"),
    q("domhood", "m", "median number of days to sell per neighborhood",
      "d.groupby('neighborhood').dom.median()"),
    q("ppm", "m", "average price per sqm by neighborhood, using sold_price",
      "d.groupby('neighborhood').sppm.mean()",
      "(lambda s: s.groupby('neighborhood').sold_price.sum()/s.groupby('neighborhood').sqm.sum())(d[d.is_sold])"),
    q("garage", "m", "share of homes with a garage", "d.gar.mean()", share=True),
    q("garageprice", "m", "average sold price with and without garage",
      "d.groupby('gar').sold_price.mean()", assumes("d.groupby('garage').sold_price.mean()")),
    q("over1m", "m", "how many homes sold for more than 600,000?", "(d.sold_price>600000).sum()"),
    q("monthly", "m", "new listings per month", "d.groupby('month').size()"),
    q("line", "m", "line chart of average sold price by month of sale",
      "d.groupby('smonth').sold_price.mean()", chart="line"),
    q("q2", "m", "number of homes listed in Q2 2024", "(d.quarter=='2024Q2').sum()"),
    q("notstudio", "m", "median sqm of everything except studios",
      "d[d.kind!='studio'].sqm.median()"),
    q("family", "m", "houses with at least 4 beds and 2 baths in Hillcrest",
      "((d.kind=='house')&(d.beds>=4)&(d.baths>=2)&(d.neighborhood=='Hillcrest')).sum()",
      "Keys(d[(d.kind=='house')&(d.beds>=4)&(d.baths>=2)&(d.neighborhood=='Hillcrest')].listing_id)"),
    q("top10", "m", "ten most expensive sales", "top(d.set_index('listing_id').sold_price,10)",
      "top(d.sold_price,10)"),
    q("condpct", "m", "percentage of listings by condition",
      "d.condition.value_counts(normalize=True)", share=True),
    q("quart", "m", "quartiles of sold_price",
      "Values([d.sold_price.quantile(x) for x in (.25,.5,.75)])"),
    q("cross", "m", "number of listings by neighborhood and condition",
      "pd.crosstab(d.neighborhood,d.condition)"),
    q("sales", "m", "total sales volume by agent", "d.groupby('agent').sold_price.sum()"),
    q("noagent", "m", "share of listings without an agent", "d.agent.isna().mean()", share=True),
    q("cut", "h", "average discount from asking to sold price, in percent", "d.cut.mean()",
      "(lambda s: 1-s.sold_price.sum()/s.ask.sum())(d[d.is_sold])", share=True),
    q("cuthood", "h", "where are buyers getting the biggest discount on the asking price? by "
      "neighborhood", "top(d.groupby('neighborhood').cut.mean())",
      "d.groupby('neighborhood').cut.mean()", share=True),
    q("above", "h", "share of sold homes that went above the asking price",
      "(d[d.is_sold].sold_price>d[d.is_sold].ask).mean()", share=True),
    q("yoy", "h", "compare the median sold price of sales in the first half of 2023 and of 2024",
      "Values([d[d.sold.between('2023-01-01','2023-06-30')].sold_price.median(), "
      "d[d.sold.between('2024-01-01','2024-06-30')].sold_price.median()])"),
    q("mom", "h", "month over month growth of new listings",
      "d.groupby('month').size().pct_change().dropna()",
      assumes("d.groupby('month').size().diff().dropna()"), share=True),
    q("cum", "h", "cumulative number of sales by month of sale",
      "d.groupby('smonth').size().cumsum()"),
    q("roll", "h", "3-month rolling mean of the monthly median sold price",
      "d.groupby('smonth').sold_price.median().rolling(3).mean().dropna()"),
    q("bestagent", "h", "best agent of each neighborhood by sales volume",
      "d.groupby(['neighborhood','agent']).sold_price.sum().unstack().idxmax(axis=1)"),
    q("fast", "h", "percentage of sales within 30 days of listing",
      "(d[d.is_sold].dom<=30).mean()", assumes("(d.dom<=30).mean()"), share=True),
    q("corr", "h", "correlation matrix of sqm, beds, baths and sold_price",
      "d[['sqm','beds','baths','sold_price']].corr()"),
    q("decade", "h", "median sold price by decade built",
      "d.groupby(d.yr_built//10*10).sold_price.median()"),
    q("newold", "h", "average price per sqm (sold) of homes built since 2000 vs before",
      "d[d.yr_built.notna()].groupby(d.yr_built>=2000).sppm.mean()"),
    q("minagent", "h", "average days on market for agents with at least 280 sales",
      "(lambda g: g.dom.mean()[g.sold_price.count()>=280])(d.groupby('agent'))"),
    q("last90", "h", "homes sold in the last 90 days of the data",
      "(d.sold > d.sold.max()-pd.Timedelta(days=90)).sum()",
      "(d.sold >= d.sold.max()-pd.Timedelta(days=90)).sum()"),
    q("heat", "h", "heatmap of median sold_price by neighborhood and beds",
      "d.pivot_table(index='neighborhood',columns='beds',values='sold_price',aggfunc='median')",
      chart="heat"),
    q("shareval", "h", "each neighborhood's share of total sales value",
      "d.groupby('neighborhood').sold_price.sum()/d.sold_price.sum()", share=True),
    q("ladder", "h", "median price by condition from poor to excellent",
      "d.groupby('condition').sold_price.median().reindex(['poor','fair','good','excellent'])",
      "d.groupby('condition').ask.median().reindex(['poor','fair','good','excellent'])", order=True),
    q("schools", "e", "average school rating by neighborhood", REFUSE),
    q("rent", "m", "what is the rental yield?", REFUSE),
    q("future", "h", "how much will prices rise next year?", REFUSE),
]
