"""A sales team's deals, one row a deal; an open deal has neither a close date nor a result."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(6101)
    n = 1400
    created = pd.Timestamp("2023-01-02") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    stage = rng.choice(["Qualified", "Proposal", "Negotiation", "Closed Won", "Closed Lost"], n,
                       p=[.14, .12, .08, .27, .39])
    closed = pd.Series(created + pd.to_timedelta(rng.gamma(2.2, 24, n).astype(int) + 2, unit="D"))
    closed[~pd.Series(stage).str.startswith("Closed")] = pd.NaT
    size = rng.choice(["SMB", "Mid-Market", "Enterprise"], n, p=[.55, .3, .15])
    amount = (rng.lognormal(8.7, .7, n) * pd.Series(size).map(
        {"SMB": 1, "Mid-Market": 2.4, "Enterprise": 7}).to_numpy()).round(-1)
    reason = pd.Series(rng.choice(["price", "timing", "competitor", "no budget"], n, p=[.34, .2, .28, .18]))
    reason[stage != "Closed Lost"] = None
    return {"deals": pd.DataFrame({
        "deal_id": rng.permutation(n) + 40000, "account": rng.choice(
            [f"Account {i:03}" for i in range(260)], n), "owner": rng.choice(
            ["Aisha", "Ben", "Carla", "Dmitri", "Elena", "Femi"], n, p=[.2, .19, .18, .16, .15, .12]),
        "region": rng.choice(["AMER", "APAC", "EMEA"], n, p=[.44, .2, .36]), "segment": size,
        "source": rng.choice(["inbound", "outbound", "partner", "event"], n, p=[.4, .33, .17, .1]),
        "stage": stage, "amount_usd": amount, "discount_pct": np.where(
            rng.random(n) < .45, rng.integers(1, 31, n), 0), "created_at": created,
        "closed_at": closed, "n_calls": rng.poisson(4.5, n), "n_emails": rng.poisson(11, n),
        "lost_reason": reason, "has_demo": rng.random(n) < .52})}


def prepare(deals):
    d = deals
    d["won"], d["lost"] = d.stage == "Closed Won", d.stage == "Closed Lost"
    d["open"] = ~(d.won | d.lost)
    d["days"] = (d.closed_at - d.created_at).dt.days
    d["month"], d["q"] = d.created_at.dt.to_period("M"), d.created_at.dt.to_period("Q")
    d["touches"] = d.n_calls + d.n_emails
    return {"d": d, "w": d[d.won], "l": d[d.lost], "o": d[d.open]}


QUESTIONS = [
    q("n", "e", "how many deals do we have?", "len(d)"),
    q("stage", "e", "number of deals by stage", "d.stage.value_counts()"),
    q("owner", "e", "total amount per owner", "d.groupby('owner').amount_usd.sum()"),
    q("avg", "e", "what's the average deal size?", "d.amount_usd.mean()"),
    q("reg", "e", "bar chart of deals by region", "d.region.value_counts()", chart="bar"),
    q("big", "e", "top 5 deals by amount", "top(d.set_index('deal_id').amount_usd, 5)"),
    q("hist", "e", "histogram of deal amount", "Hist(d.amount_usd)"),
    q("demo", "e", "share of deals with a demo", "d.has_demo.mean()", share=True),
    q("why", "e", "why do we lose deals? count by lost reason", "l.lost_reason.value_counts()"),
    q("calls", "e", "who makes the most calls?", "top(d.groupby('owner').n_calls.sum())"),
    q("src", "e", "median amount by source", "d.groupby('source').amount_usd.median()"),
    q("wonsum", "m", "how much did we win in total?", "w.amount_usd.sum()"),
    q("wonq", "m", "won amount by quarter", "w.groupby(w.closed_at.dt.to_period('Q')).amount_usd.sum()",
      "w.groupby('q').amount_usd.sum()"),
    q("winrate", "m", "win rate (won out of all closed deals)",
      "d[~d.open].won.mean()", share=True),
    q("winrateo", "m", "which owner has the best win rate among closed deals?",
      "top(d[~d.open].groupby('owner').won.mean())"),
    q("wonshare", "m", "percentage of closed won deals by region", "d.groupby('region').won.mean()",
      assumes("w.region.value_counts(normalize=True)"), "w.region.value_counts(normalize=True)", share=True),
    q("cycle", "m", "average number of days from creation to close", "d.days.mean()"),
    q("cycseg", "m", "how long does it take to close a deal in each segment?",
      "d.groupby('segment').days.mean()", "d.groupby('segment').days.median()"),
    q("openpipe", "m", "value of the deals which are still open", "o.amount_usd.sum()"),
    q("openstage", "m", "open pipeline per stage (not closed)", "o.groupby('stage').amount_usd.sum()"),
    q("emea", "m", "number of won deals in EMEA over $50,000", "((w.region=='EMEA')&(w.amount_usd>50000)).sum()"),
    q("disc", "m", "mean discount of deals that got a discount", "d[d.discount_pct>0].discount_pct.mean()"),
    q("discw", "m", "do won deals have a higher discount than lost ones?",
      "d[~d.open].groupby('stage').discount_pct.mean()"),
    q("disccut", "m", "how many deals were discounted by more than 20 percent?", "(d.discount_pct>20).sum()"),
    q("demow", "m", "win rate with and without a demo", "d[~d.open].groupby('has_demo').won.mean()",
      assumes("d.groupby('has_demo').won.mean()"), share=True),
    q("acc", "m", "how many different accounts are there per region?", "d.groupby('region').account.nunique()"),
    q("accrep", "m", "accounts with more than 10 deals",
      "d.account.value_counts().loc[lambda s: s>10]", "Keys(d.account.value_counts().loc[lambda s: s>10].index)"),
    q("newm", "m", "new deals per month", "d.month.value_counts().sort_index()"),
    q("newmr", "m", "deals created per month, one line for each region",
      "d.groupby(['month','region']).size().unstack(fill_value=0)", chart="line"),
    q("stack", "m", "stacked bars: stage within each segment", "pd.crosstab(d.segment, d.stage)", chart="bar"),
    q("price", "m", "what fraction of lost deals were lost on price?", "(l.lost_reason=='price').mean()", share=True),
    q("wd", "m", "on which weekday are most deals created?", "top(d.created_at.dt.day_name().value_counts())"),
    q("net", "h", "total amount after discount", "(d.amount_usd*(1-d.discount_pct/100)).sum()"),
    q("touch", "h", "average number of touches (calls plus emails) per won deal", "w.touches.mean()"),
    q("touchr", "h", "emails per call by owner", "d.groupby('owner').n_emails.sum()/d.groupby('owner').n_calls.sum()"),
    q("best", "h", "the largest won deal of each owner", "w.groupby('owner').amount_usd.max()"),
    q("top3", "h", "top 3 accounts by won amount in each region",
      "w.groupby(['region','account']).amount_usd.sum().groupby('region', group_keys=False).nlargest(3)"),
    q("cum", "h", "cumulative won amount over 2024, by month of closing",
      "w[w.closed_at.dt.year==2024].groupby(w.closed_at.dt.to_period('M')).amount_usd.sum().cumsum()"),
    q("yoy", "h", "amount won in 2024 versus 2023 by close date",
      "w.groupby(w.closed_at.dt.year).amount_usd.sum().loc[[2023,2024]]"),
    q("corr", "h", "is there a correlation between number of calls and amount?", "d.n_calls.corr(d.amount_usd)"),
    q("slow", "h", "what percentage of closed deals took over 90 days to close?", "(d.days.dropna()>90).mean()", share=True),
    q("contrib", "h", "what share of the won amount comes from Enterprise?",
      "w[w.segment=='Enterprise'].amount_usd.sum()/w.amount_usd.sum()", share=True),
    q("losttop", "h", "most common lost reason for each segment",
      "l.groupby('segment').lost_reason.agg(lambda s: s.value_counts().index[0])"),
    q("stale", "h", "open deals created before July 2024", "((o.created_at<'2024-07-01')).sum()",
      "Keys(o[o.created_at<'2024-07-01'].deal_id)"),
    q("quota", "h", "which owners won more than 1 million?",
      "Keys(w.groupby('owner').amount_usd.sum().loc[lambda s: s>1e6].index)", "w.groupby('owner').amount_usd.sum().loc[lambda s: s>1e6]"),
    q("nps", "h", "average customer satisfaction by owner", REFUSE),
    q("attain", "e", "quota attainment by owner", REFUSE),
    q("minmax", "e", "smallest and largest deal amount", "d.amount_usd.agg(['min','max'])"),
    q("partner", "m", "share of deals that came through partners", "(d.source=='partner').mean()", share=True),
    q("march", "m", "how many deals were closed in March 2024?",
      "(d.closed_at.dt.to_period('M')=='2024-03').sum()"),
    q("avgown", "m", "average amount of won deals for each owner, highest first",
      "w.groupby('owner').amount_usd.mean().sort_values(ascending=False)"),
    q("std", "e", "standard deviation of the number of emails", "d.n_emails.std()"),
]
