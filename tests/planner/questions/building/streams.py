"""Listening log of a podcast company; text dates of two kinds, revenue in cents as text, devices in any case."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

SHOWS = {  # genre, host, episodes, mean length, how much of it is listened to
    "Cold Harbour": ("true crime", "M. Okafor", 24, 48, .86), "Byte Sized": ("tech", "L. Brandt", 40, 17, .9),
    "The Long Table": ("food", "R. Castellan", 22, 39, .7), "Half Time": ("sports", "J. Doyle", 45, 31, .74),
    "Market Open": ("business", "S. Iyer", 50, 14, .93), "Vanished": ("true crime", "K. Lund", 18, 55, .89),
    "Deep Field": ("science", "A. Moreau", 26, 44, .78), "Sleep Stories": ("wellness", "T. Abara", 30, 62, .42),
    "Kitchen Lab": ("food", "R. Castellan", 20, 26, .81), "Garage Founders": ("business", "L. Brandt", 21, 36, .67)}
PLACES = ["DE", "UK", "US", "IE", "FR", "NL", "AT"]


def make():
    rng = np.random.default_rng(7719)
    n = 6800
    first, last = pd.Timestamp("2023-01-01"), pd.Timestamp("2024-06-30")
    episodes = pd.DataFrame([
        (show, f"{''.join(w[0] for w in show.split())}{show[-1].upper()}-{i + 1:03}",
         max(6.5, rng.normal(length, length / 5)), keep, rng.gamma(3))
        for show, (_, _, count, length, keep) in SHOWS.items() for i in range(count)],
        columns=["show", "code", "length", "keep", "weight"])
    episodes["length"] = episodes.length.round(1)
    episodes["pub"] = first - pd.Timedelta(days=40) + pd.to_timedelta(
        rng.integers(0, 560, len(episodes)), unit="D")
    pick = episodes.iloc[rng.choice(len(episodes), n, p=episodes.weight / episodes.weight.sum())]
    pick = pick.reset_index(drop=True)
    window = (last - pick["pub"].clip(lower=first)).dt.days
    days = (window * rng.beta(.7, 2.2, n)).astype(int)
    hour = rng.choice(24, n, p=np.array([2, 1, 1, 1, 1, 2, 5, 9, 9, 5, 4, 4, 5, 4, 3, 4, 6, 8, 7, 5, 4, 4, 4, 2]) / 100)
    start = pick["pub"].clip(lower=first) + pd.to_timedelta(days * 1440 + hour * 60 + rng.integers(0, 60, n), unit="min")
    premium = rng.random(n) < .31
    done = rng.random(n) < np.clip(pick.keep - .22 + .1 * premium, 0, 1)
    played = np.where(done, pick.length, pick.length * rng.beta(1.1, 1.6, n)).round(1)
    device = rng.choice(["iPhone", "Android", "desktop", "smart speaker", "car", "TV"], n,
                        p=[.34, .29, .14, .12, .08, .03])
    sloppy = rng.random(n)
    device = np.where(sloppy < .05, np.char.upper(device), np.where(sloppy < .1, np.char.lower(device), device))
    listener = np.minimum((rng.pareto(1.6, n) * 160).astype(int), 2400)
    cents = np.where(premium, 0, rng.gamma(2, .9, n) * np.sqrt(played + 1)).round(2)
    return {"streams": pd.DataFrame({
        "listenId": rng.permutation(n) + 500001, "started_at": start.dt.strftime("%Y-%m-%d %H:%M"),
        "user": [f"u{i:05}" for i in listener], "show": pick["show"],
        "genre": pick["show"].map(lambda s: SHOWS[s][0]), "host": pick["show"].map(lambda s: SHOWS[s][1]),
        "ep_code": pick.code, "pubDate": pick["pub"].dt.strftime("%d %b %Y"), "epLenMin": pick.length,
        "minPlayed": played, "finished": np.where(done, "yes", "no"), "device": device,
        "app": rng.choice(["Spotify", "Apple Podcasts", "Overcast", "web player", "own app"], n,
                          p=[.38, .29, .06, .1, .17]),
        "ctry": rng.choice(PLACES, n, p=[.31, .22, .17, .06, .1, .08, .06]),
        "age_grp": pd.Series(rng.choice(["18-24", "25-34", "35-44", "45-54", "55+"], n, p=[.17, .31, .25, .16, .11]))
        .mask(pd.Series(rng.random(n) < .12)),
        "premium": np.where(premium, "Y", "N"), "skips": rng.poisson(1.4 + .8 * ~premium, n),
        "ad_rev": [f"{c:.2f} ct" for c in cents],
        "stars": pd.Series(rng.choice([1., 2, 3, 4, 5], n, p=[.05, .08, .17, .34, .36])).mask(
            pd.Series(rng.random(n) < .79))})}


def prepare(streams):
    d = streams
    d["t"] = pd.to_datetime(d.started_at)
    d["day"] = d.t.dt.normalize()
    d["out"] = pd.to_datetime(d.pubDate, format="%d %b %Y")
    d["age"] = (d.day - d.out).dt.days
    d["ct"] = d.ad_rev.str.replace(" ct", "").astype(float)
    d["dev"] = d.device.str.lower()
    d["fin"] = d.finished == "yes"
    d["prem"] = d.premium == "Y"
    d["part"] = d.minPlayed / d.epLenMin
    d["month"] = d.t.dt.to_period("M")
    d["quarter"] = d.t.dt.to_period("Q")
    d["weekend"] = d.t.dt.dayofweek >= 5
    d["lenband"] = pd.cut(d.epLenMin, [0, 20, 40, 60, 999], labels=["<20", "20-40", "40-60", "60+"])
    eps = d.drop_duplicates("ep_code").set_index("ep_code")
    return {"d": d, "eps": eps, "users": d.groupby("user"), "monthly": d.groupby("month").size(),
            "h1": d[(d.t.dt.year == 2023) & (d.t.dt.month <= 6)], "h24": d[d.t.dt.year == 2024],
            "q123": d[d.quarter == "2023Q1"].ctry.value_counts(),
            "q124": d[d.quarter == "2024Q1"].ctry.value_counts()}


QUESTIONS = [
    q("shows", "e", "how many listens did each show get", "d.show.value_counts()"),
    q("gmin", "e", "total minutes played by genre", "d.groupby('genre').minPlayed.sum()"),
    q("uniq", "e", "How many different users are in the log?", "d.user.nunique()"),
    q("ctry", "e", "listens per country pls", "d.ctry.value_counts()"),
    q("mline", "e", "listens per month as a line chart", "monthly", chart="line"),
    q("devbar", "e", "bar chart of minutes played per device", "d.groupby('dev').minPlayed.sum()",
      assumes("d.groupby('device').minPlayed.sum()"), chart="bar"),
    q("topshow", "e", "what's our most popular show?", "top(d.show.value_counts())",
      assumes("top(d.groupby('show').minPlayed.sum())"),
      assumes("top(d.groupby('show').user.nunique())")),
    q("apppie", "e", "pie of listens by app", "d.app.value_counts()", chart="pie"),
    q("hist", "e", "histogram of minPlayed", "Hist(d.minPlayed)", chart="hist"),
    q("stars", "e", "mean star rating overall", "d.stars.mean()"),
    q("nostars", "e", "how many listens were not rated?", "d.stars.isna().sum()"),
    q("longest", "e", "which episode is the longest?", "top(eps.epLenMin)", "d.epLenMin.max()"),
    q("revsum", "e", "whats the total ad revenue??", "d.ct.sum()", "d.ct.sum()/100"),
    q("epcount", "e", "number of episodes per show", "d.groupby('show').ep_code.nunique()",
      "d.groupby('show').ep_code.nunique().sort_values()"),
    q("skips", "e", "avg skips by age group", "d.groupby('age_grp').skips.mean()"),
    q("wday", "e", "on which day of the week do people listen the most?",
      "top(d.t.dt.day_name().value_counts())", assumes("top(d.groupby(d.t.dt.day_name()).minPlayed.sum())")),
    q("finyn", "e", "finished yes/no counts", "d.fin.value_counts()"),
    q("hosts", "e", "top 3 hosts by minutes listened", "top(d.groupby('host').minPlayed.sum(), 3)"),
    q("medlen", "e", "median number of minutes listened, genre by genre",
      "d.groupby('genre').minPlayed.median()"),

    q("comp", "m", "completion rate by show", "d.groupby('show').fin.mean()",
      assumes("d.groupby('show').part.mean()"),
      assumes("d.groupby('show').minPlayed.sum()/d.groupby('show').epLenMin.sum()"), share=True),
    q("prem", "m", "do premium users listen longer than free ones?", "d.groupby('prem').minPlayed.mean()",
      "d.groupby('prem').minPlayed.median()",
      assumes("d.groupby('prem').minPlayed.sum()/d.groupby('prem').user.nunique()")),
    q("quit", "m", "Which genre gets abandoned before the end most often?", "top(1-d.groupby('genre').fin.mean())",
      "bottom(d.groupby('genre').fin.mean())", assumes("top(d[~d.fin].genre.value_counts())")),
    q("spde", "m", "how many listens came from smart speakers in DE",
      "((d.dev=='smart speaker')&(d.ctry=='DE')).sum()"),
    q("premmin", "m", "what percentage of all listening minutes comes from premium subscribers?",
      "d[d.prem].minPlayed.sum()/d.minPlayed.sum()", share=True),
    q("mpu", "m", "minutes per listener by country",
      "d.groupby('ctry').minPlayed.sum()/d.groupby('ctry').user.nunique()",
      assumes("d.groupby('ctry').minPlayed.mean()")),
    q("short", "m", "listens of less than 2 minutes", "(d.minPlayed<2).sum()",
      "Keys(d[d.minPlayed<2].listenId)"),
    q("tcage", "m", "age groups of true crime listeners",
      "d[d.genre=='true crime'].age_grp.value_counts()",
      "d[d.genre=='true crime'].groupby('age_grp').user.nunique()",
      "d[d.genre=='true crime'].age_grp.value_counts(normalize=True)", share=True),
    q("hour", "m", "line of the number of listens by hour of day",
      "d.t.dt.hour.value_counts().sort_index()", chart="line"),
    q("wend", "m", "weekday vs weekend - minutes per listen", "d.groupby('weekend').minPlayed.mean()"),
    q("revq", "m", "ad revenue per quarter", "d.groupby('quarter').ct.sum()", "d.groupby('quarter').ct.sum()/100"),
    q("ukie", "m", "how many people listened from the UK or Ireland? (countries are coded UK and IE)",
      "d[d.ctry.isin(['UK','IE'])].user.nunique()", assumes("d.ctry.isin(['UK','IE']).sum()"),
      assumes("d[d.ctry.isin(['UK','IE'])].ctry.value_counts()"),
      "d[d.ctry.isin(['UK','IE'])].groupby('ctry').user.nunique()"),
    q("hstar", "m", "rank the hosts by average stars, best first",
      "d.groupby('host').stars.mean().sort_values(ascending=False)", order=True),
    q("heavy", "m", "give me the five users with the most minutes", "top(users.minPlayed.sum(), 5)"),
    q("box", "m", "box plot of minutes played for finished and unfinished listens", "box(d,'finished','minPlayed')",
      chart="box"),
    q("worstapp", "m", "which app has the lowest share of finished listens?", "bottom(d.groupby('app').fin.mean())"),
    q("skipdev", "m", "count listens with at least 5 skips, by device", "d[d.skips>=5].dev.value_counts()",
      assumes("d[d.skips>=5].device.value_counts()")),
    q("cross", "m", "table of listens: genre in the rows, app in the columns", "pd.crosstab(d.genre, d.app)"),
    q("nocar", "m", "mean minutes played without the car listens", "d[d.dev!='car'].minPlayed.mean()"),
    q("night", "m", "share of listens that start between 10 pm and midnight", "(d.t.dt.hour>=22).mean()", share=True),
    q("bad", "m", "episodes with an average rating under 3 stars",
      "(lambda s: s[s<3])(d.groupby('ep_code').stars.mean())",
      "(lambda s: Keys(s[s<3].index))(d.groupby('ep_code').stars.mean())",
      assumes("(d.groupby('ep_code').stars.mean()<3).sum()")),

    q("part", "h", "on average how much of an episode do people actually listen to, in %, per show?",
      "d.groupby('show').part.mean()",
      "d.groupby('show').minPlayed.sum()/d.groupby('show').epLenMin.sum()", share=True),
    q("mom", "h", "listens, mom % change", "monthly.pct_change().dropna()*100", share=True),
    q("best", "h", "for every show, its most listened-to episode",
      "d.groupby('show').ep_code.agg(lambda s: s.value_counts().index[0])",
      "d.groupby('show').ep_code.agg(lambda s: s.mode().iloc[0])",
      assumes("d.groupby(['show','ep_code']).minPlayed.sum().groupby(level=0).agg(lambda s: s.idxmax()[1])")),
    q("hy", "h", "by how much did listening minutes grow from the first half of 2023 to the first half of 2024?",
      "h24.minPlayed.sum()/h1.minPlayed.sum()-1", "h24.minPlayed.sum()-h1.minPlayed.sum()", share=True),
    q("c3", "h", "how much of total listening time do the three biggest countries account for",
      "d.groupby('ctry').minPlayed.sum().nlargest(3).sum()/d.minPlayed.sum()",
      "d.groupby('ctry').minPlayed.sum().nlargest(3)/d.minPlayed.sum()",
      assumes("d.groupby('ctry').minPlayed.sum().nlargest(3).sum()"), share=True),
    q("bands", "h", "finish rate for episodes under 20 min, 20-40, 40-60 and longer",
      "Values(d.groupby('lenband',observed=True).fin.mean().tolist())",
      "Values((100*d.groupby('lenband',observed=True).fin.mean()).tolist())",
      "Values(d.groupby(pd.cut(d.epLenMin,[0,20,40,60,999],right=False),observed=True).fin.mean().tolist())",
      "Values((100*d.groupby(pd.cut(d.epLenMin,[0,20,40,60,999],right=False),observed=True).fin.mean()).tolist())",
      share=True),
    q("multi", "h", "number of users who tried three or more different shows", "(users.show.nunique()>=3).sum()",
      "Keys((lambda s: s[s>=3].index)(users.show.nunique()))"),
    q("loyal", "h", "Could you tell me what fraction of users have listened only once?", "(users.size()==1).mean()",
      share=True),
    q("week1", "h", "listens within 7 days of the publication date, by show",
      "d[d.age<=7].show.value_counts()", "d[d.age<7].show.value_counts()",
      "d[d.t-d.out<=pd.Timedelta(days=7)].show.value_counts()"),
    q("lag", "h", "how old (in days) is an episode on average when it gets listened to? by genre",
      "d.groupby('genre').age.mean()", "(d.t-d.out).dt.total_seconds().groupby(d.genre).mean()/86400"),
    q("os", "h", "iphone vs android: completion rate and average skips",
      "d[d.dev.isin(['iphone','android'])].groupby('dev')[['fin','skips']].mean()"),
    q("cum", "h", "running total of minutes played by month, line chart", "d.groupby('month').minPlayed.sum().cumsum()",
      chart="line"),
    q("roll", "h", "3 month moving average of ad revenue", "d.groupby('month').ct.sum().rolling(3).mean().dropna()",
      "d.groupby('month').ct.sum().rolling(3).mean().dropna()/100",
      assumes("d.groupby('month').ct.sum().rolling(3,min_periods=1).mean()")),
    q("cgrow", "h", "which country grew most in listens between Q1 2023 and Q1 2024?", "top(q124/q123-1)",
      "top(q124-q123)"),
    q("glines", "h", "monthly minutes for each genre, one line per genre",
      "d.pivot_table(index='month',columns='genre',values='minPlayed',aggfunc='sum')", chart="line"),
    q("mix", "h", "device mix within each country in percent", "pd.crosstab(d.ctry,d.dev,normalize='index')*100",
      assumes("pd.crosstab(d.ctry,d.device,normalize='index')*100"), share=True),
    q("rpm", "h", "ad revenue per hour listened, per app, excluding premium",
      "(lambda f: f.groupby('app').ct.sum()/(f.groupby('app').minPlayed.sum()/60))(d[~d.prem])",
      "(lambda f: f.groupby('app').ct.sum()/100/(f.groupby('app').minPlayed.sum()/60))(d[~d.prem])"),
    q("over", "h", "which shows have a completion rate above the overall one?",
      "(lambda s: s[s>d.fin.mean()])(d.groupby('show').fin.mean())",
      "(lambda s: Keys(s[s>d.fin.mean()].index))(d.groupby('show').fin.mean())", share=True),
    q("gender", "m", "gender split of our audience", REFUSE),
    q("cost", "m", "production cost per episode, by show", REFUSE),
]
