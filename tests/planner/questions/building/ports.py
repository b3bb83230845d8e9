"""Calls of ships at a harbour; one row a call, dues are text with a currency."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(2101)
    n = 1800
    ships = [f"MV {a} {b}" for a in ("Nordic", "Baltic", "Iron", "Silver", "Pacific", "Amber")
             for b in ("Star", "Tern", "Rose", "Queen", "Wave", "Trader", "Spirit")]
    kinds = rng.choice(["container", "bulk carrier", "tanker", "ro-ro", "cruise"], len(ships),
                       p=[.35, .25, .2, .1, .1])
    tons = rng.integers(4, 120, len(ships)) * 1000
    flags = rng.choice(["Panama", "Liberia", "Malta", "Norway", "Singapore"], len(ships))
    who = rng.integers(0, len(ships), n)
    came = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 700 * 1440, n)), unit="min")
    stay = rng.gamma(2, 14, n) + 4
    cargo = np.where(kinds[who] == "cruise", np.nan, (tons[who] * rng.beta(2, 3, n)).round(0))
    dues = (tons[who] * .14 + stay * 20).round(0)
    return {"calls": pd.DataFrame({
        "call_no": np.arange(50001, 50001 + n), "vessel_name": np.array(ships)[who],
        "vessel_type": kinds[who], "flag_state": flags[who], "gross_tonnage": tons[who],
        "arrived": came, "departed": came + pd.to_timedelta((stay * 60).round(), unit="min"),
        "berth": rng.choice(["A1", "A2", "B1", "B2", "C1"], n, p=[.3, .25, .2, .15, .1]),
        "cargo_tonnes": cargo, "pilot_used": rng.choice(["Y", "N"], n, p=[.7, .3]),
        "delay_hrs": rng.gamma(.7, 4, n).round(1),
        "port_dues": [f"${d:,.0f}" for d in dues],
        "agent": rng.choice(["Holm & Co", "Seaways", "Delta Shipping", "Kraft"], n)})}


def prepare(calls):
    d = calls
    d["stay"] = (d.departed - d.arrived).dt.total_seconds() / 3600
    d["dues"] = d.port_dues.str.replace(r"[$,]", "", regex=True).astype(float)
    d["month"], d["year"] = d.arrived.dt.to_period("M"), d.arrived.dt.year
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many port calls were there in 2024?", "(d.year==2024).sum()"),
    q("ships", "e", "how many different vessels visited?", "d.vessel_name.nunique()"),
    q("bytype", "e", "number of calls per vessel type", "d.vessel_type.value_counts()"),
    q("cargo", "e", "total cargo handled by each berth", "d.groupby('berth').cargo_tonnes.sum()"),
    q("stay", "m", "how long do ships stay in port on average?", "d.stay.mean()", "d.stay.mean()/24",
      "pd.Timedelta(hours=d.stay.mean())"),
    q("staytype", "m", "average stay in hours by vessel type", "d.groupby('vessel_type').stay.mean()"),
    q("top", "e", "which vessel called most often?", "top(d.vessel_name.value_counts())"),
    q("top5", "e", "top 5 vessels by total cargo",
      "top(d.groupby('vessel_name').cargo_tonnes.sum(), 5)"),
    q("dues", "m", "total port dues per month", "d.groupby('month').dues.sum()"),
    q("duesflag", "m", "average dues paid by ships from Norway",
      "d[d.flag_state=='Norway'].dues.mean()"),
    q("pilot", "e", "what share of calls used a pilot?", "(d.pilot_used=='Y').mean()", share=True),
    q("pilottype", "m", "pilot usage rate by type of vessel",
      "d.assign(p=d.pilot_used=='Y').groupby('vessel_type').p.mean()", share=True),
    q("nopilot", "m", "how many tankers came without a pilot?",
      "((d.vessel_type=='tanker')&(d.pilot_used=='N')).sum()"),
    q("delay", "e", "median delay per agent", "d.groupby('agent').delay_hrs.median()"),
    q("late", "m", "percentage of calls delayed by more than 6 hours", "(d.delay_hrs>6).mean()", share=True),
    q("latea", "m", "which agent has the largest share of calls with a delay over 6 hours?",
      "top(d.assign(l=d.delay_hrs>6).groupby('agent').l.mean())", share=True),
    q("big", "m", "calls of ships above 80,000 tons by flag state",
      "d[d.gross_tonnage>80000].flag_state.value_counts()"),
    q("rate", "h", "tonnes of cargo per hour in port for each berth",
      "d.groupby('berth').cargo_tonnes.sum()/d.groupby('berth').stay.sum()",
      "d[d.cargo_tonnes.notna()].groupby('berth').cargo_tonnes.sum()/d[d.cargo_tonnes.notna()].groupby('berth').stay.sum()",
      "(d.cargo_tonnes/d.stay).groupby(d.berth).mean()"),
    q("cum", "m", "cumulative cargo over 2024 by month",
      "d[d.year==2024].groupby('month').cargo_tonnes.sum().cumsum()"),
    q("yoy", "h", "how much more cargo was handled in the first half of 2024 than in the first half of 2023?",
      "d[(d.year==2024)&(d.arrived.dt.month<=6)].cargo_tonnes.sum()-d[(d.year==2023)&(d.arrived.dt.month<=6)].cargo_tonnes.sum()",
      "pd.Series({2023:d[(d.year==2023)&(d.arrived.dt.month<=6)].cargo_tonnes.sum(),2024:d[(d.year==2024)&(d.arrived.dt.month<=6)].cargo_tonnes.sum()})"),
    q("ten", "m", "how many vessels called more than 50 times?", "(d.vessel_name.value_counts()>50).sum()"),
    q("wkend", "m", "how many ships arrive on Saturdays and Sundays?", "(d.arrived.dt.dayofweek>=5).sum()"),
    q("hour", "m", "arrivals by hour of the day as a bar chart", "d.arrived.dt.hour.value_counts()", chart="bar"),
    q("scat", "e", "scatter of gross tonnage against delay", "Pairs(d.gross_tonnage, d.delay_hrs)", chart="scatter"),
    q("corr", "m", "is there a correlation between tonnage and delay?", "d.gross_tonnage.corr(d.delay_hrs)"),
    q("pct", "m", "each flag's share of all calls", "d.flag_state.value_counts(normalize=True)", share=True),
    q("besteach", "h", "for every berth, the agent with the most calls",
      "d.groupby('berth').agent.agg(lambda s: s.value_counts().index[0])"),
    q("percall", "m", "average cargo per call by vessel type, largest first",
      "d.groupby('vessel_type').cargo_tonnes.mean().dropna()", "d.groupby('vessel_type').cargo_tonnes.mean()"),
    q("nocargo", "m", "how many calls have no cargo recorded?", "d.cargo_tonnes.isna().sum()"),
    q("crew", "e", "average crew size by vessel type", REFUSE),
    q("fuel", "e", "average fuel taken on per call", REFUSE),
    q("flags", "e", "how many calls came from each flag state?", "d.flag_state.value_counts()"),
    q("maxdel", "e", "longest delay in hours", "d.delay_hrs.max()"),
    q("agents", "e", "bar chart of calls by agent", "d.agent.value_counts()", chart="bar"),
    q("avgton", "e", "average gross tonnage of tankers", "d[d.vessel_type=='tanker'].gross_tonnage.mean()"),
    q("jan", "m", "cargo handled in January 2024", "d[d.month=='2024-01'].cargo_tonnes.sum()"),
    q("wday", "m", "number of arrivals by weekday", "d.arrived.dt.day_name().value_counts()"),
    q("exc", "m", "total dues excluding cruise ships", "d[d.vessel_type!='cruise'].dues.sum()"),
    q("stayb", "m", "which berth has the longest average stay?", "top(d.groupby('berth').stay.mean())",
      "top(d.groupby('berth').stay.mean()/24)"),
    q("twoday", "h", "share of calls that stayed longer than 2 days", "(d.stay>48).mean()", share=True),
    q("duesper", "h", "dues per tonne of cargo by vessel type",
      "d.groupby('vessel_type').dues.sum()/d.groupby('vessel_type').cargo_tonnes.sum()",
      "d[d.cargo_tonnes.notna()].groupby('vessel_type').dues.sum()/d[d.cargo_tonnes.notna()].groupby('vessel_type').cargo_tonnes.sum()",
      "(lambda s: s[s.index!='cruise'])(d.groupby('vessel_type').dues.sum()/d.groupby('vessel_type').cargo_tonnes.sum())"),
    q("mix", "h", "for each berth, what percentage of calls is by each vessel type?",
      "pd.crosstab(d.berth,d.vessel_type,normalize='index')", share=True),
    q("mom", "h", "month to month change in the number of calls",
      "d.month.value_counts().sort_index().diff().dropna()",
      "(d.month.value_counts().sort_index().pct_change()*100).dropna()"),
    q("roll", "h", "3-month rolling average of cargo",
      "d.groupby('month').cargo_tonnes.sum().rolling(3).mean().dropna()"),
    q("pildel", "h", "do calls with a pilot have shorter delays than those without?",
      "d.groupby('pilot_used').delay_hrs.mean()"),
    q("ag2", "h", "top two agents at each berth by cargo",
      "d.groupby(['berth','agent']).cargo_tonnes.sum().groupby(level=0,group_keys=False).nlargest(2)"),
    q("last90", "h", "calls per berth in the last 90 days",
      "d[d.arrived>d.arrived.max()-pd.Timedelta(days=90)].berth.value_counts()"),
    q("heavy", "h", "vessel types whose average delay is above 2.8 hours",
      "(lambda s: s[s>2.8])(d.groupby('vessel_type').delay_hrs.mean())",
      "(lambda s: Keys(s[s>2.8].index))(d.groupby('vessel_type').delay_hrs.mean())"),
    q("perves", "h", "average number of calls per vessel by flag state",
      "d.groupby('flag_state').size()/d.groupby('flag_state').vessel_name.nunique()"),
    q("p95", "h", "95th percentile of delay for each agent", "d.groupby('agent').delay_hrs.quantile(.95)"),
]
