"""Two seasons of a theatre: its performances, and the orders for their tickets from the box office system."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, money, q

PLAYS = [  # title, genre, stage, minutes, interval, director, popularity, cost
    ("Hamlet", "drama", "Main", 195, "Y", "R. Okafor", .72, 6400),
    ("The Cherry Orchard", "drama", "Main", 155, "Y", "L. Brandt", .58, 5600),
    ("A Doll's House", "drama", "Courtyard", 120, "Y", "R. Okafor", .66, 3100),
    ("Waiting Rooms", "drama", "Studio", 85, "N", "S. Ilic", .55, 1250),
    ("Oleanna", "drama", "Studio", 80, "N", "L. Brandt", .62, 1100),
    ("Noises Off", "comedy", "Main", 140, "Y", "J. Pryce", .84, 5200),
    ("Twelfth Night", "comedy", "Courtyard", 150, "Y", "R. Okafor", .77, 3600),
    ("The Dinner Guest", "comedy", "Studio", 95, "N", "J. Pryce", .81, 1300),
    ("Cabaret", "musical", "Main", 160, "Y", "M. Duarte", .93, 9800),
    ("Little Shop of Horrors", "musical", "Courtyard", 125, "Y", "M. Duarte", .88, 5400),
    ("The Gruffalo Hunt", "kids", "Courtyard", 60, "N", "A. Winter", .79, 1900),
    ("Snow Queen", "kids", "Main", 90, "Y", "A. Winter", .9, 4700),
    ("Small Steps", "dance", "Studio", 70, "N", "K. Amsel", .49, 1700),
    ("Bodies of Water", "dance", "Main", 100, "N", "K. Amsel", .54, 5900),
    ("La Boheme (chamber)", "opera", "Courtyard", 130, "Y", "L. Brandt", .7, 7300),
    ("Dido & Aeneas", "opera", "Main", 75, "N", "M. Duarte", .63, 8200)]
SEATS = {"Main": 140, "Courtyard": 90, "Studio": 48}
PRICES = {"Main": (52, 38, 24), "Courtyard": (40, 30, 20), "Studio": (26, 22, 16)}


def make():
    rng = np.random.default_rng(90210)
    plays = pd.DataFrame(PLAYS, columns=["title", "genre", "stage", "min", "interval", "director",
                                         "pop", "cost"])
    n = 372
    nights = pd.date_range("2022-09-09", "2023-06-25").append(
        pd.date_range("2023-09-08", "2024-06-23"))
    weight = nights.dayofweek.map({0: .15, 1: .6, 2: .8, 3: 1, 4: 1.6, 5: 2.1, 6: 1.1}).to_numpy(float)
    night = nights[np.sort(rng.choice(len(nights), n, p=weight / weight.sum()))]
    play = plays.iloc[rng.choice(len(plays), n, p=(lambda w: w / w.sum())(
        rng.uniform(.5, 1.5, len(plays))))].reset_index(drop=True)
    first = ~play.title.duplicated()
    early = (play.genre == "kids").to_numpy() | ((night.dayofweek >= 5) & (rng.random(n) < .3))
    start = np.where(early, rng.choice(["11:00", "14:30", "15:00"], n, p=[.3, .3, .4]),
                     rng.choice(["19:00", "19:30", "20:00"], n, p=[.15, .6, .25]))
    off = (rng.random(n) < .045) & ~first.to_numpy()
    status = np.where(off, rng.choice(["cancelled", "Cancelled"], n), rng.choice(
        ["played", "Played"], n, p=[.85, .15]))
    genre = play.genre.where(rng.random(n) < .75, play.genre.str.capitalize())
    stars = pd.Series(np.clip(np.round(play["pop"] * 4.6 + rng.normal(0, .8, n)), 1, 5))
    stars[rng.random(n) < .47] = np.nan
    cost = (play.cost * .52 * rng.normal(1, .06, n)).round(-1).astype(int)
    perfs = pd.DataFrame({
        "perfId": [f"P{i:04}" for i in rng.permutation(n) + 101], "Title": play.title,
        "genre": genre, "stage": play.stage, "perf_date": night.strftime("%d-%b-%Y"),
        "startTime": start, "capacity": play.stage.map(SEATS), "run_min": play["min"],
        "interval": play.interval, "premiere": np.where(first, "yes", "no"),
        "director": play.director, "status": status, "press_stars": stars,
        "surtitles": (play.genre == "opera").to_numpy() | (rng.random(n) < .12),
        "costOfPerf": [f"£{x:,}" for x in cost]})
    # orders
    season = np.where(night > pd.Timestamp("2023-08-01"), 1.05, .94)
    boost = night.dayofweek.map({4: 1.1, 5: 1.15}).fillna(.95).to_numpy()
    target = np.minimum(1, play["pop"] * season * boost * rng.normal(1, .13, n)) * perfs.capacity
    rows = []
    for i, seats in enumerate(target.clip(lower=5).astype(int)):
        while seats > 0:
            k = min(seats, int(rng.choice([1, 2, 3, 4, 5, 6, 10], p=[.2, .47, .1, .13, .04, .04, .02])))
            rows.append((i, k))
            seats -= k
    of, qty = np.array(rows).T
    m = len(of)
    lead = np.floor(rng.exponential(17, m)).astype(int).clip(0, 120)
    hour = rng.choice(np.arange(9, 22), m, p=[.04, .08, .09, .1, .09, .07, .07, .07, .08, .09, .1, .08,
                                             .04])
    begin = pd.Series(start).str[:2].astype(int).to_numpy()[of]
    hour = np.where(lead == 0, np.minimum(hour, begin - 1), hour)
    sold = night[of] - pd.to_timedelta(lead, unit="D") + pd.to_timedelta(
        hour * 60 + rng.integers(0, 60, m), unit="m")
    channel = rng.choice(["web", "box office", "phone", "partner"], m, p=[.57, .24, .11, .08])
    channel = np.where((lead == 0) & (rng.random(m) < .5), "box office", channel)
    cat = rng.choice(3, m, p=[.3, .45, .25])
    full = np.array([PRICES[s] for s in play.stage])[of, cat]
    relief = pd.Series(rng.choice(["student", "senior", "member", ""], m, p=[.12, .13, .15, .6]))
    price = (full * relief.map({"student": .5, "senior": .8, "member": .85, "": 1})).round(2)
    back = off[of] | (rng.random(m) < np.where(channel == "partner", .06, .025))
    seen = rng.binomial(qty, np.where(channel == "partner", .86, .95)).astype(float)
    seen[back] = 0
    seen = pd.Series(seen).mask(pd.Series(off[of]))
    weight = rng.gamma(.6, 1, 3600) + .03
    who = pd.Series(rng.choice(np.arange(5001, 8601), m, p=weight / weight.sum()).astype(float))
    who[(channel == "partner") | ((channel == "box office") & (rng.random(m) < .7))] = np.nan
    area = pd.Series(rng.choice([f"LS{i}" for i in range(1, 20)] + ["BD1", "HG1", "WF1", "YO1"], m,
                                p=(lambda w: w / w.sum())(rng.gamma(1.2, 1, 23) + .1)))
    area = area.mask(who.isna() & (rng.random(m) < .8))
    by = np.argsort(sold.to_numpy(), kind="stable")
    sales = pd.DataFrame({
        "perfId": perfs.perfId.to_numpy()[of], "event": play.title.to_numpy()[of],
        "sold_at": sold.strftime("%d/%m/%Y %H:%M"), "channel": channel, "qty": qty,
        "price_cat": np.array(list("ABC"))[cat], "price_each": price,
        "concession": relief.replace("", None), "order_total": [f"£{x:,.2f}" for x in qty * price],
        "cust_no": who, "postcode": area, "refunded": np.where(back, "Y", "N"),
        "scanned": seen}).iloc[by].reset_index(drop=True)
    sales.insert(0, "order_id", np.arange(m) + 700001)
    return {"perfs": perfs, "sales": sales}


def prepare(perfs, sales):
    p, s = perfs, sales
    p["kind"], p["date"] = p.genre.str.lower(), pd.to_datetime(p.perf_date, format="%d-%b-%Y")
    p["month"], p["off"] = p.date.dt.to_period("M"), p.status.str.lower() == "cancelled"
    p["cost"], p["hour"] = money(p.costOfPerf), p.startTime.str[:2].astype(int)
    p["weekend"] = p.date.dt.dayofweek >= 5
    s["time"] = pd.to_datetime(s.sold_at, format="%d/%m/%Y %H:%M")
    s["month"], s["total"] = s.time.dt.to_period("M"), money(s.order_total)
    s["back"] = flag(s.refunded).astype(bool)
    s = s.merge(p[["perfId", "kind", "stage", "date", "weekend", "off", "director"]], on="perfId")
    s["lead"] = (s.date - s.time.dt.normalize()).dt.days
    kept = s[~s.back]
    p = p.set_index("perfId", drop=False).rename_axis("perf")
    p["sold"], p["kept"] = s.groupby("perfId").qty.sum(), kept.groupby("perfId").qty.sum()
    p["kept"] = p.kept.fillna(0)
    p["income"], p["real"] = s.groupby("perfId").total.sum(), kept.groupby("perfId").total.sum()
    p["real"] = p.real.fillna(0)
    return {"p": p, "s": s, "k": kept, "played": p[~p.off]}


QUESTIONS = [
    q("n", "e", "how many performances are on the schedule?", "len(p)"),
    q("genre", "e", "performances by genre", "p.kind.value_counts()",
      assumes("played.kind.value_counts()")),
    q("take", "e", "Total ticket income", "s.total.sum()", assumes("k.total.sum()")),
    q("tix", "e", "nr of tickets sold", "s.qty.sum()", assumes("k.qty.sum()")),
    q("stages", "e", "bar chart with the number of performances on each stage",
      "p.stage.value_counts()", assumes("played.stage.value_counts()"), chart="bar"),
    q("titles", "e", "Which titles were on the programme?", "Keys(sorted(p.Title.unique()))"),
    q("long", "e", "what's our longest show?", "top(p.groupby('Title').run_min.max())",
      "p.run_min.max()", "top(p.run_min)"),
    q("chan", "e", "orders per channel", "s.channel.value_counts()"),
    q("pie", "e", "pie: tickets sold by price category", "s.groupby('price_cat').qty.sum()",
      assumes("k.groupby('price_cat').qty.sum()"), chart="pie"),
    q("price", "e", "average price of a ticket", "s.price_each.mean()", "s.total.sum()/s.qty.sum()",
      assumes("k.price_each.mean()"), assumes("k.total.sum()/k.qty.sum()")),
    q("hist", "e", "I'd like to see the distribution of the order totals", "Hist(s.total)",
      assumes("Hist(k.total)")),
    q("off", "e", "how many performances got cancelled?", "p.off.sum()"),
    q("dir", "e", "who directed the most performances", "top(p.director.value_counts())",
      assumes("top(played.director.value_counts())")),
    q("surt", "e", "share of performances with surtitles", "p.surtitles.mean()",
      assumes("played.surtitles.mean()"), share=True),
    q("nobreak", "e", "number of performances that have no interval", "(p.interval=='N').sum()",
      assumes("(played.interval=='N').sum()")),
    q("largest", "e", "most tickets anybody bought in one order?", "s.qty.max()",
      assumes("k.qty.max()")),
    q("conc", "e", "tickets sold at each concession type", "s.groupby('concession').qty.sum()",
      "s.groupby(s.concession.fillna('missing')).qty.sum()",
      assumes("k.groupby('concession').qty.sum()")),
    q("anon", "e", "orders without a customer number - how many", "s.cust_no.isna().sum()"),
    q("stars", "e", "mean press stars per genre", "p.groupby('kind').press_stars.mean()",
      assumes("played.groupby('kind').press_stars.mean()")),
    q("xt", "e", "genre x stage, count of performances", "pd.crosstab(p.kind, p.stage)",
      assumes("pd.crosstab(played.kind, played.stage)")),
    q("line", "m", "Number of performances over time, by month, as a line chart please",
      "p.month.value_counts().sort_index()",
      "p.month.value_counts().reindex(pd.period_range(p.month.min(), p.month.max(), freq='M'), "
      "fill_value=0)", assumes("played.month.value_counts().sort_index()"), chart="line"),
    q("monthly", "m", "ticket income per month in which the order was placed",
      "s.groupby('month').total.sum()", assumes("k.groupby('month').total.sum()")),
    q("wend", "m", "how many performances do we have at weekends and how many on weekdays",
      "p.weekend.value_counts()", assumes("played.weekend.value_counts()"),
      assumes("(p.date.dt.dayofweek>=4).value_counts()")),
    q("start", "m", "most common starting time for main stage performances",
      "top(p[p.stage=='Main'].startTime.value_counts())",
      assumes("top(played[played.stage=='Main'].startTime.value_counts())")),
    q("refrate", "m", "refund rate by channel, worst first",
      "s.groupby('channel').back.mean().sort_values(ascending=False)",
      assumes("(s[s.back].groupby('channel').qty.sum()/s.groupby('channel').qty.sum())"
              ".sort_values(ascending=False)"),
      assumes("(s[s.back].groupby('channel').total.sum()/s.groupby('channel').total.sum())"
              ".sort_values(ascending=False)"), order=True, share=True),
    q("web", "m", "What proportion of our tickets is sold on the web?",
      "s[s.channel=='web'].qty.sum()/s.qty.sum()",
      assumes("k[k.channel=='web'].qty.sum()/k.qty.sum()"),
      assumes("(s.channel=='web').mean()"), share=True),
    q("xmas", "m", "orders placed in december 2023", "(s.month=='2023-12').sum()"),
    q("stud", "m", "income from student tickets in category A",
      "s[(s.concession=='student')&(s.price_cat=='A')].total.sum()",
      assumes("k[(k.concession=='student')&(k.price_cat=='A')].total.sum()")),
    q("eve", "m", "how many comedies started at 19:30 or later",
      "((p.kind=='comedy')&(p.startTime>='19:30')).sum()",
      assumes("((played.kind=='comedy')&(played.startTime>='19:30')).sum()"),
      assumes("p[(p.kind=='comedy')&(p.startTime>='19:30')].Title.nunique()")),
    q("size", "m", "average number of tickets per order for each channel",
      "s.groupby('channel').qty.mean()", assumes("k.groupby('channel').qty.mean()")),
    q("five", "m", "top five events by box office income", "top(s.groupby('event').total.sum(), 5)",
      assumes("top(k.groupby('event').total.sum(), 5)"),
      assumes("top(s[s.channel=='box office'].groupby('event').total.sum(), 5)")),
    q("over", "m", "which titles run for more than two and a half hours?",
      "Keys(sorted(p[p.run_min>150].Title.unique()))"),
    q("scan", "m", "% of tickets that were scanned at the door, cancelled performances (no scan value) left "
      "aside", "s.scanned.sum()/s[s.scanned.notna()].qty.sum()",
      assumes("k.scanned.sum()/k[k.scanned.notna()].qty.sum()"), share=True),
    q("box", "m", "box plots of ticket price for A, B and C", "box(s,'price_cat','price_each')",
      assumes("box(k,'price_cat','price_each')"), chart="box"),
    q("area", "m", "where do our audiences live? ten postcodes with the most tickets",
      "top(s.groupby('postcode').qty.sum(), 10)", assumes("top(k.groupby('postcode').qty.sum(), 10)")),
    q("review", "m", "percentage of performances that were not reviewed by the press (no stars)",
      "p.press_stars.isna().mean()", assumes("played.press_stars.isna().mean()"), share=True),
    q("cost", "m", "avg cost per performance by stage", "p.groupby('stage').cost.mean()",
      assumes("played.groupby('stage').cost.mean()")),
    q("q1", "m", "performances between 1 January and 31 March 2024 that were not cancelled",
      "p[~p.off].date.between('2024-01-01','2024-03-31').sum()",
      "Keys(p[~p.off&p.date.between('2024-01-01','2024-03-31')].perfId)"),
    q("hour", "m", "at which hour of the day do most people buy their tickets?",
      "top(s.time.dt.hour.value_counts())", assumes("top(s.groupby(s.time.dt.hour).qty.sum())")),
    q("prem", "m", "do premieres cost more than other performances?",
      "p.groupby('premiere').cost.mean()", assumes("played.groupby('premiere').cost.mean()")),
    q("occ", "h", "occupancy by stage (tickets sold divided by seats available), cancelled performances "
      "excluded", "played.groupby('stage').sold.sum()/played.groupby('stage').capacity.sum()",
      assumes("played.groupby('stage').kept.sum()/played.groupby('stage').capacity.sum()"), share=True),
    q("profit", "h", "Ticket income minus performance costs for every title. Which ones lose money?",
      "(lambda r: r[r<0])(p.groupby('Title').income.sum()-p.groupby('Title').cost.sum())",
      "p.groupby('Title').income.sum()-p.groupby('Title').cost.sum()",
      assumes("p.groupby('Title').real.sum()-p.groupby('Title').cost.sum()"),
      assumes("played.groupby('Title').income.sum()-played.groupby('Title').cost.sum()"),
      assumes("(lambda r: r[r<0])(p.groupby('Title').real.sum()-p.groupby('Title').cost.sum())"),
      assumes("(lambda r: r[r<0])(played.groupby('Title').income.sum()"
              "-played.groupby('Title').cost.sum())")),
    q("ahead", "h", "how many days ahead of the performance do people order, on average, by genre",
      "s.groupby('kind').lead.mean()", "((s.date-s.time).dt.total_seconds()/86400).groupby(s.kind).mean()",
      "(s.date-s.time).dt.days.groupby(s.kind).mean()", assumes("k.groupby('kind').lead.mean()")),
    q("last", "h", "share of tickets bought on the day of the performance itself",
      "s[s.lead==0].qty.sum()/s.qty.sum()", assumes("k[k.lead==0].qty.sum()/k.qty.sum()"),
      assumes("(s.lead==0).mean()"), share=True),
    q("qoq", "h", "quarterly ticket revenue, change against the previous quarter",
      "s.groupby(s.time.dt.to_period('Q')).total.sum().diff().dropna()",
      "100*s.groupby(s.time.dt.to_period('Q')).total.sum().pct_change().dropna()",
      assumes("k.groupby(k.time.dt.to_period('Q')).total.sum().diff().dropna()"),
      assumes("100*k.groupby(k.time.dt.to_period('Q')).total.sum().pct_change().dropna()")),
    q("cum", "h", "cumulative number of tickets sold, month by month",
      "s.groupby('month').qty.sum().cumsum()", assumes("k.groupby('month').qty.sum().cumsum()")),
    q("hit", "h", "For each genre: the title that sold the most tickets",
      "s.groupby(['kind','event']).qty.sum().unstack().idxmax(axis=1)",
      assumes("k.groupby(['kind','event']).qty.sum().unstack().idxmax(axis=1)")),
    q("rebuy", "h", "what share of customers (with a number) ordered more than once?",
      "(s.cust_no.value_counts()>1).mean()", assumes("(k.cust_no.value_counts()>1).mean()"), share=True),
    q("bands", "h", "How many orders came to less than 50 pounds, 50 up to 100 pounds, more than 100 pounds?",
      "Values([(s.total<50).sum(), s.total.between(50,100).sum(), (s.total>100).sum()])",
      assumes("Values([(k.total<50).sum(), k.total.between(50,100).sum(), (k.total>100).sum()])")),
    q("seat", "h", "income per available seat, by genre",
      "p.groupby('kind').income.sum()/p.groupby('kind').capacity.sum()",
      assumes("p.groupby('kind').real.sum()/p.groupby('kind').capacity.sum()"),
      assumes("played.groupby('kind').income.sum()/played.groupby('kind').capacity.sum()"),
      assumes("(p.income/p.capacity).groupby(p.kind).mean()")),
    q("full", "h", "number of performances where we sold at least 90% of the seats",
      "(p.sold>=.9*p.capacity).sum()", assumes("(p.kept>=.9*p.capacity).sum()"),
      assumes("(played.sold>=.9*played.capacity).sum()")),
    q("wprice", "h", "mean ticket price for weekend vs weekday performances",
      "s.groupby('weekend').price_each.mean()",
      "s.groupby('weekend').total.sum()/s.groupby('weekend').qty.sum()",
      assumes("k.groupby('weekend').price_each.mean()"),
      assumes("s.groupby(s.date.dt.dayofweek>=4).price_each.mean()")),
    q("scat", "h", "scatter plot, tickets sold per performance against its press stars",
      "Pairs(p.press_stars, p.sold)", "Pairs(p.sold, p.press_stars)",
      assumes("Pairs(p.press_stars, p.kept)"), assumes("Pairs(played.press_stars, played.sold)"),
      chart="scatter"),
    q("noshow", "h", "no-show rate per channel: of the tickets not refunded, what share wasn't scanned?",
      "1-k.groupby('channel').scanned.sum()/k.groupby('channel').qty.sum()",
      assumes("(1-k.scanned/k.qty).groupby(k.channel).mean()"), share=True),
    q("minute", "h", "cost per minute of running time by genre",
      "p.groupby('kind').cost.sum()/p.groupby('kind').run_min.sum()",
      "(p.cost/p.run_min).groupby(p.kind).mean()",
      assumes("played.groupby('kind').cost.sum()/played.groupby('kind').run_min.sum()")),
    q("matinee", "h", "matinees (start before 5pm) as a percentage of all performances per stage",
      "(p.hour<17).groupby(p.stage).mean()", assumes("(played.hour<17).groupby(played.stage).mean()"),
      share=True),
    q("heat", "h", "heatmap orders weekday vs hour of sale",
      "pd.crosstab(s.time.dt.day_name(), s.time.dt.hour)",
      "pd.crosstab(s.time.dt.hour, s.time.dt.day_name())", chart="heat"),
    q("stack", "h", "stacked bar chart of tickets by stage, coloured by sales channel",
      "s.pivot_table(index='stage', columns='channel', values='qty', aggfunc='sum')",
      assumes("k.pivot_table(index='stage', columns='channel', values='qty', aggfunc='sum')"),
      chart="bar"),
    q("age", "e", "average age of the audience", REFUSE),
    q("bar", "m", "how much do visitors spend on drinks at the bar during the interval", REFUSE),
]
