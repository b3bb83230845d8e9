"""Incidents of an IT service desk; effort and cost as text, some still open, categories ill spelt."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

CUT = pd.Timestamp("2024-09-30 20:00")


def make():
    rng = np.random.default_rng(40991)
    n = 4000
    days = pd.date_range("2023-04-01", "2024-09-30")
    p = np.array([1.35, 1.15, 1.05, 1, .9, .18, .14])[days.dayofweek] * np.linspace(.9, 1.25, len(days))
    hp = np.array([.1] * 6 + [.3, 1, 3, 5, 4.6, 4, 3, 3.6, 4, 3.6, 2.8, 1.6, .8, .5, .3, .2, .1, .1])
    opened = days[rng.choice(len(days), n, p=p / p.sum())] + pd.to_timedelta(
        rng.choice(24, n, p=hp / hp.sum()) * 60 + rng.integers(0, 60, n), unit="min")
    opened = pd.Series(opened)
    opened = opened[opened < CUT - pd.Timedelta(hours=3)].sort_values(ignore_index=True)
    n = len(opened)
    prio = pd.Series(rng.choice(["1 - Critical", "2 - High", "3 - Moderate", "4 - Low"], n,
                                p=[.04, .17, .49, .3]))
    cat = rng.choice(["Hardware", "Software", "Network", "Access", "Email"], n,
                     p=[.22, .31, .12, .23, .12])
    groups = {"Hardware": ["Desktop", "Service Desk"], "Software": ["App Support", "Service Desk"],
              "Network": ["Network Ops", "Service Desk"], "Access": ["Identity", "Service Desk"],
              "Email": ["App Support", "Service Desk"]}
    group = pd.Series([groups[c][int(r < .38)] for c, r in zip(cat, rng.random(n))])
    people = {"Service Desk": ["A. Novak", "B. Osei", "C. Lindqvist", "D. Farrell", "E. Haddad",
                               "F. Moreau", "G. Singh", "H. Brandt"],
              "Desktop": ["I. Kowal", "J. Byrne", "K. Tanaka", "L. Okoye"],
              "App Support": ["M. Rossi", "N. Petrov", "O. Walsh", "P. Chandra", "Q. Leclerc"],
              "Network Ops": ["R. Stein", "S. Abara", "T. Molnar"],
              "Identity": ["U. Costa", "V. Nagy", "W. Dunne"]}
    assignee = pd.Series([people[g][min(int(r ** 1.3 * len(people[g])), len(people[g]) - 1)]
                          for g, r in zip(group, rng.random(n))], dtype=object)
    moves = rng.poisson(.7, n)
    hours = prio.map({"1 - Critical": 5, "2 - High": 14, "3 - Moderate": 36, "4 - Low": 70}) \
        * np.exp(rng.normal(0, .8, n)) * (1 + .25 * moves)
    resolved = opened + pd.to_timedelta((hours * 60).round() + 4, unit="min")
    is_open = (resolved > CUT) | (rng.random(n) < .025)
    response = opened + pd.to_timedelta(np.minimum(
        (prio.map({"1 - Critical": 9, "2 - High": 30, "3 - Moderate": 75, "4 - Low": 140})
         * rng.gamma(1.4, .7, n)).round() + 1, hours * 60 + 1).round(), unit="min")
    state = pd.Series(rng.choice(["Closed", "Resolved"], n, p=[.86, .14]))
    state[is_open] = rng.choice(["New", "In Progress", "On Hold"], int(is_open.sum()), p=[.2, .5, .3])
    waiting = (response > CUT) | (state == "New")
    assignee[(state == "New").to_numpy()] = None
    breach = hours > prio.map({"1 - Critical": 8, "2 - High": 24, "3 - Moderate": 72,
                               "4 - Low": 160})
    effort = (rng.gamma(1.6, 24, n) * (1 + .3 * moves)).round().astype(int) + 3
    cost = effort * rng.choice([.7, .85, 1.1], n) + np.where(
        (cat == "Hardware") & (rng.random(n) < .3), rng.gamma(2, 240, n), 0)
    score = pd.Series(np.clip(np.round(rng.normal(4.2 - .7 * breach, .95)), 1, 5))
    spelt = pd.Series([c.lower() if r < .12 else c.upper() if r < .2 else c + " " if r < .25 else c
                       for c, r in zip(cat, rng.random(n))], dtype=object)
    spelt[rng.random(n) < .025] = None
    channel = rng.choice(["Portal", "Phone", "Email", "Chat", "Walk-up"], n,
                         p=[.36, .25, .2, .14, .05])
    fcr = (rng.random(n) < np.where(np.isin(channel, ["Phone", "Chat"]), .42, .2)) & (moves == 0)
    style = "%d-%b-%Y %H:%M"
    return {"incidents": pd.DataFrame({
        "Inc #": [f"INC{i:07}" for i in 81200 + np.cumsum(rng.integers(1, 4, n))],
        "Opened": opened.dt.strftime(style),
        "first_resp": response.dt.strftime(style).astype(object).mask(waiting),
        "Resolved Dt": resolved.dt.strftime(style).astype(object).mask(is_open),
        "State": state, "Prio": prio, "Cat.": spelt, "asgn_grp": group, "Assignee": assignee,
        "CallerDept": rng.choice(["Finance", "Sales", "Operations", "HR", "Legal", "Marketing"], n,
                                 p=[.19, .27, .28, .09, .05, .12]),
        "Site": pd.Series(rng.choice(["London", "Dublin", "Warsaw", "Remote"], n,
                                     p=[.36, .2, .24, .2])).mask(pd.Series(rng.random(n) < .015)),
        "Channel": channel, "VIP?": np.where(rng.random(n) < .06, "Y", "N"),
        "majorInc": np.where((prio == "1 - Critical") & (rng.random(n) < .3), "yes", "no"),
        "SLA Breached": pd.Series(np.where(breach, "Yes", "No")).mask(is_open),
        "reassign_cnt": moves, "reopen_cnt": rng.choice([0, 1, 2, 3], n, p=[.91, .065, .018, .007]),
        "FCR": np.where(fcr & ~is_open, "Y", "N"),
        "kbUsed": rng.choice(["TRUE", "FALSE"], n, p=[.31, .69]),
        "Effort": pd.Series([f"{e} min" for e in effort]).mask(pd.Series(rng.random(n) < .02)),
        "Cost": pd.Series([f"€{x:,.2f}" for x in cost]).mask(pd.Series(rng.random(n) < .015)),
        "survey": score.mask(pd.Series(rng.random(n) < .68) | is_open)})}


def prepare(incidents):
    d = incidents
    for name, column in [("opn", "Opened"), ("resp", "first_resp"), ("res", "Resolved Dt")]:
        d[name] = pd.to_datetime(d[column], format="%d-%b-%Y %H:%M")
    d["no"] = d["Inc #"]
    d["categ"] = d["Cat."].str.strip().str.title()
    d["categ_l"], d["categ_u"] = d.categ.str.lower(), d.categ.str.upper()
    d["eff"] = pd.to_numeric(d.Effort.str.replace(" min", ""))
    d["cost"] = d.Cost.str.replace("[€,]", "", regex=True).astype(float)
    d["vip"] = d["VIP?"] == "Y"
    d["major"] = d.majorInc == "yes"
    d["breach"] = d["SLA Breached"].map({"Yes": True, "No": False}).astype("boolean")
    d["fcr"] = d.FCR == "Y"
    d["kb"] = d.kbUsed == "TRUE"
    d["open"] = d.res.isna()
    d["reop"] = d.reopen_cnt > 0
    d["h"] = (d.res - d.opn) / pd.Timedelta(hours=1)
    d["rmin"] = (d.resp - d.opn) / pd.Timedelta(minutes=1)
    d["month"] = d.opn.dt.to_period("M")
    d["rmonth"] = d.res.dt.to_period("M")
    d["qtr"] = d.opn.dt.to_period("Q")
    d["weekend"] = d.opn.dt.dayofweek >= 5
    d["dow"] = d.opn.dt.day_name()
    d["hour"] = d.opn.dt.hour
    months = pd.period_range("2023-04", "2024-09", freq="M")
    backlog = pd.Series({m: int(((d.opn <= m.end_time) & ~(d.res <= m.end_time)).sum())
                         for m in months})
    return {"d": d, "done": d[~d.open], "backlog": backlog,
            "end": max(d.opn.max(), d.res.max(), d.resp.max())}


def cased(*sources):
    """The categories are spelt in several ways: one answer for each way to write one."""
    return [s.replace("categ", name) for s in sources for name in ("categ", "categ_l", "categ_u")]


QUESTIONS = [
    # easy
    q("prio", "e", "tickets by priority", "d.Prio.value_counts()"),
    q("open", "e", "how many incidents are still open?", "d.open.sum()", "Keys(d[d.open].no)"),
    q("cat", "e", "number of incidents per category", *cased("d.categ.value_counts()")),
    q("month", "e", "incidents opened per month", "d.month.value_counts().sort_index()"),
    q("surv", "e", "avg survey score by assignment group", "d.groupby('asgn_grp').survey.mean()"),
    q("cost", "e", "total cost by dept", "d.groupby('CallerDept').cost.sum()"),
    q("people", "e", "how many assignees do we have", "d.Assignee.nunique()"),
    q("site", "e", "which site raises the most tickets?", "top(d.Site.value_counts())"),
    q("bar", "e", "bar chart of incidents by channel", "d.Channel.value_counts()", chart="bar"),
    q("hist", "e", "histogram of survey scores", "Hist(d.survey)", chart="hist"),
    q("major", "e", "how many major incidents were there?", "d.major.sum()",
      "Keys(d[d.major].no)"),
    q("vip", "e", "number of VIP tickets", "d.vip.sum()"),
    q("moves", "e", "avg no of reassignments per priority", "d.groupby('Prio').reassign_cnt.mean()"),
    q("state", "e", "incidents by state, most first", "d.State.value_counts()", order=True),
    q("med", "e", "median cost of an incident", "d.cost.median()"),
    q("dear", "e", "which incident cost the most?", "top(d.set_index('no').cost)", "d.cost.max()"),
    q("eff", "e", "average effort in minutes by category", *cased("d.groupby('categ').eff.mean()")),
    q("pie", "e", "pie of tickets per site please", "d.Site.value_counts()", chart="pie"),
    # medium
    q("sla", "m", "SLA breach rate by priority", "d.groupby('Prio').breach.mean()",
      "d.groupby('Prio').breach.sum()/d.groupby('Prio').size()", share=True),
    q("mttr", "m", "mean time to resolve in hours, by priority", "d.groupby('Prio').h.mean()"),
    q("medres", "m", "median resolution time per group", "d.groupby('asgn_grp').h.median()",
      "d.groupby('asgn_grp').h.median()/24", "d.groupby('asgn_grp').h.median()*60"),
    q("resp", "m", "how long till the first response on avg, by channel?",
      "d.groupby('Channel').rmin.mean()", "d.groupby('Channel').rmin.mean()/60",
      "d.groupby('Channel').rmin.mean()/1440"),
    q("wend", "m", "tickets opened at the weekend", "d.weekend.sum()", "Keys(d[d.weekend].no)"),
    q("feb", "m", "feb 2024 incidents by category", *cased("d[d.month=='2024-02'].categ.value_counts()")),
    q("opench", "m", "open tickets with critical or high priority, by group",
      "d[d.open & d.Prio.isin(['1 - Critical','2 - High'])].asgn_grp.value_counts()"),
    q("fcr", "m", "first contact resolution rate by channel", "d.groupby('Channel').fcr.mean()",
      "done.groupby('Channel').fcr.mean()", share=True),
    q("comp", "m", "compare Dublin and Warsaw by avg resolution time",
      "d[d.Site.isin(['Dublin','Warsaw'])].groupby('Site').h.mean()",
      "d[d.Site.isin(['Dublin','Warsaw'])].groupby('Site').h.mean()/24",
      "d[d.Site.isin(['Dublin','Warsaw'])].groupby('Site').h.mean()*60"),
    q("vipresp", "m", "do VIPs get a faster first response?", "d.groupby('vip').rmin.mean()",
      "d.groupby('vip').rmin.median()", "d.groupby('vip').rmin.mean()/60",
      "d.groupby('vip').rmin.median()/60"),
    q("in4", "m", "how many tickets were resolved within 4 hours", "(d.h<=4).sum()", "(d.h<4).sum()"),
    q("nocat", "m", "how many incidents have no category?", "d.categ.isna().sum()",
      "Keys(d[d.categ.isna()].no)"),
    q("two", "m", "priority by site table", "pd.crosstab(d.Prio, d.Site)"),
    q("reop", "m", "what % of tickets gets reopened, per group?", "d.groupby('asgn_grp').reop.mean()",
      "done.groupby('asgn_grp').reop.mean()", share=True),
    q("top5", "m", "top 5 assignees by resolved tickets", "top(done.Assignee.value_counts(), 5)"),
    q("scat", "m", "scatter effort vs cost", "Pairs(d.eff, d.cost)", "Pairs(d.cost, d.eff)",
      chart="scatter"),
    q("kb", "m", "avg effort with and without kb article", "d.groupby('kb').eff.mean()",
      "d.groupby('kb').eff.mean()/60"),
    q("corr", "m", "is there a correlation between reassignments and resolution time?",
      "d.reassign_cnt.corr(d.h)"),
    q("efh", "m", "total effort hours per dept", "d.groupby('CallerDept').eff.sum()/60"),
    q("heat", "m", "heatmap weekday x hour of opened tickets", "pd.crosstab(d.dow, d.hour)",
      "pd.crosstab(d.hour, d.dow)", chart="heat"),
    q("rmonth", "m", "how many tickets did we resolve each month", "d.rmonth.value_counts().sort_index()"),
    q("hold", "m", "avg minutes callers spent on hold on the phone, by site", REFUSE),
    # hard
    q("min100", "h", "best survey score by assignee, only people with at least 100 tickets",
      "top((lambda t: t[t['size']>=100]['mean'])(d.groupby('Assignee').survey.agg(['size','mean'])))",
      "(lambda t: t[t['size']>=100]['mean'].sort_values(ascending=False))"
      "(d.groupby('Assignee').survey.agg(['size','mean']))",
      "(lambda t: t[t['size']>=100]['max'])(d.groupby('Assignee').survey.agg(['size','max']))"),
    q("slam", "h", "how did the sla breach rate develop month by month? line chart",
      "d.groupby('month').breach.mean().astype(float)", "d.groupby('rmonth').breach.mean().astype(float)",
      "(d.groupby('month').breach.sum()/d.groupby('month').size()).astype(float)",
      chart="line", share=True),
    q("mom", "h", "month over month growth in tickets %",
      "(d.month.value_counts().sort_index().pct_change()*100).dropna()", share=True),
    q("conc", "h", "how much of the total effort is done by the 5 busiest assignees?",
      "d.groupby('Assignee').eff.sum().nlargest(5).sum()/d.eff.sum()",
      "d.groupby('Assignee').eff.sum().nlargest(5).sum()/d[d.Assignee.notna()].eff.sum()",
      "d[d.Assignee.isin(d.Assignee.value_counts().index[:5])].eff.sum()/d.eff.sum()",
      assumes("d.groupby('Assignee').eff.sum().nlargest(5).sum()"),
      assumes("d.groupby('Assignee').eff.sum().nlargest(5).sum()/60"), share=True),
    q("cph", "h", "cost per hour of effort by group",
      "(lambda x: x.groupby('asgn_grp').cost.sum()/(x.groupby('asgn_grp').eff.sum()/60))"
      "(d.dropna(subset=['cost','eff']))",
      "d.groupby('asgn_grp').cost.sum()/(d.groupby('asgn_grp').eff.sum()/60)",
      assumes("(d.cost/(d.eff/60)).groupby(d.asgn_grp).mean()")),
    q("band", "h", "tickets by resolution time: up to 4h, 4-24h, 1-3 days, more than 3 days",
      "Values(d.groupby(pd.cut(d.h,[0,4,24,72,1e9]),observed=True).size().tolist())",
      "Values(d.groupby(pd.cut(d.h,[0,4,24,72,1e9],right=False),observed=True).size().tolist())"),
    q("old30", "h", "open tickets older than 30 days by priority",
      "d[d.open & (d.opn<d.opn.max()-pd.Timedelta(days=30))].Prio.value_counts()",
      "d[d.open & (d.opn<end-pd.Timedelta(days=30))].Prio.value_counts()",
      assumes("d[d.open & (d.opn<pd.Timestamp.now()-pd.Timedelta(days=30))].Prio.value_counts()")),
    q("backlog", "h", "open backlog at the end of each month", "backlog"),
    q("net", "h", "per month, how many more tickets were opened than resolved?",
      "d.month.value_counts().sub(d.rmonth.value_counts(), fill_value=0).sort_index()"),
    q("p90", "h", "90th percentile of resolution time in hours per priority",
      "d.groupby('Prio').h.quantile(.9)"),
    q("yoy", "h", "incidents apr-sep 2024 vs the same months of 2023",
      "d[d.opn.dt.month.between(4,9)].groupby(d.opn.dt.year).size()",
      "Values(d[d.opn.dt.month.between(4,9)].groupby(d.opn.dt.year).size().tolist())"),
    q("bounce", "h", "do tickets with more than 2 reassignments breach the sla more often than the rest?",
      "d.groupby(d.reassign_cnt>2).breach.mean().astype(float)",
      "Values(d.groupby(d.reassign_cnt>2).breach.mean().astype(float).tolist())",
      "Values((d.groupby(d.reassign_cnt>2).breach.mean().astype(float)*100).tolist())",
      share=True),
    q("csat", "h", "% of surveys with a 4 or 5, by group",
      "(d.survey.dropna()>=4).groupby(d.asgn_grp).mean()", share=True),
    q("roll", "h", "7 day moving average of new tickets",
      "d.groupby(d.opn.dt.normalize()).size().asfreq('D',fill_value=0).rolling(7).mean().dropna()",
      "d.groupby(d.opn.dt.normalize()).size().rolling(7).mean().dropna()",
      "d.groupby(d.opn.dt.normalize()).size().rolling('7D').mean()",
      "d.groupby(d.opn.dt.normalize()).size().asfreq('D',fill_value=0).rolling('7D').mean()"),
    q("slow", "h", "longest running resolved ticket of each group",
      "done.set_index('no').groupby('asgn_grp').h.idxmax()",
      "done.groupby('asgn_grp').h.max()", "done.groupby('asgn_grp').h.max()/24"),
    q("ver", "h", "which software version causes the most incidents per quarter", REFUSE),
    q("fte", "h", "cost per ticket incl. agents' salaries by group", REFUSE),
]
