"""Visits to the sites of a blood service: who came, what was measured, what was taken and what became of it."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(88031)
    k, n = 310, 640
    groups = ["O+", "A+", "B+", "O-", "A-", "AB+", "B-", "AB-"]
    d_group = rng.choice(groups, k, p=[.36, .31, .1, .08, .07, .04, .025, .015])
    d_sex = rng.choice(["F", "M"], k, p=[.54, .46])
    d_born = 2023 - (18 + rng.beta(1.5, 2.2, k) * 50).astype(int)
    d_wt = np.where(d_sex == "M", rng.normal(83, 11, k), rng.normal(69, 10, k)).clip(50, 130)
    d_hb = np.where(d_sex == "M", rng.normal(15, .9, k), rng.normal(13.4, .85, k))
    d_site = rng.choice(5, k, p=[.34, .24, .19, .14, .09])
    sites = np.array(["Town Hall", "University", "St Anne Hospital", "Riverside", "Mobile Unit 2"])
    often = rng.gamma(1.4, 1, k) + .1
    who = rng.choice(k, n, p=often / often.sum())
    site = np.where(rng.random(n) < .82, sites[d_site[who]], rng.choice(sites, n))
    day = rng.choice(543, n)
    came = pd.Series(pd.Timestamp("2023-01-03") + pd.to_timedelta(day, unit="D"))
    came = came.where((came.dt.dayofweek != 6) | (rng.random(n) < .2), came + pd.Timedelta(days=2))
    hour = rng.choice(range(8, 19), n, p=np.array([5, 9, 12, 10, 7, 5, 8, 11, 14, 12, 7]) / 100)
    came = came + pd.to_timedelta(hour * 60 + rng.integers(0, 60, n), unit="min")
    order = np.argsort(came.to_numpy(), kind="stable")
    came, who, site = came.iloc[order].reset_index(drop=True), who[order], site[order]

    kind = pd.Series(rng.choice(["whole blood", "plasma", "platelets"], n, p=[.66, .22, .12]))
    hb = (d_hb[who] + rng.normal(0, .35, n)).round(1)
    low = hb < np.where(d_sex[who] == "M", 13.5, 12.5)
    other = rng.random(n) < np.select([site == "University", site == "Mobile Unit 2"], [.3, .22], .05)
    why = rng.choice(["travel", "tattoo", "medication", "illness"], n, p=[.35, .25, .25, .15])
    why = np.where((site == "University") & (rng.random(n) < .6), "tattoo", why)
    why = np.where((site == "Mobile Unit 2") & (rng.random(n) < .6), "travel", why)
    reason = pd.Series(np.where(low, "low Hb", np.where(other, why, None)))
    deferred = reason.notna()
    seen = pd.Series(who)
    first = ~seen.duplicated() & (rng.random(n) < .55)
    target = kind.map({"whole blood": 470, "plasma": 620, "platelets": 300})
    ml = (target + rng.normal(0, 9, n) - (rng.random(n) < .06) * rng.integers(60, 240, n)).round().astype(int)
    ml = ml.mask(deferred)
    took = kind.map({"whole blood": 48, "plasma": 82, "platelets": 104}) * rng.gamma(30, 1 / 30, n) \
        + pd.Series(site).map({"Town Hall": 6, "University": 21, "St Anne Hospital": 0, "Riverside": 3,
                               "Mobile Unit 2": 4})
    took = took.where(~deferred, 12 + rng.gamma(4, 4, n)).round()
    gone = came + pd.to_timedelta(took, unit="min")
    gone[rng.random(n) < .04] = pd.NaT
    shelf = kind.map({"whole blood": 42, "plasma": 365, "platelets": 7})
    exp = came.dt.normalize() + pd.to_timedelta(shelf, unit="D")
    p_exp = kind.map({"whole blood": .07, "plasma": .0, "platelets": .21})
    roll = pd.Series(rng.random(n))
    fate = pd.Series(np.where(roll < p_exp, "expired", np.where(roll > .965, "discarded", "transfused")))
    wait = (shelf * rng.beta(2.2, 1.7, n)).round().clip(lower=1)
    used = came.dt.normalize() + pd.to_timedelta(wait, unit="D")
    fate[(fate == "transfused") & (used > "2024-06-30")] = "in stock"
    fate[(fate == "expired") & (exp > "2024-06-30")] = "in stock"
    used[(fate != "transfused") | deferred] = pd.NaT
    group = pd.Series(d_group[who])
    group = group.where(rng.random(n) > .06, group.str.lower())
    said = pd.Series(np.where(deferred, "Yes", "No"))
    said = said.where(rng.random(n) > .1, said.str.upper())
    pulse = pd.Series(rng.normal(73, 8.5, n).round())
    pulse[rng.choice(n, 4, replace=False)] = [121, 117, 38, 126]
    p_react = np.where(first, .1, .045)
    return {"donations": pd.DataFrame({
        "DonationID": [f"BD-{i:05}" for i in rng.permutation(n) + 20400],
        "donor_no": [f"N{i:04}" for i in 3000 + who * 7], "arrived": came, "left_at": gone,
        "site": site, "Sex": d_sex[who], "birth_yr": d_born[who], "bld_grp": group, "don_type": kind,
        "hb_gdl": pd.Series(hb).mask(rng.random(n) < .035), "BPsys": rng.normal(128, 13, n).round().astype(int),
        "pulse": pulse.astype(int), "wt_kg": (d_wt[who] + rng.normal(0, .8, n)).round(1),
        "first_time": np.where(first, "Y", "N"), "deferred": said, "defer_rsn": reason,
        "Vol": [None if pd.isna(v) else f"{v:.0f} ml" for v in ml],
        "exp_date": exp.mask(deferred).dt.strftime("%Y-%m-%d"), "used_on": used,
        "unit_fate": fate.mask(deferred),
        "reaction": pd.Series(np.where(rng.random(n) < p_react, "Y", "N")).mask(deferred),
        "nurse": rng.choice(["Amara", "Bente", "Carlos", "Dilek", "Ewan"], n, p=[.27, .24, .2, .17, .12])})}


def prepare(donations):
    d = donations
    d["grp"] = d.bld_grp.str.upper()
    d["neg"] = d.grp.str.endswith("-")
    d["no"] = d.deferred.str.lower() == "yes"
    d["ml"] = d.Vol.str.replace(" ml", "").astype(float)
    d["new"] = d.first_time == "Y"
    d["exp"] = pd.to_datetime(d.exp_date)
    d["day"] = d.arrived.dt.normalize()
    d["m"] = d.arrived.dt.to_period("M")
    d["y"] = d.arrived.dt.year
    d["mins"] = (d.left_at - d.arrived).dt.total_seconds() / 60
    d["age"] = d.y - d.birth_yr
    d["shelf"] = (d.exp - d.day).dt.days
    d["shelfx"] = (d.exp - d.arrived).dt.total_seconds() / 86400
    d["wait"] = (d.used_on - d.day).dt.days
    d["waitx"] = (d.used_on - d.arrived).dt.total_seconds() / 86400
    d["spare"] = (d.exp - d.used_on).dt.days
    d["weekend"] = d.arrived.dt.dayofweek >= 5
    g = d[~d.no]
    people = d.drop_duplicates("donor_no", keep="last")
    gap = d.sort_values("arrived").groupby("donor_no").day.diff().dt.days
    gapx = d.sort_values("arrived").groupby("donor_no").arrived.diff().dt.total_seconds() / 86400
    iqr = d.pulse.quantile(.75) - d.pulse.quantile(.25)
    far = (d.pulse > d.pulse.quantile(.75) + 1.5 * iqr) | (d.pulse < d.pulse.quantile(.25) - 1.5 * iqr)
    z = ((d.pulse - d.pulse.mean()) / d.pulse.std()).abs() > 3
    band = pd.cut(d.age, [0, 24, 39, 59, 200])
    return {"d": d, "g": g, "people": people, "gap": gap, "gapx": gapx, "far": far, "z": z, "band": band}


QUESTIONS = [
    # --- one column, or one by another
    q("site", "e", "visits per site", "d.site.value_counts()"),
    q("grp", "e", "distribution of blood groups", "d.grp.value_counts()", "d.grp.value_counts(normalize=True)",
      "people.grp.value_counts()", "people.grp.value_counts(normalize=True)",
      assumes("g.grp.value_counts()"), share=True),
    q("hbsex", "e", "average haemoglobin of men and women", "d.groupby('Sex').hb_gdl.mean()"),
    q("type", "e", "bar chart of the donation types", "d.don_type.value_counts()",
      assumes("g.don_type.value_counts()"), chart="bar"),
    q("hist", "e", "show how hemoglobin is distributed (histogram please)", "Hist(d.hb_gdl)", chart="hist"),
    q("rsn", "e", "reasons for deferral and how often each occurs", "d.defer_rsn.value_counts()"),
    q("donors", "e", "how many different donors came?", "d.donor_no.nunique()",
      assumes("g.donor_no.nunique()")),
    q("pulse", "e", "avg pulse", "d.pulse.mean()"),
    q("box", "e", "box plot haemoglobin by sex", "box(d, 'Sex', 'hb_gdl')", chart="box"),
    q("scat", "e", "plot blood pressure against body weight", "Pairs(d.wt_kg, d.BPsys)",
      "Pairs(d.BPsys, d.wt_kg)", chart="scatter"),
    q("heavy", "e", "who's the heaviest donor?", "top(d.set_index('donor_no').wt_kg)", "d.wt_kg.max()",
      "top(d.groupby('donor_no').wt_kg.max())"),
    q("line", "e", "number of visits per month as a line", "d.m.value_counts().sort_index()", chart="line"),
    q("fate", "e", "pie: what became of the units", "d.unit_fate.value_counts()", chart="pie"),
    q("new", "e", "how many first timers did we see?", "d.new.sum()", "d[d.new].donor_no.nunique()"),
    q("vol", "e", "Collected volume by site", "d.groupby('site').ml.sum()", "d.groupby('site').ml.sum()/1000"),
    q("hbna", "e", "how many hb readings are missing?", "d.hb_gdl.isna().sum()",
      assumes("d.hb_gdl.isna().mean()")),
    q("bp", "e", "highest systolic pressure we measured", "d.BPsys.max()"),
    q("nurse", "e", "which nurse handled the most visits?", "top(d.nurse.value_counts())"),
    q("react", "e", "number of adverse reactions per nurse", "(d.reaction=='Y').groupby(d.nurse).sum()"),

    # --- a condition, a duration or a rate
    q("rate", "m", "deferral rate by site", "d.groupby('site').no.mean()", share=True),
    q("women", "m", "what % of women get turned away?", "d[d.Sex=='F'].no.mean()",
      assumes("d[d.no&(d.Sex=='F')].donor_no.nunique()/d[d.Sex=='F'].donor_no.nunique()"), share=True),
    q("low", "m", "women with haemoglobin under 12.5", "((d.Sex=='F')&(d.hb_gdl<12.5)).sum()",
      "d[(d.Sex=='F')&(d.hb_gdl<12.5)].donor_no.nunique()", "Keys(d[(d.Sex=='F')&(d.hb_gdl<12.5)].donor_no)",
      "Keys(d[(d.Sex=='F')&(d.hb_gdl<12.5)].DonationID)"),
    q("oneg", "m", "how many units of O negative did we actually collect?", "((g.grp=='O-')&g.ml.notna()).sum()"),
    q("rh", "m", "share of rhesus negative donors", "people.neg.mean()", "d.neg.mean()",
      assumes("g.neg.mean()"), share=True),
    q("mins", "m", "how long does someone stay on average, by donation type?", "d.groupby('don_type').mins.mean()",
      "d.groupby('don_type').mins.mean()/60", assumes("g.groupby('don_type').mins.mean()"),
      assumes("g.groupby('don_type').mins.mean()/60")),
    q("slow", "m", "leaving deferred visits aside, at which location do people have to stay longest?",
      "top(g.groupby('site').mins.mean())", "top(g.groupby('site').mins.median())",
      "top(g.groupby('site').mins.mean()/60)"),
    q("wday", "m", "busiest weekday?", "top(d.arrived.dt.day_name().value_counts())"),
    q("hour", "m", "arrivals by hour of the day, bar chart", "d.arrived.dt.hour.value_counts().sort_index()",
      chart="bar"),
    q("plat", "m", "what proportion of platelet units ended up expired?",
      "(g[g.don_type=='platelets'].unit_fate=='expired').mean()",
      assumes("(d[d.don_type=='platelets'].unit_fate=='expired').mean()"), share=True),
    q("wend", "m", "weekend vs weekday visits", "d.weekend.value_counts()",
      assumes("d.weekend.value_counts(normalize=True)")),
    q("corr", "m", "is weight correlated with hb?", "d.wt_kg.corr(d.hb_gdl)",
      assumes("d.wt_kg.corr(d.hb_gdl, method='spearman')")),
    q("short", "m", "whole blood donations with less than 450 ml",
      "((d.don_type=='whole blood')&(d.ml<450)).sum()",
      "Keys(d[(d.don_type=='whole blood')&(d.ml<450)].DonationID)"),
    q("trend", "m", "is the deferral rate going up? plot it over time", "d.groupby('m').no.mean()",
      assumes("d.groupby(d.arrived.dt.to_period('Q')).no.mean()"), chart="any", share=True),
    q("comp", "m", "compare Town Hall with University: avg volume per whole blood donation",
      "d[d.site.isin(['Town Hall','University'])&(d.don_type=='whole blood')].groupby('site').ml.mean()"),
    q("newre", "m", "do first-time donors have reactions more often than regulars?",
      "(g.reaction=='Y').groupby(g.new).mean()", assumes("(d.reaction=='Y').groupby(d.new).mean()"),
      share=True),
    q("reg", "m", "donors who came 6 times or more", "(lambda s: s[s>=6])(d.donor_no.value_counts())",
      "(lambda s: Keys(s[s>=6].index))(d.donor_no.value_counts())", "(d.donor_no.value_counts()>=6).sum()",
      assumes("(lambda s: s[s>=6])(g.donor_no.value_counts())"), assumes("(g.donor_no.value_counts()>=6).sum()"),
      assumes("(lambda s: Keys(s[s>=6].index))(g.donor_no.value_counts())")),
    q("medhb", "m", "median Hb of deferred versus accepted people", "d.groupby('no').hb_gdl.median()"),
    q("stack", "m", "stacked bars: unit fate for each product", "pd.crosstab(d.don_type, d.unit_fate)",
      assumes("pd.crosstab(d.don_type, d.unit_fate, normalize='index')"), chart="bar", share=True),

    # --- several steps
    q("shelf", "h", "how many days of shelf life does each donation type get?",
      "d.groupby('don_type').shelf.mean()", "d.groupby('don_type').shelfx.mean()",
      "np.floor(d.shelfx).groupby(d.don_type).mean()"),
    q("wait", "h", "avg number of days from donation until transfusion, per product",
      "d.groupby('don_type').wait.mean()", "d.groupby('don_type').waitx.mean()",
      "np.floor(d.waitx).groupby(d.don_type).mean()"),
    q("spare", "h", "how many units were transfused with 3 days or less left before expiry?", "(d.spare<=3).sum()"),
    q("week1", "h", "how many units had an expiry date in the first week of January 2024?",
      "((d.exp>='2024-01-01')&(d.exp<='2024-01-07')).sum()"),
    q("cum", "h", "cumulative volume over 2023, month by month", "d[d.y==2023].groupby('m').ml.sum().cumsum()",
      "d[d.y==2023].groupby('m').ml.sum().cumsum()/1000"),
    q("roll", "h", "three month rolling average of visits",
      "d.groupby('m').size().rolling(3).mean().dropna()",
      "d.groupby('m').size().rolling(3, min_periods=1).mean()"),
    q("yoy", "h", "visits Jan-Jun 2024 compared with the same months of 2023, % change",
      "((d.y==2024)&(d.arrived.dt.month<7)).sum()/((d.y==2023)&(d.arrived.dt.month<7)).sum()-1", share=True),
    q("ages", "h", "visits by age at the time: under 25, 25-39, 40-59, 60 and over",
      "Values(d.groupby(band, observed=False).size().tolist())"),
    q("agedef", "h", "average age of deferred vs non deferred donors", "d.groupby('no').age.mean()",
      assumes("(pd.Timestamp.now().year-d.birth_yr).groupby(d.no).mean()"),
      assumes("(d.y.max()-d.birth_yr).groupby(d.no).mean()"),
      assumes("(lambda f: (f.y-f.birth_yr).groupby(f.no).mean())(d.drop_duplicates(['donor_no','no']))")),
    q("back", "h", "share of donors who came more than once", "(d.donor_no.value_counts()>1).mean()",
      assumes("(g.donor_no.value_counts()>1).mean()"), share=True),
    q("gap", "h", "average interval in days between two visits of the same donor", "gap.mean()", "gapx.mean()",
      "np.floor(gapx).mean()",
      assumes("gap.groupby(d.donor_no).mean().mean()"), assumes("gapx.groupby(d.donor_no).mean().mean()")),
    q("flow", "h", "ml per minute of stay, by donation type",
      "(lambda f: f.groupby('don_type').ml.sum()/f.groupby('don_type').mins.sum())(g.dropna(subset=['ml','mins']))",
      assumes("(d.ml/d.mins).groupby(d.don_type).mean()")),
    q("out", "h", "any pulse outliers?", "far.sum()", "Keys(d[far].DonationID)", "Keys(d[far].pulse)",
      assumes("z.sum()"), assumes("Keys(d[z].DonationID)"), assumes("Keys(d[z].pulse)")),
    q("worst", "h", "month with the highest share of deferrals", "top(d.groupby('m').no.mean())"),
    q("pct", "h", "each site's percentage of all whole blood volume",
      "(lambda f: f.groupby('site').ml.sum()/f.ml.sum())(d[d.don_type=='whole blood'])", share=True),

    # --- not in there
    q("chol", "m", "mean cholesterol by sex", REFUSE),
    q("patient", "h", "what diagnosis did the patients have who got the units?", REFUSE),
    q("cost", "m", "testing cost per unit", REFUSE),
]
