"""Support tickets of a software company; priorities have an order, reopening counts."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1404)
    n = 2800
    opened = pd.Timestamp("2023-05-01") + pd.to_timedelta(rng.integers(0, 420 * 1440, n), unit="min")
    team = rng.choice(["Billing", "Platform", "Mobile", "Onboarding"], n, p=[.3, .35, .2, .15])
    hours = rng.gamma(1.3, 20, n)
    first = pd.Series(rng.gamma(1.4, 48, n).round())
    closed = pd.Series(opened + pd.to_timedelta((hours * 60).round(), unit="min"))
    closed[rng.random(n) < .09] = pd.NaT
    first[rng.random(n) < .03] = np.nan
    csat = pd.Series(rng.choice([1, 2, 3, 4, 5], n, p=[.06, .08, .16, .36, .34]).astype(float))
    csat[rng.random(n) < .5] = np.nan
    return {"tickets": pd.DataFrame({
        "ticket": np.arange(1, n + 1), "opened": opened, "closed": closed,
        "team": team, "agent": rng.choice(["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"], n),
        "customer": [f"C{i:03}" for i in rng.integers(1, 260, n)],
        "plan": rng.choice(["free", "pro", "enterprise"], n, p=[.5, .35, .15]),
        "priority": rng.choice(["low", "medium", "high", "urgent"], n, p=[.3, .4, .2, .1]),
        "channel": rng.choice(["email", "chat", "phone"], n, p=[.55, .35, .1]),
        "first_response_min": first, "messages": rng.poisson(4, n) + 1,
        "reopened": rng.choice(["No", "Yes"], n, p=[.9, .1]), "csat": csat,
        "refund_usd": np.where(rng.random(n) < .07, rng.gamma(2, 30, n).round(2), 0.0)})}


def prepare(tickets):
    d = tickets
    d["h"] = (d.closed - d.opened).dt.total_seconds() / 3600
    d["re"] = d.reopened == "Yes"
    d["month"], d["year"] = d.opened.dt.to_period("M"), d.opened.dt.year
    d["open"] = d.closed.isna()
    d["weekend"] = d.opened.dt.dayofweek >= 5
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many tickets did each team get", "d.team.value_counts()"),
    q("prio", "e", "tickets by priority, from low to urgent",
      "d.priority.value_counts().reindex(['low','medium','high','urgent'])", order=True),
    q("csat", "e", "average csat by agent", "d.groupby('agent').csat.mean()"),
    q("best", "e", "which agent has the best csat?", "top(d.groupby('agent').csat.mean())"),
    q("refund", "e", "total refunds by plan", "d.groupby('plan').refund_usd.sum()"),
    q("first", "e", "median first response time per channel",
      "d.groupby('channel').first_response_min.median()"),
    q("open", "m", "how many tickets are still open?", "d.open.sum()"),
    q("openteam", "e", "open tickets per team", "d[d.open].team.value_counts()"),
    q("restime", "e", "mean resolution time in hours, by team (opened to closed)",
      "d.groupby('team').h.mean()"),
    q("slowest", "e", "which team takes the longest to close a ticket?",
      "top(d.groupby('team').h.mean())", "top(d.groupby('team').h.mean()/24)", assumes("top(d.groupby('team').h.median())")),
    q("fastest", "m", "agent with the shortest median time from opened to closed",
      "bottom(d.groupby('agent').h.median())", "bottom(d.groupby('agent').h.median()/24)"),
    q("reopen", "m", "reopen rate by agent", "d.groupby('agent').re.mean()", share=True),
    q("reopenpct", "m", "what percentage of urgent tickets were reopened?",
      "d[d.priority=='urgent'].re.mean()", share=True),
    q("day1", "h", "share of tickets closed within 24 hours", "(d.h<=24).mean()",
      "(d.h<24).mean()", "(d.dropna(subset='h').h<=24).mean()", share=True),
    q("day1team", "h", "how many tickets per team were closed in less than a day",
      "d[d.h<24].team.value_counts()"),
    q("cust5", "m", "five customers with the most tickets", "top(d.customer.value_counts(), 5)"),
    q("once", "h", "how many customers opened only one ticket?",
      "(d.customer.value_counts()==1).sum()"),
    q("custmany", "h", "customers who opened more than 15 tickets",
      "(lambda s: Keys(s[s>15].index))(d.customer.value_counts())",
      "(lambda s: s[s>15])(d.customer.value_counts())", "(d.customer.value_counts()>15).sum()"),
    q("perag", "m", "tickets per agent and month", "d.groupby(['month','agent']).size().unstack()"),
    q("trend", "m", "trend of average csat by month", "d.groupby('month').csat.mean()"),
    q("wkend", "m", "how many tickets are opened at the weekend?", "d.weekend.sum()"),
    q("wkcsat", "h", "average csat on weekends versus weekdays", "d.groupby('weekend').csat.mean()"),
    q("refn", "m", "how many tickets got a refund?", "(d.refund_usd>0).sum()"),
    q("refrate", "h", "what percent of tickets got a refund, by team",
      "d.assign(x=d.refund_usd>0).groupby('team').x.mean()", share=True),
    q("refavg", "h", "average refund among tickets with a refund",
      "d[d.refund_usd>0].refund_usd.mean()"),
    q("refshare", "h", "what percentage of total refunds went to enterprise customers?",
      "d[d.plan=='enterprise'].refund_usd.sum()/d.refund_usd.sum()", share=True),
    q("happy", "h", "percentage of rated tickets with a csat of 4 or 5",
      "(d.csat.dropna()>=4).mean()", share=True),
    q("unhappy", "m", "how many tickets were rated 1 or 2?", "(d.csat<=2).sum()"),
    q("chatphone", "m", "compare chat and phone by average number of messages",
      "d[d.channel.isin(['chat','phone'])].groupby('channel').messages.mean()"),
    q("shareplan", "m", "percent of tickets by plan", "d.plan.value_counts(normalize=True)", share=True),
    q("mix", "h", "for each plan, the share of each priority",
      "pd.crosstab(d.plan,d.priority,normalize='index')", share=True),
    q("year", "m", "difference in number of tickets between 2023 and 2024",
      "(d.year==2024).sum()-(d.year==2023).sum()", "(d.year==2023).sum()-(d.year==2024).sum()",
      "d.year.value_counts()"),
    q("last3", "h", "tickets in the last 3 months by team",
      "d[d.opened>d.opened.max()-pd.DateOffset(months=3)].team.value_counts()",
      assumes("d[d.month>d.month.max()-3].team.value_counts()")),
    q("longmsg", "m", "how many tickets have more than 10 messages", "(d.messages>10).sum()"),
    q("corr", "m", "does the first response time correlate with csat?",
      "d.first_response_min.corr(d.csat)", "Pairs(d.first_response_min, d.csat)"),
    q("cum", "h", "cumulative number of tickets over the months",
      "d.groupby('month').size().cumsum()"),
    q("bestmonth", "m", "in which month were the most tickets opened?", "top(d.month.value_counts())",
      assumes("top(d.opened.dt.month_name().value_counts())")),
    q("agentteam", "h", "who handles the most tickets in each team?",
      "pd.crosstab(d.team,d.agent).idxmax(axis=1)"),
    q("unanswered", "m", "tickets without a first response", "d.first_response_min.isna().sum()",
      "Keys(d[d.first_response_min.isna()].ticket)"),
    q("severity", "h", "average handling cost per agent", REFUSE),
    q("region", "m", "tickets by region", REFUSE),
    q("nag", "e", "how many agents do we have?", "d.agent.nunique()"),
    q("msgs", "e", "average number of messages per ticket", "d.messages.mean()"),
    q("maxresp", "e", "longest first response", "d.first_response_min.max()"),
    q("emailpro", "m", "number of email tickets from pro customers",
      "((d.channel=='email')&(d.plan=='pro')).sum()"),
    q("closedjan", "m", "tickets closed in January 2024",
      "((d.closed.dt.year==2024)&(d.closed.dt.month==1)).sum()"),
    q("resph", "h", "share of tickets with a first response within an hour, by channel",
      "d.assign(x=d.first_response_min<=60).groupby('channel').x.mean()", share=True),
    q("msgre", "h", "do reopened tickets have more messages than others?",
      "d.groupby('re').messages.mean()"),
    q("stack", "m", "stacked bar chart of tickets by team and priority",
      "d.groupby(['team','priority']).size().unstack()", chart="bar"),
    q("hour", "e", "tickets by hour of the day", "d.opened.dt.hour.value_counts()"),
    q("cust2", "h", "average number of tickets per customer by plan",
      "d.groupby('plan').size()/d.groupby('plan').customer.nunique()"),
    q("norating", "m", "what proportion of tickets was not rated?", "d.csat.isna().mean()", share=True),
]
