#include "bridge/repair/rules.h"

#include "bridge/planner/words/python.h"

static bool
put_text(struct arena *arena, const struct finding *finding, struct slice spot UNUSED,
         struct change *out)
{
    out->instead = python_text(arena, finding->near[0]);
    return true;
}

static bool
put_name(struct arena *arena UNUSED, const struct finding *finding,
         struct slice spot UNUSED, struct change *out)
{
    out->instead = finding->near[0];
    return python_is_name(finding->near[0]);
}

/* `frame.assign(**{"column": …})`: converted before the call that takes it by name. */
static bool
convert(struct arena *arena, const struct finding *finding, struct slice spot,
        const char *before, const char *after, struct change *out)
{
    const char *where = finding->where;

    if (!finding->is_whole) {
        *out = (struct change){.before = before, .after = after};
        return true;
    }
    const char *column = python_text(arena, finding->found);
    out->instead = arena_printf(arena, "%s.assign(**{%s: %s%s[%s]%s})", where, column,
                                before, where, column, after);
    return python_is_name(where) && slice_equals(spot, slice_of(where));
}

static bool
to_dates(struct arena *arena, const struct finding *finding, struct slice spot,
         struct change *out)
{
    const char *after =
        arena_printf(arena, "%s%s%s)", finding->is_day_first ? ", dayfirst=True" : "",
                     finding->is_mixed ? ", format=\"mixed\"" : "",
                     finding->lost ? ", errors=\"coerce\"" : "");

    return convert(arena, finding, spot, "pd.to_datetime(", after, out);
}

static bool
to_numbers(struct arena *arena, const struct finding *finding, struct slice spot,
           struct change *out)
{
    const char *after =
        arena_printf(arena, "%s%s)",
                     finding->is_marked
                         ? ".astype(str).str.replace(r\"[^0-9.\\-]\", \"\", regex=True)"
                         : "",
                     finding->lost ? ", errors=\"coerce\"" : "");

    return convert(arena, finding, spot, "pd.to_numeric(", after, out);
}

static bool
to_text(struct arena *arena UNUSED, const struct finding *finding UNUSED,
        struct slice spot UNUSED, struct change *out)
{
    *out = (struct change){.before = "str(", .after = ")"};
    return true;
}

static bool
drop(struct arena *arena UNUSED, const struct finding *finding UNUSED,
     struct slice spot UNUSED, struct change *out)
{
    out->instead = "";
    return true;
}

static bool
pad(struct arena *arena, const struct finding *finding, struct slice spot UNUSED,
    struct change *out)
{
    out->before = "pd.Series(";
    out->after =
        arena_printf(arena, ", index=%s.index[:%lld])", finding->where, finding->have);
    return python_is_name(finding->where) && finding->have < finding->want;
}

static bool
to_series(struct arena *arena UNUSED, const struct finding *finding UNUSED,
          struct slice spot UNUSED, struct change *out)
{
    *out = (struct change){.before = "pd.Series(", .after = ")"};
    return true;
}

#define NOT_CLEAR "none is clearly the one that was meant"

static const struct rule rules[] = {
    {"column",    true,  false, put_text,
     "There is no column {found}: {near} is taken, the nearest.",                 "There is no column {found}, and " NOT_CLEAR                                    },
    {"file",      true,  false, put_text,
     "There is no file {found}: {near} is taken, the nearest.",                   "There is no file {found}, and of those that are there " NOT_CLEAR              },
    {"key",       true,  false, put_text,
     "There is no key {found}: {near} is taken, the nearest.",                    "There is no key {found}, and " NOT_CLEAR                                       },
    {"name",      true,  false, put_name,
     "Nothing is called {found}: {near} is taken, the nearest name.",             "Nothing is called {found}, and of the names that there are " NOT_CLEAR         },
    {"attribute", true,  false, put_name,
     "{where} has no attribute {found}: {near} is taken, the nearest.",           "{where} has no attribute {found}, and of those that it has " NOT_CLEAR         },
    {"module",    true,  false, put_name,
     "There is no module {found} here: {near} is taken, the nearest.",            "There is no module {found} here: if it is a package, %pip install it"          },
    {"dates",     false, true,  to_dates,
     "{found} holds dates that are kept as text: they are read as dates.",        "{found} holds dates that are kept as text, in a place that cannot be changed"  },
    {"numbers",   false, true,  to_numbers,
     "{found} holds numbers that are kept as text: they are read as numbers.",    "{found} holds numbers that are kept as text, in a place that cannot be changed"},
    {"text",      false, false, to_text,
     "A text can only be joined to a text: the other part is made one.",          "A text can only be joined to a text"                                           },
    {"align",     false, false, drop,
     "{have} values do not fit {want} rows: they go to the rows that they come from, "
     "and the others have none.",                                                 "{have} values do not fit {want} rows"                                          },
    {"pad",       false, true,  pad,
     "{have} values do not fit {want} rows: the first {have} rows have them, the "
     "others none.",                                                              "{have} values do not fit {want} rows"                                          },
    {"series",    false, true,  to_series,
     "The columns have different lengths: shorter ones end with missing values.", "The columns have different lengths"                                            },
    {"lengths",   false, false, NULL,       "",
     "The lengths do not match ({have} and {want}), and which values were meant cannot "
     "be seen from the code"                                                                                                                                      },
};

const struct rule *
rules_find(const char *kind)
{
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (strcmp(rules[i].kind, kind) == 0)
            return &rules[i];
    return NULL;
}

static const struct {
    const char *name, *line;
} imports[] = {
    {"pd",          "import pandas as pd"                },
    {"pandas",      "import pandas"                      },
    {"np",          "import numpy as np"                 },
    {"numpy",       "import numpy"                       },
    {"plt",         "import matplotlib.pyplot as plt"    },
    {"mpl",         "import matplotlib as mpl"           },
    {"matplotlib",  "import matplotlib"                  },
    {"sns",         "import seaborn as sns"              },
    {"sp",          "import scipy as sp"                 },
    {"stats",       "from scipy import stats"            },
    {"sm",          "import statsmodels.api as sm"       },
    {"px",          "import plotly.express as px"        },
    {"math",        "import math"                        },
    {"os",          "import os"                          },
    {"re",          "import re"                          },
    {"sys",         "import sys"                         },
    {"json",        "import json"                        },
    {"time",        "import time"                        },
    {"random",      "import random"                      },
    {"itertools",   "import itertools"                   },
    {"functools",   "import functools"                   },
    {"statistics",  "import statistics"                  },
    {"collections", "import collections"                 },
    {"glob",        "import glob"                        },
    {"csv",         "import csv"                         },
    {"datetime",    "from datetime import datetime"      },
    {"timedelta",   "from datetime import timedelta"     },
    {"Path",        "from pathlib import Path"           },
    {"Counter",     "from collections import Counter"    },
    {"defaultdict", "from collections import defaultdict"},
};

const char *
rules_import(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(imports); i++)
        if (strcmp(imports[i].name, name) == 0)
            return imports[i].line;
    return NULL;
}
