"""Repair jobs of a bicycle workshop, one row a job; invoices are text, some jobs are still open."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, money, q

FAULTS = {  # minutes of labour, euros of parts, days until done
    "Flat tyre": (22, 14, .6), "Brakes": (42, 28, 1.4), "Gears": (55, 41, 2.1), "Chain": (28, 33, 1.1),
    "Wheel truing": (48, 9, 2.4), "Lights": (30, 24, 1.3), "Full service": (125, 38, 3.6),
    "Bottom bracket": (66, 45, 3.2), "Battery": (38, 210, 8.5), "Motor error": (84, 135, 7.4)}


def make():
    rng = np.random.default_rng(7741)
    n = 1480
    days = pd.date_range("2023-01-02", "2024-12-21")
    days = days[days.dayofweek < 6]
    season = np.array([.5, .6, 1.1, 1.5, 1.7, 1.5, 1.3, 1.1, 1.2, 1.0, .7, .5])[days.month - 1]
    weight = season * np.where(days.dayofweek == 5, 1.5, 1) * np.where(days.year == 2024, 1.15, 1)
    received = pd.Series(np.sort(rng.choice(days.to_numpy(), n, p=weight / weight.sum())))
    received = received + pd.to_timedelta(rng.integers(9 * 60, 18 * 60, n), unit="min")
    kind = rng.choice(["City", "Road", "MTB", "E-Bike", "Cargo", "Kids"], n,
                      p=[.31, .14, .15, .25, .07, .08])
    plain, electric = list(FAULTS)[:8], list(FAULTS)
    fault = np.where(np.isin(kind, ["E-Bike", "Cargo"]),
                     rng.choice(electric, n, p=[.14, .15, .09, .09, .05, .04, .15, .04, .14, .11]),
                     rng.choice(plain, n, p=[.23, .18, .15, .13, .08, .06, .12, .05]))
    mechanic = rng.choice(["Jonas", "Petra", "Ali", "Marek", "Sofie"], n, p=[.27, .23, .21, .17, .12])
    base = pd.DataFrame([FAULTS[f] for f in fault], columns=["minutes", "euros", "days"])
    pace = pd.Series(mechanic).map({"Jonas": 1, "Petra": .9, "Ali": 1.05, "Marek": 1.25, "Sofie": 1.1})
    labour = (base.minutes * pace * rng.gamma(9, 1 / 9, n)).round().clip(5).astype(int)
    parts = (base.euros * rng.gamma(2.5, .4, n)).round(2)
    done = (received + pd.to_timedelta(base.days * pace * rng.lognormal(-.2, .75, n) + labour / 900,
                                       unit="D")).dt.round("min")
    hour = done.dt.hour + done.dt.minute / 60  # nobody hands out bikes at night
    done = done.mask((hour < 9) | (hour > 18.5), done.dt.normalize() + pd.Timedelta(hours=9.5) + pd.to_timedelta(
        rng.integers(0, 500, n), unit="min"))
    done = done.mask(done <= received, received + pd.to_timedelta(labour + 15, unit="min"))
    done = done.mask(done.dt.dayofweek == 6, done + pd.Timedelta(days=1))
    still = (done > pd.Timestamp("2024-12-21 18:30")) | (rng.random(n) < .008)
    warranty = rng.random(n) < np.where(np.isin(fault, ["Battery", "Motor error"]), .34, .07)
    invoice = (parts * 1.35 + labour * rng.normal(1.02, .08, n)).round(1).mask(warranty, 0)
    taken = (done - received).dt.total_seconds() / 86400
    fell = (pd.Series(mechanic) == "Marek") & (received.dt.year == 2024)
    rating = (4.75 - .11 * taken.clip(upper=14) - .6 * fell + rng.normal(0, .75, n)).round().clip(1, 5)
    visits = 1 / np.arange(6, 706) ** .8
    customer = rng.choice(rng.permutation(np.arange(1000, 1700)), n, p=visits / visits.sum())
    brand = rng.choice(["Cube", "Trek", "Giant", "Gazelle", "Canyon", "Specialized", "Other"], n,
                       p=[.22, .15, .14, .17, .08, .1, .14])
    paid = rng.choice(["card", "cash", "transfer"], n, p=[.68, .2, .12])
    return {"repairs": pd.DataFrame({
        "Job No": np.arange(n) + 23001,
        "Received": received,
        "Finished": done.mask(still),
        "Mechanic": pd.Series(mechanic, dtype=object).mask(rng.random(n) < .012),
        "bike_type": kind,
        "Brand": pd.Series(brand, dtype=object).mask(rng.random(n) < .06),
        "Fault": fault,
        "Parts cost": parts.mask(rng.random(n) < .02),
        "labour_min": labour,
        "Warranty": np.where(warranty, "yes", "no"),
        "Invoice": invoice.map("€ {:,.2f}".format).astype(object).mask(still),
        "Paid by": pd.Series(paid, dtype=object).mask(still | warranty),
        "customer_rating": rating.mask(still | (rng.random(n) < .36)),
        "CustomerID": [f"C-{c}" for c in customer]})}


def prepare(repairs):
    d = repairs
    d["parts"], d["lab"], d["rating"] = d["Parts cost"], d.labour_min, d.customer_rating
    d["wty"] = flag(d.Warranty).astype(bool)
    d["inv"] = money(d.Invoice).astype(float)
    d["taken"] = d.Finished - d.Received
    d["days"] = d.taken.dt.total_seconds() / 86400
    d["hours"] = d.days * 24
    d["fdays"] = d.taken.dt.days  # whole days
    d["cdays"] = (d.Finished.dt.normalize() - d.Received.dt.normalize()).dt.days
    d["rm"], d["fm"] = d.Received.dt.to_period("M"), d.Finished.dt.to_period("M")
    d["ry"], d["fy"] = d.Received.dt.year, d.Finished.dt.year
    d["margin"] = d.inv - d.parts
    d["margin0"] = d.inv - d.parts.fillna(0)
    d["sat"] = d.Received.dt.dayofweek == 5
    d["ebike"] = d.bike_type == "E-Bike"
    e = d[d.Fault.isin(["Battery", "Motor error"])]
    f = d[d.Finished.notna()]
    ordered = d.sort_values(["CustomerID", "Received"])
    later = ordered.groupby("CustomerID").Received.shift(-1)
    d["next"] = (later - ordered.Received).dt.total_seconds().div(86400)
    d["nextf"] = (later - ordered.Finished).dt.total_seconds().div(86400)
    d["nextc"] = (later.dt.normalize() - ordered.Received.dt.normalize()).dt.days
    ends = pd.period_range("2023-01", "2024-12", freq="M")
    backlog = pd.Series({m: int(((d.Received <= m.end_time) & ~(d.Finished <= m.end_time)).sum())
                         for m in ends})
    m = d.groupby("Mechanic")
    return {"d": d, "e": e, "f": f, "m": m, "t": d.groupby("bike_type"), "backlog": backlog,
            "weekdays": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
            "r23": d[d.ry == 2023].groupby("Mechanic").rating.mean(),
            "r24": d[d.ry == 2024].groupby("Mechanic").rating.mean(),
            "rf23": d[d.fy == 2023].groupby("Mechanic").rating.mean(),
            "rf24": d[d.fy == 2024].groupby("Mechanic").rating.mean(),
            "revenue": d.groupby("rm").inv.sum(), "revenuef": d.groupby("fm").inv.sum(),
            "lf": d.groupby(["Mechanic", "Fault"]).lab.mean()}


QUESTIONS = [
    q("n24", "e", "how many jobs came in during 2024?", "(d.ry==2024).sum()"),
    q("mech", "e", "jobs per mechanic", "m.size()"),
    q("avgr", "e", "average customer rating", "d.rating.mean()"),
    q("faults", "e", "What are the most common faults?", "d.Fault.value_counts()",
      "top(d.Fault.value_counts())", "top(d.Fault.value_counts(),3)", "top(d.Fault.value_counts(),5)"),
    q("parts", "e", "total parts cost", "d.parts.sum()"),
    q("warr", "e", "How many warrenty repairs did we have?", "d.wty.sum()"),
    q("types", "e", "number of repairs for each bike type, as a bar chart", "t.size()", chart="bar"),
    q("labf", "e", "mean labour minutes by fault", "d.groupby('Fault').lab.mean()"),
    q("norat", "e", "how many jobs were never rated?", "d.rating.isna().sum()"),
    q("perm", "e", "plot the jobs per month", "d.groupby('rm').size()",
      assumes("d.groupby('fm').size()"), assumes("d.groupby(d.Received.dt.month).size()"), chart="any"),
    q("hlab", "e", "histogram of labour minutes", "Hist(d.lab)", chart="hist"),
    q("bestm", "e", "Who is our best rated mechanic?", "top(m.rating.mean())"),
    q("cust", "e", "how many different customers have we served", "d.CustomerID.nunique()"),
    q("maxp", "e", "what was the most we ever spent on parts for a single job?", "d.parts.max()",
      "top(d.set_index('Job No').parts)"),
    q("open", "e", "how many jobs aren't finished yet?", "d.Finished.isna().sum()"),
    q("pay", "e", "pie chart of payment methods", "d['Paid by'].value_counts()",
      assumes("d.groupby('Paid by').inv.sum()"), chart="pie"),
    q("ratd", "e", "show me how the ratings are distributed", "d.rating.value_counts()",
      "d.rating.value_counts(normalize=True)", "Hist(d.rating)", share=True),
    q("first", "e", "When did the very first job come in?", "d.Received.min()",
      "d.Received.min().normalize()"),
    q("lowr", "e", "number of jobs rated 1 or 2", "d.rating.isin([1,2]).sum()"),
    q("age", "e", "average age of our customers", REFUSE),

    q("wpct", "m", "what % of our jobs is warranty work?", "d.wty.mean()", share=True),
    q("turn", "m", "average turnaround in days by mechanic", "m.days.mean()",
      assumes("m.fdays.mean()"), assumes("m.cdays.mean()")),
    q("wtype", "m", "share of warranty jobs within each bike type", "t.wty.mean()", share=True),
    q("week", "m", "How many repairs took longer than a week from drop-off to done?", "(d.days>7).sum()",
      assumes("(d.cdays>7).sum()"), assumes("(d.fdays>7).sum()")),
    q("same", "m", "what percentage of jobs gets done the same day they come in?",
      "(f.cdays==0).mean()", "(d.cdays==0).mean()", assumes("(f.days<1).mean()"),
      assumes("(d.days<1).mean()"), share=True),
    q("wdays", "m", "jobs received by day of the week, monday first",
      "d.Received.dt.day_name().value_counts().reindex(weekdays)", order=True),
    q("top5", "m", "five customers with the most repairs", "top(d.CustomerID.value_counts(),5)"),
    q("invt", "m", "avg invoice per bike type", "t.inv.mean()",
      assumes("d[~d.wty].groupby('bike_type').inv.mean()"), assumes("d[d.inv>0].groupby('bike_type').inv.mean()")),
    q("rev", "m", "monthly revenue 2024", "d[d.ry==2024].groupby('rm').inv.sum()",
      "d[d.fy==2024].groupby('fm').inv.sum()"),
    q("hrs", "m", "Labour hours booked by each mechanic, highest first please",
      "(m.lab.sum()/60).sort_values(ascending=False)", order=True),
    q("happy", "h", "For each mechanic, what share of the rated jobs got 4 or 5 stars?",
      "d[d.rating.notna()].assign(h=lambda x:x.rating>=4).groupby('Mechanic').h.mean()", share=True),
    q("corr", "m", "is there any correlation between turnaround time and rating?", "d.days.corr(d.rating)",
      "d.days.corr(d.rating,method='spearman')", assumes("d.fdays.corr(d.rating)"),
      assumes("d.cdays.corr(d.rating)"), "Pairs(d.days,d.rating)", "Pairs(d.hours,d.rating)"),
    q("box", "m", "box plot of labour time per bike type", "box(d,'bike_type','lab')", chart="box"),
    q("cmpw", "m", "compare the median parts cost of warranty and non-warranty jobs",
      "d.groupby('wty').parts.median()"),
    q("missr", "m", "how complete are the ratings? percent missing per mechanic",
      "d.assign(x=d.rating.isna()).groupby('Mechanic').x.mean()", share=True),
    q("pricey", "m", "count the jobs outside warranty where parts were over 100 euro",
      "((~d.wty)&(d.parts>100)).sum()"),
    q("mrat", "m", "how did the average rating develop month by month?", "d.groupby('rm').rating.mean()",
      "d.groupby('fm').rating.mean()"),
    q("rep", "m", "how many customers brought in three or more jobs?", "(d.CustomerID.value_counts()>=3).sum()"),
    q("eshare", "m", "What part of our revenue comes from e-bikes?", "d[d.ebike].inv.sum()/d.inv.sum()",
      share=True),
    q("fpt", "m", "the most frequent fault of each bike type",
      "t.Fault.agg(lambda s:s.value_counts().idxmax())"),
    q("brands", "m", "Which brand has the most battery and motor problems?", "top(e.Brand.value_counts())",
      assumes("top(e.Brand.value_counts()/d.Brand.value_counts())")),
    q("cash", "m", "median invoice when people pay cash", "d[d['Paid by']=='cash'].inv.median()"),
    q("supp", "m", "which supplier sells us the most expensive parts?", REFUSE),

    q("earn", "h", "what do we earn per labour hour (invoice minus parts) by mechanic?",
      "d[d.margin.notna()].groupby('Mechanic').margin.sum()/d[d.margin.notna()].groupby('Mechanic').lab.sum()*60",
      assumes("m.margin.sum()/m.lab.sum()*60"), "(m.inv.sum()-m.parts.sum())/m.lab.sum()*60",
      "m.margin0.sum()/m.lab.sum()*60", "f.groupby('Mechanic').margin0.sum()/f.groupby('Mechanic').lab.sum()*60",
      assumes("f.groupby('Mechanic').margin.sum()/f.groupby('Mechanic').lab.sum()*60"),
      assumes("d.assign(x=d.margin/d.lab*60).groupby('Mechanic').x.mean()")),
    q("mgf", "h", "Which fault leaves us the most money per job once parts are deducted?",
      "top(d.groupby('Fault').margin.mean())", "top(d.groupby('Fault').margin0.mean())",
      assumes("top(d.groupby('Fault').margin.median())"),
      assumes("top(d[~d.wty].groupby('Fault').margin.mean())")),
    q("slow", "h", "for every mechanic show the fault where they need the most labour time on average",
      "lf.unstack().idxmax(axis=1)"),
    q("back", "h", "how often is the same customer back within 30 days of bringing a bike in? as a share of all jobs",
      "(d.next<=30).mean()", "(d.next<30).mean()", "(d.nextc<=30).mean()", assumes("(d.nextf<=30).mean()"),
      share=True),
    q("p90", "h", "90th percentile of turnaround days for each fault", "d.groupby('Fault').days.quantile(.9)",
      assumes("d.groupby('Fault').fdays.quantile(.9)"), assumes("d.groupby('Fault').cdays.quantile(.9)")),
    q("roll", "h", "Please draw the 3-month rolling average of revenue", "revenue.rolling(3).mean()",
      "revenuef.rolling(3).mean()", "revenue.rolling(3,min_periods=1).mean()",
      "revenuef.rolling(3,min_periods=1).mean()", chart="any"),
    q("yoyt", "h", "by how many percent did revenue change from 2023 to 2024, per bike type?",
      "d[d.ry==2024].groupby('bike_type').inv.sum()/d[d.ry==2023].groupby('bike_type').inv.sum()-1",
      "d[d.fy==2024].groupby('bike_type').inv.sum()/d[d.fy==2023].groupby('bike_type').inv.sum()-1",
      share=True),
    q("drop", "h", "whose average rating dropped the most between 2023 and 2024?", "bottom(r24-r23)", "top(r23-r24)",
      "bottom(rf24-rf23)", "top(rf23-rf24)", assumes("bottom(r24/r23-1)"), assumes("bottom(rf24/rf23-1)")),
    q("three", "h", "share of jobs finished within 3 days, by the month they were received",
      "(f.days<=3).groupby(f.rm).mean()", "(d.days<=3).groupby(d.rm).mean()",
      "(f.cdays<=3).groupby(f.rm).mean()", "(d.cdays<=3).groupby(d.rm).mean()",
      assumes("(f.fdays<=3).groupby(f.rm).mean()"), assumes("(d.fdays<=3).groupby(d.rm).mean()"), share=True),
    q("gap", "h", "On average, how many days are there between two visits of the same customer?",
      "d.next.mean()", "d.nextc.mean()", assumes("d.groupby('CustomerID').next.mean().mean()"),
      assumes("np.floor(d.next).mean()")),
    q("bucket", "h", "average rating for turnaround under 1 day, 1-3 days, 3-7 days and over 7 days",
      "Values(d.groupby(pd.cut(d.days,[-1,1,3,7,999]),observed=True).rating.mean().tolist())",
      "Values(d.groupby(pd.cut(d.days,[0,1,3,7,999],right=False),observed=True).rating.mean().tolist())",
      assumes("Values(d.groupby(pd.cut(d.cdays,[-1,0,3,7,999]),observed=True).rating.mean().tolist())"),
      assumes("Values(d.groupby(pd.cut(d.fdays,[0,1,3,7,999],right=False),observed=True).rating.mean().tolist())")),
    q("backlog", "h", "how many bikes were in the shop unfinished at the end of each month?", "backlog"),
    q("wage", "h", "which mechanic costs us the most in wages per job?", REFUSE),
]
