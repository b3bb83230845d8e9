"""Fields of farms over some seasons; one row a field and season, yields are in tonnes."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(2103)
    n = 950
    crop = rng.choice(["wheat", "barley", "maize", "sugar beet", "rapeseed"], n, p=[.35, .2, .2, .1, .15])
    area = (rng.gamma(3, 4, n) + 1).round(1)
    per = pd.Series(crop).map({"wheat": 7.5, "barley": 6.2, "maize": 9.8, "sugar beet": 62, "rapeseed": 3.4}).to_numpy()
    season = rng.integers(2018, 2025, n)
    sown = pd.to_datetime(pd.Series(season).astype(str) + "-03-01") + pd.to_timedelta(rng.integers(0, 60, n), unit="D")
    grown = rng.integers(110, 190, n)
    tons = (area * per * rng.lognormal(0, .2, n)).round(1)
    lost = rng.random(n) < .04
    return {"harvests": pd.DataFrame({
        "farm": rng.choice(["Hill Farm", "Oakfield", "Long Acre", "Mill Lane", "Stonebridge", "Westfold"], n),
        "county": rng.choice(["Kent", "Essex", "Norfolk", "Suffolk"], n, p=[.2, .2, .35, .25]),
        "crop": crop, "season": season, "area_ha": area, "yield_t": np.where(lost, np.nan, tons),
        "fertiliser_kg": (area * rng.normal(140, 25, n)).round(0), "irrigated": rng.choice(["yes", "no"], n, p=[.3, .7]),
        "organic": rng.choice([True, False], n, p=[.25, .75]), "sown_on": sown,
        "harvested_on": (sown + pd.to_timedelta(grown, unit="D")).where(~lost),
        "rainfall_mm": rng.normal(310, 70, n).round(0), "pest_damage": rng.choice(["none", "light", "heavy"], n, p=[.6, .3, .1]),
        "price_per_t": pd.Series(crop).map({"wheat": 210, "barley": 185, "maize": 195, "sugar beet": 34, "rapeseed": 430}).to_numpy() * rng.lognormal(0, .1, n).round(2)})}


def prepare(harvests):
    d = harvests
    d["income"] = d.yield_t * d.price_per_t
    d["days"] = (d.harvested_on - d.sown_on).dt.days
    d["per_ha"] = d.yield_t / d.area_ha
    return {"d": d}


QUESTIONS = [
    q("area", "e", "total area planted with each crop", "d.groupby('crop').area_ha.sum()"),
    q("yield", "e", "total yield of wheat per season", "d[d.crop=='wheat'].groupby('season').yield_t.sum()"),
    q("perha", "m", "yield per hectare by crop", "d.groupby('crop').yield_t.sum()/d.groupby('crop').area_ha.sum()",
      "d.groupby('crop').per_ha.mean()", "d[d.yield_t.notna()].groupby('crop').yield_t.sum()/d[d.yield_t.notna()].groupby('crop').area_ha.sum()"),
    q("besthect", "h", "which farm gets the highest wheat yield per hectare?",
      "top(d[d.crop=='wheat'].groupby('farm').yield_t.sum()/d[d.crop=='wheat'].groupby('farm').area_ha.sum())",
      "top(d[d.crop=='wheat'].groupby('farm').per_ha.mean())"),
    q("fields", "e", "how many fields did Norfolk have in 2022?", "((d.county=='Norfolk')&(d.season==2022)).sum()"),
    q("org", "e", "share of fields that are organic", "d.organic.mean()", share=True),
    q("orgco", "m", "percentage of organic fields by county", "d.groupby('county').organic.mean()", share=True),
    q("irr", "m", "average yield of irrigated versus non-irrigated maize fields",
      "d[d.crop=='maize'].groupby('irrigated').yield_t.mean()"),
    q("irrdo", "h", "do irrigated fields yield more per hectare than the others?",
      "d.groupby('irrigated').per_ha.mean()", "d.groupby('irrigated').yield_t.sum()/d.groupby('irrigated').area_ha.sum()", REFUSE),
    q("pest", "e", "number of fields by pest damage", "d.pest_damage.value_counts()"),
    q("heavysh", "m", "what fraction of rapeseed fields had heavy pest damage?",
      "(d[d.crop=='rapeseed'].pest_damage=='heavy').mean()", share=True),
    q("lost", "m", "how many fields were never harvested?", "d.harvested_on.isna().sum()"),
    q("days", "m", "average number of days between sowing and harvest", "d.days.mean()"),
    q("dayscrop", "m", "median time from sowing to harvest for each crop", "d.groupby('crop').days.median()"),
    q("longest", "m", "which crop takes the longest to harvest after sowing on average?",
      "top(d.groupby('crop').days.mean())"),
    q("inc", "m", "total income by crop (yield times price per tonne)", "d.groupby('crop').income.sum()"),
    q("inctop", "h", "top 3 farms by income in 2024, where income is yield * price per t",
      "top(d[d.season==2024].groupby('farm').income.sum(), 3)"),
    q("rain", "e", "mean rainfall by season as a line chart", "d.groupby('season').rainfall_mm.mean()", chart="line"),
    q("scat", "e", "plot yield against rainfall for wheat", "Pairs(d[d.crop=='wheat'].rainfall_mm, d[d.crop=='wheat'].yield_t)",
      "Pairs(d[d.crop=='wheat'].yield_t, d[d.crop=='wheat'].rainfall_mm)", chart="scatter"),
    q("corr", "m", "how strongly is fertiliser correlated with yield?", "d.fertiliser_kg.corr(d.yield_t)"),
    q("fert", "m", "kg of fertiliser per hectare for each farm", "d.groupby('farm').fertiliser_kg.sum()/d.groupby('farm').area_ha.sum()",
      "(d.fertiliser_kg/d.area_ha).groupby(d.farm).mean()"),
    q("month", "m", "how many fields were sown each month?", "d.groupby(d.sown_on.dt.to_period('M')).size()",
      "d.groupby(d.sown_on.dt.month).size()"),
    q("small", "m", "number of fields smaller than 5 ha per county", "d[d.area_ha<5].county.value_counts()"),
    q("large", "e", "the ten largest fields", "Keys(d.area_ha.nlargest(10))"),
    q("dom", "h", "the crop with the largest area in every county",
      "d.groupby(['county','crop']).area_ha.sum().groupby(level=0).nlargest(1).droplevel(0)"),
    q("share", "m", "each crop's share of the total area in 2023",
      "d[d.season==2023].groupby('crop').area_ha.sum()/d[d.season==2023].area_ha.sum()", share=True),
    q("wet", "m", "average barley yield in seasons with more than 350 mm of rain",
      "d[(d.crop=='barley')&(d.rainfall_mm>350)].yield_t.mean()"),
    q("labour", "e", "labour hours by farm", REFUSE),
    q("n", "e", "number of fields by county", "d.county.value_counts()"),
    q("farms", "e", "how many farms are there?", "d.farm.nunique()"),
    q("maxrain", "e", "highest rainfall in 2021", "d[d.season==2021].rainfall_mm.max()"),
    q("pie", "e", "pie chart of fields by crop", "d.crop.value_counts()", chart="pie"),
    q("price", "e", "average price per tonne of maize", "d[d.crop=='maize'].price_per_t.mean()"),
    q("areahist", "e", "histogram of field area", "Hist(d.area_ha)", chart="hist"),
    q("y2", "m", "total yield in 2022 and 2023", "Values([d[d.season==2022].yield_t.sum(), d[d.season==2023].yield_t.sum()])",
      "d[d.season.isin([2022,2023])].yield_t.sum()"),
    q("notbeet", "m", "average yield of all crops other than sugar beet", "d[d.crop!='sugar beet'].yield_t.mean()",
      "d[d.crop!='sugar beet'].groupby('crop').yield_t.mean()"),
    q("irrorg", "m", "how many organic fields are irrigated?", "(d.organic&(d.irrigated=='yes')).sum()"),
    q("avgsize", "m", "which county has the smallest average field?", "bottom(d.groupby('county').area_ha.mean())"),
    q("april", "m", "fields sown in April by crop", "d[d.sown_on.dt.month==4].crop.value_counts()"),
    q("farmcrop", "h", "area by farm and crop as a heatmap", "d.pivot_table(index='farm',columns='crop',values='area_ha',aggfunc='sum')",
      chart="heat"),
    q("yoy", "h", "change in total area from season to season", "d.groupby('season').area_ha.sum().diff().dropna()",
      "(d.groupby('season').area_ha.sum().pct_change()*100).dropna()"),
    q("cum", "h", "cumulative income over the seasons (yield times price per tonne)",
      "d.groupby('season').income.sum().cumsum()"),
    q("long", "h", "how many fields took more than 170 days from sowing to harvest?", "(d.days>170).sum()"),
    q("mixc", "h", "what percentage of each county's area is planted with each crop?",
      "(lambda t: t.div(t.sum(axis=1),axis=0))(d.pivot_table(index='county',columns='crop',values='area_ha',aggfunc='sum'))",
      share=True),
    q("orgy", "h", "difference in average price per tonne between organic and other fields",
      "d[d.organic].price_per_t.mean()-d[~d.organic].price_per_t.mean()",
      "d[~d.organic].price_per_t.mean()-d[d.organic].price_per_t.mean()",
      "d.groupby('organic').price_per_t.mean()"),
    q("pestco", "h", "counties where more than 41 percent of fields have pest damage",
      "(lambda s: s[s>.41])((d.pest_damage!='none').groupby(d.county).mean())",
      "(lambda s: Keys(s[s>.41].index))((d.pest_damage!='none').groupby(d.county).mean())", share=True),
    q("best2", "h", "the two farms with the most area in each county",
      "d.groupby(['county','farm']).area_ha.sum().groupby(level=0,group_keys=False).nlargest(2)"),
    q("abov", "h", "how many fields are larger than the average field?", "(d.area_ha>d.area_ha.mean()).sum()"),
    q("tons", "h", "fertiliser in tonnes by season", "d.groupby('season').fertiliser_kg.sum()/1000"),
    q("quart", "h", "upper quartile of rainfall for each season", "d.groupby('season').rainfall_mm.quantile(.75)"),
]
