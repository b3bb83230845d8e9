"""Matches of a football league over four seasons, and its clubs."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

CLUBS = ["Rovers", "United", "Athletic", "Wanderers", "City", "Albion", "Rangers", "Town",
         "Harriers", "Orient", "Vale", "Argyle"]


def make():
    rng = np.random.default_rng(404)
    rows = []
    strength = dict(zip(CLUBS, np.linspace(1.9, .8, len(CLUBS))))
    for season in (2020, 2021, 2022, 2023):
        pairs = [(h, a) for h in CLUBS for a in CLUBS if h != a]
        rng.shuffle(pairs)
        for i, (home, away) in enumerate(pairs):
            date = pd.Timestamp(f"{season}-08-15") + pd.Timedelta(days=int(i * 285 / len(pairs)))
            hg, ag = rng.poisson(strength[home] + .2), rng.poisson(strength[away] * .9)
            result = "H" if hg > ag else "A" if ag > hg else "D"
            rows.append((f"{season}/{(season + 1) % 100:02}", date.strftime("%d/%m/%Y"), home, away,
                         hg, ag, result, rng.poisson(11), rng.poisson(9), rng.poisson(1.8),
                         rng.poisson(2.1), int(rng.random() < .06)))
    m = pd.DataFrame(rows, columns=["season", "match_date", "home_team", "away_team", "home_goals",
                                    "away_goals", "result", "home_shots", "away_shots",
                                    "home_yellow", "away_yellow", "red_card"])
    att = pd.Series(rng.normal(21000, 6000, len(m)).clip(2500).round())
    att[(m.season == "2020/21") & (rng.random(len(m)) < .7)] = np.nan
    m["attendance"] = att
    m["referee"] = rng.choice(["M. Oliver", "A. Taylor", "S. Attwell", "C. Kavanagh", "P. Tierney",
                               "m. oliver"], len(m), p=[.2, .2, .2, .18, .17, .05])
    m["tv"] = rng.choice(["Y", "N"], len(m), p=[.3, .7])
    return {"matches": m}


def prepare(matches):
    d = matches
    d["date"] = pd.to_datetime(d.match_date, format="%d/%m/%Y")
    d["goals"] = d.home_goals + d.away_goals
    d["diff"] = d.home_goals - d.away_goals
    d["shots"] = d.home_shots + d.away_shots
    d["yellow"] = d.home_yellow + d.away_yellow
    d["month"] = d.date.dt.to_period("M")
    d["ref"] = d.referee.str.lower()
    home = pd.DataFrame({"team": d.home_team, "gf": d.home_goals, "ga": d.away_goals,
                         "season": d.season, "win": d.result == "H", "draw": d.result == "D"})
    away = pd.DataFrame({"team": d.away_team, "gf": d.away_goals, "ga": d.home_goals,
                         "season": d.season, "win": d.result == "A", "draw": d.result == "D"})
    both = pd.concat([home, away])
    both["pts"] = both.win * 3 + both.draw * 1
    return {"d": d, "both": both}


QUESTIONS = [
    q("n", "e", "how many matches are in the data", "len(d)"),
    q("season", "e", "matches per season", "d.season.value_counts()"),
    q("homeavg", "e", "average home goals", "d.home_goals.mean()"),
    q("awayteam", "e", "mean away_goals by away team", "d.groupby('away_team').away_goals.mean()"),
    q("results", "e", "count results", "d.result.value_counts()"),
    q("pie", "e", "pie chart of result", "d.result.value_counts()", chart="pie"),
    q("att", "e", "average attendance per season", "d.groupby('season').attendance.mean()"),
    q("attmax", "e", "highest attendance ever", "d.attendance.max()"),
    q("attmiss", "e", "for how many matches is attendance missing", "d.attendance.isna().sum()"),
    q("hist", "e", "histogram of attendance", "Hist(d.attendance)", chart="hist"),
    q("reds", "e", "total number of red cards", "d.red_card.sum()"),
    q("teams", "e", "how many teams are there?", "d.home_team.nunique()"),
    q("homegoals", "e", "home goals by home team, sorted descending",
      "d.groupby('home_team').home_goals.sum().sort_values(ascending=False)", order=True),
    q("bar", "e", "bar chart of average home_shots by home_team",
      "d.groupby('home_team').home_shots.mean()", chart="bar"),
    q("draws", "e", "number of draws", "(d.result=='D').sum()"),
    q("median", "e", "median attendance when City plays at home",
      "d[d.home_team=='City'].attendance.median()"),
    q("tv", "e", "how many games were on tv", "(d.tv=='Y').sum()"),
    q("goals", "m", "total goals per season (home + away)", "d.groupby('season').goals.sum()"),
    q("avggoals", "m", "average number of goals per match", "d.goals.mean()"),
    q("homewin", "m", "home win percentage", "(d.result=='H').mean()", share=True),
    q("homewinteam", "m", "home win rate by team",
      "(d.result=='H').groupby(d.home_team).mean()", share=True),
    q("drawseason", "m", "share of draws per season",
      "(d.result=='D').groupby(d.season).mean()", share=True),
    q("goaldiff", "m", "mean goal difference (home minus away)", "d['diff'].mean()"),
    q("biggest", "m", "biggest home win", "top(d['diff'])",
      "Keys(d[d['diff']==d['diff'].max()].match_date)", "d['diff'].max()"),
    q("nilnil", "m", "how many matches ended 0-0", "(d.goals==0).sum()"),
    q("over3", "m", "how many matches had more than 3 goals?", "(d.goals>3).sum()"),
    q("tvatt", "m", "attendance on tv vs not on tv",
      "d.groupby(d.tv=='Y').attendance.mean()", assumes("d.groupby(d.tv=='Y').attendance.sum()"),
      assumes("d.groupby(d.tv=='Y').attendance.median()")),
    q("redrate", "m", "percent of matches with a red card, by season",
      "d.groupby('season').red_card.mean()", share=True),
    q("ref", "m", "matches per referee", "d.ref.value_counts()",
      assumes("d.referee.value_counts()")),
    q("strict", "m", "which referee gives the most home yellow cards per match?",
      "top(d.groupby('ref').home_yellow.mean())",
      assumes("top(d.groupby('referee').home_yellow.mean())")),
    q("month", "m", "goals by calendar month", "d.groupby(d.date.dt.month_name()).goals.sum()",
      assumes("d.groupby('month').goals.sum()")),
    q("scatter", "m", "scatter plot of home shots vs home goals",
      "Pairs(d.home_shots,d.home_goals)", chart="scatter"),
    q("boxatt", "m", "attendance by season as box plots", "box(d,'season','attendance')",
      chart="box"),
    q("weekend", "m", "share of matches played on saturday or sunday",
      "(d.date.dt.dayofweek>=5).mean()", share=True),
    q("jan", "m", "how many games were played in January 2022",
      "(d.month=='2022-01').sum()"),
    q("unitedcity", "m", "all matches between United and City",
      "Keys(d[d.home_team.isin(['United','City'])&d.away_team.isin(['United','City'])].match_date)"),
    q("notcity", "m", "average attendance excluding matches City hosts",
      "d[d.home_team!='City'].attendance.mean()"),
    q("top5att", "m", "5 best attended matches",
      "top(d.set_index(['home_team','away_team','season']).attendance,5)",
      "top(d.set_index('match_date').attendance,5)", "top(d.attendance,5)"),
    q("resteam", "m", "stacked bar of results by home team",
      "pd.crosstab(d.home_team,d.result)", chart="bar"),
    q("allgoals", "h", "total goals scored by each team, home and away",
      "both.groupby('team').gf.sum()"),
    q("points", "h", "points per team in 2022/23 (3 for a win, 1 for a draw)",
      "both[both.season=='2022/23'].groupby('team').pts.sum()"),
    q("champ", "h", "who won the league in 2023/24?",
      "top(both[both.season=='2023/24'].groupby('team').pts.sum())"),
    q("awaywins", "h", "away wins per team",
      "d[d.result=='A'].away_team.value_counts()"),
    q("conv", "h", "shot conversion by home team: home goals / home shots",
      "d.groupby('home_team').home_goals.sum()/d.groupby('home_team').home_shots.sum()",
      assumes("d[d.home_shots>0].assign(r=d.home_goals/d.home_shots).groupby('home_team').r.mean()"),
      share=True),
    q("corr", "h", "correlation of home shots and home goals", "d.home_shots.corr(d.home_goals)"),
    q("clean", "h", "home clean sheets by team",
      "d[d.away_goals==0].home_team.value_counts()"),
    q("cleanrate", "h", "percentage of home games without conceding, per team",
      "(d.away_goals==0).groupby(d.home_team).mean()", share=True),
    q("best", "h", "team with the most home goals in each season",
      "d.groupby(['season','home_team']).home_goals.sum().unstack().idxmax(axis=1)"),
    q("attchange", "h", "change in average attendance from season to season",
      "d.groupby('season').attendance.mean().diff().dropna()",
      "d.groupby('season').attendance.mean().pct_change().dropna()*100"),
    q("cumgoals", "h", "cumulative goals by month", "d.groupby('month').goals.sum().cumsum()",
      "d.groupby(['month']).goals.sum().cumsum()"),
    q("roll", "h", "rolling 3 month average of goals per match",
      "d.groupby('month').goals.mean().rolling(3).mean().dropna()"),
    q("hosts", "h", "teams averaging at least 2 home goals",
      "(lambda s: Keys(s[s>=2].index))(d.groupby('home_team').home_goals.mean())",
      "(lambda s: s[s>=2])(d.groupby('home_team').home_goals.mean())"),
    q("pivot", "h", "average total goals for every home team and season",
      "d.pivot_table(index='home_team',columns='season',values='goals')"),
    q("heat", "h", "heatmap of home goals: home team against away team, average",
      "d.pivot_table(index='home_team',columns='away_team',values='home_goals')", chart="heat"),
    q("halves", "h", "compare goals per match in 2020/21 and 2023/24",
      "d[d.season.isin(['2020/21','2023/24'])].groupby('season').goals.mean()"),
    q("p75", "h", "upper quartile of attendance for each home team",
      "d.groupby('home_team').attendance.quantile(.75)"),
    q("advantage", "h", "home advantage: average home goals minus average away goals per season",
      "d.groupby('season')['diff'].mean()"),
    q("scorer", "e", "who is the top scorer", REFUSE),
    q("budget", "m", "average squad budget per club", REFUSE),
    q("next", "h", "who will win the league next season?", REFUSE),
]
