"""Bookings of a small group of hotels, with camel case and cancelled stays."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, q


def make():
    rng = np.random.default_rng(1202)
    n = 3600
    arrive = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), unit="D")
    nights = rng.integers(1, 9, n)
    lead = rng.gamma(1.5, 22, n).round().astype(int)
    room = rng.choice(["single", "double", "suite", "family"], n, p=[.25, .5, .08, .17])
    rate = pd.Series(room).map({"single": 72, "double": 104, "suite": 240, "family": 150}) \
        * rng.normal(1, .12, n)
    channel = rng.choice(["Booking.com", "Expedia", "direct", "phone"], n, p=[.42, .2, .3, .08])
    score = pd.Series(rng.normal(8, 1.1, n).clip(1, 10).round(1))
    score[rng.random(n) < .4] = np.nan
    return {"bookings": pd.DataFrame({
        "bookingRef": [f"HB-{i}" for i in range(1, n + 1)],
        "hotel": rng.choice(["Seaview", "Grand Plaza", "Alpine Lodge", "Old Mill"], n,
                            p=[.3, .35, .15, .2]),
        "roomType": room, "bookedOn": arrive - pd.to_timedelta(lead, unit="D"), "checkIn": arrive,
        "checkOut": arrive + pd.to_timedelta(nights, unit="D"), "nights": nights,
        "adults": rng.choice([1, 2, 3], n, p=[.3, .6, .1]), "kids": rng.poisson(.35, n),
        "country": rng.choice(["DE", "FR", "UK", "NL", "US"], n, p=[.4, .2, .18, .14, .08]),
        "channel": channel, "ratePerNight": rate.round(2),
        "isCancelled": rng.random(n) < pd.Series(channel).map(
            {"Booking.com": .24, "Expedia": .2, "direct": .08, "phone": .1}).to_numpy(),
        "breakfast": rng.choice(["Y", "N"], n, p=[.62, .38]),
        "reviewScore": score})}


def prepare(bookings):
    d = bookings
    d["rev"] = d.nights * d.ratePerNight
    d["guests"] = d.adults + d.kids
    d["lead"] = (d.checkIn - d.bookedOn).dt.days
    d["bf"] = d.breakfast == "Y"
    d["month"], d["year"] = d.checkIn.dt.to_period("M"), d.checkIn.dt.year
    d["weekend"] = d.checkIn.dt.dayofweek >= 5
    return {"d": d, "s": d[~d.isCancelled]}


QUESTIONS = [
    q("n", "e", "bookings per hotel", "d.hotel.value_counts()"),
    q("rate", "e", "average nightly rate by room type", "d.groupby('roomType').ratePerNight.mean()"),
    q("nights", "e", "total nights sold at Seaview", "d[d.hotel=='Seaview'].nights.sum()",
      assumes("s[s.hotel=='Seaview'].nights.sum()")),
    q("score", "e", "Which hotel has the best review score?",
      "top(d.groupby('hotel').reviewScore.mean())"),
    q("canc", "e", "how many bookings were cancelled", "d.isCancelled.sum()"),
    q("countries", "e", "where do guests come from?", "d.country.value_counts()",
      assumes("d.groupby('country').guests.sum()")),
    q("cancrate", "m", "cancellation rate per channel", "d.groupby('channel').isCancelled.mean()",
      share=True),
    q("cancworst", "e", "which channel cancels most often?",
      "top(d.groupby('channel').isCancelled.mean())", "top(d.groupby('channel').isCancelled.sum())",
      share=True),
    q("rev", "e", "total revenue as nights times rate per night", "d.rev.sum()"),
    q("revhotel", "e", "revenue (nights * ratePerNight) by hotel", "d.groupby('hotel').rev.sum()"),
    q("revnocanc", "h", "revenue from nights x rate by hotel without cancelled bookings",
      "s.groupby('hotel').rev.sum()"),
    q("lead", "m", "how many days in advance do people book on average?", "d.lead.mean()"),
    q("leadch", "m", "average time between bookedOn and checkIn for each channel",
      "d.groupby('channel').lead.mean()"),
    q("leadcmp", "h", "do cancelled bookings have a longer lead time than the others?",
      "d.groupby('isCancelled').lead.mean()"),
    q("guests", "m", "average number of guests (adults plus kids) per booking", "d.guests.mean()"),
    q("family", "m", "how many bookings were made with kids?", "(d.kids>0).sum()"),
    q("nokids", "m", "share of bookings without kids", "(d.kids==0).mean()", share=True),
    q("bf", "m", "what percent of bookings include breakfast", "d.bf.mean()", share=True),
    q("bfscore", "m", "review score with breakfast vs without", "d.groupby('bf').reviewScore.mean()"),
    q("noreview", "m", "how many bookings have no review score?", "d.reviewScore.isna().sum()"),
    q("revrate", "h", "what share of stays got reviewed, per hotel",
      "d.assign(r=d.reviewScore.notna()).groupby('hotel').r.mean()",
      "s.assign(r=s.reviewScore.notna()).groupby('hotel').r.mean()", share=True),
    q("long", "m", "bookings of at least a week by hotel", "d[d.nights>=7].hotel.value_counts()"),
    q("longpct", "h", "percentage of bookings longer than 5 nights by country",
      "d.assign(x=d.nights>5).groupby('country').x.mean()", share=True),
    q("july", "m", "average rate in july and august",
      "d[d.checkIn.dt.month.isin([7,8])].ratePerNight.mean()",
      "d[d.checkIn.dt.month.isin([7,8])].groupby(d.checkIn.dt.month_name()).ratePerNight.mean()"),
    q("wkend", "m", "weekend arrivals compared to weekday arrivals", "d.weekend.value_counts()"),
    q("sum23", "m", "bookings per month in 2023", "d[d.year==2023].groupby('month').size()"),
    q("busiest", "m", "busiest month for check-ins", "top(d.month.value_counts())",
      assumes("top(d.checkIn.dt.month_name().value_counts())")),
    q("best3", "m", "top three countries by total nights", "top(d.groupby('country').nights.sum(), 3)"),
    q("chhotel", "h", "the channel with the most bookings for each hotel",
      "pd.crosstab(d.hotel,d.channel).idxmax(axis=1)"),
    q("direct", "h", "what fraction of bookings is direct, by year",
      "d.assign(x=d.channel=='direct').groupby('year').x.mean()",
      assumes("d.assign(x=d.channel=='direct').groupby(d.bookedOn.dt.year).x.mean()"), share=True),
    q("growth", "h", "percentage change in bookings per quarter",
      "d.groupby(d.checkIn.dt.to_period('Q')).size().pct_change().dropna()",
      assumes("d.groupby(d.bookedOn.dt.to_period('Q')).size().pct_change().dropna()"), share=True),
    q("suitecmp", "m", "how much more does a suite cost per night than a double on average?",
      "d[d.roomType=='suite'].ratePerNight.mean()-d[d.roomType=='double'].ratePerNight.mean()"),
    q("maxmin", "m", "lowest and highest rate per hotel",
      "d.groupby('hotel').ratePerNight.agg(['min','max'])"),
    q("corr", "m", "correlation of review score and rate", "d.reviewScore.corr(d.ratePerNight)"),
    q("above", "h", "hotels with an average review score above 8",
      "(lambda s: s[s>8])(d.groupby('hotel').reviewScore.mean())",
      "(lambda s: Keys(s[s>8].index))(d.groupby('hotel').reviewScore.mean())"),
    q("adr", "h", "average revenue per booking by channel, revenue being nights times ratePerNight",
      "d.groupby('channel').rev.mean()"),
    q("p90", "h", "90th percentile of lead time in days", "d.lead.quantile(.9)"),
    q("band", "h", "bookings by length of stay: 1-2, 3-4, 5+ nights",
      "pd.cut(d.nights,[0,2,4,99],labels=['1-2','3-4','5+']).value_counts()"),
    q("profit", "h", "profit by hotel", REFUSE),
    q("parking", "m", "bookings by parking", REFUSE),
    q("avgn", "e", "how many nights do guests stay on average?", "d.nights.mean()"),
    q("rooms", "e", "most common room type", "top(d.roomType.value_counts())"),
    q("kidsum", "e", "total number of kids", "d.kids.sum()"),
    q("scorehist", "e", "show the distribution of review scores", "Hist(d.reviewScore)"),
    q("ukfr", "m", "bookings from the UK and France", "d.country.isin(['UK','FR']).sum()",
      "d[d.country.isin(['UK','FR'])].country.value_counts()"),
    q("notcanc", "m", "how many bookings were not cancelled?", "(~d.isCancelled).sum()"),
    q("cheap", "m", "bookings with a rate below 80 per night", "(d.ratePerNight<80).sum()",
      "Keys(d[d.ratePerNight<80].bookingRef)"),
    q("monthline", "m", "line chart of average rate per night by check-in month",
      "d.groupby('month').ratePerNight.mean()", chart="line"),
    q("top10", "h", "ten bookings with the highest rate per night",
      "top(d.set_index('bookingRef').ratePerNight, 10)"),
    q("shareroom", "m", "share of each room type", "d.roomType.value_counts(normalize=True)", share=True),
    q("scoremin", "h", "hotel and room type combination with the lowest average review score",
      "bottom(d.groupby(['hotel','roomType']).reviewScore.mean())"),
    q("adults3", "m", "percentage of bookings with three adults by hotel",
      "d.assign(x=d.adults==3).groupby('hotel').x.mean()", share=True),
]
