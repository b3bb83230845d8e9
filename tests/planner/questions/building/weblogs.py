"""A web server's log of requests."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(303)
    n = 20000
    ts = pd.Timestamp("2024-05-06") + pd.to_timedelta(np.sort(rng.integers(0, 28 * 86400, n)),
                                                       unit="s")
    host = rng.choice(["web-1", "web-2", "web-3", "api-1", "api-2"], n, p=[.25, .25, .1, .25, .15])
    path = rng.choice(["/", "/login", "/search", "/cart", "/checkout", "/api/items", "/api/users",
                       "/static/app.js"], n, p=[.2, .08, .17, .1, .05, .2, .1, .1])
    status = rng.choice([200, 301, 304, 404, 403, 500, 503], n,
                        p=[.82, .04, .05, .05, .01, .02, .01])
    slow = np.where(path == "/search", 3.0, np.where(path == "/checkout", 2.0, 1.0))
    ms = (rng.lognormal(4, .7, n) * slow).round(1)
    kb = pd.Series(rng.lognormal(2.5, 1, n).round(2))
    kb[(status == 304) | (rng.random(n) < .01)] = np.nan
    logs = pd.DataFrame({
        "ts": ts, "host": host, "method": rng.choice(["GET", "POST", "PUT", "DELETE"], n,
                                                      p=[.78, .17, .03, .02]),
        "path": path, "status": status, "resp_ms": ms, "size_kb": kb,
        "user_id": pd.Series(rng.integers(1, 1500, n)).where(rng.random(n) > .25).astype("Int64"),
        "country_cd": rng.choice(["US", "DE", "GB", "IN", "BR", None], n,
                                 p=[.4, .2, .15, .12, .08, .05]),
        "device": rng.choice(["mobile", "desktop", "tablet", "Mobile", "Desktop"], n,
                             p=[.4, .35, .07, .1, .08]),
        "is_bot": rng.choice([0, 1], n, p=[.92, .08]),
        "cache": rng.choice(["HIT", "MISS", "BYPASS"], n, p=[.5, .42, .08])})
    return {"logs": logs}


def prepare(logs):
    d = logs
    d["day"] = d.ts.dt.to_period("D")
    d["hour"] = d.ts.dt.hour
    d["hr"] = d.ts.dt.to_period("h")
    d["err"] = d.status >= 500
    d["bad"] = d.status >= 400
    d["dev"] = d.device.str.lower()
    d["week"] = d.ts.dt.to_period("W")
    d["weekend"] = d.ts.dt.dayofweek >= 5
    return {"d": d}


QUESTIONS = [
    q("n", "e", "total number of requests", "len(d)"),
    q("host", "e", "requests per host", "d.host.value_counts()"),
    q("ms", "e", "mean response time", "d.resp_ms.mean()"),
    q("msmed", "e", "median resp_ms by path", "d.groupby('path').resp_ms.median()"),
    q("status", "e", "breakdown of status codes", "d.status.value_counts()",
      "d.status.value_counts(normalize=True)*100"),
    q("bar", "e", "bar chart of requests by country", "d.country_cd.value_counts()",
      "d.country_cd.value_counts(dropna=False)", chart="bar"),
    q("maxms", "e", "slowest response time", "d.resp_ms.max()"),
    q("users", "e", "how many unique users", "d.user_id.nunique()"),
    q("traffic", "e", "total size_kb per host", "d.groupby('host').size_kb.sum()"),
    q("post", "e", "how many POST requests?", "(d.method=='POST').sum()"),
    q("n404", "e", "number of 404s", "(d.status==404).sum()"),
    q("hist", "e", "histogram of response times", "Hist(d.resp_ms)", chart="hist"),
    q("pathtop", "e", "top 3 paths by number of requests", "top(d.path.value_counts(),3)"),
    q("pie", "e", "pie chart of cache results", "d.cache.value_counts()", chart="pie"),
    q("nulls", "e", "missing values per column", "d[['ts','host','method','path','status',"
      "'resp_ms','size_kb','user_id','country_cd','device','is_bot','cache']].isna().sum()"),
    q("first", "e", "when was the first request?", "d.ts.min()"),
    q("anon", "e", "requests without a user_id", "d.user_id.isna().sum()"),
    q("daily", "m", "plot requests per day", "d.groupby('day').size()", chart="any"),
    q("hourly", "m", "number of requests by hour of day", "d.hour.value_counts()"),
    q("peak", "m", "busiest hour of the day", "top(d.hour.value_counts())"),
    q("errrate", "m", "what percentage of requests end in a 5xx error?", "d.err.mean()",
      share=True),
    q("err4", "m", "share of requests with status 400 or above", "d.bad.mean()", share=True),
    q("bot", "m", "what fraction of traffic is bots", "d.is_bot.mean()",
      assumes("d[d.is_bot==1].size_kb.sum()/d.size_kb.sum()"), share=True),
    q("nobot", "m", "average resp_ms excluding bots", "d[d.is_bot==0].resp_ms.mean()"),
    q("botcmp", "m", "compare response time of bots and humans, on average",
      "d.groupby(d.is_bot==1).resp_ms.mean()"),
    q("hitrate", "m", "cache hit rate", "(d.cache=='HIT').mean()",
      assumes("(d.cache=='HIT').sum()/d.cache.isin(['HIT','MISS']).sum()"), share=True),
    q("p95", "m", "p95 of resp_ms", "d.resp_ms.quantile(.95)"),
    q("p99path", "m", "99th percentile response time for each path",
      "d.groupby('path').resp_ms.quantile(.99)"),
    q("dev", "m", "requests by device type regardless of case", "d.dev.value_counts()"),
    q("over1s", "m", "how many requests took longer than a second?", "(d.resp_ms>1000).sum()"),
    q("weekend", "m", "requests on weekends vs weekdays", "d.weekend.value_counts()",
      "pd.Series({'weekend': d.weekend.sum(), 'weekday': (~d.weekend).sum()})",
      assumes("pd.Series({'weekend': d.weekend.sum()/8, 'weekday': (~d.weekend).sum()/20})")),
    q("users_day", "m", "daily unique users", "d.groupby('day').user_id.nunique()"),
    q("box", "m", "box plot of resp_ms by host", "box(d,'host','resp_ms')", chart="box"),
    q("scatter", "m", "scatter size_kb against resp_ms", "Pairs(d.size_kb, d.resp_ms)",
      chart="scatter"),
    q("methodhost", "m", "stacked bars of method per host", "pd.crosstab(d.host, d.method)",
      chart="bar"),
    q("may20", "m", "requests on May 20, 2024", "(d.ts.dt.normalize()=='2024-05-20').sum()",
      "Keys(d[d.ts.dt.normalize()=='2024-05-20'].ts)"),
    q("notget", "m", "requests that are not GET, by path", "d[d.method!='GET'].path.value_counts()"),
    q("gb", "m", "how many megabytes were served in total", "d.size_kb.sum()/1024",
      "d.size_kb.sum()/1000"),
    q("between", "m", "requests between 9 and 17 o'clock",
      "d.hour.between(9,16).sum()", "d.hour.between(9,17).sum()"),
    q("errpath", "h", "error rate (status >= 500) by path, worst first",
      "d.groupby('path').err.mean().sort_values(ascending=False)", order=True, share=True),
    q("errday", "h", "daily error rate over time", "d.groupby('day').err.mean()",
      assumes("d.groupby('day').bad.mean()"), share=True),
    q("topuser", "h", "10 most active users", "top(d.user_id.value_counts(),10)"),
    q("slowday", "h", "day with the highest average response time",
      "top(d.groupby('day').resp_ms.mean())"),
    q("busyusers", "h", "how many users made at least 20 requests?",
      "(d.user_id.value_counts()>=20).sum()"),
    q("roll", "h", "7 day rolling mean of requests per day",
      "d.groupby('day').size().rolling(7).mean().dropna()"),
    q("wow", "h", "week over week growth of requests in percent",
      "d.groupby('week').size().pct_change().dropna()", share=True),
    q("worsthost", "h", "slowest path on each host, by mean response time",
      "d.groupby(['host','path']).resp_ms.mean().unstack().idxmax(axis=1)"),
    q("heat", "h", "heatmap weekday x hour of requests",
      "pd.crosstab(d.ts.dt.day_name(), d.hour)", chart="heat"),
    q("last7", "h", "average resp_ms in the last 7 days",
      "d[d.ts > d.ts.max()-pd.Timedelta(days=7)].resp_ms.mean()",
      "d[d.ts.dt.normalize() > d.ts.max().normalize()-pd.Timedelta(days=7)].resp_ms.mean()",
      "d[d.ts >= d.ts.max().normalize()-pd.Timedelta(days=7)].resp_ms.mean()"),
    q("perhour", "h", "average number of requests per hour",
      "len(d)/d.hr.nunique()", "len(d)/(28*24)", assumes("d.hour.value_counts().mean()"),
      assumes("d.groupby('hour').size()/28")),
    q("corr", "h", "correlation between response size and response time",
      "d.size_kb.corr(d.resp_ms)"),
    q("missapi", "h", "cache miss share of api paths (starting with /api)",
      "(d[d.path.str.startswith('/api')].cache=='MISS').mean()", share=True),
    q("sharepath", "h", "share of total response time spent on each path",
      "d.groupby('path').resp_ms.sum()/d.resp_ms.sum()", share=True),
    q("cum", "h", "cumulative traffic in kb by day", "d.groupby('day').size_kb.sum().cumsum()"),
    q("firsthalf", "h", "mean response time before and after May 20",
      "d.groupby(d.ts >= '2024-05-20').resp_ms.mean()",
      "Values([d[d.ts<'2024-05-20'].resp_ms.mean(), d[d.ts>='2024-05-20'].resp_ms.mean()])",
      "Values([d[d.ts<'2024-05-20'].resp_ms.mean(), d[d.ts>='2024-05-21'].resp_ms.mean()])"),
    q("hostmin", "h", "hosts whose error rate is above 3%",
      "(lambda s: Keys(s[s>.03].index))(d.groupby('host').err.mean())",
      "(lambda s: s[s>.03])(d.groupby('host').err.mean())",
      assumes("(lambda s: s[s>.03])(d.groupby('host').bad.mean())"), share=True),
    q("cpu", "m", "average cpu load per host", REFUSE),
    q("browser", "e", "which browser is used most", REFUSE),
    q("why", "h", "why did the response time go up?", REFUSE),
]
