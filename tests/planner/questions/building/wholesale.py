"""Invoice lines of a food wholesaler, as its ERP exports them: one row a line, amounts and dates as text."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, money, q

ITEMS = {  # group: (description, unit, list price, organic)
    "Dairy": [("Butter 250g x 20", "box", 46, 0), ("Goat Cheese Log 1kg", "pcs", 14.2, 0),
              ("Cream Cheese 2kg tub", "pcs", 11.9, 0), ("Whole Milk 10L BIO", "L", 1.15, 1),
              ("Cheddar Cheese block", "kg", 8.4, 0), ("Natural Yoghurt 5kg", "pcs", 9.8, 1)],
    "Meat": [("Chicken Breast", "kg", 7.9, 0), ("Beef Mince", "kg", 9.6, 0),
             ("Pork Shoulder", "kg", 6.3, 0), ("Lamb Rack NZ", "kg", 24.5, 0),
             ("Chicken Thigh BIO", "kg", 11.8, 1)],
    "Fruit & Veg": [("Tomatoes vine", "kg", 2.6, 0), ("Potatoes waxy 25kg", "box", 17.5, 0),
                    ("Bananas", "kg", 1.4, 0), ("Carrots BIO", "kg", 1.7, 1),
                    ("Mixed Salad 500g", "pcs", 2.9, 0), ("Lemons BIO", "kg", 3.6, 1)],
    "Dry Goods": [("Wheat Flour T550 25kg", "box", 18.9, 0), ("Basmati Rice 20kg", "box", 38, 0),
                  ("Penne 5kg", "pcs", 7.7, 0), ("Red Lentils 10kg BIO", "pcs", 29.5, 1),
                  ("Sunflower Oil", "L", 2.1, 0)],
    "Beverages": [("Orange Juice", "L", 1.95, 0), ("Mineral Water 12x0.7", "box", 6.2, 0),
                  ("Espresso Beans 1kg", "pcs", 15.8, 0), ("Apple Juice BIO", "L", 2.35, 1)],
    "Frozen": [("Peas frozen 2.5kg", "pcs", 5.4, 0), ("French Fries 4x2.5kg", "box", 19.8, 0),
               ("Salmon Fillet TK", "kg", 18.6, 0), ("Vanilla Ice Cream 5L", "pcs", 16.9, 0)],
    "Bakery": [("Burger Buns x 48", "box", 14.6, 0), ("Croissant raw x 80", "box", 31, 0),
               ("Sourdough Loaf BIO", "pcs", 3.9, 1)]}
KINDS = {"Restaurant": ("Gasthof", "Trattoria", "Bistro"), "Hotel": ("Hotel", "Parkhotel"),
         "Canteen": ("Kantine", "Mensa"), "Retail": ("Feinkost", "Hofladen"),
         "Catering": ("Catering", "Partyservice")}
PLACES = ("Krone", "Adler", "Lindenhof", "am Markt", "Seeblick", "Bellavista", "Waldhof", "Sonne",
          "Hafen", "Altstadt", "Stern")
MARGINS = {"Dairy": .81, "Meat": .84, "Fruit & Veg": .7, "Dry Goods": .76, "Beverages": .66,
           "Frozen": .73, "Bakery": .62}


def make():
    rng = np.random.default_rng(7717)
    items = pd.DataFrame([(group, *item) for group, listed in ITEMS.items() for item in listed],
                         columns=["group", "text", "uom", "price", "bio"])
    items["no"] = [f"{a}-{b}" for a, b in zip(10 + items.group.factorize()[0] * 10,
                                              rng.permutation(np.arange(200, 200 + len(items))))]
    customers = pd.DataFrame([(kind, f"{name} {place}") for kind, names in KINDS.items()
                              for name in names for place in PLACES], columns=["kind", "name"])
    customers = customers.sample(88, random_state=3).reset_index(drop=True)
    c = len(customers)
    customers["no"] = 20000 + np.sort(rng.choice(900, c, replace=False))
    customers["region"] = rng.choice(["North", "East", "South", "West"], c, p=[.3, .15, .33, .22])
    customers["terms"] = rng.choice([14, 30, 60], c, p=[.3, .5, .2])
    customers["rep"] = customers.region.map({"North": "Petersen", "East": "Kowalski",
                                             "South": "Huber", "West": "Özdemir"})
    customers.loc[rng.random(c) < .25, "rep"] = "Lang"
    until = np.where(rng.random(c) < .13, rng.integers(120, 340, c), 730)
    # invoices
    v = 1450
    weight = rng.gamma(.7, 1, c) + .02
    who = rng.choice(c, v, p=weight / weight.sum())
    day = np.floor(rng.random(v) ** .88 * until[who]).astype(int)
    day -= np.where((pd.Timestamp("2023-01-02") + pd.to_timedelta(day, unit="D")).dayofweek == 6,
                    1, 0) * (day > 0)
    order = np.argsort(day, kind="stable")
    who, day = who[order], day[order]
    date = pd.Timestamp("2023-01-02") + pd.to_timedelta(day, unit="D")
    delivered = date - pd.to_timedelta(rng.choice([0, 1, 2, 3], v, p=[.35, .4, .15, .1]), unit="D")
    wished = delivered - pd.to_timedelta(rng.choice([-1, 0, 1, 2, 4], v, p=[.06, .75, .1, .06, .03]),
                                         unit="D")
    terms = customers.terms.to_numpy()[who]
    paid = pd.Series(date + pd.to_timedelta(
        np.maximum(1, terms + rng.normal(-3, 9, v)).round().astype(int), unit="D"))
    paid[(paid > pd.Timestamp("2025-01-10")) | (rng.random(v) < .03)] = pd.NaT
    whs = pd.Series(customers.region.to_numpy()[who]).map(
        {"North": "HAM", "East": "BER", "South": "MUC", "West": "DUS"}).to_numpy(dtype=object)
    whs = np.where(rng.random(v) < .08, "HAM", whs)
    # their lines
    count = 1 + rng.poisson(2.4, v)
    of = np.repeat(np.arange(v), count)
    n = len(of)
    what = rng.integers(0, len(items), n)
    item = items.iloc[what].reset_index(drop=True)
    customer = customers.iloc[who[of]].reset_index(drop=True)
    ordered = np.ceil(rng.gamma(1.1, 260, n) / item.price.to_numpy() ** .9).astype(int).clip(1, 900)
    short = rng.random(n) < .09
    got = np.where(short, np.floor(ordered * rng.uniform(.3, .97, n)), ordered).astype(int).clip(1)
    price = (item.price * (1 + .00009 * day[of]) * rng.normal(1, .03, n)).round(2)
    discount = pd.Series(rng.choice([2.0, 3.0, 5.0, 7.5, 10.0, 15.0], n, p=[.2, .3, .25, .12, .1, .03]))
    discount[rng.random(n) < .58] = np.nan
    net = (got * price * (1 - discount.fillna(0) / 100)).round(2)
    cost = (got * item.price * item.group.map(MARGINS) * rng.normal(1, .04, n)).round(2)
    trouble = rng.random(n) < item.group.map({"Fruit & Veg": .075, "Frozen": .05}).fillna(.025)
    kind = customer.kind.where(rng.random(n) < .8, customer.kind.str.upper())
    kind = kind.where(rng.random(n) < .93, kind.str.lower())
    bio = item.bio.map({0: "N", 1: "Y"}).mask(pd.Series(rng.random(n) < .03))
    return {"inv_lines": pd.DataFrame({
        "invNo": [f"RE{230000 + i}" for i in of + 1],
        "pos": np.concatenate([np.arange(1, k + 1) * 10 for k in count]),
        "inv_date": date[of].strftime("%d.%m.%Y"), "custNo": customer.no, "cust_name": customer.name,
        "CustGrp": kind, "region": customer.region, "itemNo": item.no, "item_desc": item.text,
        "prodGrp": item.group, "qty_ord": ordered, "qty_del": got, "uom": item.uom,
        "unit_price": price, "disc_pct": discount, "netAmt": [f"{x:,.2f} EUR" for x in net],
        "cost_amt": cost, "vat_pct": np.where(item.group == "Beverages", 19, 7),
        "sales_rep": customer.rep.mask(pd.Series(rng.random(n) < .04)), "whs": whs[of],
        "payTermsDays": terms[of], "req_dt": wished[of].strftime("%Y-%m-%d"),
        "deliv_dt": delivered[of].strftime("%Y-%m-%d"),
        "paid_on": pd.Series(paid.to_numpy()[of]).dt.strftime("%Y-%m-%d"), "organic": bio,
        "complaint": np.where(trouble, rng.choice(["yes", "Yes"], n, p=[.8, .2]), "no"),
        "credit_amt": (net * rng.uniform(.1, 1, n)).round(2).where(
            pd.Series(trouble & (rng.random(n) < .7)))})}


def prepare(inv_lines):
    d = inv_lines
    d["net"], d["grp"] = money(d.netAmt), d.CustGrp.str.title()
    d["date"] = pd.to_datetime(d.inv_date, format="%d.%m.%Y")
    for column in ("req_dt", "deliv_dt", "paid_on"):
        d[column] = pd.to_datetime(d[column])
    d["month"], d["year"] = d.date.dt.to_period("M"), d.date.dt.year
    d["bio"] = d.organic == "Y"
    d["bad"] = d.complaint.str.lower() == "yes"
    d["margin"] = d.net - d.cost_amt
    d["late"] = d.deliv_dt > d.req_dt
    d["wait"] = (d.paid_on - d.date).dt.days
    d["slow"] = (d.wait > d.payTermsDays)
    v = d.drop_duplicates("invNo").set_index("invNo")
    v["value"] = d.groupby("invNo").net.sum()
    return {"d": d, "v": v, "byyear": d.pivot_table(index="prodGrp", columns="year", values="net",
                                                    aggfunc="sum")}


QUESTIONS = [
    q("n", "e", "how many invoice lines are in the export?", "len(d)"),
    q("invs", "e", "number of different invoices", "len(v)"),
    q("rev", "e", "Total net revenue please", "d.net.sum()"),
    q("prod", "e", "net sales by product group", "d.groupby('prodGrp').net.sum()"),
    q("custs", "e", "How many customers do we have in the data?", "d.custNo.nunique()"),
    q("region", "e", "bar chart net amount per region", "d.groupby('region').net.sum()", chart="bar"),
    q("best", "e", "Which item brings in the most money?", "top(d.groupby('item_desc').net.sum())",
      "top(d.groupby('itemNo').net.sum())",
      assumes("top((d.net-d.cost_amt).groupby(d.item_desc).sum())")),
    q("ten", "e", "top 10 customers by net amount", "top(d.groupby('cust_name').net.sum(), 10)",
      "top(d.groupby('custNo').net.sum(), 10)"),
    q("whs", "e", "lines per warehouse", "d.whs.value_counts()"),
    q("vat", "e", "count of rows for each vat rate", "d.vat_pct.value_counts()"),
    q("price", "e", "show me a histogram of the unit prices", "Hist(d.unit_price)", chart="hist"),
    q("pie", "e", "Revenue split by customer group, as a pie", "d.groupby('grp').net.sum()",
      chart="pie"),
    q("dairy", "e", "median unit price dairy", "d[d.prodGrp=='Dairy'].unit_price.median()"),
    q("big", "e", "what's the largest amount we ever billed on one line?", "d.net.max()",
      "top(d.set_index('invNo').net)"),
    q("reps", "e", "sales reps ranked by revenue",
      "d.groupby('sales_rep').net.sum().sort_values(ascending=False)", order=True),
    q("hundred", "e", "lines with more than 100 units delivered, how many are there",
      "(d.qty_del>100).sum()"),
    q("uom", "e", "which units of measure are used?", "Keys(d.uom.unique())"),
    q("bio", "e", "How many lines were for organic products?", "d.bio.sum()"),
    q("norep", "e", "number of lines where the sales rep is missing", "d.sales_rep.isna().sum()"),
    q("disc", "e", "avg discount", "d.disc_pct.mean()", assumes("d.disc_pct.fillna(0).mean()"),
      assumes("100*(1-d.net.sum()/(d.qty_del*d.unit_price).sum())")),
    q("trend", "m", "plot our monthly net revenue as a line chart", "d.groupby('month').net.sum()",
      chart="line"),
    q("y24", "m", "How much did we invoice in 2024?", "d[d.year==2024].net.sum()",
      assumes("(d.net*(1+d.vat_pct/100))[d.year==2024].sum()")),
    q("hotel", "m", "what did hotels in the south buy from us in total (EUR)",
      "d[(d.grp=='Hotel')&(d.region=='South')].net.sum()"),
    q("compl", "m", "complaint rate per warehouse", "d.groupby('whs').bad.mean()", share=True),
    q("worst", "m", "Which product group has the most complaints relative to its number of lines?",
      "top(d.groupby('prodGrp').bad.mean())"),
    q("wday", "m", "on which weekday do we write the most invoices",
      "top(v.date.dt.day_name().value_counts())",
      assumes("top(d.date.dt.day_name().value_counts())")),
    q("q4", "m", "compare revenue of Q4 2023 and Q4 2024",
      "d[d.date.dt.quarter==4].groupby(d.date.dt.to_period('Q')).net.sum()",
      "d[d.date.dt.quarter==4].groupby('year').net.sum()"),
    q("open", "m", "how many invoices have not been paid yet?", "v.paid_on.isna().sum()"),
    q("openeur", "m", "Net amount still outstanding, i.e. everything that has no payment date, by customer "
      "group", "d[d.paid_on.isna()].groupby('grp').net.sum()"),
    q("biorev", "m", "organic as a share of revenue", "d[d.bio].net.sum()/d.net.sum()",
      assumes("d[d.bio].net.sum()/d[d.organic.notna()].net.sum()"),
      "(d.groupby('organic').net.sum()/d.net.sum()).sort_values()",
      assumes("(d.groupby('organic').net.sum()/d[d.organic.notna()].net.sum()).sort_values()"),
      share=True),
    q("given", "m", "percentage of lines sold with a discount", "d.disc_pct.notna().mean()",
      share=True),
    q("basket", "m", "how many lines does an invoice have on average", "len(d)/len(v)"),
    q("heat", "m", "Could you draw a heatmap of net sales, regions against product groups?",
      "d.pivot_table(index='region', columns='prodGrp', values='net', aggfunc='sum')", chart="heat"),
    q("stack", "m", "stacked bars: revenue per year, split by customer group",
      "d.pivot_table(index='year', columns='grp', values='net', aggfunc='sum')", chart="bar"),
    q("cheap", "m", "five cheapest items going by average unit price",
      "bottom(d.groupby('item_desc').unit_price.mean(), 5)",
      "bottom(d.groupby('itemNo').unit_price.mean(), 5)"),
    q("box", "m", "boxplot of line quantity ordered for each unit of measure", "box(d,'uom','qty_ord')",
      chart="box"),
    q("scat", "m", "scatter of unit price vs delivered qty", "Pairs(d.unit_price, d.qty_del)",
      "Pairs(d.qty_del, d.unit_price)", chart="scatter"),
    q("cheese", "m", "total sales of everything with cheese in the description",
      "d[d.item_desc.str.contains('cheese', case=False)].net.sum()"),
    q("mid", "m", "How many lines are worth between 500 and 1000 euros?",
      "d.net.between(500,1000).sum()", assumes("(d.net.gt(500)&d.net.lt(1000)).sum()")),
    q("not", "m", "revenue excluding beverages and frozen, per region",
      "d[~d.prodGrp.isin(['Beverages','Frozen'])].groupby('region').net.sum()"),
    q("gm", "h", "what is our gross margin in percent, i.e. (net - cost) / net?",
      "d.margin.sum()/d.net.sum()", assumes("(d.margin/d.net).mean()"), share=True),
    q("gmgrp", "h", "margin % by product group, best one first",
      "(d.groupby('prodGrp').margin.sum()/d.groupby('prodGrp').net.sum())"
      ".sort_values(ascending=False)",
      assumes("(d.margin/d.net).groupby(d.prodGrp).mean().sort_values(ascending=False)"),
      order=True, share=True),
    q("fill", "h", "fill rate (qty delivered / qty ordered) for every warehouse",
      "d.groupby('whs').qty_del.sum()/d.groupby('whs').qty_ord.sum()",
      assumes("(d.qty_del/d.qty_ord).groupby(d.whs).mean()"), share=True),
    q("late", "h", "what percentage was deliverd later than requested (deliv_dt after req_dt)?", "d.late.mean()",
      "v.late.mean()", share=True),
    q("dtp", "h", "How long do customers take to pay on average? Days from invoice date to payment, "
      "by customer group please", "v.groupby('grp').wait.mean()",
      assumes("d.groupby('grp').wait.mean()")),
    q("overdue", "h", "share of paid invoices that were paid after the payment terms had run out, per "
      "payment term", "v[v.paid_on.notna()].groupby('payTermsDays').slow.mean()",
      assumes("d[d.paid_on.notna()].groupby('payTermsDays').slow.mean()"), share=True),
    q("aiv", "h", "average invoice value per region", "v.groupby('region').value.mean()"),
    q("each", "h", "best seller of each product group by quantity delivered",
      "d.groupby(['prodGrp','item_desc']).qty_del.sum().unstack().idxmax(axis=1)",
      "d.groupby(['prodGrp','itemNo']).qty_del.sum().unstack().idxmax(axis=1)"),
    q("three", "h", "top 3 customers in every region w/ their revenue",
      "d.groupby(['region','cust_name']).net.sum().groupby('region', group_keys=False).nlargest(3)",
      "d.groupby(['region','custNo']).net.sum().groupby('region', group_keys=False).nlargest(3)"),
    q("growth", "h", "How did revenue of each product group grow from 2023 to 2024, in percent?",
      "100*(byyear[2024]/byyear[2023]-1)", share=True),
    q("mom", "h", "month on month change in net amount, %",
      "100*d.groupby('month').net.sum().pct_change().dropna()", share=True),
    q("cum", "h", "cumulated revenue 2024 by month",
      "d[d.year==2024].groupby('month').net.sum().cumsum()"),
    q("bands", "h", "Group the invoices by total value: below 500, 500 to 2000, more than 2000 - how many "
      "in each?", "Values([(v.value<500).sum(), v.value.between(500,2000).sum(), (v.value>2000).sum()])"),
    q("once", "h", "nr of customers with just one single invoice",
      "(v.custNo.value_counts()==1).sum()"),
    q("pareto", "h", "share of total revenue made by the ten biggest customers",
      "d.groupby('custNo').net.sum().nlargest(10).sum()/d.net.sum()", share=True),
    q("lost", "h", "which customers bought in 2023 but nothing in 2024?",
      "Keys(sorted(set(d[d.year==2023].cust_name)-set(d[d.year==2024].cust_name)))",
      "Keys(sorted(set(d[d.year==2023].custNo)-set(d[d.year==2024].custNo)))"),
    q("perkg", "h", "net revenue per kg for items sold in kg, by item",
      "d[d.uom=='kg'].groupby('item_desc').net.sum()/d[d.uom=='kg'].groupby('item_desc').qty_del.sum()",
      "d[d.uom=='kg'].groupby('itemNo').net.sum()/d[d.uom=='kg'].groupby('itemNo').qty_del.sum()",
      assumes("(d.net/d.qty_del)[d.uom=='kg'].groupby(d.item_desc).mean()")),
    q("credit", "h", "credits in relation to net sales per product group",
      "d.groupby('prodGrp').credit_amt.sum()/d.groupby('prodGrp').net.sum()", share=True),
    q("stock", "e", "current stock of frozen goods", REFUSE),
    q("km", "h", "Average kilometres driven per delivery, by driver", REFUSE),
]
