"""Charts: the same pictures as IPython's, drawn once."""

import ast
import struct

import pytest
from driver import Driver

PRELUDE = """
import matplotlib.pyplot as plt, numpy as np, io
import IPython.core.pylabtools as pylabtools, cellpod.charts as charts
rng = np.random.default_rng(0)
"""

FIGURES = {
    "plain": "plt.plot([1, 2, 3])",
    "empty axes": "plt.subplots()",
    "title and labels": "plt.plot([1, 2]); plt.title('T' * 30); plt.ylabel('y\\ny')",
    "suptitle": "f, a = plt.subplots(2, 2); f.suptitle('over\\nall', fontsize=30)",
    "colorbar": "plt.imshow(rng.random((9, 9))); plt.colorbar(label='c')",
    "three dimensions": "plt.figure().add_subplot(projection='3d').scatter(*rng.random((3, 50)))",
    "polar": "plt.subplot(projection='polar').plot([0, 1, 2], [1, 2, 3])",
    "tight layout": "f, a = plt.subplots(2, 3, figsize=(9, 4)); [x.set_title('t') for x in a.flat];"
                    "f.tight_layout()",
    "constrained layout": "f, a = plt.subplots(2, 2, layout='constrained');"
                          "a[0, 0].set_ylabel('y')",
    "compressed layout": "f, a = plt.subplots(2, 2, layout='compressed'); a[0, 0].imshow([[1, 2]])",
    "legend inside": "plt.plot([1, 2], label='a'); plt.legend()",
    "legend outside": "plt.plot([1, 2], label='abc'); plt.legend(bbox_to_anchor=(1.02, 1))",
    "legend far outside": "plt.plot([1, 2], label='abc'); plt.legend(loc=(2.5, -1))",
    "text outside": "plt.text(-1, 2, 'far away')",
    "long tick labels": "plt.bar(['x' * 40, 'y' * 40], [1, 2]); plt.xticks(rotation=80)",
    "own dpi": "plt.figure(dpi=157); plt.plot([1, 2])",
    "savefig rc": "plt.rcParams.update({'savefig.dpi': 31, 'savefig.facecolor': 'red',"
                  "'savefig.pad_inches': 0.7}); plt.plot([1, 2])",
    "no padding": "plt.rcParams['savefig.pad_inches'] = 0; plt.plot([1, 2])",
    "huge padding": "plt.rcParams['savefig.pad_inches'] = 3; plt.plot([1, 2])",
    "transparent": "plt.figure(facecolor='none'); plt.plot([1, 2])",
    "half transparent": "plt.figure(facecolor=(1, 0, 0, 0.5)); plt.gca().patch.set_alpha(0.3)",
    "coloured": "plt.figure(facecolor='lightblue', edgecolor='k', linewidth=9); plt.plot([1, 2])",
    "no frame": "plt.figure(frameon=False); plt.plot([1, 2])",
    "axis off": "plt.imshow(rng.random((20, 30))); plt.axis('off')",
    "tiny": "plt.figure(figsize=(0.4, 0.3)); plt.plot([1, 2])",
    "wide": "plt.figure(figsize=(20, 2)); plt.plot(rng.random(1000))",
    "fills the canvas": "f = plt.figure(); f.add_axes([0, 0, 1, 1]).plot([1, 2])",
    "beyond the canvas": "f = plt.figure(); f.add_axes([-0.3, -0.3, 1.5, 1.5]).plot([1, 2])",
    "twin axes": "plt.plot([1, 2]); plt.twinx().plot([9, 3]); plt.ylabel('r')",
    "inset": "a = plt.subplot(); a.inset_axes([0.5, 0.5, 0.4, 0.4]).plot([1, 2])",
    "subfigures": "f = plt.figure(); s = f.subfigures(1, 2); s[0].subplots(); s[1].suptitle('s')",
    "mathtext": "plt.title(r'$\\frac{a}{b} \\sum_i x_i$'); plt.plot([1, 2])",
    "annotation": "plt.plot([1, 2]); plt.annotate('a', (0, 1), (-0.5, 3), arrowprops={})",
    "aspect": "plt.plot([1, 2]); plt.gca().set_aspect('equal'); plt.gca().set_anchor('W')",
    "table": "plt.table([['a', 'b']], loc='bottom'); plt.plot([1, 2])",
    "pandas": "import pandas as pd; pd.DataFrame(rng.random((5, 3))).plot.bar(title='p')",
    "only lines": "f = plt.figure(); f.lines.append(plt.Line2D([0, 1], [0, 1]))",
    "fancy style": "plt.style.use('dark_background'); plt.plot([1, 2]); plt.title('dark')",
    "animated": "plt.plot([1, 2], animated=True); plt.plot([2, 1])",
    "agg filter": "l, = plt.plot([1, 2]); l.set_agg_filter(lambda im, dpi: (im, 0, 0))",
    "rasterized": "plt.plot([1, 2], rasterized=True)",
    "path effects": "import matplotlib.patheffects as pe;"
                    "plt.title('t', path_effects=[pe.withStroke(linewidth=9)])",
}  # fmt: skip

COMPARE = """
first = charts.print_figure(plt.gcf())
plt.close('all')
rng = np.random.default_rng(0)
{code}
reference = charts._original(plt.gcf())
a, b = plt.imread(io.BytesIO(first)), plt.imread(io.BytesIO(reference))
def opaque(p): return p[..., :3] * p[..., 3:] + (1 - p[..., 3:]) if p.shape[2] == 4 else p
same = a.shape[:2] == b.shape[:2]
away = float(np.abs(opaque(a) - opaque(b)).mean()) if same else 1.0
plt.close('all')
(a.shape, b.shape, away)"""


@pytest.mark.parametrize("name", FIGURES)
def test_size_and_look_are_matplotlibs(worker: Driver, name):
    assert worker.run(PRELUDE).status == "ok"
    code = FIGURES[name]
    answer = worker.run(code + "\n" + COMPARE.replace("{code}", code))
    assert answer.status == "ok", answer.content
    ours, reference, away = ast.literal_eval(answer.result)
    assert ours[:2] == reference[:2]
    assert away < 0.02


def test_most_figures_are_drawn_once(worker: Driver):
    worker.run(PRELUDE)
    outside = {"legend outside", "legend far outside", "text outside", "long tick labels",
               "beyond the canvas", "annotation", "table", "tiny", "wide", "coloured",
               "fills the canvas"}  # fmt: skip
    for name, code in FIGURES.items():
        if name in outside:
            continue
        answer = worker.run(
            f"plt.rcdefaults()\n{code}\nused = charts._draw_once(plt.gcf())\n"
            "plt.close('all')\nused is not None"
        )
        assert answer.result == "True", name


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return struct.unpack(">II", png[16:24])


def test_a_chart_is_shown_when_the_cell_ends(worker: Driver):
    answer = worker.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]); print('text')")
    assert answer.types == ["execute_input", "stdout", "display_data"]
    content = answer.of("display_data")[0].content
    assert content["data"]["text/plain"] == "<Figure size 640x480 with 1 Axes>"
    assert size_of(answer.pngs[0])[0] > 500
    assert answer.pngs[0][25] == 2, "an opaque picture needs no alpha"
    assert content["metadata"] == {}
    assert worker.run("plt.get_fignums()").result == "[]"


def test_each_draws_once(worker: Driver):
    worker.run(
        "import matplotlib.pyplot as plt\nfrom matplotlib.lines import Line2D\ndrawn = []\n"
        "class Line(Line2D):\n    def draw(self, r):\n        drawn.append(1); super().draw(r)"
    )
    worker.run("plt.gca().add_line(Line([0, 1], [0, 1]));")
    assert worker.run("len(drawn)").result == "1"


def test_figures_come_in_order(worker: Driver):
    answer = worker.run(
        "import matplotlib.pyplot as plt\nfor n in (2, 3, 4):\n    plt.figure(figsize=(n, n))\n"
        "    plt.plot([1, n])\nprint('last')"
    )
    assert answer.types == ["execute_input", "stdout"] + 3 * ["display_data"]
    widths = [size_of(png)[0] for png in answer.pngs]
    assert widths == sorted(widths)


def test_show_shows_at_once(worker: Driver):
    answer = worker.run(
        "import matplotlib.pyplot as plt\nplt.plot([1]); plt.show(); print('after'); plt.plot([2])"
    )
    assert answer.types == [
        "execute_input", "display_data", "stdout", "execute_result", "display_data",
    ]  # fmt: skip


def test_a_figure_as_result(worker: Driver):
    answer = worker.run("import matplotlib.pyplot as p\nfig, ax = p.subplots(); p.close(); fig")
    assert answer.types == ["execute_input", "execute_result"]
    assert len(answer.pngs) == 1
    assert worker.run("p.figure()").of("execute_result")[0].content["data"].keys() == {
        "text/plain"
    }


def test_a_chart_is_shown_after_an_error_too(worker: Driver):
    answer = worker.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]); 1/0")
    assert answer.types == ["execute_input", "error", "display_data"]


def test_a_transparent_figure_says_what_background_it_needs(worker: Driver):
    answer = worker.run(
        "import matplotlib.pyplot as plt\nplt.figure(facecolor='none'); plt.plot([1]);"
    )
    (shown,) = answer.of("display_data")
    assert shown.content["metadata"] == {"needs_background": "light"}
    assert answer.pngs[0][25] == 6


@pytest.mark.parametrize(
    ("option", "mimes"),
    [
        ("figure_formats = ['svg']", {"image/svg+xml"}),
        ("figure_formats = {'png', 'pdf'}", {"image/png", "application/pdf"}),
        ("figure_formats = ['jpeg']", {"image/jpeg"}),
        ("figure_format = 'retina'", {"image/png"}),
    ],
)
def test_formats(worker: Driver, option, mimes):
    worker.run(f"%matplotlib inline\n%config InlineBackend.{option}")
    answer = worker.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    data = answer.of("display_data")[0].content["data"]
    assert set(data) == mimes | {"text/plain"}
    assert data.get("image/svg+xml", "<?xml").startswith("<?xml")


def test_retina_tells_its_size(worker: Driver):
    worker.run("%config InlineBackend.figure_format = 'retina'")
    answer = worker.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    width, height = size_of(answer.pngs[0])
    metadata = answer.of("display_data")[0].content["metadata"]["image/png"]
    assert metadata == {"width": width // 2, "height": height // 2}


def test_further_options(worker: Driver):
    worker.run("import matplotlib.pyplot as plt")
    worker.run("%config InlineBackend.print_figure_kwargs = {'bbox_inches': None}")
    assert size_of(worker.run("plt.plot([1, 2]);").pngs[0]) == (640, 480)
    worker.run("%config InlineBackend.print_figure_kwargs = {'bbox_inches': 'tight', 'dpi': 50}")
    assert size_of(worker.run("plt.plot([1, 2]);").pngs[0])[0] < 350
    worker.run("%config InlineBackend.close_figures = False")
    worker.run("plt.plot([1, 2]);")
    assert worker.run("plt.get_fignums()").result == "[1]"
    assert worker.run("pass").pngs == []


def test_rc_and_dpi(worker: Driver):
    worker.run("import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 50")
    assert size_of(worker.run("plt.plot([1, 2]);").pngs[0])[0] < 350


def test_other_backends(worker: Driver):
    worker.run("import matplotlib; matplotlib.use('svg'); import matplotlib.pyplot as plt")
    assert worker.run("plt.plot([1, 2]); plt.savefig('x.svg'); plt.close('all')").status == "ok"
    worker.run("%matplotlib inline")
    assert len(worker.run("plt.plot([1, 2]);").pngs) == 1


def test_savefig_is_matplotlibs_own(worker: Driver, cwd):
    worker.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.savefig('a.png', dpi=60)")
    assert size_of((cwd / "a.png").read_bytes()) == (384, 288)


def test_an_error_while_drawing_is_told(worker: Driver):
    answer = worker.run("import matplotlib.pyplot as plt\nplt.title('$\\\\bad{$'); plt.plot([1]);")
    assert answer.of("error")
    assert worker.run("plt.plot([1, 2]);").pngs
