"""Applications for a university's research grants; one row an application."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, money, q

FACULTIES = ["Arts", "Engineering", "Law", "Medicine", "Science"]
FIRST = ["Ada", "Ben", "Carla", "Deniz", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jana", "Kofi", "Lena",
         "Milan", "Nora", "Omar", "Petra"]
LAST = ["Abel", "Bauer", "Costa", "Dvorak", "Eriksen", "Fontaine", "Garcia", "Hughes", "Ito", "Jansen",
        "Kovacs", "Lindt", "Moreau", "Novak", "Osei", "Petrov", "Quinn", "Rossi", "Silva", "Tanaka"]


def make():
    rng = np.random.default_rng(8861)
    n, people = 2350, 310
    names = rng.choice([f"{first} {last}" for first in FIRST for last in LAST], people, replace=False)
    home = rng.choice(FACULTIES, people, p=[.14, .25, .08, .3, .23])
    junior = rng.random(people) < .42
    who = (people * rng.beta(1, 1.4, n)).astype(int)
    faculty = home[who]
    programme = rng.choice(["Seed Fund", "Starting", "Consolidator", "Travel"], n, p=[.3, .32, .2, .18])
    sent = pd.Timestamp("2019-01-07") + pd.to_timedelta((1800 * rng.beta(1.25, 1, n)).astype(int), unit="D")
    mean = pd.Series(programme).map({"Seed Fund": 28, "Starting": 160, "Consolidator": 420, "Travel": 4})
    size = pd.Series(faculty).map({"Arts": .7, "Engineering": 1.1, "Law": .6, "Medicine": 1.3, "Science": 1})
    asked = (mean * size * rng.lognormal(0, .35, n) * 10).round() * 100
    merit = rng.normal(6.1, 1.2, n) + .3 * (faculty == "Science") - .2 * (faculty == "Law")
    one = pd.Series(merit + rng.normal(0, 1.1, n)).round().clip(1, 10)
    two = pd.Series(merit + rng.normal(0, 1.1, n)).round().clip(1, 10)
    panel = pd.Series(merit + rng.normal(0, .4, n)).round(1).clip(1, 10)
    again = rng.random(n) < .22
    chance = 1 / (1 + np.exp(-(1.6 * (panel - 6.9) + .5 * again + .9 * (programme == "Travel"))))
    wait = pd.to_timedelta((rng.gamma(9, 11, n) + 20 + 9 * (sent.year - 2019)).round(), unit="D")
    decided = sent + wait
    won = rng.random(n) < chance
    status = np.where(rng.random(n) < .04, "withdrawn", np.where(
        decided > pd.Timestamp("2023-12-31"), "pending", np.where(won, "awarded", "rejected")))
    given = (asked * rng.beta(9, 1.8, n) / 100).round() * 100
    open_ = np.isin(status, ["withdrawn", "pending"])
    spelled = np.where(rng.random(n) < .08, np.char.lower(faculty), np.where(
        rng.random(n) < .04, np.char.upper(faculty), faculty))
    grants = pd.DataFrame({
        "app_no": [f"GR-{100000 + i}" for i in rng.permutation(n)], "applicant": names[who],
        "faculty": spelled, "programme": programme, "submitted_on": sent.strftime("%d %b %Y"),
        "decision_dt": pd.Series(decided.strftime("%Y-%m-%d")).mask(open_),
        "sumAsked": asked.map("€{:,.0f}".format),
        "sum_awarded": given.where(status == "awarded"), "rev1_score": one,
        "rev2_score": two.mask(rng.random(n) < .03), "panelScore": panel.mask(
            (status == "withdrawn") | (rng.random(n) < .01)), "status": status,
        "ECR": np.where(junior[who], "Y", "N"), "co_applicants": rng.poisson(1.7, n),
        "duration_mo": np.where(programme == "Travel", rng.choice([1, 2, 3], n), rng.choice(
            [12, 18, 24, 36, 48, 60], n, p=[.2, .1, .25, .28, .07, .1])),
        "intl_partner": rng.choice(["yes", "no", "Yes", None], n, p=[.3, .6, .05, .05]),
        "resubm": np.where(again, "yes", "no")})
    return {"grants": grants}


def prepare(grants):
    d = grants
    d["f"] = d.faculty.str.title()
    d["sub"], d["dec"] = pd.to_datetime(d.submitted_on, format="%d %b %Y"), pd.to_datetime(d.decision_dt)
    d["asked"], d["aw"] = money(d.sumAsked).astype(float), d.sum_awarded
    d["won"], d["year"], d["month"] = d.status == "awarded", d["sub"].dt.year, d["sub"].dt.to_period("M")
    d["days"] = (d.dec - d["sub"]).dt.days
    d["dyear"] = d.dec.dt.year
    d["ecr"], d["again"] = d.ECR == "Y", d.resubm == "yes"
    d["intl"] = flag(d.intl_partner)
    d["gap"] = (d.rev1_score - d.rev2_score).abs()
    d["cut"] = 1 - d.aw / d.asked
    bands = ["under 50k", "50-100k", "100-250k", "over 250k"]
    return {"d": d, "c": d[d.status.isin(["awarded", "rejected"])], "a": d[d.won], "BANDS": bands}


QUESTIONS = [
    q("n", "e", "How many applications did we receive?", "len(d)"),
    q("fac", "e", "applications per faculty", "d.f.value_counts()"),
    q("asked", "e", "total sum asked", "d.asked.sum()"),
    q("score", "e", "average panel score by programme", "d.groupby('programme').panelScore.mean()"),
    q("status", "e", "status breakdown pls", "d.status.value_counts()", "d.status.value_counts()/len(d)"),
    q("biggest", "e", "what was the largest single award?", "d.aw.max()"),
    q("ecr", "e", "number of applications from early career researchers (ECR)", "d.ecr.sum()",
      assumes("d[d.ecr].applicant.nunique()")),
    q("medmed", "e", "median sum asked for, Medicine only", "d[d.f=='Medicine'].asked.median()"),
    q("most", "e", "Who has asked for the most money in total?", "top(d.groupby('applicant').asked.sum())"),
    q("pie", "e", "pie chart of money awarded by programme", "d.groupby('programme').aw.sum()", chart="pie"),
    q("pend", "e", "how many are still pending", "(d.status=='pending').sum()"),
    q("hist", "e", "Histogram of the panel scores", "Hist(d.panelScore)", chart="hist"),
    q("people", "e", "count of distinct applicants", "d.applicant.nunique()"),
    q("years", "e", "bar chart: applications per year", "d.year.value_counts().sort_index()", chart="bar"),
    q("coapp", "e", "avg number of co-applicants", "d.co_applicants.mean()"),
    q("intl", "e", "How many proposals have an international partner?", "int(d.intl.sum())"),
    q("resub", "e", "resubmissions by faculty", "d[d.again].f.value_counts()"),
    q("topfac", "e", "which faculty got the most money awarded?", "top(d.groupby('f').aw.sum())"),
    q("dur", "e", "shortest, longest and mean project duration in months",
      "Values([d.duration_mo.min(),d.duration_mo.max(),d.duration_mo.mean()])"),
    q("long", "e", "projects running longer than 36 months, number per programme",
      "d[d.duration_mo>36].programme.value_counts()",
      assumes("d[d.won&(d.duration_mo>36)].programme.value_counts()")),
    q("sucfac", "m", "success rate per faculty", "c.groupby('f').won.mean()", "d.groupby('f').won.mean()",
      share=True),
    q("sucecr", "m", "do early-career people get funded as often as the others?",
      "c.groupby('ecr').won.mean()", "d.groupby('ecr').won.mean()", share=True),
    q("frac", "m", "What fraction of the money requested was actually granted?", "d.aw.sum()/d.asked.sum()",
      assumes("a.aw.sum()/a.asked.sum()"), assumes("c.aw.sum()/c.asked.sum()"),
      assumes("(a.aw/a.asked).mean()"), share=True),
    q("wait", "m", "mean days from submission to decision", "d.days.mean()"),
    q("waitw", "m", "typical waiting time in weeks for a decision, by programme",
      "d.groupby('programme').days.median()/7", "d.groupby('programme').days.mean()/7"),
    q("monthly", "m", "line chart of the number of submissions each month", "d.groupby('month').size()",
      chart="line"),
    q("big", "m", "applications asking for more than 250k", "(d.asked>250000).sum()",
      "Keys(d[d.asked>250000].app_no)"),
    q("bands", "m", "count applications by sum asked: under 50k, 50-100k, 100-250k, over 250k",
      "pd.cut(d.asked,[0,50000,100000,250000,9000000]).value_counts()",
      "pd.cut(d.asked,[0,50000,100000,250000,9000000],right=False).value_counts()",
      "pd.cut(d.asked,[0,50000,100000,250000,9000000],labels=BANDS).value_counts()",
      "pd.cut(d.asked,[0,50000,100000,250000,9000000],right=False,labels=BANDS).value_counts()"),
    q("scatter", "m", "scatter rev1_score vs panelScore", "Pairs(d.rev1_score,d.panelScore)",
      "Pairs(d.panelScore,d.rev1_score)", chart="scatter"),
    q("corr", "m", "how strongly do the scores of reviewer 1 and reviewer 2 correlate?",
      "d.rev1_score.corr(d.rev2_score)", assumes("d.rev1_score.corr(d.rev2_score,method='spearman')")),
    q("box", "m", "boxplot panel score by status (awarded / rejected)", "box(c,'status','panelScore')",
      "box(d[d.panelScore.notna()],'status','panelScore')", chart="box"),
    q("pivot", "m", "Please give me a table with faculties as rows, programmes as columns and the number of "
      "applications in the cells", "pd.crosstab(d.f,d.programme)"),
    q("top10", "m", "ten applicants with the most award money", "top(d.groupby('applicant').aw.sum(),10)"),
    q("eng22", "m", "money awarded to engineering for applications submitted in 2022",
      "d[(d.f=='Engineering')&(d.year==2022)].aw.sum()"),
    q("dec22", "m", "decisions made per month in 2022",
      "d[d.dyear==2022].groupby(d.dec.dt.to_period('M')).size()",
      "d[d.dyear==2022].groupby(d.dec.dt.month).size()",
      "d[d.dyear==2022].groupby(d.dec.dt.month_name()).size()"),
    q("goodrej", "m", "share of rejected applications that had a panel score of 7 or better",
      "(d[d.status=='rejected'].panelScore>=7).mean()",
      "(d[d.status=='rejected'].panelScore.dropna()>=7).mean()", share=True),
    q("travel", "m", "avg award travel programme", "d[d.programme=='Travel'].aw.mean()"),
    q("women", "m", "success rate of women compared to men", REFUSE),
    q("sci", "m", "what pct of applications come from Science", "(d.f=='Science').mean()", share=True),
    q("spent", "m", "how much of the awarded money has been spent so far?", REFUSE),
    q("solo", "m", "applications without any co-applicants vs. with: average panel score",
      "d.groupby(d.co_applicants==0).panelScore.mean()",
      "d.groupby(d.co_applicants.gt(0).map({True:'with',False:'without'})).panelScore.mean()"),
    q("yoy", "h", "year over year growth in the number of applications, in %",
      "d.year.value_counts().sort_index().pct_change().dropna()", share=True),
    q("facyear", "h", "success rate by faculty and year of submission",
      "c.pivot_table(index='f',columns='year',values='won')",
      "d.pivot_table(index='f',columns='year',values='won')", share=True),
    q("star", "h", "For each faculty, which applicant has won the most money?",
      "d.groupby(['f','applicant']).aw.sum().unstack().idxmax(axis=1)"),
    q("disagree", "h", "in how many cases do the two reviewers differ by 3 points or more", "(d.gap>=3).sum()"),
    q("gapprog", "h", "average absolute difference between rev1 and rev2 by programme",
      "d.groupby('programme').gap.mean()"),
    q("slice", "h", "each faculty's slice of all awarded money in percent, and applications likewise?",
      "pd.DataFrame({'money':d.groupby('f').aw.sum()/d.aw.sum(),'applications':d.f.value_counts()/len(d)})",
      share=True),
    q("permonth", "h", "how many euros do we award per project month, by programme?",
      "a.groupby('programme').aw.sum()/a.groupby('programme').duration_mo.sum()",
      "(a.aw/a.duration_mo).groupby(a.programme).mean()",
      assumes("(a.aw/a.duration_mo).groupby(a.programme).median()")),
    q("cut", "h", "By how many percent are successful applications cut on average (awarded vs asked)?",
      "a.cut.mean()", "1-a.aw.sum()/a.asked.sum()", share=True),
    q("serial", "h", "applicants with at least 6 awards",
      "(lambda s: Keys(s[s>=6].index))(a.applicant.value_counts())",
      "(lambda s: s[s>=6])(a.applicant.value_counts())", "(a.applicant.value_counts()>=6).sum()"),
    q("unlucky", "h", "who applied 7 times or more and never won anything",
      "(lambda g: Keys(g.size()[(g.size()>=7)&(g.won.sum()==0)].index))(d.groupby('applicant'))",
      "(lambda g: g.size()[(g.size()>=7)&(g.won.sum()==0)])(d.groupby('applicant'))"),
    q("second", "h", "is it worth resubmitting? success rate of resubmissions vs first attempts",
      "c.groupby('again').won.mean()", "d.groupby('again').won.mean()", share=True),
    q("sucscore", "h", "success rate by panel score in bands of one point",
      "c.groupby(pd.cut(c.panelScore,range(1,12),right=False)).won.mean().dropna()",
      "d.groupby(pd.cut(d.panelScore,range(1,12),right=False)).won.mean().dropna()",
      "c.groupby(pd.cut(c.panelScore,range(0,11))).won.mean().dropna()",
      "d.groupby(pd.cut(d.panelScore,range(0,11))).won.mean().dropna()",
      "c.groupby(c.panelScore//1).won.mean()", "d.groupby(d.panelScore//1).won.mean()", share=True),
    q("slower", "h", "Are we getting slower? average decision time in days per year of submission",
      "d.groupby('year').days.mean()", assumes("d.groupby('year').days.median()")),
    q("cumul", "h", "cumulative money awarded by month of decision as a line",
      "a.groupby(a.dec.dt.to_period('M')).aw.sum().cumsum()", chart="line"),
    q("stack", "h", "stacked bar chart, awarded sum per submission year split by faculty",
      "d.pivot_table(index='year',columns='f',values='aw',aggfunc='sum')", chart="bar"),
    q("fast", "h", "percentage of decided applications where the decision came within 90 days",
      "(c.days<=90).mean()", "(c.days<90).mean()", share=True),
    q("rank", "h", "rank the programmes from best to worst success rate",
      "c.groupby('programme').won.mean().sort_values(ascending=False)",
      "d.groupby('programme').won.mean().sort_values(ascending=False)", order=True, share=True),
    q("quarter", "h", "in which quarter (by decision date) did we award the most money",
      "top(a.groupby(a.dec.dt.to_period('Q')).aw.sum())",
      assumes("top(a.groupby(a.dec.dt.quarter).aw.sum())")),
    q("gap", "h", "difference in mean panel score between awarded and rejected applications",
      "(lambda s: s['awarded']-s['rejected'])(c.groupby('status').panelScore.mean())",
      "(lambda s: s['rejected']-s['awarded'])(c.groupby('status').panelScore.mean())",
      "c.groupby('status').panelScore.mean()"),
]
