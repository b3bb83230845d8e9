"""Receivables of a small consultancy: invoices and the clients they went to; amounts kept as text."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

ASOF = pd.Timestamp("2024-10-15")


def make():
    rng = np.random.default_rng(61207)
    names = ["Aldervale", "Brightwater", "Cobalt Foods", "Delmar", "Eastgate", "Fennick", "Gantry",
             "Halden", "Iverness", "Juno Labs", "Kestrel", "Lindqvist", "Mirador", "Northbank",
             "Orchard", "Pelham", "Quayside", "Rothmann", "Solvang", "Tamarind", "Umbria", "Verlinden",
             "Westerhof", "Yarrow", "Zephyr", "Ambrose", "Bellweather", "Corvo", "Duinzicht", "Elmhurst"]
    k = len(names)
    ids = np.array([f"C{i:03}" for i in range(101, 101 + k)])
    country = rng.choice(["NL", "DE", "BE", "UK"], k, p=[.5, .2, .18, .12])
    country[[2, 10, 27]] = "UK"
    terms = rng.choice([14, 30, 45, 60], k, p=[.2, .45, .2, .15])
    clients = pd.DataFrame({
        "client_id": ids, "ClientName": names,
        "sector": rng.choice(["Public", "Retail", "Energy", "Health", "Finance"], k),
        "country": country, "terms_days": terms,
        "acct_mgr": rng.choice(["Noor", "Pieter", "Saskia", "Tom"], k, p=[.4, .25, .2, .15]),
        "credit_limit": rng.choice([10000, 15000, 25000, 40000], k)})
    clients = pd.concat([clients, pd.DataFrame({
        "client_id": ["C131", "C132"], "ClientName": ["Falkner", "Moorgate"], "sector": ["Retail", "Health"],
        "country": ["DE", "NL"], "terms_days": [30, 30], "acct_mgr": ["Tom", None],
        "credit_limit": [10000, 15000]})], ignore_index=True)

    n = 430
    weight = rng.gamma(1.1, 1, k) + .08
    who = rng.choice(k, n, p=weight / weight.sum())
    day = np.sort(rng.integers(0, 630, n))
    issue = pd.Series(pd.Timestamp("2023-01-09") + pd.to_timedelta(day, unit="D"))
    issue = issue.where(issue.dt.dayofweek < 5, issue - pd.Timedelta(days=2))
    svc = pd.Series(rng.choice(["Strategy", "Data", "Training", "Interim"], n, p=[.32, .3, .2, .18]))
    cons = pd.Series(rng.choice(["A. Okafor", "B. Jansen", "C. Weiss", "D. Moreau", "E. Smit", "F. Lund"],
                                n, p=[.26, .22, .18, .14, .12, .08]))
    fixed = rng.random(n) < .24
    hours = pd.Series((rng.gamma(2.6, 17, n) * 2).round() / 2 + 2)
    base = svc.map({"Strategy": 145, "Data": 120, "Training": 105, "Interim": 95})
    up = cons.map({"A. Okafor": 20, "B. Jansen": 5, "C. Weiss": 0, "D. Moreau": 10, "E. Smit": -5,
                   "F. Lund": -10})
    rate = base + up + np.where(issue.dt.year == 2024, 7.5, 0) + rng.choice([-5, 0, 0, 5], n)
    net = (hours * rate).round(2).where(~fixed, (hours * rate * rng.normal(.93, .22, n) / 50).round() * 50)
    net = net.clip(lower=250)
    disputed = pd.Series(rng.random(n) < svc.map({"Strategy": .07, "Data": .11, "Training": .04,
                                                  "Interim": .15}))
    due = issue + pd.to_timedelta(pd.Series(terms[who]), unit="D")
    lag = rng.gamma(2.2, 9, n) - 17 + disputed * 24 + rng.normal(0, 3, k)[who] + net / 1500
    paid = due + pd.to_timedelta(lag.round().clip(lower=-12), unit="D")
    paid = paid.where(paid > issue, issue + pd.Timedelta(days=1))
    lost = rng.random(n) < np.where(disputed, .14, .015)
    status = pd.Series(np.where(lost, "written off", np.where(paid > ASOF, "open", "paid")))
    stuck = (disputed & (rng.random(n) < .12)) | (rng.random(n) < .03)
    stuck |= due.between("2024-06-20", "2024-09-20") & (rng.random(n) < .2)
    status[stuck & ~lost] = "open"
    late = (paid.where(status == "paid", ASOF) - due).dt.days
    reminders = (np.clip(late, 0, 60) / 18 + rng.random(n) * .7).astype(int).clip(0, 3)
    paid[status != "paid"] = pd.NaT
    method = pd.Series(rng.choice(["bank transfer", "direct debit", "card"], n, p=[.7, .19, .11]))
    vat = np.where(country[who] != "NL", 0, np.where(svc == "Training", 9, 21))
    shown = svc.where(rng.random(n) > .07, svc.str.lower())
    shown = shown.where(rng.random(n) > .03, shown.str.upper())
    yes = pd.Series(np.where(disputed, "Yes", "No"))
    yes = yes.where(rng.random(n) > .12, yes.str.lower())
    cid = pd.Series(ids[who])
    cid[rng.choice(n, 3, replace=False)] = None
    invoices = pd.DataFrame({
        "InvNo": [f"{y}-{i:04}" for y, i in zip(issue.dt.year, range(1, n + 1))],
        "client_id": cid, "issue_dt": issue, "due_dt": due, "paid_on": paid.dt.strftime("%Y-%m-%d"),
        "svc_line": shown, "Consultant": cons, "bill_type": np.where(fixed, "fixed", "T&M"),
        "hrs": hours.mask(rng.random(n) < .03), "rate_eur": rate.mask(fixed),
        "net_amt": [f"€{x:,.2f}" for x in net], "VATpct": vat, "status": status, "disputed": yes,
        "n_reminders": reminders, "pay_method": method.where(status == "paid"),
        "PO_ref": pd.Series([f"PO{i}" for i in rng.integers(40000, 49999, n)]).mask(rng.random(n) < .31)})
    return {"invoices": invoices, "clients": clients}


def prepare(invoices, clients):
    d = invoices.merge(clients, on="client_id", how="left")
    d["net"] = d.net_amt.str.replace("[€,]", "", regex=True).astype(float)
    d["vat"] = d.net * d.VATpct / 100
    d["gross"] = d.net + d.vat
    d["svc"] = d.svc_line.str.capitalize()
    d["disp"] = d.disputed.str.lower() == "yes"
    d["paid"] = pd.to_datetime(d.paid_on)
    d["dtp"] = (d.paid - d.issue_dt).dt.days
    d["over"] = (d.paid - d.due_dt).dt.days
    d["late"] = d.over > 0
    d["m"] = d.issue_dt.dt.to_period("M")
    d["qu"] = d.issue_dt.dt.to_period("Q")
    d["y"] = d.issue_dt.dt.year
    p = d[d.paid.notna()]
    o = d[d.status == "open"]
    iqr = d.net.quantile(.75) - d.net.quantile(.25)
    far = (d.net > d.net.quantile(.75) + 1.5 * iqr) | (d.net < d.net.quantile(.25) - 1.5 * iqr)
    z = ((d.net - d.net.mean()) / d.net.std()).abs() > 3
    overdue = o.assign(od=(ASOF - o.due_dt).dt.days)
    overdue["band"] = pd.cut(overdue.od, [-1e9, 0, 30, 60, 90, 1e9])
    return {"d": d, "c": clients, "p": p, "o": o, "far": far, "z": z, "aged": overdue}


QUESTIONS = [
    # --- one column, or one by another
    q("n", "e", "number of invoices per service line", "d.svc.value_counts()"),
    q("sector", "e", "How many clients do we have in each sector?", "c.sector.value_counts()",
      assumes("c[c.client_id.isin(d.client_id)].sector.value_counts()")),
    q("cons", "e", "total billed per consultant", "d.groupby('Consultant').net.sum()",
      assumes("d.groupby('Consultant').gross.sum()")),
    q("rate", "e", "avg hourly rate by service", "d.groupby('svc').rate_eur.mean()",
      assumes("d.dropna(subset='hrs').groupby('svc').net.sum()/d.groupby('svc').hrs.sum()")),
    q("disp", "e", "how many invoices are disputed?", "d.disp.sum()"),
    q("status", "e", "invoices by status pls", "d.status.value_counts()"),
    q("hrsline", "e", "draw a line chart of the hours billed each month", "d.groupby('m').hrs.sum()",
      chart="line"),
    q("hist", "e", "histogram of invoice amounts", "Hist(d.net)", assumes("Hist(d.gross)"), chart="hist"),
    q("ctry", "e", "revenue by country as a bar chart", "d.groupby('country').net.sum()",
      assumes("d.groupby('country').gross.sum()"), chart="bar"),
    q("big", "e", "what's the largest invoice we ever sent?", "top(d.set_index('InvNo').net)", "d.net.max()",
      assumes("top(d.set_index('InvNo').gross)"), assumes("d.gross.max()")),
    q("pie", "e", "pie chart of payment methods", "d.pay_method.value_counts()",
      assumes("d.groupby('pay_method').net.sum()"), chart="pie"),
    q("medh", "e", "median hours on an invoice", "d.hrs.median()"),
    q("nopo", "e", "how many invoices went out without a PO number?", "d.PO_ref.isna().sum()"),
    q("range", "e", "lowest and highest hourly rate we charge", "Values([d.rate_eur.min(), d.rate_eur.max()])"),
    q("scat", "e", "scatter plot hours vs invoice amount", "Pairs(d.hrs, d.net)", "Pairs(d.net, d.hrs)",
      assumes("Pairs(d.hrs, d.gross)"), chart="scatter"),
    q("box", "e", "boxplot of net amount for fixed price and time & material", "box(d, 'bill_type', 'net')",
      chart="box"),
    q("mosth", "e", "Who has billed the most hours?", "top(d.groupby('Consultant').hrs.sum())"),
    q("rem", "e", "total number of reminders we had to send", "d.n_reminders.sum()"),

    # --- a condition, a join, a duration or a rate
    q("dtp", "m", "on average, how many days after issuing do we get our money?", "d.dtp.mean()"),
    q("dtps", "m", "average time to payment by sector", "p.groupby('sector').dtp.mean()"),
    q("latec", "m", "which countries pay late? give me the late rate for each", "p.groupby('country').late.mean()",
      assumes("d.groupby('country').late.mean()"),
      assumes("(d.late|((d.status=='open')&(d.due_dt<pd.Timestamp('2024-10-15')))).groupby(d.country).mean()"),
      assumes("(d.late|(d.status=='open')).groupby(d.country).mean()"),
      assumes("(d.late|d.paid.isna()).groupby(d.country).mean()"), share=True),
    q("owes", "m", "which client owes us the most right now, VAT included?",
      "top(o.groupby('ClientName').gross.sum())", "top(o.groupby('client_id').gross.sum())",
      assumes("top(d[d.paid.isna()].groupby('ClientName').gross.sum())"),
      assumes("top(d[d.paid.isna()].groupby('client_id').gross.sum())")),
    q("top5", "m", "top 5 clients by turnover", "top(d.groupby('ClientName').net.sum(), 5)",
      "top(d.groupby('client_id').net.sum(), 5)", assumes("top(d.groupby('ClientName').gross.sum(), 5)"),
      assumes("top(p.groupby('ClientName').net.sum(), 5)")),
    q("q1", "m", "what did we invoice in Q1 2024?", "d[d.qu=='2024Q1'].net.sum()",
      assumes("d[d.qu=='2024Q1'].gross.sum()"), assumes("(d.qu=='2024Q1').sum()")),
    q("over10", "m", "how many bills over 10k (ex VAT)?", "(d.net>10000).sum()"),
    q("dispr", "m", "dispute rate by service line", "d.groupby('svc').disp.mean()", share=True),
    q("dispa", "m", "Are disputed invoices larger than undisputed ones?", "d.groupby('disp').net.mean()",
      "d.groupby('disp').net.median()", "d[d.disp].net.mean()-d[~d.disp].net.mean()",
      assumes("d.groupby('disp').gross.mean()")),
    q("woff", "m", "how much did we write off per year", "d[d.status=='written off'].groupby('y').net.sum()",
      assumes("d[d.status=='written off'].groupby('y').gross.sum()"),
      assumes("d[d.status=='written off'].groupby(d.due_dt.dt.year).net.sum()")),
    q("wk", "m", "on which day of the week do most invoices go out?",
      "top(d.issue_dt.dt.day_name().value_counts())"),
    q("due", "m", "number of invoices falling due in June 2024",
      "((d.due_dt>='2024-06-01')&(d.due_dt<'2024-07-01')).sum()"),
    q("corr", "m", "does the size of an invoice correlate with how long payment takes?", "d.net.corr(d.dtp)",
      "d.gross.corr(d.dtp)", assumes("d.net.corr(d.dtp, method='spearman')"), assumes("d.net.corr(d.over)")),
    q("secpie", "m", "show me a pie of revenue by sector", "d.groupby('sector').net.sum()",
      assumes("d.groupby('sector').gross.sum()"), chart="pie"),
    q("card", "m", "mean net amount of the ones paid by card", "d[d.pay_method=='card'].net.mean()"),
    q("t60", "m", "clients on 60-day terms", "Keys(c[c.terms_days==60].ClientName)",
      "Keys(c[c.terms_days==60].client_id)", "(c.terms_days==60).sum()"),
    q("early", "m", "how many were paid before the due date?", "(d.over<0).sum()", assumes("(d.over<=0).sum()")),
    q("nas", "m", "missing values per column in the invoices table", "invoices.isna().sum()",
      assumes("invoices.isna().mean()")),
    q("open", "m", "total still outstanding incl. VAT", "o.gross.sum()", assumes("d[d.paid.isna()].gross.sum()")),
    q("heat", "m", "heatmap of billed hours by consultant and month",
      "d.groupby(['Consultant','m']).hrs.sum().unstack()", chart="heat"),

    # --- several steps
    q("age", "h", "age the open invoices as of 15 October 2024: not yet due, 1-30 days overdue, 31-60, 61-90, "
      "more than 90", "Values(aged.groupby('band', observed=False).size().tolist())",
      "Values(aged.groupby('band', observed=False).net.sum().tolist())",
      "Values(aged.groupby('band', observed=False).gross.sum().tolist())"),
    q("cum", "h", "running total of revenue by month for 2024", "d[d.y==2024].groupby('m').net.sum().cumsum()",
      assumes("d[d.y==2024].groupby('m').gross.sum().cumsum()"),
      assumes("d.groupby('m').net.sum().cumsum()['2024':]")),
    q("roll", "h", "3 month moving average of hours", "d.groupby('m').hrs.sum().rolling(3).mean().dropna()",
      "d.groupby('m').hrs.sum().rolling(3, min_periods=1).mean()"),
    q("mom", "h", "by how many percent did net revenue grow or shrink each month?",
      "(d.groupby('m').net.sum().pct_change()*100).dropna()", share=True),
    q("conc", "h", "how much of our revenue depends on the five biggest clients? in %",
      "d.groupby('client_id').net.sum().nlargest(5).sum()/d.net.sum()",
      "d.groupby('client_id').net.sum().nlargest(5).sum()/d.dropna(subset='client_id').net.sum()",
      assumes("d.groupby('client_id').gross.sum().nlargest(5).sum()/d.gross.sum()"), share=True),
    q("r2324", "h", "did hourly rates for Data work go up from 2023 to 2024?",
      "d[d.svc=='Data'].groupby('y').rate_eur.mean()", "d[d.svc=='Data'].groupby('y').rate_eur.median()",
      "d[(d.svc=='Data')&(d.y==2024)].rate_eur.mean()-d[(d.svc=='Data')&(d.y==2023)].rate_eur.mean()"),
    q("w30", "h", "% of invoices settled within 30 days of issue", "(d.dtp<=30).mean()", "(p.dtp<=30).mean()",
      share=True),
    q("limit", "h", "which clients have more open than their credit limit allows?",
      "(lambda s: Keys(s[s>c.set_index('ClientName').credit_limit.reindex(s.index)].index))"
      "(o.groupby('ClientName').gross.sum())",
      "(lambda s: Keys(s[s>c.set_index('client_id').credit_limit.reindex(s.index)].index))"
      "(o.groupby('client_id').gross.sum())",
      "(lambda s: Keys(s[s>c.set_index('ClientName').credit_limit.reindex(s.index)].index))"
      "(o.groupby('ClientName').net.sum())",
      "(lambda s: Keys(s[s>c.set_index('client_id').credit_limit.reindex(s.index)].index))"
      "(o.groupby('client_id').net.sum())"),
    q("none", "h", "clients that we have not invoiced at all in 2024",
      "Keys(c[~c.client_id.isin(d[d.y==2024].client_id)].ClientName)",
      "Keys(c[~c.client_id.isin(d[d.y==2024].client_id)].client_id)",
      "(~c.client_id.isin(d[d.y==2024].client_id)).sum()"),
    q("eff", "h", "effective rate per hour on fixed price jobs, by consultant",
      "(lambda f: f.groupby('Consultant').net.sum()/f.groupby('Consultant').hrs.sum())"
      "(d[(d.bill_type=='fixed')&d.hrs.notna()])",
      assumes("(lambda f: (f.net/f.hrs).groupby(f.Consultant).mean())(d[d.bill_type=='fixed'])")),
    q("out", "h", "any outliers among the net amounts?", "far.sum()", "Keys(d[far].InvNo)", "Keys(d[far].net)",
      assumes("z.sum()"), assumes("Keys(d[z].InvNo)")),
    q("yoy", "h", "first half of 2024 against first half of 2023: change in revenue, percent",
      "d[(d.y==2024)&(d.issue_dt.dt.month<7)].net.sum()/d[(d.y==2023)&(d.issue_dt.dt.month<7)].net.sum()-1",
      assumes("d[(d.y==2024)&(d.issue_dt.dt.month<7)].gross.sum()"
              "/d[(d.y==2023)&(d.issue_dt.dt.month<7)].gross.sum()-1"), share=True),
    q("slow", "h", "when invoices are paid late, how many days late are they, by account manager?",
      "d[d.late].groupby('acct_mgr').over.mean()", "d[d.late].groupby('acct_mgr').over.median()"),
    q("vatq", "h", "VAT charged per quarter", "d.groupby('qu').vat.sum()"),
    q("many", "h", "consultants with over 1000 hours in 2024",
      "(lambda s: s[s>1000])(d[d.y==2024].groupby('Consultant').hrs.sum())",
      "(lambda s: Keys(s[s>1000].index))(d[d.y==2024].groupby('Consultant').hrs.sum())",
      "(d[d.y==2024].groupby('Consultant').hrs.sum()>1000).sum()"),
    q("slow3", "h", "three slowest payers among clients with at least 10 paid invoices",
      "top((lambda g: g.mean()[g.count()>=10])(p.groupby('ClientName').dtp), 3)",
      "top((lambda g: g.mean()[g.count()>=10])(p.groupby('client_id').dtp), 3)",
      assumes("top((lambda g: g.mean()[g.count()>=10])(p.groupby('ClientName').over), 3)"),
      assumes("top((lambda g: g.median()[g.count()>=10])(p.groupby('ClientName').dtp), 3)")),

    q("trend", "h", "are clients paying us faster or slower over time? days to payment by month of issue",
      "p.groupby('m').dtp.mean()", "p.groupby('m').dtp.median()"),

    # --- not in there
    q("margin", "m", "profit margin per service line", REFUSE),
    q("happy", "m", "client satisfaction score by sector", REFUSE),
]
