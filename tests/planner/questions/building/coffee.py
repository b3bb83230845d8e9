"""Orders and subscriptions of a coffee roaster's web shop; a shop export with text for dates and money."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, money, q


def make():
    rng = np.random.default_rng(80417)
    n, people = 3020, 640
    ids = np.array([f"C{i:04}" for i in range(1001, 1001 + people)])
    weight = rng.gamma(1.1, 1, people) + .05
    who = rng.choice(people, n, p=weight / weight.sum())
    hour = rng.choice(24, n, p=np.array([1, 1, 0, 0, 0, 1, 3, 6, 9, 9, 8, 7, 7, 6, 6, 6, 7, 8, 10,
                                         12, 13, 9, 5, 2]) / 136)
    when = pd.Series(pd.Timestamp("2023-07-01") + pd.to_timedelta(
        np.floor(427 * rng.random(n) ** .85) * 1440 + hour * 60 + rng.integers(0, 60, n),
        unit="min"))
    when = when.sort_values().reset_index(drop=True)

    # subscriptions: one each for some of the customers
    m = 310
    subscribers = rng.choice(people, m, replace=False)
    start = pd.Series(pd.Timestamp("2023-06-01") + pd.to_timedelta(rng.integers(0, 400, m), unit="D"))
    plan = pd.Series(rng.choice(["Explorer", "Classic", "Office"], m, p=[.42, .4, .18]))
    stop = start + pd.to_timedelta(rng.gamma(2, 75, m).round() + 14, unit="D")
    stop = stop.mask((rng.random(m) < .45) | (stop > pd.Timestamp("2024-08-31")))
    reason = pd.Series(rng.choice(["too expensive", "too much coffee", "moved", "taste", "other"], m,
                                  p=[.36, .3, .1, .14, .1])).where(stop.notna())
    fee = plan.map({"Explorer": 24.0, "Classic": 19.5, "Office": 69.0}) \
        + rng.choice([0, 0, 0, 4.5], m)
    subs = pd.DataFrame({
        "sub_id": [f"SUB-{i}" for i in 500 + rng.permutation(m)], "CustID": ids[subscribers],
        "Plan": plan, "freq": rng.choice(["weekly", "2 weeks", "monthly"], m, p=[.2, .45, .35]),
        "mthly_fee": fee, "started": start.dt.strftime("%d.%m.%Y"),
        "cancelled_on": stop.dt.strftime("%d.%m.%Y"),
        "cancel_reason": reason.mask(rng.random(m) < .05),
        "autopay": rng.choice(["yes", "no"], m, p=[.83, .17])})

    at = {c: i for i, c in enumerate(subscribers)}
    sub = []
    for c, t, r in zip(who, when, rng.random(n)):
        i = at.get(c)
        ok = i is not None and start[i] <= t and not (stop[i] < t) and r < .75
        sub.append(subs.sub_id[i] if ok else None)

    product = pd.Series(rng.choice(["House Blend", "Espresso Forte", "Ethiopia Guji", "Colombia Huila",
                                    "Kenya AA", "Decaf Swiss"], n, p=[.27, .22, .17, .14, .08, .12]))
    base = {"House Blend": "medium", "Espresso Forte": "dark", "Ethiopia Guji": "light",
            "Colombia Huila": "medium", "Kenya AA": "light", "Decaf Swiss": "medium"}
    roast = product.map(base).mask(rng.random(n) < .12, pd.Series(
        rng.choice(["light", "medium", "dark"], n)))
    style = rng.choice(3, n, p=[.62, .28, .1])
    roast = pd.Series([[r, r.title(), r.upper()][k] for r, k in zip(roast, style)])
    roast = roast.mask(rng.random(n) < .012)
    bag = pd.Series(rng.choice(["250 g", "500 g", "1 kg"], n, p=[.47, .25, .28]))
    kilo = product.map({"House Blend": 29, "Espresso Forte": 31, "Ethiopia Guji": 42,
                        "Colombia Huila": 36, "Kenya AA": 48, "Decaf Swiss": 34})
    unit = (kilo * bag.map({"250 g": .29, "500 g": .54, "1 kg": 1.0})).round(1)
    qty = rng.choice([1, 2, 3, 4, 6, 12], n, p=[.46, .28, .12, .08, .045, .015])
    promo = pd.Series(rng.choice(["WELCOME10", "SPRING24", "FRIENDS", "XMAS"], n,
                                 p=[.45, .2, .25, .1])).mask(rng.random(n) < .74)
    disc = pd.Series(np.where(promo.notna(), rng.choice([10, 15, 20], n), rng.choice([0, 0, 0, 5], n)))
    total = (unit * qty * (1 - disc / 100)).round(2)
    country = pd.Series(rng.choice(["DE", "AT", "NL", "FR", "BE", "LU"], n,
                                   p=[.48, .16, .14, .11, .09, .02]))
    ship = when.dt.normalize() + pd.to_timedelta(rng.choice([0, 1, 2, 3, 4, 6], n,
                                                 p=[.2, .38, .22, .1, .07, .03]), unit="D")
    far = country.map({"DE": 1.6, "AT": 2.4, "NL": 2.2, "FR": 3.3, "BE": 2.6, "LU": 2.9})
    got = ship + pd.to_timedelta(np.ceil(far * rng.gamma(5, .2, n)), unit="D")
    lost = rng.random(n) < .025
    ship = ship.mask(lost)
    got = got.mask(lost | (rng.random(n) < .03))
    refund = rng.random(n) < product.map({"Decaf Swiss": .075, "Kenya AA": .055}).fillna(.034)
    return {"orders": pd.DataFrame({
        "Order No": [f"#{i}" for i in range(20431, 20431 + n)],
        "order_dt": when.dt.strftime("%d.%m.%Y %H:%M"), "CustID": ids[who], "sub_id": sub,
        "Product": product, "Roast Lvl": roast,
        "grind": pd.Series(rng.choice(["whole bean", "espresso", "filter", "french press"], n,
                                      p=[.55, .2, .17, .08])).mask(rng.random(n) < .04),
        "bag": bag, "Qty": qty, "unit_prc": unit, "disc_pct": disc.astype(float),
        "Order Total": ("€" + total.map("{:,.2f}".format)).mask(rng.random(n) < .008),
        "ship_cost": far.mul(1.3).add(rng.gamma(2, .6, n)).round(2),
        "Channel": rng.choice(["web", "app", "phone", "marketplace"], n, p=[.52, .29, .04, .15]),
        "ctry": country.mask(rng.random(n) < .006), "gift_yn": rng.choice(["Y", "N"], n, p=[.12, .88]),
        "first_order": np.where(pd.Series(who).duplicated(), "No", "Yes"),
        "Shipped": ship.dt.strftime("%d.%m.%Y"), "Delivd": got.dt.strftime("%d.%m.%Y"),
        "refunded": np.where(refund, "yes", "no"),
        "rating": pd.Series(rng.choice([1., 2, 3, 4, 5], n, p=[.03, .06, .14, .37, .4]))
        .mask(rng.random(n) < .43),
        "promo_cd": promo}), "subs": subs}


def prepare(orders, subs):
    o, s = orders, subs
    o["no"] = o["Order No"]
    o["dt"] = pd.to_datetime(o.order_dt, format="%d.%m.%Y %H:%M")
    o["day"] = o["dt"].dt.normalize()
    o["month"] = o["dt"].dt.to_period("M")
    o["ship"] = pd.to_datetime(o.Shipped, format="%d.%m.%Y")
    o["got"] = pd.to_datetime(o.Delivd, format="%d.%m.%Y")
    o["total"] = money(o["Order Total"]).astype(float)
    o["kg1"] = o.bag.map({"250 g": .25, "500 g": .5, "1 kg": 1.0})
    o["kg"] = o.kg1 * o.Qty
    o["roast"] = o["Roast Lvl"].str.lower()
    o["gift"] = flag(o.gift_yn).astype(bool)
    o["first"] = flag(o.first_order).astype(bool)
    o["ref"] = flag(o.refunded).astype(bool)
    o["weekend"] = o["dt"].dt.dayofweek >= 5
    o["bysub"] = o.sub_id.notna()
    o["d_ship"] = (o.ship - o.day).dt.days
    o["d_got"] = (o.got - o.day).dt.days
    o["d_way"] = (o.got - o.ship).dt.days
    o["f_ship"] = (o.ship - o["dt"]).dt.total_seconds() / 86400
    o["f_got"] = (o.got - o["dt"]).dt.total_seconds() / 86400
    s["start"] = pd.to_datetime(s.started, format="%d.%m.%Y")
    s["stop"] = pd.to_datetime(s.cancelled_on, format="%d.%m.%Y")
    s["days"] = (s.stop - s.start).dt.days
    s["gone"] = s.stop.notna()
    s["month"] = s.start.dt.to_period("M")
    j = o.merge(s[["sub_id", "Plan", "freq", "mthly_fee"]], on="sub_id", how="inner")
    c = o.merge(s[["CustID", "Plan", "freq"]], on="CustID", how="inner")
    return {"o": o, "s": s, "j": j, "c": c}


QUESTIONS = [
    # easy
    q("n", "e", "how many orders do we have", "len(o)"),
    q("ctry", "e", "orders per country", "o.ctry.value_counts()"),
    q("rev", "e", "total revenue please", "o.total.sum()", assumes("o[~o.ref].total.sum()")),
    q("aov", "e", "avg order total by channel", "o.groupby('Channel').total.mean()"),
    q("rate", "e", "average rating for each product", "o.groupby('Product').rating.mean()"),
    q("cust", "e", "how many different customers have ordered?", "o.CustID.nunique()"),
    q("top5", "e", "top 5 products by quantity", "top(o.groupby('Product').Qty.sum(), 5)"),
    q("roastbar", "e", "bar chart of orders by roast level", "o.roast.value_counts()", chart="bar"),
    q("revline", "e", "monthly revenue as a line chart pls", "o.groupby('month').total.sum()",
      chart="line"),
    q("gifts", "e", "how many orders were gifts?", "o.gift.sum()"),
    q("max", "e", "what was the biggest order ever", "top(o.set_index('no').total)", "o.total.max()",
      assumes("top(o.set_index('no').Qty)"), assumes("o.Qty.max()")),
    q("hist", "e", "histogram of order totals", "Hist(o.total.dropna())", chart="hist"),
    q("shipc", "e", "median shipping cost per country", "o.groupby('ctry').ship_cost.median()"),
    q("grind", "e", "Number of orders by grind", "o.grind.value_counts()"),
    q("refn", "e", "how many orders got refunded", "o.ref.sum()"),
    q("plans", "e", "count of subscriptions per plan", "s.Plan.value_counts()"),
    q("qty", "e", "average quantity per order", "o.Qty.mean()"),
    q("promo", "e", "which promo code is used most often?", "top(o.promo_cd.value_counts())"),
    # medium
    q("refr", "m", "refund rate by product", "o.groupby('Product').ref.mean()", share=True),
    q("subn", "m", "how many orders belong to a subscription?", "o.bysub.sum()"),
    q("giftaov", "m", "do gift orders have a higher order total than the others?",
      "o.groupby('gift').total.mean()", "o.groupby('gift').total.median()"),
    q("net", "m", "revenue excluding refunded orders", "o[~o.ref].total.sum()"),
    q("bags", "m", "revenue by bag size", "o.groupby('bag').total.sum()",
      "o.groupby(o.kg1*1000).total.sum()", "o.groupby('kg1').total.sum()"),
    q("wkend", "m", "weekend vs weekday orders", "o.weekend.value_counts()"),
    q("march", "m", "revenue in march 2024", "o[o.month=='2024-03'].total.sum()",
      assumes("o[(o.month=='2024-03')&~o.ref].total.sum()")),
    q("deliv", "m", "how many days from order to delivery on average, per country?",
      "o.groupby('ctry').d_got.mean()", "o.groupby('ctry').f_got.mean()"),
    q("unship", "m", "orders not shipped yet", "o.ship.isna().sum()", "Keys(o[o.ship.isna()].no)"),
    q("darkde", "m", "how many dark roast orders went to DE?",
      "((o.roast=='dark')&(o.ctry=='DE')).sum()"),
    q("decaf", "m", "avg rating of Decaf Swiss in 2024",
      "o[(o.Product=='Decaf Swiss')&(o['dt'].dt.year==2024)].rating.mean()"),
    q("loyal", "m", "customers with at least 12 orders",
      "(lambda v: v[v>=12])(o.CustID.value_counts())",
      "(lambda v: Keys(v[v>=12].index))(o.CustID.value_counts())",
      "(o.CustID.value_counts()>=12).sum()"),
    q("appfirst", "m", "what percentage of app orders are first orders",
      "o[o.Channel=='app']['first'].mean()", share=True),
    q("pie", "m", "pie chart of revenue by channel", "o.groupby('Channel').total.sum()", chart="pie"),
    q("big", "m", "how many orders over 100 euro?", "(o.total>100).sum()",
      "Keys(o[o.total>100].no)"),
    q("june", "m", "top 3 countries by revenue since 1 June 2024",
      "top(o[o['dt']>='2024-06-01'].groupby('ctry').total.sum(), 3)"),
    q("churn", "m", "what share of subscriptions has been cancelled?", "s.gone.mean()", share=True),
    q("why", "m", "why do people cancel their subscription? most common reason first",
      "s.cancel_reason.value_counts()", order=True),
    q("box", "m", "boxplot of order total by roast level", "box(o,'roast','total')", chart="box"),
    q("profit", "m", "profit margin by product", REFUSE),
    q("gender", "m", "revenue by gender of the customer", REFUSE),
    q("conv", "m", "what's the conversion rate of website visitors?", REFUSE),
    # hard
    q("kg", "h", "how many kg of coffee did we sell per product?", "o.groupby('Product').kg.sum()",
      assumes("o[~o.ref].groupby('Product').kg.sum()")),
    q("life", "h", "how long do cancelled subscriptions last on average, by plan?",
      "s.groupby('Plan').days.mean()", "s.groupby('Plan').days.mean()/7",
      "s.groupby('Plan').days.mean()/30.4375"),
    q("planrev", "h", "order revenue by subscription plan", "j.groupby('Plan').total.sum()",
      assumes("c.groupby('Plan').total.sum()")),
    q("mrr", "h", "total monthly fee of subscriptions that are still active, per plan",
      "s[~s.gone].groupby('Plan').mthly_fee.sum()"),
    q("subshare", "h", "share of revenue that comes from subscription orders, per month",
      "o[o.bysub].groupby('month').total.sum()/o.groupby('month').total.sum()", share=True),
    q("repeat", "h", "what pct of customers ordered more than once?",
      "(o.CustID.value_counts()>1).mean()", share=True),
    q("ship2", "h", "share of orders shipped within 2 days by channel",
      "(o.d_ship<=2).groupby(o.Channel).mean()",
      "(lambda x: (x.d_ship<=2).groupby(x.Channel).mean())(o.dropna(subset='d_ship'))",
      "(o.f_ship<=2).groupby(o.Channel).mean()",
      "(lambda x: (x.f_ship<=2).groupby(x.Channel).mean())(o.dropna(subset='f_ship'))", share=True),
    q("bands", "h", "number of orders by order total: under 20, 20 to 50, 50 to 100, more than 100",
      "Values(o.groupby(pd.cut(o.total,[-1,20,50,100,1e9],right=False),observed=True).size().tolist())",
      "Values(o.groupby(pd.cut(o.total,[-1,20,50,100,1e9]),observed=True).size().tolist())",
      "Values([(o.total<20).sum(), ((o.total>=20)&(o.total<50)).sum(),"
      " ((o.total>=50)&(o.total<=100)).sum(), (o.total>100).sum()])"),
    q("mom", "h", "month over month revenue growth in %",
      "(o.groupby('month').total.sum().pct_change()*100).dropna()", share=True),
    q("min400", "h", "which product with at least 400 orders has the best avg rating?",
      "top(o.groupby('Product').rating.mean()[o.Product.value_counts()>=400])"),
    q("top10", "h", "how much of total revenue do our top 10 customers make up?",
      "o.groupby('CustID').total.sum().nlargest(10).sum()/o.total.sum()",
      assumes("o.groupby('CustID').total.sum().nlargest(10).sum()"), share=True),
    q("ratio", "h", "ratio of app orders to web orders by month",
      "o[o.Channel=='app'].groupby('month').size()/o[o.Channel=='web'].groupby('month').size()",
      share=True),
    q("refc", "h", "country with the highest refund rate, only countries with 200+ orders",
      "top(o.groupby('ctry').ref.mean()[o.ctry.value_counts()>=200])", share=True),
    q("last60", "h", "average order total of first orders vs repeat orders in the last 60 days",
      "o[o['dt']>o['dt'].max()-pd.Timedelta(days=60)].groupby('first').total.mean()",
      "o[o['dt']>=o.day.max()-pd.Timedelta(days=60)].groupby('first').total.mean()",
      "o[o.day>o.day.max()-pd.Timedelta(days=60)].groupby('first').total.mean()"),
    q("cum", "h", "plot cumulative revenue by month", "o.groupby('month').total.sum().cumsum()",
      chart="any"),
    q("eurkg", "h", "revenue per kg by product",
      "(lambda x: x.groupby('Product').total.sum()/x.groupby('Product').kg.sum())(o)",
      "(lambda x: x.groupby('Product').total.sum()/x.groupby('Product').kg.sum())(o.dropna(subset='total'))",
      assumes("(o.total/o.kg).groupby(o.Product).mean()")),
    q("churnp", "h", "cancellation rate of subscriptions by plan for subs started in 2023",
      "s[s.start.dt.year==2023].groupby('Plan').gone.mean()", share=True),
]
