"""Insurance claims with money as text, three dates and a free reason for what was refused."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(5105)
    n = 2300
    happened = pd.Timestamp("2022-03-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    filed = happened + pd.to_timedelta(rng.gamma(1.2, 9, n).round().astype(int), unit="D")
    settled = pd.Series(filed + pd.to_timedelta(rng.gamma(2, 21, n).round().astype(int) + 1, unit="D"))
    status = pd.Series(rng.choice(["Approved", "approved", "Denied", "Pending"], n,
                                  p=[.58, .1, .2, .12]))
    settled[status == "Pending"] = pd.NaT
    amount = rng.gamma(1.3, 2400, n).round(2) + 80
    paid = np.where(status.str.lower() == "approved", (amount * rng.uniform(.6, 1, n)).round(2), 0)
    return {"claims": pd.DataFrame({
        "claim_no": np.arange(300001, 300001 + n), "policy_no": rng.integers(1, 1400, n) + 80000,
        "line": rng.choice(["motor", "home", "travel", "liability"], n, p=[.48, .27, .17, .08]),
        "loss_date": happened, "filed_date": filed, "settled_date": settled,
        "region": rng.choice(["Coast", "Hills", "Plains", "Capital"], n, p=[.22, .18, .25, .35]),
        "adjuster": rng.choice(["Ines", "Jonas", "Kofi", "Lena", "Mats", "Noor"], n),
        "claim_amt": [f"${a:,.2f}" for a in amount], "paid_amt": [f"${p:,.2f}" for p in paid],
        "deductible": rng.choice([0, 150, 300, 500, 1000], n, p=[.1, .25, .35, .2, .1]),
        "status": status, "denial_reason": pd.Series(rng.choice(
            ["not covered", "late report", "no proof", "fraud"], n)).where(status == "Denied"),
        "severity": rng.choice(["minor", "moderate", "major", "total loss"], n, p=[.45, .33, .16, .06]),
        "policyholder_age": rng.integers(18, 88, n), "witness": rng.choice(["T", "F"], n, p=[.3, .7]),
        "lawyer_involved": rng.choice([0, 1], n, p=[.93, .07])})}


def prepare(claims):
    d = claims
    for name in ("claim", "paid"):
        d[name] = d[name + "_amt"].str.replace("[$,]", "", regex=True).astype(float)
    d["st"] = d.status.str.lower()
    d["delay"] = (d.filed_date - d.loss_date).dt.days
    d["work"] = (d.settled_date - d.filed_date).dt.days
    d["month"], d["year"] = d.filed_date.dt.to_period("M"), d.filed_date.dt.year
    d["wit"] = d.witness == "T"
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many claims per line of business?", "d.line.value_counts()"),
    q("amt", "e", "total claim amount by region", "d.groupby('region').claim.sum()"),
    q("avg", "e", "average claim amount", "d.claim.mean()"),
    q("paid", "e", "how much did we pay out in total?", "d.paid.sum()"),
    q("st", "e", "claims by status", "d.st.value_counts()"),
    q("den", "e", "how many claims were denied?", "(d.st=='denied').sum()"),
    q("reason", "e", "denial reasons, most common first", "d.denial_reason.value_counts()"),
    q("adj", "e", "which adjuster handles the most claims?", "top(d.adjuster.value_counts())"),
    q("ded", "e", "average deductible by line", "d.groupby('line').deductible.mean()"),
    q("sev", "e", "claims by severity from minor to total loss",
      "d.severity.value_counts().reindex(['minor','moderate','major','total loss'])", order=True),
    q("hist", "e", "histogram of claim amounts", "Hist(d.claim)", chart="hist"),
    q("pol", "e", "how many policies had a claim?", "d.policy_no.nunique()"),
    q("law", "e", "number of claims with a lawyer involved", "d.lawyer_involved.sum()"),
    q("denr", "m", "denial rate per line", "(d.st=='denied').groupby(d.line).mean()", share=True),
    q("appr", "m", "share of approved claims by adjuster, in percent",
      "(d.st=='approved').groupby(d.adjuster).mean()", share=True),
    q("pend", "m", "value of pending claims", "d[d.st=='pending'].claim.sum()"),
    q("fraud", "m", "how many claims were turned down because of fraud?",
      "(d.denial_reason=='fraud').sum()"),
    q("mon", "m", "claims filed per month", "d.month.value_counts().sort_index()"),
    q("loss", "m", "losses by month of the loss date",
      "d.loss_date.dt.to_period('M').value_counts().sort_index()",
      "d.groupby(d.loss_date.dt.to_period('M')).claim.sum()",
      "d.loss_date.dt.month.value_counts().sort_index()"),
    q("delay", "m", "average number of days between loss and filing", "d.delay.mean()"),
    q("work", "m", "how long does it take from filing to settlement, by line? median days",
      "d.groupby('line').work.median()"),
    q("fast", "m", "fastest adjuster: mean time from filed to settled",
      "bottom(d.groupby('adjuster').work.mean())"),
    q("unset", "m", "how many claims are not settled yet?", "d.settled_date.isna().sum()"),
    q("big", "m", "the 10 largest claims", "top(d.set_index('claim_no').claim,10)"),
    q("over10", "m", "number of claims over $10,000", "(d.claim>10000).sum()"),
    q("over10p", "m", "what percentage of motor claims is above 5k?",
      "(d[d.line=='motor'].claim>5000).mean()", share=True),
    q("wit", "m", "mean payout with and without a witness", "d.groupby('witness').paid.mean()"),
    q("old", "m", "average claim of policyholders over 65", "d[d.policyholder_age>65].claim.mean()"),
    q("agebox", "m", "box plot of policyholder age by severity",
      "box(d,'severity','policyholder_age')", chart="box"),
    q("xt", "m", "line by region table with the number of claims", "pd.crosstab(d.line,d.region)"),
    q("ham", "m", "total paid in 2023 for home and travel",
      "d[(d.year==2023)&d.line.isin(['home','travel'])].paid.sum()",
      "d[(d.year==2023)&d.line.isin(['home','travel'])].groupby('line').paid.sum()"),
    q("yrs", "m", "claim amount paid per year", "d.groupby('year').paid.sum()"),
    q("nodeduct", "m", "claims without deductible", "(d.deductible==0).sum()",
      "Keys(d[d.deductible==0].claim_no)"),
    q("ratio", "h", "paid amount as a percentage of claimed amount per line",
      "d.groupby('line').paid.sum()/d.groupby('line').claim.sum()", share=True),
    q("net", "h", "total of claim amount minus deductible by region",
      "(d.claim-d.deductible).groupby(d.region).sum()"),
    q("week", "h", "share of claims filed within a week of the loss",
      "(d.delay<=7).mean()", "(d.delay<7).mean()", share=True),
    q("slow90", "h", "how many claims took more than 90 days to settle?", "(d.work>90).sum()"),
    q("sevsh", "h", "severity mix per line (row percentages)",
      "pd.crosstab(d.line,d.severity,normalize='index')", share=True),
    q("topadj", "h", "for every region the adjuster with the highest total payout",
      "d.groupby(['region','adjuster']).paid.sum().unstack().idxmax(axis=1)"),
    q("rep", "h", "policies with more than 4 claims",
      "(lambda s: s[s>4])(d.policy_no.value_counts())",
      "(lambda s: Keys(s[s>4].index))(d.policy_no.value_counts())",
      "(d.policy_no.value_counts()>4).sum()"),
    q("repp", "h", "what share of policies had more than one claim?",
      "(d.policy_no.value_counts()>1).mean()", share=True),
    q("avgper", "h", "average amount paid per policy", "d.paid.sum()/d.policy_no.nunique()"),
    q("yoy", "h", "percent change in number of claims, 2023 vs 2022",
      "((d.year==2023).sum()/(d.year==2022).sum()-1)*100", share=True),
    q("cumu", "h", "cumulative payout by month of settlement",
      "d.groupby(d.settled_date.dt.to_period('M')).paid.sum().cumsum()"),
    q("diff", "h", "difference in average claim between the capital and the coast",
      "d[d.region=='Capital'].claim.mean()-d[d.region=='Coast'].claim.mean()",
      "d[d.region=='Coast'].claim.mean()-d[d.region=='Capital'].claim.mean()",
      "d[d.region.isin(['Capital','Coast'])].groupby('region').claim.mean()"),
    q("lawp", "h", "how much more expensive are claims with a lawyer than without?",
      "d.groupby('lawyer_involved').claim.mean()",
      "d.groupby('lawyer_involved').claim.mean().diff().iloc[-1]",
      "d.groupby('lawyer_involved').paid.mean()",
      "d.groupby('lawyer_involved').paid.mean().diff().iloc[-1]"),
    q("age10", "h", "average claim by age band of 10 years",
      "d.groupby(d.policyholder_age//10*10).claim.mean()"),
    q("above", "h", "adjusters whose denial rate is above 19%",
      "(lambda s: s[s>.19])((d.st=='denied').groupby(d.adjuster).mean())",
      "(lambda s: Keys(s[s>.19].index))((d.st=='denied').groupby(d.adjuster).mean())", share=True),
    q("prem", "m", "loss ratio against premiums", REFUSE),
    q("car", "m", "claims by car make", REFUSE),
]
