"""Yearly figures of companies, in the words of a finance desk."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1505)
    starts = ["Nor", "Alba", "Vero", "Quant", "Sol", "Terra", "Helio", "Omni", "Zen", "Astra",
              "Ferro", "Luma"]
    ends = ["tech", "soft", "gen", "works", "line", "media", "labs"]
    names = [a + b for a in starts for b in ends]
    rows = []
    for name in names:
        sector = ["Software", "Retail", "Energy", "Health", "Media"][rng.integers(0, 5)]
        country = rng.choice(["US", "UK", "DE", "JP", "FR"], p=[.4, .2, .18, .12, .1])
        size, growth = rng.lognormal(5.2, 1), rng.normal(.06, .07)
        margin = {"Software": .18, "Retail": .05, "Energy": .1, "Health": .12, "Media": .07}[sector]
        for year in range(2016, 2025):
            rev = size * (1 + growth) ** (year - 2016) * rng.normal(1, .06)
            cost = rev * (1 - margin + rng.normal(0, .05))
            rows.append((name, sector if rng.random() > .08 else sector.upper(), country, year,
                         round(rev, 1), round(cost, 1), int(rev * rng.uniform(2, 6)) + 5,
                         f"{rng.uniform(0, 4):.1f}%", rng.random() < .35,
                         f"{year + 1}-{rng.integers(2, 5):02}-{rng.integers(1, 28):02}",
                         rng.choice(["AAA", "AA", "A", "BBB", "BB"], p=[.05, .2, .35, .3, .1]),
                         round(rev * rng.uniform(0, .15), 2)))
    c = pd.DataFrame(rows, columns=["company", "sector", "ctry", "fy", "rev_musd", "opex_musd",
                                    "emp", "div_yield", "listed", "report_date", "rating",
                                    "rnd_musd"])
    gone = rng.random(len(c))
    c.loc[gone < .05, "rnd_musd"] = np.nan
    c.loc[gone > .98, "emp"] = np.nan
    c["debt"] = [f"{v:,.1f}M" if r < .93 else "n/a" for v, r in
                 zip(c.rev_musd * rng.uniform(.1, .9, len(c)), rng.random(len(c)))]
    return {"companies": c}


def prepare(companies):
    d = companies
    d["sec"] = d.sector.str.title()
    d["profit"] = d.rev_musd - d.opex_musd
    d["margin"] = d.profit / d.rev_musd
    d["yld"] = d.div_yield.str.rstrip("%").astype(float)
    d["debt_m"] = pd.to_numeric(d.debt.str.replace("[,M]", "", regex=True), errors="coerce")
    d["rpe"] = d.rev_musd / d.emp
    d["rep"] = pd.to_datetime(d.report_date)
    y24 = d[d.fy == 2024]
    wide = d.pivot_table(index="company", columns="fy", values="rev_musd")
    home = d.drop_duplicates("company").set_index("company")
    return {"d": d, "y24": y24, "wide": wide, "home": home}


QUESTIONS = [
    q("firms", "e", "how many companies are in the table", "d.company.nunique()"),
    q("rows", "e", "number of rows", "len(d)"),
    q("rev", "e", "total rev_musd by year", "d.groupby('fy').rev_musd.sum()"),
    q("avgrev", "e", "average revenue", "d.rev_musd.mean()"),
    q("revctry", "e", "mean rev_musd per ctry", "d.groupby('ctry').rev_musd.mean()"),
    q("maxemp", "e", "largest number of employees", "d.emp.max()"),
    q("ratings", "e", "rating counts", "d.rating.value_counts()"),
    q("pie", "e", "pie of rows by rating", "d.rating.value_counts()", chart="pie"),
    q("hist", "e", "histogram of rnd_musd", "Hist(d.rnd_musd)", chart="hist"),
    q("nornd", "e", "how many rnd values are missing", "d.rnd_musd.isna().sum()"),
    q("listed", "e", "how many rows are listed companies", "d.listed.sum()"),
    q("medopex", "e", "median opex by country", "d.groupby('ctry').opex_musd.median()"),
    q("line", "e", "line chart of total revenue by fy", "d.groupby('fy').rev_musd.sum()",
      chart="line"),
    q("bar", "e", "bar chart: mean employees by country", "d.groupby('ctry').emp.mean()",
      chart="bar"),
    q("german", "e", "total revenue of DE companies in 2024",
      "d[(d.ctry=='DE')&(d.fy==2024)].rev_musd.sum()"),
    q("rnd", "e", "sum of rnd_musd per ctry, highest first",
      "d.groupby('ctry').rnd_musd.sum().sort_values(ascending=False)", order=True),
    q("scatter", "e", "scatter of rev_musd and emp", "Pairs(d.rev_musd,d.emp)", chart="scatter"),
    q("sector", "m", "revenue by sector in 2024, sector names in any case",
      "y24.groupby('sec').rev_musd.sum()"),
    q("secfirms", "m", "number of companies per sector", "d.groupby('sec').company.nunique()",
      assumes("d.groupby('sector').company.nunique()")),
    q("profit", "m", "total profit (revenue minus opex) by year", "d.groupby('fy').profit.sum()"),
    q("topprofit", "m", "most profitable company in 2024 (rev_musd - opex_musd)",
      "top(y24.set_index('company').profit)"),
    q("top10", "m", "top 10 companies by revenue in 2024", "top(y24.set_index('company').rev_musd,10)"),
    q("loss", "m", "how many companies made a loss in 2024", "(y24.profit<0).sum()"),
    q("lossrate", "m", "share of loss-making companies by year",
      "(d.profit<0).groupby(d.fy).mean()", share=True),
    q("yield", "m", "average dividend yield by rating", "d.groupby('rating').yld.mean()", share=True),
    q("debt", "m", "total debt in 2023", "d[d.fy==2023].debt_m.sum()"),
    q("nodebt", "m", "how many debt figures are not available", "d.debt_m.isna().sum()"),
    q("listedcmp", "m", "compare mean revenue of listed and unlisted companies",
      "d.groupby('listed').rev_musd.mean()"),
    q("usshare", "m", "share of US companies' revenue in the total for 2024",
      "y24[y24.ctry=='US'].rev_musd.sum()/y24.rev_musd.sum()", share=True),
    q("ctryshare", "m", "each country's share of revenue",
      "d.groupby('ctry').rev_musd.sum()/d.rev_musd.sum()", share=True),
    q("rating24", "m", "how many companies were rated A or better in 2024",
      "y24.rating.isin(['A','AA','AAA']).sum()"),
    q("notus", "m", "average number of employees outside the US", "d[d.ctry!='US'].emp.mean()",
      "d[d.ctry!='US'].groupby('ctry').emp.mean()"),
    q("box", "m", "box plot of rnd_musd by ctry", "box(d,'ctry','rnd_musd')", chart="box"),
    q("p75", "m", "75th percentile of revenue per year", "d.groupby('fy').rev_musd.quantile(.75)"),
    q("april", "m", "how many reports came out in April",
      "(d.rep.dt.month==4).sum()"),
    q("lastrep", "m", "latest report date", "d.rep.max()"),
    q("cross", "m", "number of rows by ctry and rating", "pd.crosstab(d.ctry,d.rating)"),
    q("big", "m", "companies with more than 1 billion revenue in 2024",
      "Keys(y24[y24.rev_musd>1000].company)", "(y24.rev_musd>1000).sum()",
      "y24[y24.rev_musd>1000].set_index('company').rev_musd"),
    q("since", "m", "average rnd_musd from 2020 onwards", "d[d.fy>=2020].rnd_musd.mean()"),
    q("stack", "m", "stacked bar of revenue by fy and ctry",
      "d.pivot_table(index='fy',columns='ctry',values='rev_musd',aggfunc='sum')", chart="bar"),
    q("margin", "h", "average profit margin by sector", "d.groupby('sec').margin.mean()",
      "d.groupby('sec').profit.sum()/d.groupby('sec').rev_musd.sum()",
      assumes("d.groupby('sector').margin.mean()"), share=True),
    q("yoy", "h", "year over year growth of total revenue in percent",
      "d.groupby('fy').rev_musd.sum().pct_change().dropna()", share=True),
    q("growth", "h", "which company grew its revenue most from 2016 to 2024, in percent?",
      "top(wide[2024]/wide[2016]-1)", share=True),
    q("shrunk", "h", "how many companies had less revenue in 2024 than in 2016",
      "(wide[2024]<wide[2016]).sum()"),
    q("cagr", "h", "compound annual growth rate of total revenue 2016-2024",
      "(lambda s: (s[2024]/s[2016])**(1/8)-1)(d.groupby('fy').rev_musd.sum())", share=True),
    q("rpe", "h", "revenue per employee by country in 2024",
      "y24.groupby('ctry').rpe.mean()",
      "(lambda s: s.groupby('ctry').rev_musd.sum()/s.groupby('ctry').emp.sum())(y24)",
      "(lambda s: s.groupby('ctry').rev_musd.sum()/s.groupby('ctry').emp.sum())(y24.dropna(subset=['emp']))"),
    q("rndint", "h", "r&d intensity (rnd / revenue) per year",
      "(lambda s: s.groupby('fy').rnd_musd.sum()/s.groupby('fy').rev_musd.sum())(d.dropna(subset=['rnd_musd']))",
      "d.assign(i=d.rnd_musd/d.rev_musd).groupby('fy').i.mean()",
      assumes("d.groupby('fy').rnd_musd.sum()/d.groupby('fy').rev_musd.sum()"), share=True),
    q("best", "h", "biggest company by revenue in each sector in 2024",
      "y24.set_index('company').groupby('sec').rev_musd.idxmax()"),
    q("bestyear", "h", "best company each year by profit",
      "d.set_index('company').groupby('fy').profit.idxmax()"),
    q("cum", "h", "cumulative r&d spending by year", "d.groupby('fy').rnd_musd.sum().cumsum()"),
    q("roll", "h", "3-year rolling average of total profit",
      "d.groupby('fy').profit.sum().rolling(3).mean().dropna()"),
    q("corr", "h", "correlation of rnd_musd with rev_musd in 2024", "y24.rnd_musd.corr(y24.rev_musd)"),
    q("leverage", "h", "debt to revenue ratio by rating, average",
      "d.assign(x=d.debt_m/d.rev_musd).groupby('rating').x.mean()", share=True),
    q("min15", "h", "countries with at least 15 companies and their mean 2024 revenue",
      "(lambda g: g.rev_musd.mean()[g.company.nunique()>=15])(y24.groupby('ctry'))"),
    q("always", "h", "how many companies were profitable in every year",
      "(d.groupby('company').profit.min()>0).sum()"),
    q("two", "h", "compare total revenue in 2019 and 2024 by country",
      "d[d.fy.isin([2019,2024])].pivot_table(index='ctry',columns='fy',values='rev_musd',aggfunc='sum')"),
    q("heat", "h", "heatmap of average profit margin by country and year",
      "d.pivot_table(index='ctry',columns='fy',values='margin')", chart="heat", share=True),
    q("top3share", "h", "what share of 2024 revenue do the three largest companies have",
      "y24.rev_musd.nlargest(3).sum()/y24.rev_musd.sum()", share=True),
    q("ceo", "e", "who is the ceo of Zensoft?", REFUSE),
    q("stock", "m", "average share price by year", REFUSE),
    q("invest", "h", "which company should I invest in?", REFUSE),
]
