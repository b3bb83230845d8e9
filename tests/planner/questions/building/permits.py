"""Building permits of a city; one row an application. Fees are text, dates have gaps."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(3301)
    n = 1400
    filed = pd.Timestamp("2022-03-01") + pd.to_timedelta(np.sort(rng.integers(0, 940, n)), unit="D")
    wait = rng.gamma(2, 20, n).round() + 3
    status = rng.choice(["Approved", "Denied", "Pending", "Withdrawn"], n, p=[.62, .13, .17, .08])
    settled = np.isin(status, ["Approved", "Denied"])
    cost = np.exp(rng.normal(10.6, 1.1, n)).round(-2)
    kinds = rng.choice(["Renovation", "New Construction", "Demolition", "Electrical", "Plumbing"],
                       n, p=[.38, .2, .08, .2, .14])
    decided = pd.Series(filed + pd.to_timedelta(wait, unit="D")).where(settled)
    fee = (cost * .012 + 40).round(2)
    return {"permits": pd.DataFrame({
        "PermitNo": [f"BP-{i:05d}" for i in range(1, n + 1)], "permitType": kinds,
        "filedOn": filed, "decidedOn": decided, "status": status,
        "ward": rng.choice(["North", "South", "Harbor", "Old Town", "Westfield"], n,
                           p=[.25, .2, .15, .25, .15]),
        "estCost": np.where(rng.random(n) < .04, np.nan, cost),
        "fee_paid": [f"{f:,.2f} USD" for f in fee],
        "inspections": rng.poisson(1.4, n), "floorArea_m2": rng.gamma(3, 60, n).round(0),
        "corner_lot": rng.choice(["yes", "no"], n, p=[.2, .8]),
        "contractor": rng.choice(["Bauer Ltd", "Osei Build", "Kline & Sons", "self", None], n,
                                 p=[.3, .25, .2, .15, .1])})}


def prepare(permits):
    d = permits
    d["fee"] = d.fee_paid.str.replace(r"[^0-9.]", "", regex=True).astype(float)
    d["days"] = (d.decidedOn - d.filedOn).dt.days
    d["ok"] = d.status == "Approved"
    d["month"], d["year"] = d.filedOn.dt.to_period("M"), d.filedOn.dt.year
    d["quarter"] = d.filedOn.dt.to_period("Q")
    return {"d": d, "s": d[d.status.isin(["Approved", "Denied"])]}


QUESTIONS = [
    q("n", "e", "how many permits were filed in 2023?", "(d.year==2023).sum()"),
    q("type", "e", "permits by type", "d.permitType.value_counts()"),
    q("month", "e", "applications per month", "d.month.value_counts()"),
    q("fees", "e", "total fees collected", "d.fee.sum()"),
    q("feeward", "m", "fees per ward, highest first",
      "d.groupby('ward').fee.sum().sort_values(ascending=False)"),
    q("avgcost", "e", "average estimated cost of new construction",
      "d[d.permitType=='New Construction'].estCost.mean()"),
    q("approval", "m", "approval rate by ward", "d.groupby('ward').ok.mean()",
      "s.groupby('ward').ok.mean()", share=True),
    q("denied", "e", "how many were denied?", "(d.status=='Denied').sum()"),
    q("deniedtype", "m", "which permit type gets denied most often?",
      "top(d[d.status=='Denied'].permitType.value_counts())",
      "top((d.status=='Denied').groupby(d.permitType).mean())"),
    q("wait", "m", "average days from filing to decision", "d.days.mean()"),
    q("waittype", "m", "how long does approval take on average for each permit type?",
      assumes("d.groupby('permitType').days.mean()"),
      "d[d.ok].groupby('permitType').days.mean()"),
    q("slow", "h", "what share of decisions took more than 60 days?",
      "(d.days.dropna()>60).mean()", share=True),
    q("pending", "e", "number of pending applications in Old Town",
      "((d.status=='Pending')&(d.ward=='Old Town')).sum()"),
    q("noself", "m", "total estimated cost excluding demolition by contractor",
      "d[d.permitType!='Demolition'].groupby('contractor').estCost.sum()"),
    q("mostexp", "e", "the 5 most expensive permits", "Keys(d.nlargest(5,'estCost').PermitNo)"),
    q("medarea", "e", "median floor area per permit type", "d.groupby('permitType')['floorArea_m2'].median()"),
    q("costm2", "h", "cost per square metre by ward",
      assumes("d.groupby('ward').apply(lambda g: g.estCost.sum()/g.floorArea_m2.sum())"),
      assumes("(d.estCost/d.floorArea_m2).groupby(d.ward).mean()")),
    q("insp", "m", "how many permits needed at least 3 inspections?", "(d.inspections>=3).sum()"),
    q("noinsp", "m", "permits without any inspection by type",
      "d[d.inspections==0].permitType.value_counts()"),
    q("corner", "m", "do corner lots cost more than others?",
      "d.groupby('corner_lot').estCost.mean()", "d.groupby('corner_lot').estCost.median()"),
    q("lastq", "h", "how did applications change from quarter to quarter?",
      "d.quarter.value_counts().sort_index().diff().dropna()",
      "d.quarter.value_counts().sort_index().pct_change().dropna()*100"),
    q("cumfee", "m", "running total of fees by month", "d.groupby('month').fee.sum().cumsum()"),
    q("last2m", "h", "number of applications in the last 2 months",
      assumes("(d.filedOn>d.filedOn.max()-pd.DateOffset(months=2)).sum()"),
      assumes("(d.month>=d.month.max()-1).sum()")),
    q("weekday", "m", "on which weekday are most applications filed?",
      "top(d.filedOn.dt.day_name().value_counts())"),
    q("sharetype", "m", "what percentage of permits are renovations?",
      "(d.permitType=='Renovation').mean()", share=True),
    q("topcontr", "m", "which contractor has the highest approval rate?",
      "top(d.groupby('contractor').ok.mean())", "top(s.groupby('contractor').ok.mean())"),
    q("nocontr", "m", "how many permits have no contractor listed?", "d.contractor.isna().sum()"),
    q("statusward", "m", "status split within each ward",
      "pd.crosstab(d.ward,d.status).stack()",
      "pd.crosstab(d.ward,d.status,normalize='index').stack()"),
    q("costdist", "m", "distribution of estimated cost", "Hist(d.estCost.dropna())", chart="hist"),
    q("corr", "m", "is there a correlation between floor area and estimated cost?",
      "d.estCost.corr(d.floorArea_m2)", "Pairs(d.floorArea_m2,d.estCost)"),
    q("bigpct", "h", "what share of total cost comes from the top 10 permits?",
      "d.estCost.nlargest(10).sum()/d.estCost.sum()", share=True),
    q("yoy", "h", "fees in the first half of 2024 versus the first half of 2023",
      "Values([d[(d.year==2023)&(d.filedOn.dt.month<=6)].fee.sum(),"
      "d[(d.year==2024)&(d.filedOn.dt.month<=6)].fee.sum()])"),
    q("owner", "m", "average age of applicants", REFUSE),
    q("second", "h", "ward with the second most applications",
      "d.ward.value_counts().index[1]"),
    q("onlyhalf", "h", "contractors with more than 200 approved permits",
      "Keys(d[d.ok].contractor.value_counts().loc[lambda x: x>200].index)"),
    q("busiest", "h", "busiest month for each ward",
      "d.groupby(['ward','month']).size().groupby('ward').idxmax().str[1]"),
    q("undec", "m", "average age of pending applications", REFUSE,
      assumes("(d.filedOn.max()-d[d.status=='Pending'].filedOn).dt.days.mean()")),
    q("big", "m", "permits over 1 million by ward", "d[d.estCost>1e6].ward.value_counts()",
      assumes("d[d.estCost>1e6].ward.value_counts()")),
    q("exact", "h", "approved but not yet inspected", "Keys(d[d.ok&(d.inspections==0)].PermitNo)",
      "(d.ok&(d.inspections==0)).sum()"),
    q("either", "m", "electrical or plumbing permits in Harbor since 2024",
      "Keys(d[d.permitType.isin(['Electrical','Plumbing'])&(d.ward=='Harbor')&(d.year>=2024)].PermitNo)",
      "(d.permitType.isin(['Electrical','Plumbing'])&(d.ward=='Harbor')&(d.year>=2024)).sum()"),
    q("wardpie", "e", "pie chart of permits by ward", "d.ward.value_counts()", chart="pie"),
    q("maxarea", "e", "largest floor area", "d.floorArea_m2.max()"),
    q("status", "e", "how many permits have each status?", "d.status.value_counts()"),
    q("contrs", "e", "number of permits per contractor", "d.contractor.value_counts()"),
    q("wardtype", "m", "permit types by ward as stacked bars", "pd.crosstab(d.ward,d.permitType)", chart="bar"),
    q("avgfee", "m", "average fee of renovations with a floor area above 200",
      "d[(d.permitType=='Renovation')&(d.floorArea_m2>200)].fee.mean()"),
    q("nov", "m", "permits filed in November and December 2023", "d[(d.year==2023)&d.filedOn.dt.month.isin([11,12])].shape[0]",
      "d[(d.year==2023)&d.filedOn.dt.month.isin([11,12])].month.value_counts()"),
    q("feeshare", "h", "each ward's share of total fees", "d.groupby('ward').fee.sum()/d.fee.sum()", share=True),
    q("feecost", "h", "fees as a percentage of estimated cost by permit type",
      "d.groupby('permitType').fee.sum()/d.groupby('permitType').estCost.sum()",
      "d[d.estCost.notna()].groupby('permitType').fee.sum()/d[d.estCost.notna()].groupby('permitType').estCost.sum()",
      share=True),
    q("abovec", "h", "how many permits cost more than the average permit?", "(d.estCost>d.estCost.mean()).sum()"),
]
