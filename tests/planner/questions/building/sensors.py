"""Readings of the machines of a factory; one row a reading, and a small list of the machines."""

import numpy as np
import pandas as pd
from spec import REFUSE, assumes, flag, money, q

KINDS = ["press", "lathe", "CNC mill", "conveyor", "press", "lathe", "CNC mill", "robot", "press",
         "lathe", "robot", "CNC mill", "conveyor", "robot"]
HALLS = list("AABBCCAABBCCAB")
DAYS = 120


def make():
    rng = np.random.default_rng(4127)
    count = len(KINDS)
    which = np.tile(np.arange(count), DAYS * 5)
    slot = np.repeat(np.arange(DAYS * 5), count)
    n = len(which)
    ts = pd.Timestamp("2024-01-08") + pd.to_timedelta(slot * 288 + rng.integers(0, 288, n), unit="min")
    kind = np.array(KINDS)[which]
    heat = pd.Series(kind).map({"press": 68, "lathe": 58, "CNC mill": 63, "conveyor": 41,
                                "robot": 47}).to_numpy() + rng.normal(0, 3, count)[which]
    temp = pd.Series(heat + rng.normal(0, 8, n) + slot / 150).round(1)
    vib = pd.Series(rng.gamma(6, .55, n) * (1 + rng.normal(0, .15, count)[which])
                    + (temp - 50) / 40).clip(.1).round(2)
    rated = np.array([45, 18, 22, 9, 55, 15, 30, 12, 45, 22, 14, 22, 7, 12])
    power = pd.Series(rated[which] * rng.beta(6, 3, n)).round(1)
    risk = .015 + .11 * (temp > 75) + .07 * (vib > 5.5) + rng.uniform(0, .02, count)[which]
    alarm = rng.random(n) < risk
    code = np.where(temp > 75, "OVERTEMP", np.where(vib > 5.5, "VIB-HI", rng.choice(
        ["POWER", "SENSOR", "DOOR"], n, p=[.4, .35, .25])))
    down = pd.Series(np.where(alarm, rng.gamma(2, 16, n), np.where(
        rng.random(n) < .05, rng.gamma(2, 9, n), 0))).round()
    hour = ts.hour.to_numpy()
    shift = np.where((hour >= 6) & (hour < 14), "early", np.where((hour >= 14) & (hour < 22), "late",
                                                                  "night"))
    units = rng.poisson(np.where(shift == "night", 72, 90) * np.where(ts.dayofweek >= 5, .7, 1)
                        + rng.normal(0, 12, count)[which])
    scrap = rng.binomial(units, np.clip(.02 + .004 * (vib - 3) + .01 * (shift == "night"), .003, .2))
    operator = pd.Series(rng.choice(["Aylin", "Bruno", "Chen", "Dana", "Erik", "Fatou"], n,
                                    p=[.24, .2, .18, .15, .13, .1]))
    spelled = np.where(rng.random(n) < .15, np.char.upper(shift), shift)
    firmware = np.where(slot / 5 > 70 + 4 * (which % 5), "v3.0", np.where(which % 3 == 0, "v2.1", "v2.4"))
    said = np.where(alarm, rng.choice(["yes", "Yes"], n, p=[.8, .2]), rng.choice(["no", "No"], n, p=[.9, .1]))
    readings = pd.DataFrame({
        "ts": ts.strftime("%Y-%m-%d %H:%M"), "machineID": [f"M{i + 1:02}" for i in which],
        "mach_type": kind, "hall": np.array(HALLS)[which], "shift": spelled,
        "tempC": temp.mask(rng.random(n) < .02), "vib_mm_s": vib.mask(rng.random(n) < .015),
        "pwr": (power.astype(str) + " kW").mask(rng.random(n) < .01), "alarm": said,
        "alarmCode": pd.Series(code).where(alarm), "downtime_min": down.mask(rng.random(n) < .01),
        "units_out": units, "scrapUnits": scrap,
        "operator": operator.mask(rng.random(n) < np.where(shift == "night", .12, .03)),
        "fw": firmware})
    readings = readings[rng.random(n) < .97].reset_index(drop=True)
    built = pd.to_datetime(rng.integers(14200, 19000, count), unit="D")
    service = pd.Timestamp("2024-04-01") + pd.to_timedelta(rng.choice(30, count, replace=False), unit="D")
    machines = pd.DataFrame({
        "machineID": [f"M{i + 1:02}" for i in range(count)],
        "vendor": ["Haldor", "Okami", "Brandt", "Okami", "Brandt", "Haldor", "Okami", "Brandt", "Haldor",
                   "Okami", "Brandt", "Haldor", "Okami", "Brandt"],
        "commissioned": built.strftime("%Y-%m-%d"), "rated_kw": rated,
        "last_service": service.strftime("%d.%m.%Y")})
    return {"readings": readings, "machines": machines}


def prepare(readings, machines):
    d = readings
    d["t"], d["kw"] = pd.to_datetime(d.ts), money(d.pwr).astype(float)
    d["al"], d["sh"] = flag(d.alarm).astype(bool), d["shift"].str.lower()
    d["day"], d["month"] = d.t.dt.normalize(), d.t.dt.to_period("M")
    d["weekend"] = d.t.dt.dayofweek >= 5
    d["good"] = d.units_out - d.scrapUnits
    machines["built"] = pd.to_datetime(machines.commissioned)
    machines["served"] = pd.to_datetime(machines.last_service, format="%d.%m.%Y")
    j = d.merge(machines, on="machineID")
    j["load"], j["old"] = j.kw / j.rated_kw, j.built < "2015-01-01"
    return {"d": d, "j": j, "BANDS": ["below 40", "40-60", "60-80", "above 80"]}


QUESTIONS = [
    q("perm", "e", "how many readings do we have per machine", "d.machineID.value_counts()"),
    q("avgt", "e", "avg temp", "d.tempC.mean()"),
    q("hallt", "e", "What is the average temperature in each hall?", "d.groupby('hall').tempC.mean()"),
    q("maxvib", "e", "max vibration, by machine type", "d.groupby('mach_type').vib_mm_s.max()"),
    q("down", "e", "total downtime", "d.downtime_min.sum()", "d.downtime_min.sum()/60"),
    q("alarms", "e", "How many alarms did we have altogether?", "d.al.sum()"),
    q("codes", "e", "alarm codes and how often each one came up", "d.alarmCode.value_counts()"),
    q("worst", "e", "which machine lost the most minutes to downtime?",
      "top(d.groupby('machineID').downtime_min.sum())"),
    q("shiftout", "e", "units produced by shift", "d.groupby('sh').units_out.sum()",
      assumes("d.groupby('sh').good.sum()")),
    q("histvib", "e", "histogram of vibration", "Hist(d.vib_mm_s)", chart="hist"),
    q("hottest", "e", "hottest temperature ever measured", "d.tempC.max()"),
    q("not", "e", "number of readings where the temperature is missing", "d.tempC.isna().sum()"),
    q("bardown", "e", "Please make a bar chart of downtime by machine type.",
      "d.groupby('mach_type').downtime_min.sum()", assumes("d.groupby('mach_type').downtime_min.mean()"),
      chart="bar"),
    q("opers", "e", "who are the operators?", "Keys(d.operator.dropna().unique())",
      "d.operator.value_counts()"),
    q("medkw", "e", "median power draw in kW", "d.kw.median()"),
    q("hallb", "e", "how many different machines stand in hall B?",
      "d[d.hall=='B'].machineID.nunique()"),
    q("scrapsort", "e", "scrapped units per machine, biggest first",
      "d.groupby('machineID').scrapUnits.sum().sort_values(ascending=False)", order=True),
    q("cncvib", "e", "mean vibration CNC mill", "d[d.mach_type=='CNC mill'].vib_mm_s.mean()"),
    q("piehall", "e", "pie chart - alarms per hall", "d[d.al].hall.value_counts()", chart="pie"),
    q("top5", "e", "top 5 machines by output", "top(d.groupby('machineID').units_out.sum(),5)",
      assumes("top(d.groupby('machineID').good.sum(),5)"),
      assumes("top(d.groupby('machineID').units_out.mean(),5)")),
    q("types", "m", "how many machines of each type are we monitoring?",
      "d.groupby('mach_type').machineID.nunique()"),
    q("arate", "m", "alarm rate by machine type", "d.groupby('mach_type').al.mean()", share=True),
    q("scraprate", "m", "what's our overall scrap rate?", "d.scrapUnits.sum()/d.units_out.sum()",
      assumes("(d.scrapUnits/d.units_out).mean()"),
      assumes("d.scrapUnits.sum()/(d.units_out+d.scrapUnits).sum()"), share=True),
    q("weekt", "m", "could you plot the weekly average temperature as a line chart",
      "d.groupby(d.t.dt.to_period('W')).tempC.mean()", chart="line"),
    q("over80", "m", "readings hotter than 80 degrees - how many?", "(d.tempC>80).sum()"),
    q("dhours", "m", "hours of downtime per month", "d.groupby('month').downtime_min.sum()/60"),
    q("nightal", "m", "Is the share of readings with an alarm higher at night than on the other shifts?",
      "d.groupby('sh').al.mean()", "d.groupby(d.sh=='night').al.mean()", share=True),
    q("wekw", "m", "power on weekends vs weekdays", "d.groupby('weekend').kw.mean()",
      assumes("d.groupby('weekend').kw.sum()")),
    q("scat", "m", "scatter plot temperature against vibration", "Pairs(d.tempC,d.vib_mm_s)",
      "Pairs(d.vib_mm_s,d.tempC)", chart="scatter"),
    q("corr", "m", "are temperature and vibration correlated?", "d.tempC.corr(d.vib_mm_s)",
      assumes("d.tempC.corr(d.vib_mm_s,method='spearman')"), "Pairs(d.tempC,d.vib_mm_s)"),
    q("bands", "m", "number of readings by temperature band: below 40, 40-60, 60-80, above 80",
      "pd.cut(d.tempC,[0,40,60,80,200]).value_counts()",
      "pd.cut(d.tempC,[0,40,60,80,200],right=False).value_counts()",
      "pd.cut(d.tempC,[0,40,60,80,200],labels=BANDS).value_counts()",
      "pd.cut(d.tempC,[0,40,60,80,200],right=False,labels=BANDS).value_counts()"),
    q("pressdn", "m", "what % of all downtime comes from the presses?",
      "d[d.mach_type=='press'].downtime_min.sum()/d.downtime_min.sum()", share=True),
    q("boxfw", "m", "box plots of vibration for each firmware version", "box(d,'fw','vib_mm_s')", chart="box"),
    q("perday", "m", "On average, how many alarms go off per day?", "d.al.sum()/d.day.nunique()",
      "d.groupby('day').al.sum().mean()"),
    q("marapr", "m", "compare the average temperature of march and april",
      "d[d.t.dt.month.isin([3,4])].groupby('month').tempC.mean()",
      "d[d.t.dt.month.isin([3,4])].groupby(d.t.dt.month).tempC.mean()",
      "d[d.t.dt.month.isin([3,4])].groupby(d.t.dt.month_name()).tempC.mean()"),
    q("shaky", "m", "machines with a mean vibration over 4",
      "(lambda s: Keys(s[s>4].index))(d.groupby('machineID').vib_mm_s.mean())",
      "(lambda s: s[s>4])(d.groupby('machineID').vib_mm_s.mean())"),
    q("pivot", "m", "average temp, machine types down the side and shifts across the top",
      "d.pivot_table(index='mach_type',columns='sh',values='tempC')"),
    q("p95", "m", "95th percentile vibration per hall", "d.groupby('hall').vib_mm_s.quantile(.95)"),
    q("overt", "m", "OVERTEMP alarms by machine", "d[d.alarmCode=='OVERTEMP'].machineID.value_counts()"),
    q("aldown", "m", "average downtime with an alarm and without one",
      "d.groupby('al').downtime_min.mean()"),
    q("oil", "m", "mean oil pressure by machine", REFUSE),
    q("cost", "h", "how much money in euros did the downtime cost us in february?", REFUSE),
    q("mom", "h", "by how many percent did total downtime change from month to month?",
      "d.groupby('month').downtime_min.sum().pct_change().dropna()", share=True),
    q("hallworst", "h", "for every hall tell me the machine with the highest average vibration",
      "d.groupby(['hall','machineID']).vib_mm_s.mean().unstack().idxmax(axis=1)"),
    q("cumout", "h", "running total of units made, day by day, line chart please",
      "d.groupby('day').units_out.sum().cumsum()", assumes("d.groupby('day').good.sum().cumsum()"),
      chart="line"),
    q("load", "h", "load factor per machine, i.e. average power as a share of the rated kW",
      "j.groupby('machineID').kw.mean()/j.groupby('machineID').rated_kw.mean()",
      "j.groupby('machineID').load.mean()", share=True),
    q("vendort", "h", "which vendor's machines run the hottest on average?",
      "top(j.groupby('vendor').tempC.mean())",
      assumes("top(j.groupby(['vendor','machineID']).tempC.mean().groupby('vendor').mean())")),
    q("oldal", "h", "do machines commissioned before 2015 have a higher alarm rate than the newer ones?",
      "j.groupby('old').al.mean()", share=True),
    q("roll", "h", "7-day moving average of the number of alarms per day",
      "d.groupby('day').al.sum().rolling(7).mean().dropna()"),
    q("codeshare", "h", "what share does each alarm code have within each hall?",
      "pd.crosstab(d.hall,d.alarmCode,normalize='index')", share=True),
    q("badday", "h", "What was our worst day for downtime, and how bad was it?",
      "top(d.groupby('day').downtime_min.sum())", assumes("top(d.groupby('day').downtime_min.mean())")),
    q("silent", "h", "how often was a machine above 85 °C with no alarm raised", "((d.tempC>85)&~d.al).sum()"),
    q("cv", "h", "std of temperature relative to its mean, for each machine",
      "d.groupby('machineID').tempC.std()/d.groupby('machineID').tempC.mean()", share=True),
    q("above", "h", "list the machines whose alarm rate is above the overall alarm rate",
      "(lambda s: Keys(s[s>d.al.mean()].index))(d.groupby('machineID').al.mean())",
      "(lambda s: s[s>d.al.mean()])(d.groupby('machineID').al.mean())", share=True),
    q("heat", "h", "heatmap of downtime by weekday and shift",
      "d.pivot_table(index=d.t.dt.day_name(),columns='sh',values='downtime_min',aggfunc='sum')",
      assumes("d.pivot_table(index=d.t.dt.day_name(),columns='sh',values='downtime_min')"), chart="heat"),
    q("bestop", "h", "operator with the lowest scrap per unit produced on the night shift",
      "(lambda g: bottom(g.scrapUnits.sum()/g.units_out.sum()))(d[d.sh=='night'].groupby('operator'))",
      assumes("bottom((d.scrapUnits/d.units_out)[d.sh=='night'].groupby(d.operator).mean())"), share=True),
    q("noop", "h", "pct of readings without an operator name, by shift",
      "d.operator.isna().groupby(d.sh).mean()", share=True),
    q("swing", "h", "biggest gap between max and min temperature - which machine?",
      "top((lambda g: g.max()-g.min())(d.groupby('machineID').tempC))"),
    q("service", "h", "days between the last service of each machine and its latest reading",
      "(lambda g: (g.t.max().dt.normalize()-g.served.max()).dt.days)(j.groupby('machineID'))",
      "(lambda g: (g.t.max()-g.served.max()).dt.total_seconds()/86400)(j.groupby('machineID'))"),
    q("worst3", "h", "what share of total downtime is down to the three worst machines",
      "(lambda s: s.nlargest(3).sum()/s.sum())(d.groupby('machineID').downtime_min.sum())", share=True),
]
