"""Lots of a country auction house and who consigned them; the reserve is text, unsold lots have no price."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q

DEPTS = ["Furniture", "Silver", "Jewellery", "Ceramics", "Books", "Pictures"]
THINGS = {"Furniture": ["dresser", "chest of drawers", "side table", "armchair", "settle"],
          "Silver": ["teapot", "salver", "candlesticks", "cream jug"],
          "Jewellery": ["ring", "brooch", "bracelet", "necklace"],
          "Ceramics": ["vase", "tureen", "figure group", "charger"],
          "Books": ["atlas", "set of novels", "prayer book"],
          "Pictures": ["landscape", "portrait", "still life", "seascape"]}
STUFF = {"Furniture": ["Oak", "Mahogany", "Walnut", "Pine"], "Silver": ["Georgian", "Victorian"],
         "Jewellery": ["Gold", "Diamond", "Art Deco"], "Ceramics": ["Staffordshire", "Chinese"],
         "Books": ["Leather bound", "First edition"], "Pictures": ["Oil", "Watercolour", "Oak framed"]}


def make():
    rng = np.random.default_rng(7741)
    m = 38
    kind = rng.choice(["private", "dealer", "estate"], m, p=[.5, .28, .22])
    sellers = pd.DataFrame({
        "seller_id": [f"S{i:03}" for i in range(1, m + 1)],
        "SellerName": [f"{a} {b}" for a, b in zip(
            rng.choice(["Mr", "Mrs", "Dr", "Ms"], m), pd.Series(
                "Abbott Baines Carrow Dunmore Eastley Farrant Goodhew Halsey Ingram Jarvis Kemble "
                "Lister Mallory Norwood Orchard Pascoe Quint Rennick Salter Tamblyn Underhill Varley "
                "Wickham Yarrow Zeal Amory Boswell Coker Drewe Elford Fisk Gurney Hext Irwin Jesson "
                "Kitto Luxton Mundy".split()))],
        "Type": kind,
        "county": rng.choice(["Devon", "Somerset", "Dorset", "Cornwall"], m, p=[.4, .25, .2, .15]),
        "vat_reg": np.where(kind == "dealer", rng.choice(["yes", "no"], m, p=[.8, .2]), "no"),
        "joined": pd.Timestamp("2015-03-01") + pd.to_timedelta(rng.integers(0, 3100, m), unit="D")})
    sales = sorted([*pd.date_range("2024-01-10", "2024-12-18", freq="28D"),
                    *pd.date_range("2024-01-27", "2024-12-18", freq="28D")])
    n = 640
    sale = np.sort(rng.choice(len(sales), n))
    dept = rng.choice(DEPTS, n, p=[.24, .16, .18, .17, .1, .15])
    weights = rng.gamma(1.1, 1, m - 3)
    who = rng.choice(m - 3, n, p=weights / weights.sum())
    scale = pd.Series(dept).map({"Furniture": 260, "Silver": 330, "Jewellery": 620, "Ceramics": 170,
                                 "Books": 110, "Pictures": 450}).to_numpy()
    low = np.maximum(20, (scale * rng.lognormal(-.2, .7, n) / 10).round() * 10).astype(int)
    high = (low * rng.choice([1.3, 1.4, 1.5, 1.6], n) / 10).round().astype(int) * 10
    none = rng.random(n) < .31
    reserve = (low * rng.choice([.8, .9, 1], n) / 5).round() * 5
    best = np.maximum(10, (low * rng.lognormal(.18, .42, n) / 5).round() * 5)
    keen = pd.Series(dept).map({"Furniture": .84, "Silver": .97, "Jewellery": .95, "Ceramics": .9,
                                "Books": .87, "Pictures": .92}).to_numpy()
    sold = (none | (best >= reserve * .93)) & (rng.random(n) < keen)
    bids = np.where(sold, 1 + rng.poisson(1.5 + 5 * best / low / 1.4, n),
                    rng.choice([0, 1, 2, 3], n, p=[.5, .25, .15, .1]))
    chan = rng.choice(["online", "room", "phone", "commission bid"], n, p=[.47, .3, .13, .1])
    day = pd.Series([sales[i] for i in sale])
    slow = pd.Series(chan).map({"online": 6, "room": 1.5, "phone": 8.5, "commission bid": 4}).to_numpy()
    paid = day + pd.to_timedelta(np.ceil(rng.gamma(2, slow / 2, n)).astype(int), unit="D")
    paid[~sold | (rng.random(n) < .06)] = pd.NaT
    said = pd.Series(dept)
    mess = rng.random(n)
    said = said.mask(mess < .05, said.str.upper()).mask((mess > .05) & (mess < .11), said.str.lower())
    rate = {"private": .18, "dealer": .12, "estate": .15}
    lots = pd.DataFrame({
        "LotNo": [f"{s + 1:02}/{i:03}" for s, i in zip(sale, pd.Series(sale).groupby(sale).cumcount() + 1)],
        "sale_dt": day, "Dept": said,
        "title": [f"{rng.choice(STUFF[k])} {rng.choice(THINGS[k])}" for k in dept],
        "SellerID": [f"S{i + 1:03}" for i in who],
        "est_lo": low, "est_hi": high,
        "Reserve": pd.Series([f"£{r:,.0f}" for r in reserve]).mask(none),
        "nBids": bids, "sold": np.where(sold, "Y", "N"),
        "HammerPx": pd.Series(best).where(sold),
        "WinChan": pd.Series(chan).where(sold),
        "paddle": pd.Series([f"P{i}" for i in 101 + (90 * rng.random(n) ** 1.6).astype(int)]).where(sold),
        "BP_pct": np.where(chan == "online", 28, 24),
        "comm_rate": [rate[kind[i]] for i in who],
        "Cond": pd.Series(rng.choice(["A", "B", "C"], n, p=[.3, .5, .2])).mask(rng.random(n) < .08),
        "photos": rng.choice([0, 1, 2, 3, 4, 6], n, p=[.06, .2, .28, .22, .16, .08]),
        "paid_on": paid})
    return {"lots": lots, "sellers": sellers}


def prepare(lots, sellers):
    d = lots.merge(sellers, left_on="SellerID", right_on="seller_id", how="left")
    d["dept"] = d.Dept.str.title()
    d["won"] = d.sold == "Y"
    d["px"] = d.HammerPx
    d["res"] = d.Reserve.str.replace("[£,]", "", regex=True).astype(float)
    d["month"] = d.sale_dt.dt.to_period("M")
    d["prem"] = d.px * d.BP_pct / 100
    d["comm"] = d.px * d.comm_rate
    d["days"] = (d.paid_on - d.sale_dt).dt.days
    d["inest"] = (d.px >= d.est_lo) & (d.px <= d.est_hi)
    s = d[d.won]
    fence = s.px.quantile(.75) + 1.5 * (s.px.quantile(.75) - s.px.quantile(.25))
    return {"d": d, "s": s, "who": sellers, "fence": fence,
            "bymonth": d.groupby("month").px.sum(), "bysale": d.groupby("sale_dt").px.sum()}


QUESTIONS = [
    # easy
    q("n", "e", "lots per department", "d.dept.value_counts()"),
    q("total", "e", "How much did everything hammer for in total?", "d.px.sum()",
      assumes("(d.px+d.prem).sum()")),
    q("avg", "e", "avg price realised by dept", "d.groupby('dept').px.mean()"),
    q("unsold", "e", "how many lots didn't sell?", "(~d.won).sum()"),
    q("dear", "e", "what was our most expensive lot?", "top(d.set_index('LotNo').px)", "d.px.max()",
      "top(d.set_index('title').px)"),
    q("cons", "e", "how many sellers are on our books", "len(who)", assumes("d.SellerID.nunique()")),
    q("mline", "e", "line chart: total hammer price by month", "bymonth", chart="line"),
    q("bids", "e", "average number of bids on a lot", "d.nBids.mean()", assumes("s.nBids.mean()")),
    q("hist", "e", "show me the distribution of hammer prices as a histogram", "Hist(d.px.dropna())",
      chart="hist"),
    q("scat", "e", "scatter plot of low estimate against hammer price", "Pairs(s.est_lo, s.px)",
      "Pairs(s.px, s.est_lo)", chart="scatter"),
    q("pie", "e", "pie chart: how were the winning bids placed", "d.WinChan.value_counts()", chart="pie"),
    q("box", "e", "boxplot of hammer price by condition", "box(d,'Cond','px')",
      "box(d.fillna({'Cond':'(missing)'}),'Cond','px')", chart="box"),
    q("sales", "e", "bar chart of number of lots per sale date", "d.sale_dt.value_counts().sort_index()",
      chart="bar"),
    q("county", "e", "sellers by county", "who.county.value_counts()",
      assumes("d.groupby('county').SellerID.nunique()")),
    q("top10", "e", "10 priciest lots", "top(d.set_index('LotNo').px,10)"),
    q("med", "e", "what's the median hammer price?", "d.px.median()"),
    q("chan", "e", "which channel wins the most lots?", "top(d.WinChan.value_counts())"),
    q("days", "e", "on how many different dates did we hold a sale?", "d.sale_dt.nunique()"),
    q("estc", "e", "mean low estimate for each condition grade", "d.groupby('Cond').est_lo.mean()"),
    # medium
    q("thru", "m", "sell-through rate by department", "d.groupby('dept').won.mean()", share=True),
    q("found", "m", "What percentage of the lots found a buyer?", "d.won.mean()", share=True),
    q("room", "m", "room vs online, average price",
      "d[d.WinChan.isin(['room','online'])].groupby('WinChan').px.mean()",
      "d.groupby('WinChan').px.mean()"),
    q("over", "m", "how many lots went for over £1,000?", "(d.px>1000).sum()",
      assumes("(d.px+d.prem>1000).sum()")),
    q("prem", "m", "buyer's premium earned each month", "d.groupby('month').prem.sum()"),
    q("comm", "m", "commission earned by type of seller", "d.groupby('Type').comm.sum()"),
    q("beat", "m", "how many lots sold for more than their high estimate", "(d.px>d.est_hi).sum()",
      "Keys(d[d.px>d.est_hi].LotNo)"),
    q("photo", "m", "lots listed without a single photo, by department",
      "d[d.photos==0].dept.value_counts()"),
    q("res", "m", "average reserve per department", "d.groupby('dept').res.mean()"),
    q("deal", "m", "how much did the stuff from dealers fetch in total?", "d[d.Type=='dealer'].px.sum()"),
    q("heat", "m", "heatmap of number of lots, department by seller type", "pd.crosstab(d.dept, d.Type)",
      "pd.crosstab(d.Type, d.dept)", chart="heat"),
    q("vat", "m", "do VAT registered sellers get better prices?", "d.groupby('vat_reg').px.mean()",
      "d.groupby('vat_reg').px.median()"),
    q("pay", "m", "how many days does it take buyers to pay, on average?", "d.days.mean()"),
    q("owed", "m", "sold lots that haven't been paid for yet", "(d.won & d.paid_on.isna()).sum()",
      "Keys(d[d.won & d.paid_on.isna()].LotNo)"),
    q("q3", "m", "what did we turn over in Q3, hammer only?", "d[d.sale_dt.dt.quarter==3].px.sum()"),
    q("spring", "m", "number of lots sold between 1 March and 31 May 2024",
      "s.sale_dt.between('2024-03-01','2024-05-31').sum()"),
    q("miss", "m", "which columns of the lots table have gaps and how many?",
      "(lambda x: x[x>0])(lots.isna().sum())", "lots.isna().sum()",
      "(lambda x: x[x>0]/len(lots))(lots.isna().sum())", "lots.isna().mean()*100"),
    q("corr", "m", "is there a link between number of bids and the final price", "d.nBids.corr(d.px)",
      "Pairs(s.nBids, s.px)", assumes("d.nBids.corr(d.px, method='spearman')")),
    q("worst", "m", "department with the worst sell-through", "bottom(d.groupby('dept').won.mean())"),
    q("oak", "m", "how many lots have oak in the title?",
      "d.title.str.contains('oak', case=False).sum()", "Keys(d[d.title.str.contains('oak', case=False)].LotNo)"),
    q("nores", "m", "how many lots were offered without reserve?", "d.res.isna().sum()"),
    # hard
    q("five", "h", "what share of the total hammer comes from the five biggest sellers?",
      "d.groupby('SellerID').px.sum().nlargest(5).sum()/d.px.sum()", share=True),
    q("ratio", "h", "hammer price relative to low estimate, by department",
      "s.groupby('dept').px.sum()/s.groupby('dept').est_lo.sum()", "(s.px/s.est_lo).groupby(s.dept).mean()",
      assumes("(s.px/s.est_lo).groupby(s.dept).median()"), share=True),
    q("cum", "h", "running total of hammer over the year", "bymonth.cumsum()", "bysale.cumsum()"),
    q("roll", "h", "3-sale rolling average of total hammer", "bysale.rolling(3).mean().dropna()",
      "bysale.rolling(3, min_periods=1).mean()"),
    q("mom", "h", "month on month change of hammer total in percent", "bymonth.pct_change().dropna()*100",
      share=True),
    q("two", "h", "the two best selling lots by price in every department",
      "d.set_index('LotNo').groupby('dept').px.nlargest(2)",
      "Keys(d.set_index('LotNo').groupby('dept').px.nlargest(2).index.get_level_values(1))",
      "d.set_index('title').groupby('dept').px.nlargest(2)"),
    q("below", "h", "how many lots were knocked down below their reserve?", "(d.px<d.res).sum()",
      "Keys(d[d.px<d.res].LotNo)"),
    q("out", "h", "any outliers in the hammer prices?", "Keys(s[s.px>fence].LotNo)", "(s.px>fence).sum()",
      assumes("Keys(s[s.px>s.px.mean()+3*s.px.std()].LotNo)"),
      assumes("(s.px>s.px.mean()+3*s.px.std()).sum()")),
    q("net", "h", "what did sellers get after commission, per county?",
      "(d.px-d.comm).groupby(d.county).sum()"),
    q("band", "h", "sold lots by price band: up to 100, 100 to 500, 500 to 1000, over 1000",
      "Values(s.groupby(pd.cut(s.px,[0,100,500,1000,1e9]),observed=True).size().tolist())",
      assumes("Values(s.groupby(pd.cut(s.px,[0,100,500,1000,1e9],right=False),observed=True).size().tolist())")),
    q("slow", "h", "average days to payment by bid channel, slowest first",
      "d.groupby('WinChan').days.mean().sort_values(ascending=False)", order=True),
    q("within", "h", "for each department, percentage of sold lots that ended within the estimate",
      "s.groupby('dept').inest.mean()", share=True),
    q("idle", "h", "which sellers haven't consigned a single lot?",
      "Keys(who[~who.seller_id.isin(lots.SellerID)].SellerName)",
      "Keys(who[~who.seller_id.isin(lots.SellerID)].seller_id)", "(~who.seller_id.isin(lots.SellerID)).sum()"),
    q("rep", "h", "what share of buyers bought more than one lot?", "(s.paddle.value_counts()>1).mean()",
      share=True),
    q("left", "h", "departments ranked by the low-estimate value of what went unsold",
      "d[~d.won].groupby('dept').est_lo.sum().sort_values(ascending=False)", order=True),
    # cannot be answered
    q("age", "m", "average age of our buyers", REFUSE),
    q("store", "h", "storage costs per department for the unsold lots", REFUSE),
]
