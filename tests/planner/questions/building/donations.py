"""Gifts to a charity; one row a gift, amounts are in pounds, some are claimed for tax."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(2104)
    n = 2600
    donors = 700
    who = np.minimum(rng.zipf(1.6, n), donors) - 1
    when = pd.Timestamp("2022-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 1000, n)), unit="D")
    age = rng.integers(19, 88, donors)
    regular = rng.random(n) < .4
    amount = np.where(regular, rng.choice([5, 10, 15, 20], n), rng.lognormal(3.4, .9, n).round(2))
    claimed = rng.random(n) < .55
    return {"gifts": pd.DataFrame({
        "giftId": [f"G{i:05}" for i in range(1, n + 1)], "donorId": [f"D{i:04}" for i in who],
        "donorAge": age[who], "giftDate": when, "amountGBP": amount,
        "giftType": np.where(regular, "regular", rng.choice(["one-off", "legacy", "in memory"], n, p=[.8, .05, .15])),
        "channel": rng.choice(["web", "post", "street", "phone"], n, p=[.5, .2, .2, .1]),
        "campaign": rng.choice(["Winter Appeal", "Clean Water", "Schools First", None], n, p=[.3, .3, .2, .2]),
        "giftAid": np.where(claimed, "Y", "N"), "thankedOn": (pd.Series(when) + pd.to_timedelta(rng.integers(1, 30, n), unit="D")).where(rng.random(n) < .8),
        "refunded": rng.choice([0, 1], n, p=[.985, .015]), "region": rng.choice(["North", "South", "Wales", "Scotland"], n, p=[.3, .4, .1, .2])})}


def prepare(gifts):
    d = gifts
    d["m"], d["y"] = d.giftDate.dt.to_period("M"), d.giftDate.dt.year
    d["q"] = d.giftDate.dt.to_period("Q")
    return {"d": d}


QUESTIONS = [
    q("total", "e", "how much was donated in total?", "d.amountGBP.sum()"),
    q("n23", "e", "number of gifts in 2023", "(d.y==2023).sum()"),
    q("donors", "e", "how many donors do we have?", "d.donorId.nunique()"),
    q("avg", "e", "average gift", "d.amountGBP.mean()"),
    q("avgch", "e", "average gift amount by channel", "d.groupby('channel').amountGBP.mean()"),
    q("med", "e", "median gift per gift type", "d.groupby('giftType').amountGBP.median()"),
    q("camp", "m", "total raised by each campaign, highest first", "d.groupby('campaign').amountGBP.sum()"),
    q("nocamp", "m", "how much came in without a campaign?", "d[d.campaign.isna()].amountGBP.sum()"),
    q("aid", "m", "what proportion of gifts has gift aid?", "(d.giftAid=='Y').mean()", share=True),
    q("aidch", "m", "gift aid rate by channel", "d.assign(a=d.giftAid=='Y').groupby('channel').a.mean()", share=True),
    q("month", "e", "donations per month", "d.groupby('m').amountGBP.sum()", "d.groupby('m').size()"),
    q("quart", "m", "total donations by quarter and channel", "d.groupby(['q','channel']).amountGBP.sum()"),
    q("top", "m", "top 10 donors by total amount given", "top(d.groupby('donorId').amountGBP.sum(), 10)"),
    q("repeat", "m", "how many donors gave more than once?", "(d.donorId.value_counts()>1).sum()"),
    q("per", "m", "average number of gifts per donor", "len(d)/d.donorId.nunique()"),
    q("value", "h", "average total given per donor by region", "d.groupby('region').amountGBP.sum()/d.groupby('region').donorId.nunique()",
      "d.groupby(['region','donorId']).amountGBP.sum().groupby(level=0).mean()"),
    q("big", "m", "how many gifts were over 100 pounds?", "(d.amountGBP>100).sum()"),
    q("bigsh", "h", "what share of the money comes from gifts over 100 pounds?",
      "d[d.amountGBP>100].amountGBP.sum()/d.amountGBP.sum()", share=True),
    q("thank", "m", "how long does it take to thank a donor on average?",
      "(d.thankedOn-d.giftDate).dt.days.mean()", "(d.thankedOn-d.giftDate).mean()"),
    q("unth", "m", "number of gifts not yet thanked by channel", "d[d.thankedOn.isna()].channel.value_counts()"),
    q("ref", "e", "how many gifts were refunded?", "d.refunded.sum()"),
    q("refrate", "m", "refund rate per campaign", "d.groupby('campaign').refunded.mean()", share=True),
    q("age", "m", "average donor age by gift type", "d.groupby('giftType').donorAge.mean()"),
    q("ageb", "m", "total given by donors under 30, 30 to 60 and over 60",
      "d.groupby(pd.cut(d.donorAge,[0,29,60,200])).amountGBP.sum()", REFUSE),
    q("over70", "m", "how much did donors over 70 give through street collections?",
      "d[(d.donorAge>70)&(d.channel=='street')].amountGBP.sum()", REFUSE),
    q("growth", "m", "growth in donations from 2022 to 2023 in percent",
      "(d[d.y==2023].amountGBP.sum()/d[d.y==2022].amountGBP.sum()-1)*100", "(d[d.y==2023].shape[0]/d[d.y==2022].shape[0]-1)*100"),
    q("dec", "m", "which month of the year brings in the most money?", "top(d.groupby(d.giftDate.dt.month).amountGBP.sum())",
      "top(d.groupby(d.giftDate.dt.month_name()).amountGBP.sum())"),
    q("regch", "m", "share of gifts by channel within each region", "pd.crosstab(d.region,d.channel,normalize='index')", share=True),
    q("vol", "e", "number of volunteers per region", REFUSE),
    q("regions", "e", "gifts by region", "d.region.value_counts()", "d.groupby('region').amountGBP.sum()"),
    q("max", "e", "largest gift", "d.amountGBP.max()", "top(d.set_index('giftId').amountGBP)"),
    q("web", "e", "how many gifts came through the web?", "(d.channel=='web').sum()"),
    q("hist", "e", "histogram of donor age", "Hist(d.donorAge)", chart="hist"),
    q("line", "e", "line chart of the amount given per month", "d.groupby('m').amountGBP.sum()", chart="line"),
    q("wales", "m", "average regular gift in Wales", "d[(d.giftType=='regular')&(d.region=='Wales')].amountGBP.mean()"),
    q("dec22", "m", "amount raised in December 2022", "d[d.m=='2022-12'].amountGBP.sum()"),
    q("nodon", "m", "gifts without a campaign by channel", "d[d.campaign.isna()].channel.value_counts()"),
    q("small", "m", "percentage of gifts under 10 pounds", "(d.amountGBP<10).mean()", share=True),
    q("chtype", "m", "cross table of channel and gift type", "pd.crosstab(d.channel,d.giftType)"),
    q("loyal", "h", "share of donors who gave more than 5 times", "(d.donorId.value_counts()>5).mean()", share=True),
    q("big5", "h", "donors who gave more than 1000 pounds in total",
      "(lambda s: s[s>1000])(d.groupby('donorId').amountGBP.sum())",
      "(lambda s: Keys(s[s>1000].index))(d.groupby('donorId').amountGBP.sum())",
      "(d.groupby('donorId').amountGBP.sum()>1000).sum()"),
    q("aidval", "h", "how much of the total amount was given with gift aid, in percent?",
      "d[d.giftAid=='Y'].amountGBP.sum()/d.amountGBP.sum()", share=True),
    q("cum", "h", "running total of donations by quarter", "d.groupby('q').amountGBP.sum().cumsum()",
      "d.groupby('q').size().cumsum()"),
    q("ageband", "h", "average gift by donor age in bands of 10 years", "d.groupby(d.donorAge//10*10).amountGBP.mean()"),
    q("topcam", "h", "best campaign in each region by amount",
      "d.groupby(['region','campaign']).amountGBP.sum().unstack().idxmax(axis=1)"),
    q("fast", "h", "share of gifts thanked within a week",
      "((d.thankedOn-d.giftDate).dt.days<=7).mean()", "((d.thankedOn-d.giftDate).dt.days<7).mean()",
      "((d.thankedOn-d.giftDate).dropna().dt.days<=7).mean()", share=True),
    q("slow", "h", "median number of days between gift and thanks by channel",
      "(d.thankedOn-d.giftDate).dt.days.groupby(d.channel).median()"),
    q("diff", "h", "how much more was given in the South than in the North?",
      "d[d.region=='South'].amountGBP.sum()-d[d.region=='North'].amountGBP.sum()",
      "d[d.region.isin(['South','North'])].groupby('region').amountGBP.sum()"),
    q("half", "h", "compare the first half of 2023 with the first half of 2024 by total amount",
      "Values([d[(d.y==2023)&(d.giftDate.dt.month<=6)].amountGBP.sum(), d[(d.y==2024)&(d.giftDate.dt.month<=6)].amountGBP.sum()])"),
    q("wkend", "h", "average gift on weekends and on weekdays",
      "d.groupby(d.giftDate.dt.dayofweek>=5).amountGBP.mean()"),
]
