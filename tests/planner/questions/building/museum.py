"""Visits to the museums of a city, a row for each museum and day it was open."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, money, q


def make():
    rng = np.random.default_rng(3390)
    base = {"City Gallery": 520, "Maritime Museum": 330, "Natural History Museum": 760,
            "Railway Museum": 390, "Toy Museum": 140}
    closed = {"City Gallery": 0, "Maritime Museum": 0, "Railway Museum": 1, "Toy Museum": 0}
    shows = {"City Gallery": [("Light and Shadow", "2023-07-01", "2023-10-15"),
                              ("Women of the Bauhaus", "2023-11-10", "2024-03-03"),
                              ("Paper Worlds", "2024-04-12", "2024-08-25")],
             "Maritime Museum": [("Shipwrecks", "2023-09-15", "2024-02-18"),
                                 ("Polar Expeditions", "2024-05-03", "2024-09-30")],
             "Natural History Museum": [("Giants of the Ice Age", "2023-10-06", "2024-04-07"),
                                        ("Insects Up Close", "2024-05-17", "2024-09-15")],
             "Railway Museum": [("Night Trains", "2023-12-01", "2024-05-26")],
             "Toy Museum": [("Dolls' Houses", "2023-11-24", "2024-01-14"),
                            ("Robots!", "2024-06-07", "2024-09-08")]}
    days = pd.date_range("2023-07-01", "2024-09-30")
    warm = 10.5 - 9.5 * np.cos((days.dayofyear - 20) / 365 * 2 * np.pi) + rng.normal(0, 3.2, len(days))
    sky = []
    for t in warm:
        wet = rng.random()
        sky.append(("snow" if t < 2.5 else "rain") if wet < .27 else "sunny" if wet > .58 else "cloudy")
    free = {d for d in days if d.dayofweek == 6 and d.day <= 7}
    rows = []
    for day, t, weather in zip(days, warm, sky):
        for museum, size in base.items():
            if closed.get(museum) == day.dayofweek or museum in closed and rng.random() < .012:
                continue
            on = next((name for name, a, b in shows[museum]
                       if pd.Timestamp(a) <= day <= pd.Timestamp(b)), None)
            gratis = day in free and museum != "Toy Museum"
            weekend = day.dayofweek >= 5
            holiday = day.month in (7, 8)
            factor = (1.55 if weekend else .85 + .04 * (day.dayofweek % 4)) * (1.22 if on else 1) * {
                "rain": 1.18, "snow": .88, "cloudy": 1.03, "sunny": .92}[weather] * (
                1.7 if gratis else 1) * (1.25 if holiday else 1) * (1.06 if day.year == 2024 else 1)
            visitors = rng.poisson(size * factor * rng.gamma(28, 1 / 28))
            groups = 0 if weekend or holiday else rng.poisson(size / 260)
            visitors += int(groups * rng.integers(18, 27))
            paying = 0 if gratis else rng.binomial(visitors - min(visitors, groups * 18), .86)
            kids = {"Toy Museum": .46, "Natural History Museum": .33, "Railway Museum": .34}.get(museum, .16)
            adult, child, concession = rng.multinomial(paying, [(1 - kids) * .72, kids, (1 - kids) * .28])
            winter = day.month in (11, 12, 1, 2)
            if museum in ("City Gallery", "Natural History Museum") and day.dayofweek == 3:
                hours = "10:00-20:00"
            elif museum == "Toy Museum":
                hours = "11:00-17:00"
            elif museum == "Maritime Museum" and winter:
                hours = "10:00-16:00"
            elif museum in ("Maritime Museum", "Railway Museum"):
                hours = "10:00-17:00"
            else:
                hours = "10:00-18:00"
            shop = visitors * rng.gamma(6, {"City Gallery": .42, "Toy Museum": .55}.get(museum, .3))
            cafe = np.nan if museum == "Toy Museum" else visitors * rng.gamma(7, .24)
            rows.append((day, museum, visitors, adult, child, concession, f"€{shop:,.2f}", cafe, hours,
                         on, weather, groups, "Y" if gratis else "N", t))
    visits = pd.DataFrame(rows, columns=[
        "date", "Museum", "Visitors", "tickets_adult", "tickets_child", "tickets_concession",
        "Shop Revenue", "cafe_revenue", "Opening Hours", "exhibition", "Weather", "School Groups",
        "FreeDay", "Temp C"])
    n = len(visits)
    visits["Visitors"] = visits.Visitors.astype(float).mask(rng.random(n) < .012)
    visits["Shop Revenue"] = visits["Shop Revenue"].astype(object).mask(rng.random(n) < .01)
    visits["cafe_revenue"] = visits.cafe_revenue.round(2).mask(rng.random(n) < .008)
    visits["Temp C"] = visits["Temp C"].round(1)
    blank = visits.date.isin(rng.choice(days, 9, replace=False))
    visits["Weather"] = visits.Weather.astype(object).mask(blank)
    visits["Temp C"] = visits["Temp C"].mask(visits.date.isin(rng.choice(days, 6, replace=False)))
    return {"visits": visits}


def prepare(visits):
    d = visits
    d["shop"] = money(d["Shop Revenue"]).astype(float)
    d["rev"] = d.shop.fillna(0) + d.cafe_revenue.fillna(0)
    d["tickets"] = d.tickets_adult + d.tickets_child + d.tickets_concession
    d["month"] = d.date.dt.to_period("M")
    d["wd"] = d.date.dt.day_name()
    d["weekend"] = d.date.dt.dayofweek >= 5
    d["free"] = d.FreeDay == "Y"
    d["show"] = d.exhibition.notna()
    d["group"] = d["School Groups"] > 0
    ends = d["Opening Hours"].str.extract(r"(\d+):00-(\d+):00").astype(int)
    d["hours"] = ends[1] - ends[0]
    f = d[d.Visitors.notna()]
    paying = d[~d.free]
    daily = d.groupby("date").Visitors.sum()
    mm = d.groupby(["Museum", "month"]).Visitors.sum()
    q3 = d[d.date.dt.month.isin([7, 8, 9])].groupby([d.Museum, d.date.dt.year]).Visitors.sum().unstack()
    ex = d.groupby(["Museum", "show"]).Visitors.mean().unstack()
    record = d.loc[d.groupby("Museum").Visitors.idxmax()]
    low = d.Visitors < d.groupby("Museum").Visitors.transform("mean") / 2
    wm = d.groupby(["Museum", "wd"]).Visitors.mean().unstack()
    ws = d.groupby(["Museum", "wd"]).Visitors.sum().unstack()
    return {"d": d, "f": f, "paying": paying, "daily": daily, "mm": mm, "q3": q3, "ex": ex,
            "record": record, "low": low, "wm": wm, "ws": ws, "g": d.groupby("Museum"),
            "x": d.groupby("exhibition"), "kinds": ["tickets_adult", "tickets_child", "tickets_concession"],
            "nm": d.groupby("month").Visitors.sum(), "w": d[d.Weather.notna()],
            "y24": d[d.date.dt.year == 2024], "work": d[~d.weekend],
            "rail": d[d.Museum == "Railway Museum"].set_index("date").Visitors,
            "nat": d[d.Museum == "Natural History Museum"]}


QUESTIONS = [
    q("tot", "e", "total visitors", "d.Visitors.sum()"),
    q("bym", "e", "visitors by museum", "g.Visitors.sum()", assumes("g.Visitors.mean()")),
    q("topm", "e", "which museum is the most popular?", "top(g.Visitors.sum())", "top(g.Visitors.mean())"),
    q("avgd", "e", "average daily visitors per museum", "g.Visitors.mean()"),
    q("tick", "e", "How many adult, child and concession tickets were sold?", "d[kinds].sum()",
      "d[kinds].sum().rename(index=lambda name: name[8:])", "Values(list(d[kinds].sum()))"),
    q("sch", "e", "how many school groups came altogether?", "d['School Groups'].sum()"),
    q("shop", "e", "total shop revenue", "d.shop.sum()"),
    q("bestrw", "e", "busiest day ever at the Railway Museum", "top(rail)",
      assumes("top(rail.groupby(rail.index.day_name()).mean())"),
      assumes("top(rail.groupby(rail.index.day_name()).sum())")),
    q("exdays", "e", "number of open days of each exhibition", "x.size()", "x.date.nunique()"),
    q("hist", "e", "histogram of visitors per day", "Hist(d.Visitors)", "Hist(daily)", chart="hist"),
    q("scat", "e", "scatter of temperature vs visitors", "Pairs(d['Temp C'],d.Visitors)",
      assumes("Pairs(d.groupby('date')['Temp C'].mean(),daily)"), chart="scatter"),
    q("cafe", "e", "median café takings of a day", "d.cafe_revenue.median()",
      "d.groupby('date').cafe_revenue.sum().median()"),
    q("free", "e", "how many free days did each museum have?", "g.free.sum()"),
    q("cafbar", "e", "café revenue by museum as bars", "g.cafe_revenue.sum()",
      assumes("g.cafe_revenue.mean()"), chart="bar"),
    q("aug", "e", "visitors in August 2023", "d[d.month=='2023-08'].Visitors.sum()",
      assumes("d[d.month=='2023-08'].groupby('date').Visitors.sum()"),
      assumes("d[d.month=='2023-08'].groupby('Museum').Visitors.sum()")),
    q("hot", "e", "what was the hottest day?", "top(d.groupby('date')['Temp C'].max())"),
    q("miss", "e", "where are values missing? count them per column", "visits.isna().sum()"),
    q("price", "e", "what's our average ticket price?", REFUSE),

    q("wd", "m", "avergae number of visitors by day of the week", "d.groupby('wd').Visitors.mean()",
      "daily.groupby(daily.index.day_name()).mean()"),
    q("we", "m", "do we get more visitors per day on weekends or on weekdays?",
      "d.groupby('weekend').Visitors.mean()", "daily.groupby(daily.index.dayofweek>=5).mean()",
      "top(d.groupby(d.weekend.map({True:'weekend',False:'weekday'})).Visitors.mean())"),
    q("sph", "m", "shop revenue per visitor for each museum", "g.shop.sum()/g.Visitors.sum()",
      "(lambda c: c.shop.sum()/c.Visitors.sum())(d.dropna(subset=['shop','Visitors']).groupby('Museum'))",
      assumes("(d.shop/d.Visitors).groupby(d.Museum).mean()")),
    q("child", "m", "share of child tickets among all tickets, per museum",
      "g.tickets_child.sum()/g.tickets.sum()", share=True),
    q("freev", "m", "what percent of all visitors came on free days?",
      "d[d.free].Visitors.sum()/d.Visitors.sum()", share=True),
    q("rev", "m", "shop plus café revenue per month", "d.groupby('month').rev.sum()"),
    q("rain", "m", "do more people come when it rains?", "d.groupby('Weather').Visitors.mean()",
      "d.groupby(d.Weather=='rain').Visitors.mean()", "w.groupby(w.Weather=='rain').Visitors.mean()",
      "d.groupby(['date','Weather']).Visitors.sum().groupby(level=1).mean()",
      "d.groupby(['date',(d.Weather=='rain').rename('wet')]).Visitors.sum().groupby(level=1).mean()",
      "w.groupby(['date',(w.Weather=='rain').rename('wet')]).Visitors.sum().groupby(level=1).mean()"),
    q("top10", "m", "top 10 days by visitors, all museums together", "top(daily,10)"),
    q("exd", "h", "which exhibition drew the most visitors per day?", "top(x.Visitors.mean())"),
    q("ex3", "m", "the 3 best attended exhibitions", "top(x.Visitors.sum(),3)",
      "top(x.Visitors.mean(),3)"),
    q("late", "m", "how many late openings till 20:00 were there?",
      "d['Opening Hours'].str.endswith('20:00').sum()",
      assumes("d[d['Opening Hours'].str.endswith('20:00')].date.nunique()")),
    q("wdsch", "m", "bar chart: school groups per weekday", "d.groupby('wd')['School Groups'].sum()",
      "work.groupby('wd')['School Groups'].sum()",
      assumes("d.groupby('wd')['School Groups'].mean()"), chart="bar"),
    q("cafshop", "h", "how often did the café of a museum make more than its shop on the same day?",
      "(d.cafe_revenue>d.shop).sum()", "(d.cafe_revenue>d.shop).groupby(d.Museum).sum()",
      assumes("(d.cafe_revenue>d.shop).sum()/d[['shop','cafe_revenue']].notna().all(axis=1).sum()"),
      assumes("(d.cafe_revenue>d.shop).mean()"), share=True),
    q("over", "m", "days when the Natural History Museum had more than 1500 visitors",
      "Keys(nat[nat.Visitors>1500].date)", "(nat.Visitors>1500).sum()"),
    q("corr", "m", "correlation between temperature and visitor numbers", "d['Temp C'].corr(d.Visitors)",
      assumes("d.groupby('date')['Temp C'].mean().corr(daily)"),
      assumes("d['Temp C'].corr(d.Visitors,method='spearman')")),
    q("heat", "m", "heatmap weekday x museum with the average visitors",
      "d.pivot_table(index='wd',columns='Museum',values='Visitors')", chart="heat"),
    q("box", "m", "Box plot of visitors by weather please", "box(d,'Weather','Visitors')",
      "box(d.fillna({'Weather':'(missing)'}),'Weather','Visitors')", chart="box"),
    q("nocaf", "m", "which museum has no café revenue at all?",
      "Keys(['Toy Museum'])", "'Toy Museum'", "bottom(g.cafe_revenue.sum())"),
    q("missv", "h", "on how many days do we lack the visitor count, museum by museum",
      "d.Visitors.isna().groupby(d.Museum).sum()"),
    q("rainy", "m", "how many rainy days were there?", "d[d.Weather=='rain'].date.nunique()",
      assumes("(d.Weather=='rain').sum()")),
    q("conc", "m", "concession tickets in % of all tickets over time, monthly",
      "d.groupby('month').tickets_concession.sum()/d.groupby('month').tickets.sum()", share=True),
    q("stack", "m", "stacked bars of the three ticket types for every museum", "g[kinds].sum()",
      "g[kinds].sum().rename(columns=lambda name: name[8:])", chart="bar"),
    q("abroad", "m", "how many of our visitors come from abroad?", REFUSE),
    q("stay", "m", "How long does a visitor stay on average, per museum?", REFUSE),

    q("vph", "h", "visitors per opening hour by museum", "g.Visitors.sum()/g.hours.sum()",
      "f.groupby('Museum').Visitors.sum()/f.groupby('Museum').hours.sum()",
      "(d.Visitors/d.hours).groupby(d.Museum).mean()"),
    q("mom", "h", "how did visitor numbers change from month to month, in %?", "nm.pct_change().dropna()",
      share=True),
    q("rec", "h", "record day of every museum: date and visitors",
      "record.set_index(['Museum','date']).Visitors"),
    q("roll", "h", "plot the 7-day rolling average of total visitors", "daily.rolling(7).mean().dropna()",
      "daily.rolling(7,min_periods=1).mean()", "daily.rolling(7,center=True).mean().dropna()",
      "daily.rolling(7,center=True,min_periods=1).mean()", chart="line"),
    q("yoy", "h", "summer comparison: July to September 2024 against July to September 2023, "
      "% change in visitors for each museum", "q3[2024]/q3[2023]-1", share=True),
    q("uplift", "h", "how many more visitors a day does each museum get while an exhibition is on, "
      "compared to days without?", "ex[True]-ex[False]", assumes("ex[True]/ex[False]-1"),
      "ex", share=True),
    q("weshop", "h", "what share of its shop revenue does each museum earn on weekends?",
      "d[d.weekend].groupby('Museum').shop.sum()/g.shop.sum()", share=True),
    q("half", "h", "on how many days did each museum have less than half its own average number of visitors?",
      "low.groupby(d.Museum).sum()"),
    q("spend", "h", "for which exhibition is the spend per visitor (shop and café together) highest?",
      "top(x.rev.sum()/x.Visitors.sum())",
      "top(f.groupby('exhibition').rev.sum()/f.groupby('exhibition').Visitors.sum())",
      assumes("top((d.rev/d.Visitors).groupby(d.exhibition).mean())"),
      assumes("top(((d.shop+d.cafe_revenue)/d.Visitors).groupby(d.exhibition).mean())")),
    q("shr", "h", "each museum's share of all visitors, month by month", "mm/mm.groupby(level=1).transform('sum')",
      share=True),
    q("payrate", "h", "leaving out free days, what part of the visitors bought a ticket? per museum",
      "paying.groupby('Museum').tickets.sum()/paying.groupby('Museum').Visitors.sum()",
      "(lambda c: c.tickets.sum()/c.Visitors.sum())(f[~f.free].groupby('Museum'))", share=True),
]
