"""Monthly output of solar sites; what belongs to a site is repeated in each month, a date is text."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, q

SITES = ["Harbour Roof", "Mill Lane", "Oak Farm", "Depot 3", "St Anne School", "Quarry East", "Quarry West",
         "Old Brewery", "Fairview", "Hilltop Barn", "Market Hall", "Lido", "Bus Station", "Pier House",
         "Gorse Field", "Canal Works", "Town Library", "Sandy Bay", "Airfield A", "Airfield B", "Glasshouse",
         "Riverside", "Dairy Co-op", "Chapel Road", "Sports Centre", "North Dock", "Tannery", "Windmill Hill",
         "Paper Mill", "Cold Store", "Fire Station", "Orchard Park", "Wharf 9", "Abbey Field"]
SUN = np.array([24, 42, 86, 126, 156, 162, 160, 136, 96, 58, 29, 18])
WARMTH = np.array([3.8, 4.4, 6.9, 9.6, 13.1, 16.2, 18.4, 18.0, 15.1, 11.2, 7.0, 4.6])


def make():
    rng = np.random.default_rng(9362)
    k = len(SITES)
    start = pd.Timestamp("2012-03-01") + pd.to_timedelta(rng.integers(0, 3300, k), unit="D")
    start = pd.Series(start).mask(np.arange(k) % 9 == 4, pd.Timestamp("2021-02-10") + pd.to_timedelta(
        pd.Series(rng.integers(0, 800, k)), unit="D"))
    site = pd.DataFrame({
        "site_name": SITES, "Region": rng.choice(["North", "Midlands", "South", "Coast"], k, p=[.2, .26, .3, .24]),
        "Inverter": rng.choice(["SMA", "Fronius", "Huawei", "SolarEdge", "Sungrow"], k, p=[.3, .22, .2, .16, .12]),
        "capacity_kw": (rng.lognormal(4.9, .85, k) * 2).round() / 2,
        "Panel Type": np.where(rng.random(k) < .6, "mono", np.where(rng.random(k) < .7, "poly", "thin film")),
        "commissioned": start, "tariff_eur": rng.choice([.0815, .0947, .1125, .1263, .1788], k)})
    site.loc[[11, 25], "Panel Type"] = None
    site["dirt"] = rng.normal(.80, .035, k)
    site["keen"] = np.where(np.arange(k) % 8 == 3, 0, .13)  # some are never cleaned
    months = pd.DataFrame({"Month": pd.date_range("2021-01-01", "2024-06-01", freq="MS")})
    months["sky"] = rng.normal(1, .08, len(months))
    d = site.merge(months, how="cross")
    d = d[d.Month > d.commissioned].reset_index(drop=True)
    n = len(d)
    place = d.Region.map({"North": .93, "Midlands": .98, "South": 1.07, "Coast": 1.05})
    irradiance = (SUN[d.Month.dt.month - 1] * d.sky * place * rng.normal(1, .03, n)).round(1)
    fails = d.Inverter.map({"SMA": 4, "Fronius": 6, "Huawei": 5, "SolarEdge": 9, "Sungrow": 11})
    downtime = np.where(rng.random(n) < .55, 0, rng.exponential(fails * 2)) + np.where(
        rng.random(n) < .02, rng.uniform(60, 300, n), 0)
    cleaned = rng.random(n) < d.keen
    age = (d.Month - d.commissioned).dt.days / 365.25
    kwh = (d.capacity_kw * irradiance * d.dirt * (1 - .006 * age) * (1 + .035 * cleaned)
           * (1 - downtime / 730) * rng.normal(1, .03, n))
    budget = d.capacity_kw * SUN[d.Month.dt.month - 1] * place * .79
    return {"solar": pd.DataFrame({
        "site_name": d.site_name, "Region": d.Region, "Inverter": d.Inverter, "Panel Type": d["Panel Type"],
        "capacity_kw": d.capacity_kw, "Month": d.Month, "kWh": kwh.round(1).mask(rng.random(n) < .022),
        "budget_kwh": budget.round(), "Irradiance (kWh/m2)": irradiance,
        "downtime_hours": pd.Series(downtime.round(1)).mask(rng.random(n) < .03),
        "Avg Temp C": (WARMTH[d.Month.dt.month - 1] + rng.normal(0, 1.2, n)).round(1),
        "Cleaned": np.where(cleaned, "Y", "N"), "commissioned": d.commissioned.dt.strftime("%Y-%m-%d"),
        "tariff_eur": d.tariff_eur})}


def prepare(solar):
    d = solar
    d["irr"], d["down"], d["temp"] = d["Irradiance (kWh/m2)"], d.downtime_hours, d["Avg Temp C"]
    d["cap"], d["panel"] = d.capacity_kw, d["Panel Type"]
    d["clean"] = flag(d.Cleaned).astype(bool)
    d["start"] = pd.to_datetime(d.commissioned)
    d["m"], d["y"], d["mon"] = d.Month.dt.to_period("M"), d.Month.dt.year, d.Month.dt.month
    d["rev"] = d.kWh * d.tariff_eur
    d["yld"] = d.kWh / d.cap
    d["ideal"] = d.cap * d.irr
    d["pr"] = d.kWh / d.ideal
    d["gap"] = d.kWh - d.budget_kwh
    d["hrs"] = d.Month.dt.days_in_month * 24
    d["season"] = d.mon.map(lambda i: ["winter", "spring", "summer", "autumn"][i % 12 // 3])
    d = d.sort_values(["site_name", "Month"]).reset_index(drop=True)
    d["after"] = d.groupby("site_name").clean.shift(1)
    k = d[d.kWh.notna()]
    s = d.drop_duplicates("site_name").set_index("site_name")
    g = d.groupby("site_name")
    y = d.pivot_table(index="site_name", columns="y", values="kWh", aggfunc="sum")
    yk = d.pivot_table(index="site_name", columns="y", values="kWh", aggfunc="count")
    ranked = g.kWh.sum().sort_values(ascending=False).cumsum() / d.kWh.sum()
    monthly = d.groupby("m").kWh.sum()
    return {"d": d, "k": k, "s": s, "g": g, "monthly": monthly,
            "r": d.groupby("Region"), "i": d.groupby("Inverter"), "o": d[d.down.notna()],
            "y": y, "yk": yk, "ranked": ranked,
            "both": y[(yk[2022] > 0) & (yk[2023] > 0)], "full": y[(yk[2022] == 12) & (yk[2023] == 12)],
            "whole": y[(g.Month.min() <= "2022-01-01").reindex(y.index)],  # each month there, read or not
            "yield_": g.kWh.sum() / s.cap, "yieldm": k.groupby("site_name").kWh.sum() / k.groupby(
                "site_name").cap.sum()}


QUESTIONS = [
    q("total", "e", "total kwh produced", "d.kWh.sum()"),
    q("reg", "e", "output by region", "r.kWh.sum()"),
    q("sites", "e", "how many sites are in here?", "d.site_name.nunique()"),
    q("best", "e", "which site has produced the most energy?", "top(g.kWh.sum())"),
    q("downi", "e", "mean downtime hours for each inverter make", "i.down.mean()"),
    q("prod", "e", "Draw total monthly production as a line", "monthly",
      assumes("d.groupby('mon').kWh.sum()"), chart="line"),
    q("nokwh", "e", "how many rows have no kWh reading", "d.kWh.isna().sum()"),
    q("cleaned", "e", "how often were panels cleaned in total?", "d.clean.sum()"),
    q("hot", "e", "highest average temperature in the data", "d.temp.max()"),
    q("scat", "e", "scatter irradiance against kwh", "Pairs(d.irr,d.kWh)", "Pairs(d.kWh,d.irr)",
      chart="scatter"),
    q("y23", "e", "what did we produce in 2023?", "d[d.y==2023].kWh.sum()", "d[d.y==2023].groupby('m').kWh.sum()"),
    q("byyear", "e", "kwh per year as bars please", "d.groupby('y').kWh.sum()", chart="bar"),
    q("hdown", "e", "histogram of downtime", "Hist(d.down)", chart="hist"),
    q("top5d", "e", "top 5 sites by total downtime", "top(g.down.sum(),5)"),
    q("harb", "e", "average monthly kWh of Harbour Roof", "d[d.site_name=='Harbour Roof'].kWh.mean()",
      assumes("d[d.site_name=='Harbour Roof'].groupby('mon').kWh.mean()")),
    q("pie", "e", "pie chart: energy by panel type", "d.groupby('panel').kWh.sum()", chart="pie"),
    q("irrlow", "e", "What's the lowest irradiance we ever recorded", "d.irr.min()"),
    q("medt", "e", "median monthly output per region", "r.kWh.median()",
      "d.groupby(['Region','m']).kWh.sum().groupby('Region').median()"),
    q("co2", "e", "how many tonnes of CO2 did we avoid last year?", REFUSE),

    q("cap", "m", "total installed capacity in kW (careful, capacity is repeated on every row)", "s.cap.sum()"),
    q("capr", "m", "number of instalations by region", "r.site_name.nunique()"),
    q("sy", "m", "specific yield (kWh per kW of capacity) for each site", "yield_", "yieldm",
      assumes("g.yld.mean()"), assumes("g.kWh.sum()/g.cap.sum()")),
    q("shr", "m", "what share of total output comes from each region?", "r.kWh.sum()/d.kWh.sum()", share=True),
    q("season", "m", "output by season",
      "d.groupby('season').kWh.sum()", "d.groupby(d.season.replace('autumn','fall')).kWh.sum()",
      assumes("d.groupby('season').kWh.mean()"), "d.groupby(d.Month.dt.quarter).kWh.sum()"),
    q("bestmon", "m", "Which month of the year gives the most power on average?", "top(d.groupby('mon').kWh.mean())",
      "top(monthly.groupby(monthly.index.month).mean())", "top(d.groupby(d.Month.dt.month_name()).kWh.mean())",
      "top(monthly.groupby(monthly.index.strftime('%B')).mean())"),
    q("d24", "m", "in what percentage of site months was downtime above 24 hours?", "(o.down>24).mean()",
      "(d.down>24).mean()", share=True),
    q("vsb", "m", "actual vs budget kWh by site", "g[['kWh','budget_kwh']].sum()",
      "k.groupby('site_name')[['kWh','budget_kwh']].sum()", assumes("g.kWh.sum()/g.budget_kwh.sum()"),
      assumes("g.kWh.sum()-g.budget_kwh.sum()"), assumes("g[['kWh','budget_kwh']].mean()"),
      assumes("k.groupby('site_name').kWh.sum()/k.groupby('site_name').budget_kwh.sum()"),
      assumes("k.groupby('site_name').gap.sum()"), share=True),
    q("miss", "m", "how many times did Oak Farm miss its budget?", "((d.site_name=='Oak Farm')&(d.kWh<d.budget_kwh)).sum()"),
    q("s2020", "m", "how many sites were commissioned in 2020 or later?", "(s.start>='2020-01-01').sum()"),
    q("revr", "m", "what did each region earn? (kwh times tariff)", "r.rev.sum()"),
    q("revy", "m", "feed-in revenue 2022 compared to 2023, whole portfolio",
      "d[d.y.isin([2022,2023])].groupby('y').rev.sum()",
      "Values([d[d.y==2022].rev.sum(),d[d.y==2023].rev.sum()])"),
    q("lowd", "m", "inverter maker with the least downtime per month", "bottom(i.down.mean())",
      assumes("bottom(d.groupby(['Inverter','m']).down.sum().groupby('Inverter').mean())")),
    q("corr", "m", "does heat matter? correlation of temperature and kwh per kw", "d.temp.corr(d.yld)",
      "d.temp.corr(d.yld,method='spearman')"),
    q("nulls", "m", "missing values per column", "solar.isna().sum()", "solar.isna().mean()",
      "solar.isna().sum()[lambda c:c>0]", share=True),
    q("never", "m", "are there sites that have never been cleaned? list them",
      "Keys(g.clean.sum()[lambda c:c==0].index)", "g.clean.sum()[lambda c:c==0]"),
    q("cly", "m", "share of site-months with a cleaning, by year", "d.groupby('y').clean.mean()", share=True),
    q("big", "m", "list all sites bigger than 250 kW with their capacity", "s[s.cap>250].cap"),
    q("south", "m", "how much did the South produce between June and August 2023",
      "d[(d.Region=='South')&(d.y==2023)&d.mon.isin([6,7,8])].kWh.sum()",
      "d[(d.Region=='South')&(d.y==2023)&d.mon.isin([6,7,8])].groupby('m').kWh.sum()"),
    q("worst", "m", "when and where was the longest outage?", "top(d.set_index(['site_name','m']).down)",
      "top(d.set_index(['site_name','Month']).down)", "top(d.set_index(['site_name','Month','Inverter']).down)"),
    q("dclean", "m", "compare kwh per kw in months with and without cleaning", "d.groupby('clean').yld.mean()",
      "d.groupby('clean').yld.median()", "k.groupby('clean').kWh.sum()/k.groupby('clean').cap.sum()",
      "d.groupby('clean').kWh.sum()/d.groupby('clean').cap.sum()", "box(d,'Cleaned','yld')"),
    q("avgt", "h", "average tariff by inverter maker, one vote per site", "s.groupby('Inverter').tariff_eur.mean()"),
    q("batt", "m", "which of the sites have battery storage?", REFUSE),

    q("pr", "h", "Performance ratio per inverter maker: kWh / (capacity * irradiance)",
      "k.groupby('Inverter').kWh.sum()/k.groupby('Inverter').ideal.sum()", "i.kWh.sum()/i.ideal.sum()",
      "i.pr.mean()", "i.pr.median()", share=True),
    q("yoy", "h", "which site improved its output most from 2022 to 2023, in percent?",
      "top(both[2023]/both[2022]-1)", "top(full[2023]/full[2022]-1)", "top(whole[2023]/whole[2022]-1)",
      share=True),
    q("capi", "h", "share of installed capacity by inverter maker (each site once)",
      "s.groupby('Inverter').cap.sum()/s.cap.sum()", share=True),
    q("bestr", "h", "for each region the site with the best yield per kW",
      "pd.Series(yield_.groupby(s.Region).idxmax())", "yieldm.groupby(s.Region).idxmax()",
      "g.yld.mean().groupby(s.Region).idxmax()", "(g.kWh.sum()/g.cap.sum()).groupby(s.Region).idxmax()"),
    q("cum", "h", "cumulative output over 2023, month by month", "d[d.y==2023].groupby('m').kWh.sum().cumsum()"),
    q("avail", "h", "availability by inverter, i.e. 1 - downtime / hours of the month",
      "1-o.groupby('Inverter').down.sum()/o.groupby('Inverter').hrs.sum()", "1-i.down.sum()/i.hrs.sum()",
      "(1-d.down/d.hrs).groupby(d.Inverter).mean()", assumes("(1-d.down/730).groupby(d.Inverter).mean()"),
      assumes("(1-d.down/720).groupby(d.Inverter).mean()"), share=True),
    q("under", "h", "How often did sites fall more than 10% short of budget? give me the rate per year",
      "(k.kWh<.9*k.budget_kwh).groupby(k.y).mean()", "(d.kWh<.9*d.budget_kwh).groupby(d.y).mean()",
      share=True),
    q("roll", "h", "rolling 12 month total production, chart it", "monthly.rolling(12).sum()",
      "monthly.rolling(12,min_periods=1).sum()", chart="any"),
    q("less", "h", "which sites made less in 2023 than in 2022?", "Keys(both[both[2023]<both[2022]].index)",
      "Keys(full[full[2023]<full[2022]].index)", "Keys(whole[whole[2023]<whole[2022]].index)"),
    q("half", "h", "how many of the biggest producers does it take to get to half of all energy?",
      "int((ranked<.5).sum())+1"),
    q("lost", "h", "money lost against budget per region, at each site's tariff",
      "((k.budget_kwh-k.kWh)*k.tariff_eur).groupby(k.Region).sum()",
      "((k.kWh-k.budget_kwh)*k.tariff_eur).groupby(k.Region).sum()",
      "(d.budget_kwh*d.tariff_eur).groupby(d.Region).sum()-r.rev.sum()",
      "r.rev.sum()-(d.budget_kwh*d.tariff_eur).groupby(d.Region).sum()",
      "((k.budget_kwh-k.kWh).clip(lower=0)*k.tariff_eur).groupby(k.Region).sum()"),
    q("wtar", "h", "average tariff weighted by kwh, for each region",
      "r.rev.sum()/r.kWh.sum()"),
    q("cost", "h", "Did the cleanings pay off? compare cost of cleaning with the extra revenue per site", REFUSE),
]
