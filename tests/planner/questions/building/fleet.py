"""A van rental company's rentals and their fuel; dates and money as text, vans still out."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

CUT = pd.Timestamp("2024-06-30 18:00")


def make():
    rng = np.random.default_rng(77031)
    n = 3000
    # the vans
    v = 64
    vtype = rng.choice(["Panel", "Luton", "Crew Cab", "Refrigerated", "Minibus"], v,
                       p=[.42, .2, .16, .1, .12])
    vfuel = rng.choice(["Diesel", "Petrol", "Electric"], v, p=[.7, .17, .13])
    vyear = rng.choice(range(2016, 2024), v)
    vhome = rng.choice(["Nottingham", "Derby", "Leicester", "Lincoln", "Sheffield"], v,
                       p=[.28, .2, .22, .1, .2])
    letters = "ABCDEFGHJKLMNOPRSTUVWXY"
    vreg = [f"F{letters[i % 23]}{(y - 2000):02} {letters[(i * 7) % 23]}{letters[(i * 3 + 5) % 23]}"
            f"{letters[(i // 23 * 11 + i) % 23]}" for i, y in enumerate(vyear)]
    odo = rng.integers(4000, 70000, v).astype(float)
    free = np.full(v, np.datetime64("2022-01-01T00:00"), dtype="datetime64[ns]")
    # the customers
    c = 380
    weight = 1 / (np.arange(c) + 9)
    ctype = rng.choice(["Trade", "Private", "Council", None], c, p=[.5, .39, .09, .02])
    cid = rng.permutation(np.arange(1000, 1000 + c))
    who = rng.choice(c, n, p=weight / weight.sum())
    # the rentals
    days = pd.date_range("2023-01-03", "2024-06-29")
    p = np.array([1.2, 1, 1, 1, 1.3, .7, .15])[days.dayofweek]
    day = rng.choice(len(days), n, p=p / p.sum())
    out = pd.Series(days[day] + pd.to_timedelta(420 + 15 * rng.integers(0, 44, n), unit="min"))
    out = out.sort_values(ignore_index=True)
    plan = np.minimum(1 + rng.gamma(1.1, 2.9, n).astype(int), 28)
    due = out + pd.to_timedelta(plan, unit="D")
    late = rng.random(n) < .15
    slip = np.where(late, 20 + rng.gamma(1.2, 900, n), -rng.random(n) * .22 * plan * 1440 - 3)
    ret = due + pd.to_timedelta(slip.round(), unit="min")
    van = np.zeros(n, int)
    odo_out, odo_in = np.zeros(n), np.zeros(n)
    miles = (plan * rng.gamma(2.2, 25, n)).round() + 3
    for i in range(n):
        able = np.flatnonzero(free < out[i].to_datetime64())
        van[i] = rng.choice(able)
        odo_out[i] = odo[van[i]]
        odo_in[i] = odo[van[i]] = odo[van[i]] + miles[i]
        free[van[i]] = ret[i].to_datetime64()
    kind, fuel = pd.Series(vtype[van]), pd.Series(vfuel[van])
    per_litre = kind.map({"Panel": 7.6, "Luton": 5.6, "Crew Cab": 7.0, "Refrigerated": 5.2,
                          "Minibus": 6.1}) * rng.normal(1, .09, n)
    litres = (miles / per_litre + .4).round(1)
    pump = fuel.map({"Diesel": 1.58, "Petrol": 1.47, "Electric": 0}) + rng.normal(0, .05, n)
    rate = kind.map({"Panel": 62, "Luton": 84, "Crew Cab": 71, "Refrigerated": 112,
                     "Minibus": 96}) * rng.choice([.9, 1, 1, 1.1], n)
    rate = rate.round(1)
    cdw = rng.random(n) < .44
    charge = rate * plan * rng.choice([1, 1, .95], n) + cdw * 9 * plan
    damaged = rng.random(n) < np.where(kind == "Luton", .11, .055)
    gone = ret > CUT
    damaged = damaged & ~gone
    csat = pd.Series(np.clip(np.round(rng.normal(4.1 - .5 * late - .4 * damaged, .9)), 1, 5))
    csat = csat.mask(pd.Series(rng.random(n) < .45) | gone)
    spelt = pd.Series([s.lower() if r < .13 else s.upper() if r < .24 else s
                       for s, r in zip(kind, rng.random(n))])
    litre_text = pd.Series([f"{x:.1f} L" for x in litres], dtype=object)
    litre_text[(fuel == "Electric").to_numpy()] = "n/a"
    cost_text = pd.Series([f"£{a:,.2f}" for a in litres * pump], dtype=object)
    cost_text[((fuel == "Electric") | gone).to_numpy()] = None
    litre_text[gone.to_numpy() | (rng.random(n) < .03)] = None
    cost_text[rng.random(n) < .02] = None
    branch = np.where(rng.random(n) < .93, vhome[van],
                      rng.choice(["Nottingham", "Derby", "Leicester", "Sheffield"], n))
    style = "%d/%m/%Y %H:%M"
    return {"rentals": pd.DataFrame({
        "Rental No": [f"VR-{i}" for i in range(20417, 20417 + n)],
        "veh_reg": [vreg[i] for i in van], "Van Type": spelt, "Fuel": fuel,
        "RegYr": vyear[van], "Branch": branch, "cust_id": [f"C{cid[i]}" for i in who],
        "CustType": ctype[who],
        "Booked Via": rng.choice(["web", "phone", "walk-in", "app"], n, p=[.41, .27, .14, .18]),
        "Out Date": out.dt.strftime(style), "Due Back": due.dt.strftime(style),
        "Ret Date": ret.dt.strftime(style).astype(object).mask(gone),
        "odo_out": odo_out.astype(int), "odoIn": pd.Series(odo_in).mask(gone),
        "Fuel Ltrs": litre_text, "fuel_cost": cost_text, "day_rate": rate,
        "Hire Chg": [f"£{x:,.2f}" for x in charge],
        "Deposit": rng.choice([0, 100, 150, 250, 500], n, p=[.22, .3, .25, .16, .07]),
        "CDW (Y/N)": pd.Series(np.where(cdw, "Y", "N")).mask(pd.Series(rng.random(n) < .02)),
        "Dmg?": np.where(damaged, "yes", "no"),
        "DmgCost": pd.Series(rng.gamma(1.5, 190, n).round(2)).mask(~damaged),
        "csat": csat,
        "pymt": pd.Series(rng.choice(["card", "account", "cash"], n, p=[.6, .31, .09])).mask(
            pd.Series(rng.random(n) < .015))})}


def prepare(rentals):
    d = rentals
    for name, column in [("out", "Out Date"), ("due", "Due Back"), ("ret", "Ret Date")]:
        d[name] = pd.to_datetime(d[column], format="%d/%m/%Y %H:%M")
    d["vtype"] = d["Van Type"].str.title()
    d["vtype_l"], d["vtype_u"] = d.vtype.str.lower(), d.vtype.str.upper()
    d["chg"] = d["Hire Chg"].str.replace("[£,]", "", regex=True).astype(float)
    d["fc"] = d.fuel_cost.str.replace("[£,]", "", regex=True).astype(float)
    d["ltr"] = pd.to_numeric(d["Fuel Ltrs"].str.replace(" L", ""), errors="coerce")
    d["mi"] = d.odoIn - d.odo_out
    d["dmg"] = d["Dmg?"] == "yes"
    d["cdw"] = d["CDW (Y/N)"].map({"Y": True, "N": False}).astype("boolean")
    d["via"] = d["Booked Via"]
    d["no"] = d["Rental No"]
    day = pd.Timedelta(days=1)
    d["days"] = (d.ret - d.out) / day
    d["cal"] = (d.ret.dt.normalize() - d.out.dt.normalize()) / day
    d["plan"] = (d.due - d.out) / day
    d["late"] = (d.ret > d.due).astype("boolean").mask(d.ret.isna())
    d["late_d"] = (d.ret.dt.normalize() > d.due.dt.normalize()).astype("boolean").mask(d.ret.isna())
    d["over"] = ((d.ret - d.due) / pd.Timedelta(hours=1)).where(d.late.fillna(False).astype(bool))
    d["month"] = d.out.dt.to_period("M")
    d["qtr"] = d.out.dt.to_period("Q")
    d["year"] = d.out.dt.year
    d["weekend"] = d.out.dt.dayofweek >= 5
    by = d.sort_values("out").groupby("veh_reg")
    d["gap"] = (d.out - by.ret.shift()) / day
    d["gap_out"] = (d.out - by.out.shift()) / day
    f = d.dropna(subset=["mi", "ltr"])
    g = d.dropna(subset=["mi", "fc"])
    m = d.dropna(subset=["mi"])
    return {"d": d, "f": f, "g": g, "m": m}


def cased(*sources):
    """The van types are spelt in three ways: one answer for each way to write a type."""
    return [s.replace("vtype", name) for s in sources for name in ("vtype", "vtype_l", "vtype_u")]


QUESTIONS = [
    # easy
    q("n", "e", "how many rentals by branch", "d.Branch.value_counts()"),
    q("types", "e", "no. of rentals per van type pls", *cased("d.vtype.value_counts()")),
    q("vans", "e", "how many vans have we got?", "d.veh_reg.nunique()"),
    q("chg", "e", "total hire charges by branch", "d.groupby('Branch').chg.sum()"),
    q("rate", "e", "avg daily rate per van type", *cased("d.groupby('vtype').day_rate.mean()")),
    q("csat", "e", "average csat by branch", "d.groupby('Branch').csat.mean()"),
    q("out", "e", "how many rentals are not back yet?", "d.ret.isna().sum()",
      "Keys(d[d.ret.isna()].no)"),
    q("month", "e", "rentals per month", "d.month.value_counts().sort_index()"),
    q("line", "e", "line chart of monthly hire revenue", "d.groupby('month').chg.sum()",
      chart="line"),
    q("hist", "e", "histogram of fuel litres", "Hist(d.ltr)", chart="hist"),
    q("best", "e", "which branch makes the most revenue?", "top(d.groupby('Branch').chg.sum())"),
    q("dmgn", "e", "how many rentals came back damaged", "d.dmg.sum()"),
    q("fuel", "e", "total fuel cost", "d.fc.sum()"),
    q("max", "e", "what was the most expensive hire?", "top(d.set_index('no').chg)", "d.chg.max()"),
    q("via", "e", "bookings by channel, biggest first", "d.via.value_counts()", order=True),
    q("custs", "e", "number of different customers", "d.cust_id.nunique()"),
    q("pie", "e", "pie chart of rentals by fuel", "d.Fuel.value_counts()", chart="pie"),
    q("dep", "e", "median deposit", "d.Deposit.median()"),
    # medium
    q("dmgr", "m", "damage rate by van type", *cased("d.groupby('vtype').dmg.mean()"), share=True),
    q("cdw", "m", "what % of rentals took the CDW?", "d.cdw.mean()", "d.cdw.sum()/len(d)",
      share=True),
    q("cdwdmg", "m", "do rentals with CDW get damaged more often?", "d.groupby('cdw').dmg.mean()",
      share=True),
    q("miles", "m", "avg miles driven per rental by customer type",
      "d.groupby('CustType').mi.mean()"),
    q("len", "m", "average rental length in days per branch, please",
      "d.groupby('Branch').days.mean()", "d.groupby('Branch').cal.mean()",
      assumes("d.groupby('Branch').plan.mean()"), assumes("(d.cal+1).groupby(d.Branch).mean()"),
      assumes("np.floor(d.days).groupby(d.Branch).mean()")),
    q("top10", "m", "top 10 customers by hire charge", "top(d.groupby('cust_id').chg.sum(), 10)"),
    q("q1", "m", "revenue in Q1 2024", "d[d.qtr=='2024Q1'].chg.sum()",
      assumes("d[d.ret.dt.to_period('Q')=='2024Q1'].chg.sum()")),
    q("dec", "m", "vans that went out in december 2023, by branch",
      "d[d.month=='2023-12'].Branch.value_counts()",
      "d[d.month=='2023-12'].groupby('Branch').veh_reg.nunique()"),
    q("dmgc", "m", "what does a damage cost us on average?", "d.DmgCost.mean()"),
    q("dmgt", "m", "damage cost by van type in total, worst first",
      *cased("d.groupby('vtype').DmgCost.sum().sort_values(ascending=False)"), order=True),
    q("comp", "m", "compare Derby and Lincoln on avg hire charge",
      "d[d.Branch.isin(['Derby','Lincoln'])].groupby('Branch').chg.mean()"),
    q("late", "m", "what share of vans comes back late?", "d.late.mean()", "d.late.sum()/len(d)",
      assumes("d.late_d.mean()"), assumes("d.late_d.sum()/len(d)"), share=True),
    q("laten", "m", "number of late returns per branch", "d.groupby('Branch').late.sum()",
      assumes("d.groupby('Branch').late_d.sum()")),
    q("long", "m", "how many rentals lasted more than 7 days?", "(d.days>7).sum()",
      "(d.cal>7).sum()", assumes("(d.plan>7).sum()"), assumes("(d.cal+1>7).sum()"),
      assumes("(np.floor(d.days)>7).sum()")),
    q("wday", "m", "on which weekday do most vans go out?",
      "top(d.out.dt.day_name().value_counts())"),
    q("bar", "m", "bar chart avg csat per booking channel", "d.groupby('via').csat.mean()",
      chart="bar"),
    q("box", "m", "boxplot of hire charge by van type", *cased("box(d, 'vtype', 'chg')"),
      chart="box"),
    q("scat", "m", "plot litres against miles driven", "Pairs(f.mi, f.ltr)", "Pairs(f.ltr, f.mi)",
      chart="scatter"),
    q("old", "m", "how many diesel vans registered before 2019 are there",
      "d[(d.Fuel=='Diesel')&(d.RegYr<2019)].veh_reg.nunique()",
      "Keys(d[(d.Fuel=='Diesel')&(d.RegYr<2019)].veh_reg.unique())",
      assumes("((d.Fuel=='Diesel')&(d.RegYr<2019)).sum()")),
    q("nocsat", "m", "how many rentals have no csat score, by branch?",
      "d.csat.isna().groupby(d.Branch).sum()"),
    q("two", "m", "revenue by branch and customer type",
      "d.groupby(['Branch','CustType']).chg.sum().unstack()"),
    q("corr", "m", "correlation between miles and fuel cost", "d.mi.corr(d.fc)"),
    q("fines", "m", "speeding fines per branch", REFUSE),
    # hard
    q("mpl", "h", "miles per litre of the diesel vans by van type",
      *cased("f[f.Fuel=='Diesel'].groupby('vtype').mi.sum()"
             "/f[f.Fuel=='Diesel'].groupby('vtype').ltr.sum()"),
      *[assumes(s) for s in cased(
          "(f.mi/f.ltr)[f.Fuel=='Diesel'].groupby(f.vtype).mean()",
          "d[d.Fuel=='Diesel'].groupby('vtype').mi.sum()"
          "/d[d.Fuel=='Diesel'].groupby('vtype').ltr.sum()")]),
    q("ppl", "h", "what did we pay per litre in each month of 2024?",
      "(lambda x: x.groupby('month').fc.sum()/x.groupby('month').ltr.sum())"
      "(d[d.year==2024].dropna(subset=['fc','ltr']))",
      assumes("(lambda x: x.groupby('month').fc.sum()/x.groupby('month').ltr.sum())(d[d.year==2024])"),
      assumes("(d.fc/d.ltr)[d.year==2024].groupby(d.month).mean()")),
    q("rpm", "h", "hire revenue per mile by branch",
      "m.groupby('Branch').chg.sum()/m.groupby('Branch').mi.sum()",
      "d.groupby('Branch').chg.sum()/d.groupby('Branch').mi.sum()",
      assumes("(d.chg/d.mi).groupby(d.Branch).mean()")),
    q("mom", "h", "month on month change of revenue in %",
      "(d.groupby('month').chg.sum().pct_change()*100).dropna()", share=True),
    q("min30", "h", "customers with at least 30 rentals",
      "(lambda s: s[s>=30])(d.cust_id.value_counts())",
      "(lambda s: Keys(s[s>=30].index))(d.cust_id.value_counts())",
      "(d.cust_id.value_counts()>=30).sum()"),
    q("min10", "h", "which 5 customers are happiest? only those with at least 10 csat scores",
      "top((lambda s: s[s['count']>=10]['mean'])(d.groupby('cust_id').csat.agg(['count','mean'])), 5)"),
    q("conc", "h", "how much of our revenue comes from the ten largest customers, in percent",
      "d.groupby('cust_id').chg.sum().nlargest(10).sum()/d.chg.sum()", share=True),
    q("band", "h", "rentals by miles driven: under 100, 100 to 300, over 300",
      "Values([int((d.mi<100).sum()), int(((d.mi>=100)&(d.mi<=300)).sum()), int((d.mi>300).sum())])",
      "Values([int((d.mi<100).sum()), int(((d.mi>=100)&(d.mi<300)).sum()), int((d.mi>=300).sum())])",
      "Values([int((d.mi<=100).sum()), int(((d.mi>100)&(d.mi<=300)).sum()), int((d.mi>300).sum())])"),
    q("latec", "h", "is csat lower when the van is returned after the due date?",
      "d.groupby('late').csat.mean()", assumes("d.groupby('late_d').csat.mean()")),
    q("overh", "h", "by how many hours are late returns late on average", "d.over.mean()"),
    q("h1", "h", "hire revenue jan-jun 2024 vs jan-jun 2023",
      "d[d.out.dt.month<=6].groupby('year').chg.sum()",
      "Values(d[d.out.dt.month<=6].groupby('year').chg.sum().tolist())"),
    q("dpct", "h", "damage cost as % of revenue per branch",
      "d.groupby('Branch').DmgCost.sum()/d.groupby('Branch').chg.sum()", share=True),
    q("last30", "h", "rentals of the last 30 days per van type",
      *cased("d[d.out>d.out.max()-pd.Timedelta(days=30)].vtype.value_counts()",
             "d[d.out>=d.out.max()-pd.Timedelta(days=30)].vtype.value_counts()"),
      *[assumes(s) for s in cased(
          "d[d.out.dt.normalize()>d.out.max().normalize()-pd.Timedelta(days=30)].vtype.value_counts()",
          "d[d.out.dt.normalize()>=d.out.max().normalize()-pd.Timedelta(days=30)]"
          ".vtype.value_counts()")]),
    q("imp", "h", "which branch cut its late return rate the most from 2023 to 2024?",
      "top((lambda t: t[2023]-t[2024])(d.groupby(['Branch','year']).late.mean().unstack()))",
      "top((lambda t: (t[2023]-t[2024])/t[2023])(d.groupby(['Branch','year']).late.mean().unstack()))",
      assumes("top((lambda t: t[2023]-t[2024])(d.groupby(['Branch',d.ret.dt.year]).late.mean()"
              ".unstack()))")),
    q("gap", "h", "how many days does a van stand idle between two rentals on average?",
      "d.gap.mean()", assumes("d.gap_out.mean()")),
    q("age", "h", "average age of the drivers per customer type", REFUSE),
    q("ins", "h", "insurance premium as a share of revenue by van", REFUSE),
]
