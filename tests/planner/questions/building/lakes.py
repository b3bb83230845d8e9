"""Water samples of a county's lakes, and a small list of the lakes; lab values partly missing or typed as text."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(7713)
    lakes = pd.DataFrame({
        "lake": ["Ashmere", "Brackwater", "Coldwell", "Dunmarsh", "Elterby", "Farrow Tarn",
                 "Greywater", "Hollin Pool", "Inchmoor"],
        "district": ["Northfell", "Eastmoor", "Northfell", "Southvale", "Eastmoor", "Northfell",
                     "Southvale", "Southvale", "Eastmoor"],
        "area_km2": [4.82, 1.37, 8.95, .64, 2.41, .38, 3.06, .92, 1.75],
        "max_depth_m": [38.0, 14.5, 61.2, 11.8, 22.4, 17.3, 27.9, 12.6, 19.0],
        "trophic": ["mesotrophic", "eutrophic", "oligotrophic", "eutrophic", "mesotrophic",
                    "oligotrophic", "mesotrophic", "eutrophic", "mesotrophic"],
        "bathing": ["yes", "no", "yes", "no", "yes", "no", "yes", "yes", "no"]})
    n = 1380
    at = pd.Series(rng.choice(8, n, p=[.18, .14, .16, .1, .13, .07, .12, .1]))
    month = rng.choice(np.arange(1, 13), n,
                       p=np.array([4, 4, 6, 8, 10, 13, 14, 14, 10, 8, 5, 4]) / 100)
    day = pd.to_datetime(pd.DataFrame({"year": rng.choice([2021, 2022, 2023, 2024], n,
                                                          p=[.21, .24, .27, .28]),
                                       "month": month, "day": rng.integers(1, 29, n)}))
    day += pd.to_timedelta(np.where((day.dt.dayofweek >= 5) & (rng.random(n) < .8), 2, 0), unit="D")
    when = (day + pd.to_timedelta(rng.normal(690, 115, n).clip(400, 1080).astype(int), unit="min"))
    depth = rng.choice([.5, 2.0, 5.0, 10.0], n, p=[.46, .22, .18, .14])
    season = np.cos((when.dt.dayofyear - 205) / 365 * 2 * np.pi)
    temp = (11.2 + at.map(dict(enumerate([0, 1.2, -2, 1.6, .5, -2.8, .2, 1.4]))) + 7.4 * season
            - depth * .28 * (1 + season) + rng.normal(0, 1.3, n)).clip(1)
    base = at.map(dict(enumerate([22, 58, 9, 71, 27, 8, 31, 46])))
    tp = base * rng.lognormal(0, .33, n) * (1 + (when.dt.year - 2021) * .03)
    chl = (tp ** .95 * .27 * np.exp(.55 * season) * rng.lognormal(0, .4, n)
           * np.where(at == 4, 1 + (when.dt.year - 2021) * .28, 1))
    oxy = (14.2 - temp * .29 - depth * .3 * (base / 35) * (1 + season) * .6
           + rng.normal(0, .8, n)).clip(.3)
    bloom = chl > rng.normal(24, 7, n)
    ecoli = (rng.lognormal(4.1, 1.25, n) * np.where(at.isin([1, 3, 7]), 2.1, 1)).round() + 2
    wx = pd.Series(rng.choice(["Sunny", "Cloudy", "Rain", "Windy"], n, p=[.36, .34, .18, .12]))
    case = rng.random(n)
    return {"samples": pd.DataFrame({
        "smp_id": [f"W{i}" for i in rng.permutation(n) + 40100],
        "smp_dt": when.dt.strftime("%Y-%m-%d %H:%M"), "lake": lakes.lake.reindex(at).tolist(),
        "sampler": rng.choice(["K. Aldous", "M. Beck", "T. Ito", "R. Sandhu", "J. Wren"], n,
                              p=[.28, .24, .2, .16, .12]),
        "depth_m": depth, "wtemp_c": temp.round(1).mask(rng.random(n) < .02),
        "ph": (7.3 + base / 110 + .28 * season + rng.normal(0, .38, n)).round(2)
        .mask(rng.random(n) < .04),
        "do_mgl": oxy.round(2).mask(rng.random(n) < .05),
        "chla_ugl": pd.Series([f"{c:.2f}" for c in chl]).mask(rng.random(n) < .08, "n/a"),
        "tp_ugl": tp.round(1).mask(rng.random(n) < .06),
        "secchi_m": (9.5 / (1 + chl * .32) * rng.lognormal(0, .18, n)).clip(.2).round(1)
        .mask(rng.random(n) < .1),
        "ecoli": pd.Series([f"{e:,.0f}" for e in ecoli]).mask(rng.random(n) < .12),
        "bloom": pd.Series(np.where(bloom, "Yes", "No")).mask(rng.random(n) < .02),
        "wx": wx.where(case < .86, wx.str.lower()).where(case < .96, wx.str.upper())}),
        "lakes": lakes}


def prepare(samples, lakes):
    d = samples
    d["at"] = pd.to_datetime(d.smp_dt)
    d["day"] = d["at"].dt.normalize()
    d["month"] = d["at"].dt.to_period("M")
    d["mon"] = d["at"].dt.month
    d["year"] = d["at"].dt.year
    d["chl"] = pd.to_numeric(d.chla_ugl, errors="coerce")
    d["ec"] = pd.to_numeric(d.ecoli.str.replace(",", ""))
    d["bl"] = d.bloom.map({"Yes": 1.0, "No": 0.0})
    d["blz"] = d.bl.fillna(0)
    d["wx"] = d.wx.str.title()
    d["half"] = np.where(d["at"].dt.hour < 12, "morning", "afternoon")
    d["season"] = d.mon.map({6: "summer", 7: "summer", 8: "summer",
                             12: "winter", 1: "winter", 2: "winter"})
    j = d.merge(lakes, on="lake", how="left")
    return {"d": d, "j": j, "lab": d[["chl", "tp_ugl", "ec"]],
            "year_mean": d.pivot_table(index="lake", columns="year", values="chl", aggfunc="mean"),
            "surf": d[d.depth_m == .5], "deep": d[d.depth_m == 10]}


QUESTIONS = [
    # --- easy
    q("n", "e", "samples per lake", "d.lake.value_counts()"),
    q("temp", "e", "average water temperature by lake, warmest on top",
      "d.groupby('lake').wtemp_c.mean().sort_values(ascending=False)", order=True),
    q("bloom", "e", "how many samples were flagged as a bloom?", "d.blz.sum()"),
    q("ph", "e", "mean pH", "d.ph.mean()"),
    q("mindo", "e", "lowest dissolved oxygen reading we ever had", "d.do_mgl.min()",
      "bottom(d.set_index('smp_id').do_mgl)"),
    q("hist", "e", "show the distribution of ph as a histogram", "Hist(d.ph.dropna())",
      chart="hist"),
    q("scat", "e", "scatter plot temperature vs dissolved oxygen",
      "Pairs(d.dropna(subset=['wtemp_c','do_mgl']).wtemp_c,"
      " d.dropna(subset=['wtemp_c','do_mgl']).do_mgl)",
      "Pairs(d.dropna(subset=['wtemp_c','do_mgl']).do_mgl,"
      " d.dropna(subset=['wtemp_c','do_mgl']).wtemp_c)", chart="scatter"),
    q("box", "e", "boxplots of secchi depth, one per lake", "box(d, 'lake', 'secchi_m')",
      chart="box"),
    q("line", "e", "draw monthly mean water temperature over the years",
      "d.groupby('month').wtemp_c.mean()", chart="line"),
    q("wx", "e", "number of samples for each kind of weather", "d.wx.value_counts()"),
    q("who", "e", "who has taken the most samples?", "top(d.sampler.value_counts())"),
    q("dist", "e", "lakes in each district", "lakes.district.value_counts()",
      "lakes.set_index('lake').district", "lakes.groupby('district').lake.agg(', '.join)"),
    q("big", "e", "largest lake by area", "top(lakes.set_index('lake').area_km2)"),
    q("medec", "e", "median e. coli count", "d.ec.median()"),
    q("nochl", "e", "how many chlorophyll values are missing?", "d.chl.isna().sum()"),
    q("years", "e", "bar chart, samples per year", "d.year.value_counts().sort_index()",
      chart="bar"),
    q("maxtp", "e", "maximum total phosphorus (tp_ugl) at every lake",
      "d.groupby('lake').tp_ugl.max()"),
    q("deepest", "e", "what's the deepest lake in Southvale?",
      "top(lakes[lakes.district=='Southvale'].set_index('lake').max_depth_m)"),
    q("depths", "e", "how many different sampling depths are there", "d.depth_m.nunique()"),
    q("tdepth", "e", "water temperature at each sampling depth",
      "d.groupby('depth_m').wtemp_c.mean()", "d.groupby('depth_m').wtemp_c.median()",
      "box(d, 'depth_m', 'wtemp_c')",
      "Pairs(d.dropna(subset='wtemp_c').depth_m, d.dropna(subset='wtemp_c').wtemp_c)"),
    # --- medium
    q("jul", "m", "bloom frequency per lake in July and August, percent",
      "d[d.mon.isin([7,8])].groupby('lake').bl.mean()*100",
      "d[d.mon.isin([7,8])].groupby('lake').blz.mean()*100", share=True),
    q("hypox", "m", "in how many samples did oxygen drop below 4 mg/l?", "(d.do_mgl<4).sum()"),
    q("bath", "m", "E. coli at bathing lakes compared to non-bathing ones, on average",
      "j.groupby('bathing').ec.mean()"),
    q("corrs", "m", "correlation heatmap for wtemp_c, ph, do_mgl and secchi_m",
      "d[['wtemp_c','ph','do_mgl','secchi_m']].corr()", chart="heat"),
    q("surfdo", "m", "how much less oxygen is there at 10 m than at 0.5 m?",
      "surf.do_mgl.mean()-deep.do_mgl.mean()", "deep.do_mgl.mean()-surf.do_mgl.mean()",
      "d[d.depth_m.isin([.5,10])].groupby('depth_m').do_mgl.mean()",
      assumes("surf.do_mgl.median()-deep.do_mgl.median()")),
    q("ec1000", "m", "share of e. coli results exceeding 1,000", "(d.ec.dropna()>1000).mean()",
      "(d.ec>1000).mean()", share=True),
    q("pivot", "m", "pivot: lakes down, years across, mean tp_ugl in the cells",
      "d.pivot_table(index='lake', columns='year', values='tp_ugl', aggfunc='mean')"),
    q("phout", "m", "count pH readings outside 6.5 to 8.5 for each lake",
      "d[(d.ph<6.5)|(d.ph>8.5)].lake.value_counts()"),
    q("chltp", "m", "does chlorophyll rise with phosphorus?", "d.chl.corr(d.tp_ugl)",
      "d.chl.corr(d.tp_ugl, method='spearman')",
      "Pairs(d.dropna(subset=['chl','tp_ugl']).tp_ugl, d.dropna(subset=['chl','tp_ugl']).chl)"),
    q("season", "m", "secchi in summer (Jun-Aug) and in winter (Dec-Feb): averages",
      "d.groupby('season').secchi_m.mean()", "Values(d.groupby('season').secchi_m.mean().tolist())"),
    q("ampm", "m", "were more samples collected before noon or after?", "d.half.value_counts()",
      "Values(d.half.value_counts().tolist())", "top(d.half.value_counts())"),
    q("nosec", "m", "missing secchi values by sampler",
      "d[d.secchi_m.isna()].sampler.value_counts()",
      assumes("d.secchi_m.isna().groupby(d.sampler).mean()")),
    q("wend", "m", "weekend samples, how many?", "(d['at'].dt.dayofweek>=5).sum()"),
    q("oneday", "m", "what's the most samples we ever took in a single day", "d.day.value_counts().max()",
      "top(d.day.value_counts())"),
    q("ndist", "m", "sampling effort by district (number of samples)", "j.district.value_counts()"),
    q("y2y", "m", "2023 against 2022: average chlorophyll-a",
      "d[d.year.isin([2022,2023])].groupby('year').chl.mean()",
      "Values(d[d.year.isin([2022,2023])].groupby('year').chl.mean().tolist())",
      "d[d.year==2023].chl.mean()-d[d.year==2022].chl.mean()"),
    q("top5", "m", "list the five highest phosphorus measurements",
      "top(d.set_index('smp_id').tp_ugl, 5)"),
    q("range", "m", "spread between hottest and coldest water for each lake",
      "(lambda g: g.max()-g.min())(d.groupby('lake').wtemp_c)"),
    q("clear", "m", "is the water murkier during a bloom? secchi with and without",
      "d.groupby('bloom').secchi_m.mean()", "d.groupby('bloom').secchi_m.median()"),
    q("eut", "m", "typical total phosphorus of eutrophic lakes",
      "j[j.trophic=='eutrophic'].tp_ugl.mean()", "j[j.trophic=='eutrophic'].tp_ugl.median()"),
    q("pie", "m", "pie chart of weather for bloom samples only", "d[d.bl==1].wx.value_counts()",
      chart="pie"),
    q("iqr", "m", "interquartile range of dissolved oxygen",
      "d.do_mgl.quantile(.75)-d.do_mgl.quantile(.25)"),
    q("lakemon", "m", "which calendar month has the highest bloom rate?",
      "top(d.groupby('mon').bl.mean())", "top(d.groupby('mon').blz.mean())",
      "top(d.groupby(d['at'].dt.month_name()).bl.mean())",
      "top(d.groupby(d['at'].dt.month_name()).blz.mean())"),
    q("wrain", "m", "average e.coli on rainy days minus average on sunny days",
      "d[d.wx=='Rain'].ec.mean()-d[d.wx=='Sunny'].ec.mean()"),
    q("lakesamp", "m", "number of distinct sampling days per lake in 2024",
      "d[d.year==2024].groupby('lake').day.nunique()"),
    # --- hard
    q("never", "h", "are there lakes on the list that we never sampled?",
      "Keys(lakes[~lakes.lake.isin(d.lake)].lake)", "(~lakes.lake.isin(d.lake)).sum()"),
    q("rise", "h", "where did mean chlorophyll increase the most between 2021 and 2024?",
      "top(year_mean[2024]-year_mean[2021])", assumes("top(year_mean[2024]/year_mean[2021]-1)")),
    q("run", "h", "running total of samples month by month",
      "d.month.value_counts().sort_index().cumsum()"),
    q("roll", "h", "smooth the monthly mean of tp_ugl with a 6-month moving average and plot it",
      "d.groupby('month').tp_ugl.mean().rolling(6).mean().dropna()",
      "d.groupby('month').tp_ugl.mean().rolling(6, min_periods=1).mean()",
      "d.groupby('month').tp_ugl.mean().rolling(6, center=True).mean().dropna()", chart="any"),
    q("top3", "h", "three worst e. coli readings at each lake",
      "d.set_index('smp_id').groupby('lake').ec.nlargest(3)"),
    q("yoy", "h", "how did the bloom rate move from one year to the next, in percentage points?",
      "(d.groupby('year').bl.mean().diff()*100).dropna()",
      "(d.groupby('year').blz.mean().diff()*100).dropna()", share=True),
    q("bleut", "h", "what percentage of all blooms happened in eutrophic lakes?",
      "(j[j.bl==1].trophic=='eutrophic').mean()", share=True),
    q("both", "h", "find lakes averaging over 30 ug/l phosphorus and under 2 m secchi",
      "Keys((lambda g: g[(g.tp_ugl>30)&(g.secchi_m<2)].index)"
      "(d.groupby('lake')[['tp_ugl','secchi_m']].mean()))"),
    q("strat", "h", "summer only (June to August): surface temperature at 0.5 m minus temperature at 10 m, lake by lake",
      "surf[surf.season=='summer'].groupby('lake').wtemp_c.mean()"
      "-deep[deep.season=='summer'].groupby('lake').wtemp_c.mean()"),
    q("gaps", "h", "mean number of days between one sampling date and the next, for every lake",
      "d.drop_duplicates(['lake','day']).sort_values('day').groupby('lake').day"
      ".apply(lambda s: s.diff().dt.days.mean())",
      assumes("d.sort_values('at').groupby('lake')['at']"
              ".apply(lambda s: s.diff().dt.total_seconds().mean()/86400)"),
      assumes("d.sort_values('day').groupby('lake').day.apply(lambda s: s.diff().dt.days.mean())"),
      assumes("d.sort_values('at').groupby('lake')['at'].apply(lambda s: s.diff().dt.days.mean())")),
    q("anymiss", "h", "proportion of samples lacking at least one lab result (chla_ugl, tp_ugl or ecoli), by year",
      "lab.isna().any(axis=1).groupby(d.year).mean()", share=True),
    q("ratio", "h", "median chlorophyll-to-phosphorus ratio by trophic class",
      "(j.chl/j.tp_ugl).groupby(j.trophic).median()"),
    q("density", "h", "relate sample numbers to lake size: samples per square kilometre",
      "(d.lake.value_counts()/lakes.set_index('lake').area_km2).dropna()",
      "(d.lake.value_counts()/lakes.set_index('lake').area_km2).fillna(0)"),
    q("nitr", "h", "nitrate trend for Brackwater since 2021", REFUSE),
    q("ill", "h", "how many swimmers got sick per bathing lake?", REFUSE),
]
