"""Work orders of a car workshop chain; amounts and odometers as text, makes in any case, open orders without an end."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

JOBS = {  # hours, parts, how often it comes back
    "brakes": (2.4, 210, .05), "oil service": (.9, 85, .015), "inspection": (1.4, 25, .02),
    "tyres": (1.1, 330, .02), "clutch": (6.5, 480, .07), "electrics": (3.1, 140, .12),
    "bodywork": (8.2, 390, .06), "air con": (1.8, 120, .08), "exhaust": (2.0, 260, .04)}
MAKES = ["Volkswagen", "Ford", "Toyota", "BMW", "Renault", "Skoda", "Tesla", "Fiat"]
BRANCHES = {"Northgate": (.3, 96), "Harbour": (.22, 104), "Mill Lane": (.2, 92), "Airport": (.16, 118),
            "Westpark": (.12, 99)}


def make():
    rng = np.random.default_rng(2468)
    n = 4350
    places = list(BRANCHES)
    branch = rng.choice(places, n, p=[BRANCHES[b][0] for b in places])
    opened = pd.Series(pd.Timestamp("2022-07-01") + pd.to_timedelta(np.sort(rng.integers(0, 730, n)), unit="D"))
    opened = opened.mask(opened.dt.dayofweek == 6, opened + pd.Timedelta(days=1))
    job = rng.choice(list(JOBS), n, p=[.16, .24, .17, .14, .04, .08, .06, .06, .05])
    base = pd.DataFrame([JOBS[j] for j in job], columns=["hours", "parts", "back"])
    hours = (base.hours * rng.gamma(9, 1 / 9, n)).round(1).clip(lower=.3)
    parts = (base.parts * rng.gamma(5, 1 / 5, n)).round(2)
    warranty = rng.random(n) < .09
    customer = rng.choice(["private", "fleet", "leasing"], n, p=[.63, .25, .12])
    rate = pd.Series(branch).map({b: r for b, (_, r) in BRANCHES.items()}) + 4 * (opened.dt.year - 2022)
    disc = np.where(customer == "fleet", rng.choice([0, 5, 10, 15], n), np.where(rng.random(n) < .1, 5, 0))
    labour = hours * rate
    total = ((labour + parts) * (1 - disc / 100)).round(2).mask(warranty, 0)
    took = (base.hours / 2 + rng.gamma(1.2, 1.6, n)).astype(int)
    closed = opened + pd.to_timedelta(took, unit="D")
    make_ = rng.choice(MAKES, n, p=[.24, .19, .14, .11, .12, .09, .04, .07])
    sloppy = rng.random(n)
    make_ = np.where(sloppy < .06, np.char.upper(make_), np.where(sloppy < .13, np.char.lower(make_), make_))
    electric = np.char.lower(make_) == "tesla"
    fuel = np.where(electric, "EV", rng.choice(["petrol", "diesel", "hybrid", "EV"], n, p=[.52, .31, .12, .05]))
    year = np.clip(2023 - rng.gamma(3, 2.6, n).astype(int), 1998, 2023)
    km = ((2024 - year) * rng.normal(14500, 3500, n)).clip(1200).round(-2).astype(int)
    return {"repairs": pd.DataFrame({
        "WO_no": [f"WO{220000 + i}" for i in range(n)], "dt_open": opened.dt.strftime("%d.%m.%Y"),
        "dt_closed": closed.dt.strftime("%d.%m.%Y").mask(closed > pd.Timestamp("2024-06-28")),
        "branch": branch, "mech": [f"{b[0]}{1 + i % len(b)}" for b, i in zip(branch, rng.choice(9, n, p=[
            .2, .16, .13, .12, .11, .1, .07, .06, .05]))],
        "custType": customer, "veh_make": make_, "modelYr": year, "fuel": fuel, "odo": [f"{k:,} km" for k in km],
        "job": job, "labour_hrs": hours, "partsCost": parts,
        "discPct": disc, "quote_amt": [f"€{x:,.2f}" for x in (labour + parts).round(-1) * rng.normal(.97, .09, n)],
        "inv_total": [f"€{x:,.2f}" for x in total], "warr": np.where(warranty, "yes", "no"),
        "comeback": (rng.random(n) < base.back).astype(int), "loaner_car": np.where(
            rng.random(n) < .08 + .05 * base.hours, "Y", "N"),
        "pay": pd.Series(np.where(customer == "private", rng.choice(["card", "cash", "transfer"], n, p=[.66, .2, .14]),
                                  "invoice")).mask(warranty),
        "custRating": pd.Series(np.clip(rng.normal(8.1, 1.6, n).round(), 1, 10)).mask(
            pd.Series(rng.random(n) < .57))})}


def prepare(repairs):
    d = repairs
    d["opened"] = pd.to_datetime(d.dt_open, format="%d.%m.%Y")
    d["closed"] = pd.to_datetime(d.dt_closed, format="%d.%m.%Y")
    d["days"] = (d.closed - d.opened).dt.days
    d["car"] = d.veh_make.str.lower()
    d["km"] = d.odo.str.replace("[ km,]", "", regex=True).astype(float)
    d["inv"] = d.inv_total.str.replace("[€,]", "", regex=True).astype(float)
    d["quote"] = d.quote_amt.str.replace("[€,]", "", regex=True).astype(float)
    d["over"] = d.inv - d.quote
    d["w"] = d.warr == "yes"
    d["loan"] = d.loaner_car == "Y"
    d["month"] = d.opened.dt.to_period("M")
    d["year"] = d.opened.dt.year
    d["q"] = d.opened.dt.to_period("Q")
    d["vage"] = d.year - d.modelYr
    band = pd.cut(d.km, [-1, 50000, 100000, 150000, 1e9])
    right = pd.cut(d.km, [0, 50000, 100000, 150000, 1e9], right=False)
    return {"d": d, "band": band, "band2": right, "by": d.groupby("branch"), "paid": d[~d.w],
            "open_": d[d.closed.isna()], "sales": d.groupby("month").inv.sum(),
            "fy1": d[d.opened < "2023-07-01"], "fy2": d[d.opened >= "2023-07-01"]}


QUESTIONS = [
    q("n", "e", "how many work orders are there?", "len(d)"),
    q("branch", "e", "orders by branch", "d.branch.value_counts()"),
    q("rev", "e", "What is the total invoiced amount per branch?", "by.inv.sum()"),
    q("makes", "e", "most common makes", "d.car.value_counts()", assumes("d.veh_make.value_counts()"),
      "top(d.car.value_counts(), 5)", "top(d.car.value_counts(), 3)"),
    q("hrs", "e", "avg labour hours by job", "d.groupby('job').labour_hrs.mean()"),
    q("open", "e", "how many orders are still open", "len(open_)"),
    q("jobbar", "e", "jobs as a bar chart, how many of each", "d.job.value_counts()", chart="bar"),
    q("sales", "e", "line chart: invoiced total by month", "sales", chart="line"),
    q("maxparts", "e", "Which order had the most expensive parts?", "top(d.set_index('WO_no').partsCost)",
      "d.partsCost.max()"),
    q("fuel", "e", "pie chart fuel types", "d.fuel.value_counts()", chart="pie"),
    q("rating", "e", "customer rating, average per branch", "by.custRating.mean()"),
    q("avginv", "e", "average invoice", "d.inv.mean()", assumes("paid.inv.mean()")),
    q("odohist", "e", "distribution of mileage pls (histogram)", "Hist(d.km)", "Hist(d.km/1000)", chart="hist"),
    q("loaners", "e", "number of orders with a loaner car", "d.loan.sum()"),
    q("mechs", "e", "how many mechanics work at each branch?", "by.mech.nunique()"),
    q("medparts", "e", "median parts cost for clutch jobs", "d[d.job=='clutch'].partsCost.median()"),
    q("pay", "e", "payment methods of private customers", "d[d.custType=='private'].pay.value_counts()"),
    q("top5", "e", "top 5 mechanics by hours worked", "top(d.groupby('mech').labour_hrs.sum(), 5)"),
    q("oldest", "e", "oldest model year we've had in", "d.modelYr.min()", "bottom(d.set_index('WO_no').modelYr)"),
    q("parts", "e", "sum of partsCost, custType", "d.groupby('custType').partsCost.sum()"),

    q("cb", "m", "comeback rate per job type, worst at the top",
      "d.groupby('job').comeback.mean().sort_values(ascending=False)", order=True, share=True),
    q("wshare", "m", "what proportion of orders are warranty work?", "d.w.mean()", share=True),
    q("tat", "m", "turnaround in days, by branch", "by.days.mean()", "by.days.median()"),
    q("slow", "m", "which type of job takes longest from open to close?", "top(d.groupby('job').days.mean())",
      "top(d.groupby('job').days.median())"),
    q("bmw", "m", "total invoiced for BMWs", "d[d.car=='bmw'].inv.sum()"),
    q("highkm", "m", "how many cars had more than 150,000 km on the clock?", "(d.km>150000).sum()",
      "Keys(d[d.km>150000].WO_no)"),
    q("disc", "m", "avg discount given to fleet customers", "d[d.custType=='fleet'].discPct.mean()",
      assumes("d[(d.custType=='fleet')&(d.discPct>0)].discPct.mean()"), share=True),
    q("perhr", "h", "invoice amount per labour hour by branch", "by.inv.sum()/by.labour_hrs.sum()",
      assumes("paid.groupby('branch').inv.sum()/paid.groupby('branch').labour_hrs.sum()"),
      assumes("(d.inv/d.labour_hrs).groupby(d.branch).mean()")),
    q("evice", "m", "are EVs more expensive to repair than petrol cars?",
      "d[d.fuel.isin(['EV','petrol'])].groupby('fuel').inv.mean()",
      "d[d.fuel.isin(['EV','petrol'])].groupby('fuel').inv.median()", "d.groupby('fuel').inv.mean()",
      assumes("paid[paid.fuel.isin(['EV','petrol'])].groupby('fuel').inv.mean()")),
    q("y23", "m", "orders opened in 2023 per quarter", "d[d.year==2023].q.value_counts().sort_index()"),
    q("tyres", "m", "In which calendar month do we do the most tyre jobs?",
      "top(d[d.job=='tyres'].opened.dt.month_name().value_counts())",
      assumes("top(d[d.job=='tyres'].month.value_counts())")),
    q("nonpriv", "m", "mean invoice for everyone but private customers", "d[d.custType!='private'].inv.mean()",
      assumes("d[d.custType!='private'].groupby('custType').inv.mean()")),
    q("happy", "m", "percentage of ratings that are 9 or 10", "(d.custRating.dropna()>=9).mean()",
      assumes("(d.custRating>=9).mean()"), share=True),
    q("jobbranch", "m", "heatmap of jobs by branch", "pd.crosstab(d.job, d.branch)", "pd.crosstab(d.branch, d.job)",
      chart="heat"),
    q("quotecmp", "m", "average quote next to average invoice, by branch", "by[['quote','inv']].mean()"),
    q("sat", "m", "share of work orders opened on saturdays", "(d.opened.dt.dayofweek==5).mean()", share=True),
    q("boxp", "m", "boxplot labour hours per job", "box(d,'job','labour_hrs')", chart="box"),
    q("corr", "m", "is there a correlation between mileage and parts cost?", "d.km.corr(d.partsCost)",
      "d.km.corr(d.partsCost, method='spearman')", "Pairs(d.km, d.partsCost)"),
    q("longopen", "m", "orders that took over a week, by job", "d[d.days>7].job.value_counts()"),
    q("cardcash", "m", "card vs cash: number of orders and average invoice",
      "d[d.pay.isin(['card','cash'])].groupby('pay').inv.agg(['size','mean'])"),

    q("overq", "h", "how often does the final invoice exceed the quote? warranty jobs don't count",
      "(paid.inv>paid.quote).mean()", "(paid.inv>paid.quote).sum()", share=True),
    q("overb", "h", "which branch is furthest over its quotes on average? leave out warranty orders",
      "top(paid.groupby('branch').over.mean())", "top((paid.over/paid.quote).groupby(paid.branch).mean())",
      "top(paid.groupby('branch').inv.sum()/paid.groupby('branch').quote.sum())"),
    q("growth", "h", "growth in invoiced total by branch: Jul 2023 - Jun 2024 against the 12 months before, percent",
      "(fy2.groupby('branch').inv.sum()/fy1.groupby('branch').inv.sum()-1)*100", share=True),
    q("bestmech", "h", "best rated mechanic in every branch",
      "d.groupby(['branch','mech']).custRating.mean().groupby(level=0).agg(lambda s: s.idxmax()[1])"),
    q("kmband", "h", "avg parts cost by mileage: 0-50k, 50-100k, 100-150k, 150k+",
      "Values(d.groupby(band,observed=True).partsCost.mean().tolist())",
      "Values(d.groupby(band2,observed=True).partsCost.mean().tolist())"),
    q("vage", "h", "invoice by age of the car (year of order minus model year)", "d.groupby('vage').inv.mean()",
      "d.groupby('vage').inv.sum()", "Pairs(d.vage, d.inv)", "d.groupby('vage').inv.median()"),
    q("partsh", "h", "Parts as a percentage of quoted amount, by job",
      "d.groupby('job').partsCost.sum()/d.groupby('job').quote.sum()",
      assumes("(d.partsCost/d.quote).groupby(d.job).mean()"), share=True),
    q("mom", "h", "how did sales change from month to month", "sales.diff().dropna()",
      "sales.pct_change().dropna()*100", assumes("sales"), share=True),
    q("top3", "h", "3 biggest makes by invoiced total within each customer type",
      "d.groupby(['custType','car']).inv.sum().groupby(level=0, group_keys=False).nlargest(3)"),
    q("three", "h", "share of invoiced total from each customer type, branch by branch",
      "d.pivot_table(index='branch',columns='custType',values='inv',aggfunc='sum').pipe(lambda t: t.div(t.sum(axis=1),axis=0)*100)",
      assumes("d.pivot_table(index='branch',columns='custType',values='inv',aggfunc='sum')/d.inv.sum()*100"),
      share=True),
    q("cumu", "h", "cumulative invoiced total in 2023, month by month", "d[d.year==2023].groupby('month').inv.sum().cumsum()"),
    q("lastq", "h", "comebacks in the most recent 90 days, per branch",
      "d[d.opened>d.opened.max()-pd.Timedelta(days=90)].groupby('branch').comeback.sum()",
      "d[d.opened>=d.opened.max()-pd.Timedelta(days=90)].groupby('branch').comeback.sum()"),
    q("lost", "h", "how much money did discounts cost us? (total before discount = invoice / (1 - discPct/100))",
      "(d.inv/(1-d.discPct/100)-d.inv).sum()"),
    q("loan2", "h", "do jobs with a loaner take longer - difference in average days",
      "d[d.loan].days.mean()-d[~d.loan].days.mean()", "d[~d.loan].days.mean()-d[d.loan].days.mean()",
      assumes("d.groupby('loan').days.mean()")),
    q("busy", "h", "mechanics w/ at least 100 orders and a comeback rate above 5%",
      "(lambda g: g.comeback.mean()[(g.size()>=100)&(g.comeback.mean()>.05)])(d.groupby('mech'))",
      "(lambda g: Keys(g.size()[(g.size()>=100)&(g.comeback.mean()>.05)].index))(d.groupby('mech'))", share=True),
    q("stack", "h", "stacked bars: orders per model year split by fuel, only 2015 and later", "pd.crosstab(d.modelYr, d.fuel).loc[2015:]", chart="bar"),
    q("backlog", "h", "average age of the open orders on 30 June 2024, in days",
      "(pd.Timestamp('2024-06-30')-open_.opened).dt.days.mean()"),
    q("turnover", "m", "staff turnover by branch", REFUSE),
    q("colour", "m", "most frequent colour of the cars", REFUSE),
    q("wait", "m", "how long did customers wait on the phone before booking", REFUSE),
]
