"""Appointments of a group of dental clinics; export of the booking system with abbreviated columns."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, money, q


def make():
    rng = np.random.default_rng(33190)
    n, people = 3510, 1150
    date = pd.Series(pd.Timestamp("2023-09-01") + pd.to_timedelta(rng.integers(0, 364, n), unit="D"))
    dow = date.dt.dayofweek  # closed on Sundays; half of the Saturdays' visits move to a weekday
    move = np.where(dow == 6, rng.integers(1, 5, n),
                    np.where((dow == 5) & (rng.random(n) < .55), -rng.integers(1, 5, n), 0))
    date = (date + pd.to_timedelta(move, unit="D")).clip(lower=pd.Timestamp("2023-09-01"))
    date = date.sort_values().reset_index(drop=True)
    slot = rng.choice(np.arange(32, 70), n)  # quarters of an hour from 8:00
    slot = np.where((slot >= 48) & (slot < 52) & (rng.random(n) < .7), slot - 12, slot)
    lead = rng.gamma(1.2, 16, n).round().astype(int)
    booked = date - pd.to_timedelta(lead, unit="D")
    weight = rng.gamma(1.6, 1, people) + .05
    who = rng.choice(people, n, p=weight / weight.sum())
    ages = np.clip(np.where(rng.random(people) < .17, rng.integers(4, 18, people),
                            rng.normal(46, 17, people).round()), 4, 91)
    sexes = rng.choice(["F", "M"], people, p=[.55, .45])
    insurers = pd.Series(rng.choice(["BlueSmile", "Dentacare", "Unity Health", "Medisure"], people,
                                    p=[.34, .3, .22, .14])).mask(rng.random(people) < .27)
    proc = pd.Series(rng.choice(["Check-up", "Cleaning", "Filling", "Extraction", "Crown", "Root canal",
                                 "Whitening"], n, p=[.32, .26, .19, .08, .06, .05, .04]))
    price = proc.map({"Check-up": 65, "Cleaning": 95, "Filling": 180, "Extraction": 210, "Crown": 1050,
                      "Root canal": 890, "Whitening": 340})
    fee = (price * rng.normal(1, .13, n).clip(.6, 1.5)).round(0) + rng.choice([0, 0, .5], n)
    mins = proc.map({"Check-up": 20, "Cleaning": 35, "Filling": 45, "Extraction": 40, "Crown": 75,
                     "Root canal": 90, "Whitening": 60}) + rng.choice([-10, -5, 0, 0, 5, 10, 15], n)
    dentist = pd.Series(rng.choice(["Dr Hale", "Dr Okafor", "Dr Lindqvist", "Dr Moreno", "Dr Patel",
                                    "Dr Byrne"], n, p=[.22, .2, .18, .17, .14, .09]))
    loc = rng.choice(["north", "central", "riverside"], n, p=[.3, .45, .25])
    style = rng.choice(3, n, p=[.6, .3, .1])
    loc = pd.Series([[v.title(), v, v.upper()][k] for v, k in zip(loc, style)]).mask(rng.random(n) < .01)
    remind = rng.random(n) < .71
    miss = rng.random(n) < np.where(remind, .06, .125) + lead * .0011
    off = rng.random(n) < .09
    status = pd.Series(np.where(miss, "no-show", np.where(off, "cancelled", np.where(
        rng.random(n) < .045, "rescheduled", "completed"))))
    done = status == "completed"
    fee = fee.where(done)
    insurer = insurers.iloc[who].reset_index(drop=True)
    paid = (fee * rng.choice([.3, .5, .7, .8], n)).round(2).where(insurer.notna(), 0).where(done)
    wait = pd.Series(rng.gamma(1.9, 6.5, n).round()).where(done).mask(rng.random(n) < .03)
    happy = (4.6 - wait.fillna(10) * .03 + dentist.map({"Dr Moreno": -.3, "Dr Byrne": .2}).fillna(0)
             + rng.normal(0, .8, n)).round().clip(1, 5).where(done).mask(rng.random(n) < .35)
    pain = pd.Series(rng.binomial(10, proc.map({"Extraction": .5, "Root canal": .55, "Filling": .3,
                                                "Crown": .3}).fillna(.12))).astype(float)
    return {"appts": pd.DataFrame({
        "Appt #": [f"A-{i:05}" for i in range(1, n + 1)], "PatID": [f"P{i + 2000}" for i in who],
        "appt_date": date.dt.strftime("%d-%b-%Y"),
        "Start": [f"{s // 4:02}:{s % 4 * 15:02}" for s in slot],
        "booked_dt": booked.dt.strftime("%d-%b-%Y"), "Dentist": dentist, "clinic_loc": loc,
        "Proc": proc, "dur": mins.astype(str).add(" min").mask(rng.random(n) < .015),
        "Fee": ("$" + fee.map("{:,.2f}".format)).where(done), "ins_paid": paid, "Insurer": insurer,
        "Status": status, "new_pt": np.where(pd.Series(who).duplicated(), "N", "Y"),
        "wait_mins": wait, "Age": pd.Series(ages[who]).mask(rng.random(n) < .02), "sex": sexes[who],
        "remind_sent": np.where(remind, "Yes", "No"), "pain_0_10": pain.where(done)
        .mask(rng.random(n) < .2), "satisf": happy,
        "paid_full": pd.Series(rng.choice(["Y", "N"], n, p=[.86, .14])).where(done),
        "pay_mthd": pd.Series(rng.choice(["card", "cash", "transfer"], n, p=[.68, .12, .2]))
        .where(done), "xray": rng.choice(["Y", "N"], n, p=[.27, .73])})}


def prepare(appts):
    d = appts
    d["no"] = d["Appt #"]
    d["date"] = pd.to_datetime(d.appt_date, format="%d-%b-%Y")
    d["booked"] = pd.to_datetime(d.booked_dt, format="%d-%b-%Y")
    d["lead"] = (d.date - d.booked).dt.days
    d["month"] = d.date.dt.to_period("M")
    d["hour"] = d.Start.str[:2].astype(int)
    d["loc"] = d["clinic_loc"].str.lower()
    d["place"] = d["loc"]
    d["min"] = money(d.dur).astype(float)
    d["mins"] = d["min"]
    d["fee"] = money(d.Fee).astype(float)
    d["own"] = d.fee - d.ins_paid
    d["ns"] = d.Status == "no-show"
    d["done"] = d.Status == "completed"
    d["new"] = flag(d.new_pt).astype(bool)
    d["rem"] = flag(d.remind_sent).astype(bool)
    d["x"] = flag(d.xray).astype(bool)
    d["full"] = d.paid_full == "Y"
    d["unpaid"] = d.paid_full == "N"
    d["q"] = d.date.dt.to_period("Q")
    d["gap"] = d.sort_values("date").groupby("PatID").date.diff().dt.days
    c = d[d.done].copy()
    c["gap"] = c.sort_values("date").groupby("PatID").date.diff().dt.days
    return {"d": d, "c": c}


QUESTIONS = [
    # easy
    q("n", "e", "how many appointments are there in total?", "len(d)"),
    q("loc", "e", "appointments per location", "d.place.value_counts()"),
    q("fee", "e", "avg fee by dentist", "d.groupby('Dentist').fee.mean()"),
    q("common", "e", "most common procedure", "top(d.Proc.value_counts())",
      assumes("top(c.Proc.value_counts())")),
    q("pats", "e", "number of different patients", "d.PatID.nunique()"),
    q("status", "e", "count by status", "d.Status.value_counts()"),
    q("rev", "e", "total fees per procedure", "d.groupby('Proc').fee.sum()"),
    q("age", "e", "average patient age", "d.Age.mean()",
      "d.dropna(subset='Age').drop_duplicates('PatID').Age.mean()",
      "d.groupby('PatID').Age.mean().mean()"),
    q("wait", "e", "mean waiting time per location", "d.groupby('place').wait_mins.mean()"),
    q("hist", "e", "histogram of age", "Hist(d.Age.dropna())", chart="hist"),
    q("bar", "e", "bar chart with appointments per dentist", "d.Dentist.value_counts()", chart="bar"),
    q("line", "e", "line chart of appointments by month", "d.month.value_counts().sort_index()",
      chart="line"),
    q("ns", "e", "how many no-shows did we have?", "d.ns.sum()"),
    q("max", "e", "highest fee charged", "d.fee.max()", "top(d.set_index('no').fee)"),
    q("pay", "e", "breakdown of payment methods", "d.pay_mthd.value_counts()",
      "d.pay_mthd.value_counts(normalize=True)"),
    q("xray", "e", "how many appts had an x-ray", "d.x.sum()", assumes("c.x.sum()")),
    q("ins", "e", "top 3 insurers by number of appointments", "top(d.Insurer.value_counts(), 3)"),
    q("sat", "e", "which dentist has the lowest average satisfaction?",
      "bottom(d.groupby('Dentist').satisf.mean())"),
    # medium
    q("nsr", "m", "no-show rate by dentist", "d.groupby('Dentist').ns.mean()", share=True),
    q("nsrem", "m", "is the no show rate lower when a reminder was sent?", "d.groupby('rem').ns.mean()",
      share=True),
    q("done", "m", "what percent of appointments were completed?", "d.done.mean()", share=True),
    q("self", "m", "share of appointments without insurer", "d.Insurer.isna().mean()", share=True),
    q("lead", "m", "how many days ahead do patients book on average?", "d.lead.mean()"),
    q("leadp", "m", "median days between booking and appointment, per procedure",
      "d.groupby('Proc').lead.median()"),
    q("fill", "m", "average duration of a filling", "d[d.Proc=='Filling'].mins.mean()",
      assumes("c[c.Proc=='Filling'].mins.mean()")),
    q("hour", "m", "appointments by hour of the day", "d.hour.value_counts()"),
    q("dow", "m", "whats the busiest weekday?", "top(d.date.dt.day_name().value_counts())"),
    q("q1", "m", "fees billed in Q1 2024", "d[d.q=='2024Q1'].fee.sum()"),
    q("newf", "m", "avg fee new vs existing patients", "d.groupby('new').fee.mean()"),
    q("kids", "m", "how many appointments for patients under 18?", "(d.Age<18).sum()"),
    q("cxl", "m", "cancelled appointments per month", "d[d.Status=='cancelled'].groupby('month').size()"),
    q("unpaid", "m", "how many completed appointments are not fully paid, by location?",
      "c[c.unpaid].place.value_counts()"),
    q("six", "m", "patients with at least 8 appointments",
      "(lambda v: v[v>=8])(d.PatID.value_counts())",
      "(lambda v: Keys(v[v>=8].index))(d.PatID.value_counts())", "(d.PatID.value_counts()>=8).sum()"),
    q("toppat", "m", "top 5 patients by total fee", "top(d.groupby('PatID').fee.sum(), 5)"),
    q("scat", "m", "scatter plot of duration vs fee",
      "(lambda v: Pairs(v.mins, v.fee))(d.dropna(subset=['mins','fee']))",
      "(lambda v: Pairs(v.fee, v.mins))(d.dropna(subset=['mins','fee']))", chart="scatter"),
    q("box", "m", "box plot of waiting time by dentist", "box(d,'Dentist','wait_mins')", chart="box"),
    q("corr", "m", "is there a correlation between waiting time and satisfaction?",
      "d.wait_mins.corr(d.satisf)", "d.wait_mins.corr(d.satisf, method='spearman')"),
    q("pain", "m", "compare pain score of extractions and root canals",
      "d[d.Proc.isin(['Extraction','Root canal'])].groupby('Proc').pain_0_10.mean()",
      "d[d.Proc.isin(['Extraction','Root canal'])].groupby('Proc').pain_0_10.median()"),
    q("wage", "m", "what do we pay each dentist per month?", REFUSE),
    q("lang", "m", "number of patients by language", REFUSE),
    q("dist", "m", "how far do patients live from the clinic on average", REFUSE),
    # hard
    q("long", "h", "Could you show me the number of appointments longer than an hour for each dentist?",
      "d[d.mins>60].Dentist.value_counts()", assumes("c[c.mins>60].Dentist.value_counts()")),
    q("hours", "h", "total treatment hours per dentist, completed appointments only",
      "c.groupby('Dentist').mins.sum()/60"),
    q("own", "h", "avg amount patients pay themselves (fee minus insurance) by insurer",
      "d.groupby('Insurer').own.mean()", "d.groupby(d.Insurer.fillna('none')).own.mean()"),
    q("inspct", "h", "what % of fees does insurance pay, per procedure",
      "d.groupby('Proc').ins_paid.sum()/d.groupby('Proc').fee.sum()",
      assumes("(d.ins_paid/d.fee).groupby(d.Proc).mean()"), share=True),
    q("feehr", "h", "fee per hour by procedure",
      "(lambda v: v.groupby('Proc').fee.sum()/(v.groupby('Proc').mins.sum()/60))"
      "(d.dropna(subset=['fee','mins']))",
      "c.groupby('Proc').fee.sum()/(c.groupby('Proc').mins.sum()/60)",
      assumes("d.groupby('Proc').fee.sum()/(d.groupby('Proc').mins.sum()/60)"),
      assumes("(d.fee/d.mins*60).groupby(d.Proc).mean()")),
    q("wait15", "h", "share of visits with more than 15 min wait, by location",
      "(lambda v: (v.wait_mins>15).groupby(v.place).mean())(d.dropna(subset='wait_mins'))",
      "(c.wait_mins>15).groupby(c.place).mean()",
      assumes("(d.wait_mins>15).groupby(d.place).mean()"), share=True),
    q("last30", "h", "no shows in the last 30 days by dentist",
      "d[d.ns&(d.date>d.date.max()-pd.Timedelta(days=30))].Dentist.value_counts()",
      "d[d.ns&(d.date>=d.date.max()-pd.Timedelta(days=30))].Dentist.value_counts()"),
    q("mom", "h", "month on month change in fees, percent",
      "(d.groupby('month').fee.sum().pct_change()*100).dropna()", share=True),
    q("cum", "h", "running total of fees by month", "d.groupby('month').fee.sum().cumsum()"),
    q("ratio", "h", "ratio of no-shows to completed appointments per location",
      "d[d.ns].groupby('place').size()/d[d.done].groupby('place').size()", share=True),
    q("min500", "h", "average satisfaction of dentists with at least 500 completed appointments",
      "c.groupby('Dentist').satisf.mean()[c.Dentist.value_counts()>=500]",
      assumes("c[c.Dentist.map(c.Dentist.value_counts())>=500].satisf.mean()")),
    q("ampm", "h", "no-show rate in the morning vs afternoon (before / after 12)",
      "Values([d[d.hour<12].ns.mean(), d[d.hour>=12].ns.mean()])", share=True),
    q("leadb", "h", "no show rate by how far ahead it was booked: up to 7 days, 8 to 30, over 30",
      "Values(d.groupby(pd.cut(d.lead,[-1,7,30,9999]),observed=True).ns.mean().tolist())", share=True),
    q("ageb", "h", "total fees by age group: under 18, 18-39, 40-64, 65+",
      "Values(d.groupby(pd.cut(d.Age,[0,18,40,65,999],right=False),observed=True).fee.sum().tolist())"),
    q("gap", "h", "how many days are there on average between two appointments of the same patient?",
      "d.gap.mean()", "d.groupby('PatID').gap.mean().mean()", assumes("c.gap.mean()"),
      assumes("c.groupby('PatID').gap.mean().mean()")),
    q("heat", "h", "heatmap of appointments by weekday and hour",
      "pd.crosstab(d.date.dt.day_name(), d.hour)", "pd.crosstab(d.hour, d.date.dt.day_name())",
      chart="heat"),
    q("women", "h", "percentage of women among new patients",
      "(d[d.new].sex=='F').mean()", share=True),
]
