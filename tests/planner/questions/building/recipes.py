"""Recipes of a cookery site; calories and prices are text, cuisines are spelt as the authors like."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(90417)
    n = 860
    first = ["Smoky", "Quick", "Grandma's", "Spiced", "Lemon", "Roast", "Crispy", "One-pot", "Creamy",
             "Sticky", "Rustic", "Winter", "Charred", "Honeyed", "Pickled"]
    middle = ["Chicken", "Lentil", "Aubergine", "Salmon", "Beef", "Chickpea", "Mushroom", "Pumpkin",
              "Prawn", "Apple", "Tomato", "Lamb"]
    last = ["Stew", "Salad", "Pie", "Curry", "Tart", "Soup", "Bake", "Skewers", "Fritters", "Pot",
            "Wraps"]
    pick = rng.permutation(len(first) * len(middle) * len(last))[:n]
    title = [f"{first[i // 132]} {middle[i // 11 % 12]} {last[i % 11]}" for i in pick]
    authors = ["maria_k", "tomcooks", "Priya S.", "the_larder", "J. Whitlow", "bento.bea", "oldspoon",
               "Ned Farrow", "chef_anton", "lulu", "saltandrye", "Wen L.", "panhandle", "R. Okafor",
               "figgy", "dill_weed", "Elin H."]
    weight = np.array([13, 11, 9, 9, 8, 7, 7, 6, 6, 5, 4, 4, 3, 3, 2, 2, 1])
    author = pd.Series(rng.choice(authors, n, p=weight / weight.sum()))
    minute = rng.beta(1.5, 1.1, n) * 4 * 365 * 1440
    gone = author.isin(["oldspoon", "figgy", "panhandle"])
    minute = np.where(gone, minute * .72, minute)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(minute // 1440, unit="D")
    hour = rng.choice(range(7, 24), n, p=np.array([2, 3, 4, 5, 5, 6, 5, 4, 4, 5, 7, 9, 11, 12, 9, 6, 3])
                      / 100)
    stamp = pd.Series(day + pd.to_timedelta(hour * 60 + rng.integers(0, 60, n), unit="min"))
    cuisine = pd.Series(rng.choice(["Italian", "Indian", "Mexican", "Thai", "French", "British",
                                    "Greek"], n, p=[.24, .19, .13, .11, .12, .14, .07]))
    course = pd.Series(rng.choice(["main", "starter", "dessert", "side"], n, p=[.5, .17, .2, .13]))
    lvl = pd.Series(rng.choice(["easy", "medium", "hard"], n, p=[.48, .36, .16]))
    slow = lvl.map({"easy": 1, "medium": 1.5, "hard": 2.3})
    prep = (rng.gamma(4, 4, n) * slow).round().clip(3).astype(int)
    cook = (rng.gamma(2.4, 13, n) * slow).round().clip(4).mask(pd.Series(rng.random(n) < .09))
    srv = pd.Series(rng.choice([1, 2, 4, 6, 8, 12], n, p=[.05, .25, .4, .17, .1, .03]))
    veg = pd.Series(rng.random(n) < np.where(course == "dessert", .85, .36))
    kcal = (rng.normal(480, 120, n) + (course == "main") * 110 - veg * 60).round().clip(90).astype(int)
    cost = (srv * rng.gamma(7, .25, n) * np.where(veg, .8, 1.1) + .9).round(2)
    n_rat = (rng.pareto(1.3, n) * 14).round().clip(0, 4000).astype(int)
    n_rat[rng.random(n) < .05] = 0
    stars = pd.Series((5 - rng.gamma(2.2, .38, n) + veg * .05).clip(1, 5).round(2)) \
        .mask(pd.Series(n_rat == 0))
    spelt = rng.random(n)
    cuisine = cuisine.where(spelt > .14, cuisine.str.lower()).where(spelt > .03, cuisine.str.upper())
    vegs = veg.map({True: "Y", False: "N"}).where(pd.Series(rng.random(n) > .1),
                                                 veg.map({True: "yes", False: "no"}))
    return {"recipes": pd.DataFrame({
        "title": title, "cuisine": cuisine,
        "course": course.mask(pd.Series(rng.random(n) < .04)), "author": author,
        "pub_ts": stamp.dt.strftime("%d/%m/%Y %H:%M"), "lvl": lvl, "prep_min": prep,
        "cook_min": cook, "srv": srv,
        "kcal": pd.Series([f"{c:,} kcal" for c in kcal]).mask(pd.Series(rng.random(n) < .07)),
        "ingr_cost": [f"£{c:.2f}" for c in cost], "stars": stars, "n_rat": n_rat,
        "veg": vegs.mask(pd.Series(rng.random(n) < .02))})}


def prepare(recipes):
    d = recipes
    d["cuisine"] = d.cuisine.str.capitalize()
    d["pub"] = pd.to_datetime(d.pub_ts, format="%d/%m/%Y %H:%M")
    d["year"] = d["pub"].dt.year
    d["month"] = d["pub"].dt.to_period("M")
    d["cal"] = pd.to_numeric(d.kcal.str.replace("[, kcal]", "", regex=True))
    d["cost"] = d.ingr_cost.str.lstrip("£").astype(float)
    d["total"] = d.prep_min + d.cook_min
    d["total0"] = d.prep_min + d.cook_min.fillna(0)
    d["isveg"] = d.veg.str.upper().str[0].map({"Y": 1.0, "N": 0.0})
    d["each"] = d.cost / d.srv
    t = d.set_index("title")
    months = d.groupby("month").size()
    return {"d": d, "t": t, "months": months, "rated": d.dropna(subset="stars")}


QUESTIONS = [
    q("cui", "e", "recipes per cuisine", "d.cuisine.value_counts()"),
    q("stars", "e", "average stars by course", "d.groupby('course').stars.mean()"),
    q("prep", "e", "longest prep time", "d.prep_min.max()", "top(t.prep_min)"),
    q("auth", "e", "how many authors have contributed?", "d.author.nunique()"),
    q("dist", "e", "show the distribution of star ratings", "Hist(d.stars)", chart="hist"),
    q("prol", "e", "who's the most prolific author?", "top(d.author.value_counts())"),
    q("lvl", "e", "bar chart of recipe counts by difficulty level", "d.lvl.value_counts()",
      chart="bar"),
    q("nrat", "e", "total ratings received", "d.n_rat.sum()"),
    q("kcal", "e", "mean kcal", "d.cal.mean()"),
    q("srv", "e", "min, median and max servings",
      "Values([d.srv.min(), d.srv.median(), d.srv.max()])"),
    q("cheap", "e", "what's the cheapest recipe?", "bottom(t.cost)", "d.cost.min()",
      assumes("bottom(t.each)")),
    q("nveg", "e", "count the vegetarian recipes", "(d.isveg==1).sum()"),
    q("scat", "e", "scatterplot of prep time and ingredient cost", "Pairs(d.prep_min, d.cost)",
      "Pairs(d.cost, d.prep_min)", chart="scatter"),
    q("year", "e", "uploads per year", "d.year.value_counts().sort_index()"),
    q("pie", "e", "pie chart of courses please", "d.course.value_counts()", chart="pie"),
    q("nocal", "e", "number of recipes with no calories given", "d.cal.isna().sum()"),
    q("medcost", "e", "median ingredient cost for each cuisine", "d.groupby('cuisine').cost.median()"),
    q("box", "e", "cooking time by level, boxplots", "box(d,'lvl','cook_min')", chart="box"),
    q("five", "e", "give me the five recipes with the most ratings", "top(t.n_rat,5)"),

    q("vegcui", "m", "what proportion of each cuisine's recipes is vegetarian?",
      "d.groupby('cuisine').isveg.mean()", assumes("(d.isveg==1).groupby(d.cuisine).mean()"),
      share=True),
    q("light", "m", "recipes under 400 kcal", "(d.cal<400).sum()", "Keys(d[d.cal<400].title)"),
    q("hour", "m", "how many take more than an hour in total (prep plus cooking)?",
      "(d.total>60).sum()", "(d.total0>60).sum()"),
    q("tot", "m", "prep + cook time on average, per level", "d.groupby('lvl').total.mean()",
      assumes("d.groupby('lvl').total0.mean()"),
      "d.groupby('lvl').prep_min.mean()+d.groupby('lvl').cook_min.mean()"),
    q("each", "m", "average cost per serving by course", "d.groupby('course').each.mean()",
      assumes("d.groupby('course').cost.sum()/d.groupby('course').srv.sum()")),
    q("vegst", "m", "are vegetarian dishes rated any better than the rest?",
      "d.groupby('isveg').stars.mean()",
      "d[d.isveg==1].stars.mean()-d[d.isveg==0].stars.mean()",
      assumes("d.groupby(d.isveg==1).stars.mean()"), assumes("d.groupby('isveg').stars.median()")),
    q("line23", "m", "line plot of new recipes by month, 2023 only",
      "d[d.year==2023].groupby('month').size()", chart="line"),
    q("wday", "m", "publications by weekday", "d['pub'].dt.day_name().value_counts()"),
    q("peak", "m", "at what hour of the day do most recipes go online?",
      "top(d['pub'].dt.hour.value_counts())"),
    q("good", "m", "percentage of rated recipes with 4.5 stars or more", "(rated.stars>=4.5).mean()",
      share=True),
    q("corr", "m", "correlation between stars and kcal", "d.stars.corr(d.cal)"),
    q("itin", "m", "compare Italian and Indian food on calories",
      "d[d.cuisine.isin(['Italian','Indian'])].groupby('cuisine').cal.mean()",
      assumes("d[d.cuisine.isin(['Italian','Indian'])].groupby('cuisine').cal.median()")),
    q("never", "m", "recipes nobody has rated yet", "(d.n_rat==0).sum()", "Keys(d[d.n_rat==0].title)"),
    q("hard", "m", "share of hard recipes within each cuisine",
      "(d.lvl=='hard').groupby(d.cuisine).mean()", share=True),
    q("xtab", "m", "cross-tabulate cuisine and course", "pd.crosstab(d.cuisine, d.course)",
      "pd.crosstab(d.course, d.cuisine)"),
    q("heat", "m", "heatmap: mean stars, cuisine x level",
      "d.pivot_table(index='cuisine', columns='lvl', values='stars')",
      "d.pivot_table(index='lvl', columns='cuisine', values='stars')", chart="heat"),
    q("longer", "m", "recipes where cooking takes longer than the prep",
      "(d.cook_min>d.prep_min).sum()",
      "Keys(d[d.cook_min>d.prep_min].title)"),
    q("chick", "m", "average rating of recipes with chicken in the title",
      "d[d.title.str.contains('chicken', case=False)].stars.mean()"),
    q("distinct", "m", "distinct authors in each cuisine", "d.groupby('cuisine').author.nunique()"),
    q("quick", "m", "three quickest mains counting prep and cooking",
      "bottom(t[t.course=='main'].total,3)", assumes("bottom(t[t.course=='main'].total0,3)")),
    q("barh", "m", "plot total ratings for the 10 authors that got the most",
      "d.groupby('author').n_rat.sum().nlargest(10)", chart="bar"),
    q("nocook", "m", "what fraction lacks a cooking time, split by course?",
      "d.cook_min.isna().groupby(d.course).mean()", share=True),
    q("range", "m", "kcal spread (max minus min) within every cuisine",
      "d.groupby('cuisine').cal.max()-d.groupby('cuisine').cal.min()"),
    q("pricey", "m", "easy vegetarian recipes that cost less than £5",
      "((d.lvl=='easy')&(d.isveg==1)&(d.cost<5)).sum()",
      "Keys(d[(d.lvl=='easy')&(d.isveg==1)&(d.cost<5)].title)"),
    q("std", "m", "whose ratings vary the most? standard deviation of stars per author",
      "top(d.groupby('author').stars.std())", "d.groupby('author').stars.std()",
      "d.groupby('author').stars.std(ddof=0)"),

    q("best", "h", "best rated author among those with at least 30 recipes",
      "top(d.groupby('author').stars.mean()[d.author.value_counts()>=30])",
      assumes("top(d.groupby('author').stars.median()[d.author.value_counts()>=30])")),
    q("wavg", "h", "stars by cuisine, weighted by the number of ratings",
      "(rated.stars*rated.n_rat).groupby(rated.cuisine).sum()/rated.groupby('cuisine').n_rat.sum()"),
    q("cum", "h", "how has the collection grown? running total of recipes by month",
      "months.cumsum()"),
    q("grow", "h", "by what percentage did uploads go up or down in 2023 compared to 2022?",
      "(d.year==2023).sum()/(d.year==2022).sum()-1", share=True),
    q("topc", "h", "most rated recipe of every course",
      "Keys(d.loc[d.groupby('course').n_rat.idxmax(),'title'])",
      "d.loc[d.groupby('course').n_rat.idxmax()].set_index('course').title"),
    q("roll", "h", "six-month rolling mean of uploads, as a line",
      "months.rolling(6).mean().dropna()", "months.rolling(6,min_periods=1).mean()", chart="line"),
    q("drop", "h", "in which month did uploads drop the most against the month before",
      "bottom(months.diff())", assumes("bottom(months.pct_change())")),
    q("above", "h", "tell me how many recipes cost more than is average for their cuisine",
      "(d.cost>d.groupby('cuisine').cost.transform('mean')).sum()"),
    q("vmain", "h", "for main courses only, kcal difference between meat-free and other dishes",
      "(lambda m: m[m.isveg==1].cal.mean()-m[m.isveg==0].cal.mean())(d[d.course=='main'])",
      "(lambda m: m[m.isveg==0].cal.mean()-m[m.isveg==1].cal.mean())(d[d.course=='main'])",
      "d[d.course=='main'].groupby('isveg').cal.mean()"),
    q("conc", "h", "how much of all ratings goes to the ten most rated recipes?",
      "d.n_rat.nlargest(10).sum()/d.n_rat.sum()", share=True),
    q("quiet", "h", "authors who posted nothing in 2024",
      "Keys(set(d.author)-set(d[d.year==2024].author))"),
    q("bands", "h", "split cooking time into under 20, 20 to 45 and over 45 minutes and count recipes",
      "Values([(d.cook_min<20).sum(), d.cook_min.between(20,45).sum(), (d.cook_min>45).sum()])"),
    q("fans", "h", "number of page views vs number of ratings per recipe", REFUSE),
    q("prot", "h", "grams of protein per serving by cuisine", REFUSE),
    q("age", "h", "do older authors write longer recipes?", REFUSE),
]
