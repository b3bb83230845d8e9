"""Daily figures of advertising campaigns; rates have to be worked out from counts."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(5103)
    names = ["Spring Sale", "Brand Awareness", "Back to School", "Retargeting", "New Arrivals",
             "Loyalty", "Clearance", "Gift Guide"]
    platform = ["Google", "Meta", "TikTok", "LinkedIn"]
    rows = [(day, name, p) for day in pd.date_range("2024-02-01", "2024-07-19")
            for name in names for p in platform if rng.random() < .42]
    n = len(rows)
    impressions = rng.gamma(2, 5200, n).round().astype(int)
    ctr = rng.beta(3, 150, n)
    clicks = rng.binomial(impressions, ctr)
    conversions = rng.binomial(clicks, .045)
    frame = pd.DataFrame(rows, columns=["Date", "Campaign", "Platform"])
    return {"ads": frame.assign(
        Device=rng.choice(["mobile", "desktop", "tablet"], n, p=[.6, .32, .08]),
        Audience=rng.choice(["18-24", "25-34", "35-49", "50+"], n),
        Impressions=impressions, Clicks=clicks, Conversions=conversions,
        Spend_USD=(clicks * rng.gamma(4, .22, n)).round(2),
        Revenue_USD=(conversions * rng.gamma(3, 7, n)).round(2),
        Video_Views=pd.Series(rng.binomial(impressions, .11).astype(float))
        .mask(frame.Platform.isin(["Google", "LinkedIn"])),
        Paused=rng.choice([True, False], n, p=[.05, .95]))}


def prepare(ads):
    d = ads
    d["month"] = d.Date.dt.to_period("M")
    d["week"] = d.Date.dt.to_period("W")
    d["profit"] = d.Revenue_USD - d.Spend_USD
    d["weekend"] = d.Date.dt.dayofweek >= 5
    g = d.groupby("Platform")
    c = d.groupby("Campaign")
    return {"d": d, "g": g, "c": c}


QUESTIONS = [
    q("spend", "e", "total spend", "d.Spend_USD.sum()"),
    q("spendp", "e", "spend by platform", "g.Spend_USD.sum()"),
    q("clicksc", "e", "clicks per campaign, highest first", "c.Clicks.sum()"),
    q("topc", "e", "which campaign made the most revenue?", "top(c.Revenue_USD.sum())"),
    q("ncamp", "e", "how many campaigns are there?", "d.Campaign.nunique()"),
    q("impd", "e", "impressions over time", "d.groupby('Date').Impressions.sum()",
      "d.groupby('month').Impressions.sum()", "d.groupby('week').Impressions.sum()"),
    q("conv", "e", "conversions by audience as a bar chart", "d.groupby('Audience').Conversions.sum()",
      chart="bar"),
    q("dev", "e", "share of clicks by device", "d.groupby('Device').Clicks.sum()/d.Clicks.sum()",
      share=True),
    q("spm", "e", "monthly spend", "d.groupby('month').Spend_USD.sum()"),
    q("avgs", "e", "average daily spend of the Retargeting campaign",
      "d[d.Campaign=='Retargeting'].groupby('Date').Spend_USD.sum().mean()",
      assumes("d[d.Campaign=='Retargeting'].Spend_USD.mean()")),
    q("scat", "e", "scatter plot of spend vs clicks", "Pairs(d.Spend_USD,d.Clicks)",
      "Pairs(d.Clicks,d.Spend_USD)", chart="scatter"),
    q("maxd", "e", "on which day did we spend the most?",
      "top(d.groupby('Date').Spend_USD.sum())", assumes("top(d.groupby(d.Date.dt.day_name()).Spend_USD.sum())")),
    q("paus", "e", "how many rows are paused?", "d.Paused.sum()"),
    q("ctr", "m", "click-through rate by platform (clicks / impressions)",
      "g.Clicks.sum()/g.Impressions.sum()", share=True),
    q("cpc", "m", "cost per click for each platform", "g.Spend_USD.sum()/g.Clicks.sum()"),
    q("cpa", "m", "which campaign has the lowest spend per conversion?",
      "bottom(c.Spend_USD.sum()/c.Conversions.sum())"),
    q("cvr", "m", "conversions per click by device",
      "d.groupby('Device').Conversions.sum()/d.groupby('Device').Clicks.sum()", share=True),
    q("roas", "m", "ratio of revenue to spend per campaign", "c.Revenue_USD.sum()/c.Spend_USD.sum()"),
    q("profit", "m", "profit by campaign (revenue minus spend)", "c.profit.sum()"),
    q("loss", "h", "which campaigns lost money, i.e. spend is higher than revenue?",
      "(lambda s: Keys(s[s<0].index))(c.profit.sum())", "(lambda s: s[s<0])(c.profit.sum())"),
    q("june", "m", "spend on Meta in June", "d[(d.Platform=='Meta')&(d.Date.dt.month==6)].Spend_USD.sum()"),
    q("wk", "m", "clicks per week for TikTok", "d[d.Platform=='TikTok'].groupby('week').Clicks.sum()"),
    q("wkl", "m", "weekly conversions, one line per platform",
      "d.groupby(['week','Platform']).Conversions.sum().unstack(fill_value=0)", chart="line"),
    q("wend", "m", "average clicks on weekends compared to weekdays",
      "d.groupby('weekend').Clicks.mean()",
      assumes("d.groupby(['weekend','Date']).Clicks.sum().groupby('weekend').mean()")),
    q("yng", "m", "revenue from the 18-24 audience", "d[d.Audience=='18-24'].Revenue_USD.sum()"),
    q("zero", "m", "how many rows had no conversions?", "(d.Conversions==0).sum()"),
    q("zerop", "m", "what fraction of rows has zero conversions, per platform?",
      "(d.Conversions==0).groupby(d.Platform).mean()", share=True),
    q("big", "m", "days with more than 1000 dollars of spend in a row",
      "Keys(d[d.Spend_USD>1000].Date)", "(d.Spend_USD>1000).sum()"),
    q("heat", "m", "heatmap of conversions by platform and device",
      "d.groupby(['Platform','Device']).Conversions.sum().unstack()", chart="heat"),
    q("med", "m", "median cost per row by device", "d.groupby('Device').Spend_USD.median()"),
    q("top5", "m", "5 best days by revenue", "top(d.groupby('Date').Revenue_USD.sum(),5)",
      assumes("top(d.set_index('Date').Revenue_USD,5)")),
    q("vv", "m", "average video views per platform, ignoring those without any",
      "d.dropna(subset='Video_Views').groupby('Platform').Video_Views.mean()"),
    q("novv", "m", "which platforms have no video views?", "Keys(['Google','LinkedIn'])",
      "g.Video_Views.count()[lambda s: s==0]",
      "d[d.Video_Views.isna()].Platform.value_counts()"),
    q("excl", "m", "total revenue excluding LinkedIn", "d[d.Platform!='LinkedIn'].Revenue_USD.sum()"),
    q("sumall", "m", "impressions, clicks and conversions by platform",
      "g[['Impressions','Clicks','Conversions']].sum().stack()", "g.Clicks.sum()"),
    q("grow", "h", "by how much did monthly spend change from May to June?",
      "d[d.Date.dt.month==6].Spend_USD.sum()-d[d.Date.dt.month==5].Spend_USD.sum()",
      "(d[d.Date.dt.month==6].Spend_USD.sum()/d[d.Date.dt.month==5].Spend_USD.sum()-1)*100"),
    q("cumr", "h", "cumulative revenue by week", "d.groupby('week').Revenue_USD.sum().cumsum()"),
    q("cumc", "h", "cumulative spend per platform over the months",
      "d.groupby(['month','Platform']).Spend_USD.sum().unstack().cumsum()"),
    q("pc", "h", "month on month percentage change of clicks",
      "(d.groupby('month').Clicks.sum().pct_change()*100).dropna()", share=True),
    q("mixp", "h", "for each campaign, what percentage of its spend goes to each platform?",
      "(lambda t: t.div(t.sum(axis=1),axis=0))(d.pivot_table(index='Campaign',columns='Platform',"
      "values='Spend_USD',aggfunc='sum'))", share=True),
    q("bestp", "h", "best platform for each campaign by revenue",
      "d.groupby(['Campaign','Platform']).Revenue_USD.sum().unstack().idxmax(axis=1)"),
    q("cpm", "h", "cost per thousand impressions by platform",
      "g.Spend_USD.sum()/g.Impressions.sum()*1000"),
    q("ma", "h", "7-day moving average of daily clicks",
      "d.groupby('Date').Clicks.sum().rolling(7).mean().dropna()"),
    q("ctrtop", "h", "3 campaigns with the best click rate (clicks per impression)",
      "top(c.Clicks.sum()/c.Impressions.sum(),3)"),
    q("ctrm", "h", "clicks divided by impressions per month and platform",
      "d.groupby(['month','Platform']).Clicks.sum().unstack()/"
      "d.groupby(['month','Platform']).Impressions.sum().unstack()", share=True),
    q("eff", "h", "campaigns with more than 2500 conversions, with their spend",
      "c.Spend_USD.sum()[c.Conversions.sum()>2500]"),
    q("mt", "h", "how much more did we spend on mobile than on desktop?",
      "d[d.Device=='mobile'].Spend_USD.sum()-d[d.Device=='desktop'].Spend_USD.sum()",
      "d[d.Device.isin(['mobile','desktop'])].groupby('Device').Spend_USD.sum()"),
    q("last", "h", "revenue of the last full month",
      "d[d.month=='2024-06'].Revenue_USD.sum()", REFUSE),
    q("bud", "m", "how much budget is left per campaign?", REFUSE),
    q("country", "m", "clicks by country", REFUSE),
]
