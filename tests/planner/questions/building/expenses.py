"""Expense claims of employees: who claimed what, when it was paid, why it was turned down."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(7741)
    n = 1800
    departments = ["Sales", "Engineering", "Marketing", "Finance", "HR", "Operations",
                   "Customer Support"]
    centres = {"Sales": [4100, 4110, 4120], "Engineering": [4200, 4210], "Marketing": [4300, 4310],
               "Finance": [4400], "HR": [4500], "Operations": [4600, 4610],
               "Customer Support": [4700]}
    ids = np.sort(rng.choice(np.arange(20110, 21900), 140, replace=False))
    home = rng.choice(departments, 140, p=[.3, .2, .13, .08, .06, .13, .1])
    centre = np.array([rng.choice(centres[name]) for name in home])
    eager = rng.gamma(1.4, 1, 140) + .15
    who = rng.choice(140, n, p=eager / eager.sum())
    typical = {"Flights": 340, "Rail": 85, "Taxi": 34, "Hotel": 150, "Meals": 46,
               "Client entertainment": 190, "Mileage": 72, "Training": 610, "Office supplies": 58}
    category = rng.choice(list(typical), n, p=[.1, .13, .14, .16, .2, .07, .1, .04, .06])
    days = pd.date_range("2023-01-02", "2024-06-30")
    chance = np.where(days.dayofweek >= 5, .22, 1.) * (1 + .35 * (days.dayofweek == 0)) * np.where(
        days.month.isin([8, 12]), .6, 1.)
    submitted = pd.Series(np.sort(rng.choice(days, n, p=chance / chance.sum())))
    travels = np.isin(category, ["Flights", "Rail", "Taxi", "Meals", "Training"])
    nights = np.where(category == "Hotel", rng.integers(1, 7, n),
                      np.where(travels & (rng.random(n) < .45), rng.poisson(1.6, n), np.nan))
    amount = np.array([typical[c] for c in category]) * rng.gamma(3.2, 1 / 3.2, n)
    amount = np.where(category == "Hotel", amount * np.nan_to_num(nights, nan=1), amount)
    amount = np.maximum(amount, 3.2).round(2)
    receipts = np.where(category == "Mileage", rng.binomial(1, .3, n), rng.poisson(1.5, n)).clip(0, 6)
    for first, second in zip(rng.choice(900, 11, replace=False),
                             rng.choice(np.arange(900, n), 11, replace=False)):
        who[second], category[second], amount[second] = who[first], category[first], amount[first]
        nights[second] = nights[first]
    approver = rng.choice(["J. Lindqvist", "M. Okafor", "P. Santos", "A. Weber", "R. Dunne", "T. Hale"],
                          n, p=[.26, .24, .2, .17, .115, .015])
    strict = pd.Series(approver).map({"J. Lindqvist": .8, "M. Okafor": 1.5, "P. Santos": 1.0,
                                      "A. Weber": .7, "R. Dunne": 1.2, "T. Hale": 6.5}).to_numpy()
    risk = np.clip((.07 + .12 * (receipts == 0)) * strict, 0, .9)
    draw = rng.random(n)
    old = (days[-1] - submitted).dt.days.to_numpy()
    pending = rng.random(n) < np.where(old < 21, .55, .012)
    approved = np.where(pending, None, np.where(draw < risk, "no", "yes"))
    wait = np.maximum(2, rng.gamma(3.5, 4.2, n) * np.where(submitted.dt.year == 2024, 1.15, 1.)
                      * pd.Series(home[who]).map(lambda x: 1.3 if x == "Operations" else 1).to_numpy()
                      ).round()
    paid = (submitted + pd.to_timedelta(wait, unit="D")).where(approved == "yes")
    paid = paid.mask(paid > pd.Timestamp("2024-07-05")).mask(rng.random(n) < .008)
    reason = rng.choice(["missing receipt", "over policy limit", "duplicate", "private expense",
                         "wrong cost centre"], n, p=[.42, .24, .09, .11, .14])
    reason = pd.Series(reason, dtype=object).mask((approved != "no") | (rng.random(n) < .07))
    frame = pd.DataFrame({
        "Claim No": [f"EXP-{day:%y}-{i:05}" for i, day in enumerate(submitted, 1041)],
        "emp_id": ids[who],
        "Department": pd.Series(home[who], dtype=object).mask(rng.random(n) < .009),
        "Cost Centre": centre[who],
        "Category": category,
        "submitted_on": submitted,
        "Paid Date": paid,
        "Amount": amount,
        "Currency": "EUR",
        "approved": pd.Series(approved, dtype=object),
        "Approver": approver,
        "receipts_attached": receipts,
        "trip_nights": nights,
        "RejectReason": reason})
    return {"claims": frame}


def prepare(claims):
    d = claims
    d["month"] = d.submitted_on.dt.to_period("M")
    d["quarter"] = d.submitted_on.dt.to_period("Q")
    d["year"] = d.submitted_on.dt.year
    d["days"] = (d["Paid Date"] - d.submitted_on).dt.days
    d["rej"] = d.approved == "no"
    d["ok"] = d.approved == "yes"
    d["weekend"] = d.submitted_on.dt.dayofweek >= 5
    d["receipt"] = d.receipts_attached > 0
    decided = d[d.approved.notna()]
    p = d[d.ok]
    paid = d[d["Paid Date"].notna()]
    hotel = d[(d.Category == "Hotel") & (d.trip_nights > 0)]
    same = ["emp_id", "Category", "Amount"]
    emps = d.groupby("emp_id").Amount.sum().sort_values(ascending=False)
    de = d.groupby(["Department", "emp_id"]).Amount.sum()
    dc = d.groupby(["Department", "Category"]).Amount.sum()
    gaps = d.sort_values("submitted_on").groupby("emp_id").submitted_on.diff().dt.days
    seen = d.groupby("Approver").size()
    return {"d": d, "decided": decided, "p": p, "paid": paid, "hotel": hotel, "emps": emps, "de": de,
            "dc": dc, "gaps": gaps, "g": d.groupby("Department"), "k": d.groupby("Category"),
            "ids": d.set_index("Claim No"), "nm": d.groupby("month").Amount.sum(),
            "dupes": d[d.duplicated(same, keep=False)], "again": d[d.duplicated(same)],
            "open": d[d.ok & d["Paid Date"].isna()], "often": seen[seen >= 50].index,
            "reasons": d.groupby(["Department", "RejectReason"]).size()}


QUESTIONS = [
    q("total", "e", "how much was claimed in total?", "d.Amount.sum()"),
    q("bydept", "e", "total amount by department", "g.Amount.sum()"),
    q("cats", "e", "number of claims per category, most frequent first", "d.Category.value_counts()"),
    q("avg", "e", "What's the average claim?", "d.Amount.mean()", assumes("d.Amount.median()")),
    q("emps", "e", "how many different employees handed in claims", "d.emp_id.nunique()"),
    q("rejn", "e", "how many claims were rejected?", "d.rej.sum()",
      assumes("d.RejectReason.notna().sum()")),
    q("big10", "e", "show me the 10 biggest claims", "top(ids.Amount,10)"),
    q("permon", "e", "plot the number of claims per month", "d.groupby('month').size()", chart="any"),
    q("cc", "e", "bar chart of amounts by cost centre", "d.groupby('Cost Centre').Amount.sum()",
      assumes("d.groupby('Cost Centre').Amount.mean()"), chart="bar"),
    q("topd", "e", "which department spends the most?", "top(g.Amount.sum())",
      "top(p.groupby('Department').Amount.sum())"),
    q("hotmed", "e", "median amount of a hotel claim", "d[d.Category=='Hotel'].Amount.median()"),
    q("nights", "e", "how many nights does a trip last on average?", "d.trip_nights.mean()",
      assumes("d[d.trip_nights>0].trip_nights.mean()"),
      assumes("d[d.Category=='Hotel'].trip_nights.mean()")),
    q("norec", "e", "how many claims came in without a single receipt?", "(~d.receipt).sum()"),
    q("miss", "e", "how many missing values does each column have", "claims.isna().sum()"),
    q("reasons", "e", "Reject reasons and how often each one occurs", "d.RejectReason.value_counts()"),
    q("hist", "e", "histogram of the claim amounts", "Hist(d.Amount)", chart="hist"),
    q("last", "e", "when was the most recent claim submitted?", "d.submitted_on.max()",
      "Keys(d[d.submitted_on==d.submitted_on.max()]['Claim No'])"),
    q("gt2000", "e", "claims over 2000 euros", "Keys(d[d.Amount>2000]['Claim No'])",
      "(d.Amount>2000).sum()"),
    q("vat", "e", "how much of this is recoverable VAT?", REFUSE),

    q("pdays", "m", "How many days does it take on average until a claim gets paid?", "d.days.mean()",
      assumes("d.days.median()")),
    q("pdept", "m", "median days from submission to payment per departement", "g.days.median()"),
    q("rejcat", "m", "rejection rate by category", "k.rej.mean()",
      "decided.groupby('Category').rej.mean()", share=True),
    q("pie", "m", "pie chart: which categories does the money go to?", "k.Amount.sum()",
      "p.groupby('Category').Amount.sum()", assumes("paid.groupby('Category').Amount.sum()"),
      chart="pie"),
    q("top5", "m", "top 5 employees by total claimed", "top(emps,5)"),
    q("unp", "m", "which approved claims have not been paid yet?", "Keys(open['Claim No'])"),
    q("unpv", "m", "how much approved money is still waiting to be paid out?", "open.Amount.sum()"),
    q("night", "m", "average hotel cost per night in each department",
      "hotel.groupby('Department').Amount.sum()/hotel.groupby('Department').trip_nights.sum()",
      "(hotel.Amount/hotel.trip_nights).groupby(hotel.Department).mean()"),
    q("busy", "m", "on which weekday do people hand in the most claims?",
      "top(d.submitted_on.dt.day_name().value_counts())"),
    q("appq", "m", "approved amount per quarter", "p.groupby('quarter').Amount.sum()",
      assumes("p.groupby(p['Paid Date'].dt.to_period('Q')).Amount.sum()")),
    q("cmp", "m", "Sales vs Engineering, claimed amount month by month",
      "d[d.Department.isin(['Sales','Engineering'])].groupby(['Department','month']).Amount.sum()"),
    q("land", "m", "what did we spend on flights and rail together in 2023?",
      "d[d.Category.isin(['Flights','Rail'])&(d.year==2023)].Amount.sum()",
      assumes("p[p.Category.isin(['Flights','Rail'])&(p.year==2023)].Amount.sum()"),
      assumes("d[d.Category.isin(['Flights','Rail'])&(d['Paid Date'].dt.year==2023)].Amount.sum()")),
    q("slow", "m", "how many claims took longer than 30 days to be paid?", "(d.days>30).sum()"),
    q("heat", "m", "heatmap of department by category, total amount",
      "d.pivot_table(index='Department',columns='Category',values='Amount',aggfunc='sum')",
      chart="heat"),
    q("box", "m", "box plot of the amount for each category", "box(d,'Category','Amount')", chart="box"),
    q("rejval", "m", "amount rejected by reason, descending",
      "d[d.rej].groupby('RejectReason').Amount.sum().sort_values(ascending=False)", order=True),
    q("bigno", "m", "what share of the claims above 500 has no receipt attached?",
      "(~d[d.Amount>500].receipt).mean()", share=True),
    q("anyway", "h", "approved although there's no receipt: how many claims and how much money",
      "Values([len(p[~p.receipt]),p[~p.receipt].Amount.sum()])",
      "Values([p[~p.receipt].Amount.sum(),len(p[~p.receipt])])"),
    q("apprv", "h", "for every approver: number of claims seen and number rejected",
      "d.groupby('Approver').agg(claims=('rej','size'),rejected=('rej','sum'))",
      "decided.groupby('Approver').agg(claims=('rej','size'),rejected=('rej','sum'))"),
    q("head", "h", "spend per head in each department (employees who claimed at least once)",
      "g.Amount.sum()/g.emp_id.nunique()",
      assumes("p.groupby('Department').Amount.sum()/p.groupby('Department').emp_id.nunique()"),
      assumes("p.groupby('Department').Amount.sum()/g.emp_id.nunique()")),
    q("scat", "m", "does a longer trip cost more? scatter nights against amount",
      "Pairs(d.trip_nights,d.Amount)", chart="scatter"),
    q("airl", "m", "which airline do our people fly with most often?", REFUSE),
    q("budg", "m", "did any department go over its travel budget this year?", REFUSE),

    q("mom", "h", "month over month change of the claimed amount in percent",
      "nm.pct_change().dropna()", share=True),
    q("maxd", "h", "largest single claim in each department", "g.Amount.max()",
      "Keys(d.loc[g.Amount.idxmax(),'Claim No'])"),
    q("top3c", "h", "the three most expensive categories within each department",
      "dc.groupby(level=0,group_keys=False).nlargest(3)",
      assumes("d.groupby(['Department','Category']).Amount.mean().groupby(level=0,group_keys=False).nlargest(3)")),
    q("conc", "h", "what share of the total is claimed by the top 10% of employees?",
      "emps.head(round(len(emps)/10)).sum()/emps.sum()",
      "emps.head(len(emps)//10).sum()/emps.sum()", share=True),
    q("rej3", "h", "which employees had more than 3 of their claims rejected?",
      "Keys((lambda s: s[s>3])(d.groupby('emp_id').rej.sum()).index)",
      "(lambda s: s[s>3])(d.groupby('emp_id').rej.sum())"),
    q("dup", "h", "find possible double claims, i.e. same employee, same category and same amount",
      "Keys(dupes['Claim No'])", "Keys(again['Claim No'])",
      "dupes.groupby(['emp_id','Category','Amount']).size()", assumes("len(dupes)"), assumes("len(again)")),
    q("run", "h", "running total of payouts in 2024 by month of payment",
      "(lambda x: x.groupby(x['Paid Date'].dt.to_period('M')).Amount.sum().cumsum())(paid[paid['Paid Date'].dt.year==2024])"),
    q("yoy", "h", "Did we get slower? median days to payment by department, 2023 next to 2024",
      "d.groupby(['Department','year']).days.median()",
      "d.groupby(['Department',d['Paid Date'].dt.year.rename('y')]).days.median()"),
    q("p14", "h", "what fraction of claims gets paid within 14 days, by month of submission",
      "(d.days<=14).groupby(d.month).mean()", "(p.days<=14).groupby(p.month).mean()",
      "(paid.days<=14).groupby(paid.month).mean()", share=True),
    q("apmax", "h",
      "who turns down the largest part of the claims they see? ignore approvers with fewer than 50 claims",
      "top(d.groupby('Approver').rej.mean()[often])", "top(decided.groupby('Approver').rej.mean()[often])"),
    q("gap", "h", "how many days pass on average between two consecutive claims of the same employee?",
      "gaps.mean()", assumes("gaps.groupby(d.emp_id).mean().mean()")),
]
