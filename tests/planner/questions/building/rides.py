"""Trips of a bicycle hire scheme; start and end times, two stations, seconds and metres."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(5106)
    n = 4200
    day = rng.integers(0, 214, n)
    start = pd.Timestamp("2024-03-01") + pd.to_timedelta(
        day * 86400 + (np.clip(rng.normal(13.5, 4.4, n), 0, 23.9) * 3600).round(), unit="s")
    secs = (rng.gamma(2.1, 420, n) + 70).round().astype(int)
    stops = ["Central", "Museum", "Lakeside", "Stadium", "Campus", "Market", "Airport"]
    kind = rng.choice(["classic", "electric", "cargo"], n, p=[.62, .33, .05])
    user = rng.choice(["subscriber", "casual"], n, p=[.7, .3])
    return {"trips": pd.DataFrame({
        "ride_id": [f"R{i:06}" for i in range(1, n + 1)], "started_at": start,
        "ended_at": start + pd.to_timedelta(secs, unit="s"), "duration_sec": secs,
        "start_station": rng.choice(stops, n, p=[.28, .14, .12, .1, .18, .13, .05]),
        "end_station": rng.choice(stops, n, p=[.25, .15, .13, .09, .2, .13, .05]),
        "bike_id": rng.integers(1, 330, n), "bike_type": kind, "user_type": user,
        "birth_year": pd.Series(rng.integers(1950, 2008, n).astype(float)).mask(
            pd.Series(rng.random(n) < .08)),
        "distance_m": (secs * rng.normal(3.6, .5, n)).round().astype(int),
        "fare": np.where(user == "casual", 1 + (secs / 60 * .18), 0).round(2),
        "temp_c": (12 + 9 * np.sin((day - 20) / 70) + rng.normal(0, 3, n)).round(1),
        "rain": rng.random(n) < .14, "helmet": rng.choice(["Yes", "No", "unknown"], n, p=[.3, .6, .1]),
        "app_version": rng.choice(["3.1", "3.2", "4.0"], n),
        "stars": pd.Series(rng.choice([1., 2, 3, 4, 5], n, p=[.05, .06, .14, .3, .45])).mask(
            pd.Series(rng.random(n) < .55))})}


def prepare(trips):
    d = trips
    d["min"], d["km"] = d.duration_sec / 60, d.distance_m / 1000
    d["month"], d["date"] = d.started_at.dt.to_period("M"), d.started_at.dt.normalize()
    d["weekend"] = d.started_at.dt.dayofweek >= 5
    d["hour"] = d.started_at.dt.hour
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many trips were there in June?", "(d.started_at.dt.month==6).sum()"),
    q("st", "e", "trips by start station", "d.start_station.value_counts()"),
    q("top", "e", "most popular end station", "top(d.end_station.value_counts())"),
    q("user", "e", "number of rides by user type", "d.user_type.value_counts()"),
    q("dist", "e", "average distance per bike type", "d.groupby('bike_type').distance_m.mean()",
      "d.groupby('bike_type').km.mean()"),
    q("fare", "e", "total fares per month", "d.groupby('month').fare.sum()"),
    q("hour", "e", "rides by hour of the day as a line", "d.hour.value_counts().sort_index()",
      chart="line"),
    q("bikes", "e", "how many bikes were used?", "d.bike_id.nunique()"),
    q("stars", "e", "mean star rating per bike type", "d.groupby('bike_type').stars.mean()"),
    q("rainn", "e", "how many trips took place in the rain?", "d.rain.sum()"),
    q("longest", "e", "longest trip by distance", "d.distance_m.max()",
      "top(d.set_index('ride_id').distance_m)"),
    q("hist", "e", "histogram of trip duration", "Hist(d.duration_sec)", "Hist(d['min'])",
      chart="hist"),
    q("wd", "e", "trips per weekday", "d.started_at.dt.day_name().value_counts()"),
    q("durm", "m", "average trip duration in minutes by user type", "d.groupby('user_type')['min'].mean()"),
    q("medkm", "m", "median distance in km of electric bikes", "d[d.bike_type=='electric'].km.median()"),
    q("long", "m", "how many rides lasted more than half an hour?", "(d.duration_sec>1800).sum()"),
    q("short", "m", "share of trips shorter than 1 km", "(d.distance_m<1000).mean()", share=True),
    q("cas", "m", "what percentage of rides are by casual users?", "(d.user_type=='casual').mean()",
      share=True),
    q("casst", "m", "percentage of casual riders per start station",
      "(d.user_type=='casual').groupby(d.start_station).mean()", share=True),
    q("peak", "m", "what is the busiest hour?", "top(d.hour.value_counts())"),
    q("peakd", "m", "which date had the most rides?", "top(d.date.value_counts())"),
    q("wend", "m", "rides on weekends vs weekdays", "d.weekend.value_counts()"),
    q("morn", "m", "trips between 7 and 9 am", "d.hour.between(7,8).sum()", "d.hour.between(7,9).sum()"),
    q("route", "m", "most common start and end station pairs",
      "d.groupby(['start_station','end_station']).size()",
      "top(d.groupby(['start_station','end_station']).size(),1)",
      "top(d.groupby(['start_station','end_station']).size(),10)"),
    q("round", "m", "how many trips ended where they started?",
      "(d.start_station==d.end_station).sum()"),
    q("raind", "m", "are rides shorter when it rains?", "d.groupby('rain').duration_sec.mean()",
      "d.groupby('rain').distance_m.mean()"),
    q("helm", "m", "helmet use by bike type", "pd.crosstab(d.bike_type,d.helmet)",
      "pd.crosstab(d.bike_type,d.helmet,normalize='index')",
      "(d.helmet=='Yes').groupby(d.bike_type).mean()"),
    q("unr", "m", "proportion of rides without a star rating", "d.stars.isna().mean()", share=True),
    q("hot", "m", "number of trips when it was warmer than 20 degrees", "(d.temp_c>20).sum()"),
    q("tempc", "m", "scatter plot of temperature and distance", "Pairs(d.temp_c,d.distance_m)",
      "Pairs(d.distance_m,d.temp_c)", chart="scatter"),
    q("air", "m", "trips from Airport to Central", "((d.start_station=='Airport')&(d.end_station=='Central')).sum()",
      "Keys(d[(d.start_station=='Airport')&(d.end_station=='Central')].ride_id)"),
    q("notc", "m", "average fare of casual rides that did not start at Central",
      "d[(d.user_type=='casual')&(d.start_station!='Central')].fare.mean()"),
    q("gen", "m", "rides by birth year", "d.birth_year.value_counts().sort_index()"),
    q("young", "h", "how many riders were born after 1995?", "(d.birth_year>1995).sum()"),
    q("dec", "h", "trips by decade of birth", "(d.birth_year//10*10).value_counts().sort_index()"),
    q("speed", "h", "average speed in km/h by bike type (distance over duration)",
      "d.groupby('bike_type').km.sum()/(d.groupby('bike_type').duration_sec.sum()/3600)",
      assumes("(d.km/(d.duration_sec/3600)).groupby(d.bike_type).mean()")),
    q("perbike", "h", "average number of trips per bike", "len(d)/d.bike_id.nunique()"),
    q("bk10", "h", "10 most used bikes", "top(d.bike_id.value_counts(),10)"),
    q("bk20", "h", "how many bikes made more than 20 trips?", "(d.bike_id.value_counts()>20).sum()"),
    q("mom", "h", "monthly change in the number of trips",
      "d.month.value_counts().sort_index().diff().dropna()",
      "(d.month.value_counts().sort_index().pct_change()*100).dropna()"),
    q("ma7", "h", "7-day rolling average of daily trips",
      "d.date.value_counts().sort_index().rolling(7).mean().dropna()",
      "d.date.value_counts().sort_index().asfreq('D',fill_value=0).rolling(7).mean().dropna()"),
    q("mshare", "h", "share of each bike type per month",
      "pd.crosstab(d.month,d.bike_type,normalize='index')", share=True),
    q("bestst", "h", "which bike type is most used at each start station?",
      "pd.crosstab(d.start_station,d.bike_type).idxmax(axis=1)"),
    q("cum", "h", "cumulative distance in km over time, by month", "d.groupby('month').km.sum().cumsum()"),
    q("perday", "h", "average number of trips per day for weekdays and weekends",
      "d.groupby(['weekend','date']).size().groupby('weekend').mean()"),
    q("fpk", "h", "revenue per kilometre for casual users by bike type",
      "d[d.user_type=='casual'].groupby('bike_type').fare.sum()/d[d.user_type=='casual'].groupby('bike_type').km.sum()"),
    q("summ", "h", "compare spring and summer: number of rides",
      "Values([d.started_at.dt.month.isin([3,4,5]).sum(), d.started_at.dt.month.isin([6,7,8]).sum()])"),
    q("low", "h", "stations with an average rating under 4 stars",
      "(lambda s: s[s<4])(d.groupby('start_station').stars.mean())",
      "(lambda s: Keys(s[s<4].index))(d.groupby('start_station').stars.mean())",
      "(lambda s: Keys(s[s<4].index))(d.groupby('end_station').stars.mean())", REFUSE),
    q("acc", "m", "number of accidents per station", REFUSE),
    q("gend", "m", "rides by gender", REFUSE),
]
