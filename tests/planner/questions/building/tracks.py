"""Songs of a streaming service, one row a song, as its catalogue has them."""

import numpy as np
import pandas as pd
from spec import REFUSE, q


def make():
    rng = np.random.default_rng(6307)
    n = 1500
    genre = rng.choice(["pop", "hip hop", "rock", "electronic", "jazz", "folk"], n, p=[.3, .22, .19, .15, .08, .06])
    streams = (rng.lognormal(11.5, 1.5, n)).astype(int)
    return {"songs": pd.DataFrame({
        "track": [f"Song {i}" for i in rng.permutation(n)], "artist": rng.choice(
            [f"Artist {i:03}" for i in range(170)], n), "album": rng.choice([f"Album {i:03}" for i in range(410)], n),
        "genre": genre, "released": pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3500, n), unit="D"),
        "duration_s": rng.normal(212, 48, n).clip(61).round().astype(int), "bpm": rng.normal(118, 23, n).round().astype(int),
        "key": rng.choice(["C", "D", "E", "F", "G", "A", "B"], n), "mode": rng.choice(["major", "minor"], n, p=[.6, .4]),
        "explicit": rng.random(n) < .31, "danceability": rng.beta(5, 3, n).round(3), "energy": rng.beta(4, 2.5, n).round(3),
        "popularity": rng.integers(0, 101, n), "streams": streams, "skips": (streams * rng.beta(2, 7, n)).astype(int),
        "saves": (streams * rng.beta(1.5, 30, n)).astype(int), "label": rng.choice(
            ["Nova", "Parlour", "Indie", "Big Sound", None], n, p=[.26, .22, .25, .2, .07]), "featuring": np.where(
            rng.random(n) < .24, rng.choice([f"Artist {i:03}" for i in range(170)], n), None)})}


def prepare(songs):
    d = songs
    d["year"], d["min"] = d.released.dt.year, d.duration_s / 60
    d["feat"] = d.featuring.notna()
    return {"d": d}


QUESTIONS = [
    q("n", "e", "how many songs are there?", "len(d)"),
    q("genre", "e", "songs per genre", "d.genre.value_counts()"),
    q("top", "e", "10 most streamed songs", "top(d.set_index('track').streams, 10)"),
    q("artist", "e", "which artist has the most songs?", "top(d.artist.value_counts())"),
    q("dur", "e", "average song length", "d.duration_s.mean()", "d['min'].mean()"),
    q("bpm", "e", "mean bpm by genre", "d.groupby('genre').bpm.mean()"),
    q("hist", "e", "histogram of popularity", "Hist(d.popularity)"),
    q("pie", "e", "pie chart of major versus minor songs", "d['mode'].value_counts()", chart="pie"),
    q("expl", "e", "what share of songs is explicit?", "d.explicit.mean()", share=True),
    q("label", "e", "streams by label", "d.groupby('label').streams.sum()"),
    q("scat", "e", "energy vs danceability", "Pairs(d.energy, d.danceability)", "Pairs(d.danceability, d.energy)"),
    q("artists", "e", "how many artists are in the catalogue?", "d.artist.nunique()"),
    q("nolabel", "e", "songs without a label", "d.label.isna().sum()", "Keys(d[d.label.isna()].track)"),
    q("long", "m", "how many songs are longer than 5 minutes?", "(d.duration_s>300).sum()"),
    q("durmin", "m", "average length in minutes by genre", "d.groupby('genre')['min'].mean()"),
    q("explg", "m", "percentage of explicit songs for each genre", "d.groupby('genre').explicit.mean()", share=True),
    q("year", "m", "number of songs released each year", "d.year.value_counts().sort_index()"),
    q("since", "m", "total streams of songs released since 2020", "d[d.year>=2020].streams.sum()"),
    q("b2020", "m", "average popularity of rock songs released before 2018", "d[(d.genre=='rock')&(d.year<2018)].popularity.mean()"),
    q("feat", "m", "how many songs feature another artist?", "d.feat.sum()"),
    q("featcmp", "m", "do songs with a featured artist get more streams on average?", "d.groupby('feat').streams.mean()"),
    q("skip", "m", "skip rate per genre (skips divided by streams)", "d.groupby('genre').skips.sum()/d.groupby('genre').streams.sum()",
      "(d.skips/d.streams).groupby(d.genre).mean()", share=True),
    q("saver", "m", "saves per 1000 streams overall", "d.saves.sum()/d.streams.sum()*1000"),
    q("fast", "m", "fastest song by bpm", "top(d.set_index('track').bpm)", "d.bpm.max()", "Keys(d[d.bpm==d.bpm.max()].track)"),
    q("minor", "m", "number of songs in A minor", "((d.key=='A')&(d['mode']=='minor')).sum()"),
    q("keys", "m", "most common key", "top(d.key.value_counts())"),
    q("hiphop", "m", "median streams of hip hop and electronic songs", "d[d.genre.isin(['hip hop','electronic'])].streams.median()",
      "d[d.genre.isin(['hip hop','electronic'])].groupby('genre').streams.median()"),
    q("nopop", "m", "how many songs are not pop?", "(d.genre!='pop').sum()"),
    q("clean", "m", "average popularity of clean songs compared to explicit ones", "d.groupby('explicit').popularity.mean()"),
    q("alb", "m", "albums with at least 8 songs", "d.album.value_counts().loc[lambda s: s>=8]", "Keys(d.album.value_counts().loc[lambda s: s>=8].index)"),
    q("perart", "m", "average number of songs per artist", "d.artist.value_counts().mean()"),
    q("zero", "m", "songs with a popularity of exactly 100", "(d.popularity==100).sum()", "Keys(d[d.popularity==100].track)"),
    q("dance", "m", "top 3 genres by average danceability", "top(d.groupby('genre').danceability.mean(), 3)"),
    q("loud", "m", "how many songs have energy above 0.8 and danceability below 0.4?", "((d.energy>.8)&(d.danceability<.4)).sum()"),
    q("lmix", "h", "share of each label's streams that come from pop",
      "d[d.genre=='pop'].groupby('label').streams.sum()/d.groupby('label').streams.sum()", share=True),
    q("share10", "h", "what share of all streams do the top 25 songs have?", "d.streams.nlargest(25).sum()/d.streams.sum()", share=True),
    q("best", "h", "most streamed song in each genre", "d.loc[d.groupby('genre').streams.idxmax()].set_index('genre').track",
      "d.loc[d.groupby('genre').streams.idxmax()].set_index('track').streams"),
    q("abv", "h", "how many songs have more streams than average?", "(d.streams>d.streams.mean()).sum()"),
    q("bands", "h", "average streams by bpm in bands of 20", "d.groupby(d.bpm//20*20).streams.mean()"),
    q("corr", "h", "which feature correlates most with streams: energy, danceability or popularity?",
      "top(d[['energy','danceability','popularity']].corrwith(d.streams).abs())", "d[['energy','danceability','popularity']].corrwith(d.streams)"),
    q("trend", "h", "average song length by release year", "d.groupby('year').duration_s.mean()", "d.groupby('year')['min'].mean()"),
    q("cum", "h", "running total of songs released by year", "d.year.value_counts().sort_index().cumsum()"),
    q("arts", "h", "artists with songs in more than 4 genres", "Keys(d.groupby('artist').genre.nunique().loc[lambda s: s>4].index)",
      "d.groupby('artist').genre.nunique().loc[lambda s: s>4]"),
    q("diff", "h", "difference in average energy between major and minor songs",
      "d[d['mode']=='major'].energy.mean()-d[d['mode']=='minor'].energy.mean()", "abs(d[d['mode']=='major'].energy.mean()-d[d['mode']=='minor'].energy.mean())"),
    q("q3", "h", "streams of songs released in the third quarter of 2022", "d[(d.year==2022)&(d.released.dt.quarter==3)].streams.sum()"),
    q("hit", "h", "percentage of songs with over a million streams by label", "(d.streams>1e6).groupby(d.label).mean()", share=True),
    q("lyr", "h", "average number of words in the lyrics", REFUSE),
    q("land", "e", "songs by country of the artist", REFUSE),
    q("avgpop", "e", "average popularity", "d.popularity.mean()"),
    q("slow", "m", "how many songs have fewer than 80 bpm?", "(d.bpm<80).sum()"),
    q("jazzsh", "m", "percentage of jazz songs in a minor key", "(d[d.genre=='jazz']['mode']=='minor').mean()",
      share=True),
]
