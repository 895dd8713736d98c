"""Draws docs/recurrences.svg: the three algorithms of a recurrence. Usage: recurrences_figure.py [FILE]"""

import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "portops", "font.size": 10, "font.family": "DejaVu Sans"})
import matplotlib.pyplot as plt  # noqa: E402

LENGTH = 13
NEAR = [0, 1, 2, 1, 3, 1, 2, 4, 1, 3, 2, 1, 4]
FAR = [0, 4, 5, 4, 6, 4, 5, 4, 6, 7, 4, 6, 5]
SMALLEST = 4
CAPTIONS = [
    ("serial", 12, "N steps (here 13)", "work N, no memory"),
    ("blocks of min(d) = 4", 3, "N / min(d) steps (here 4)", "work N, no memory"),
    ("pointer jumping", 4, "log2(chain) rounds (here 4)", "work N a round, two arrays of links"),
]
PALE, DARK = "#d5dae0", "#20262d"


def colours(count: int) -> list:
    return [matplotlib.colormaps["viridis"](0.8 * step / max(1, count - 1)) for step in range(count)]


def arrow(axes, reader: tuple[int, int], source: tuple[int, int], colour, bend: float = 0) -> None:
    style = {"arrowstyle": "-|>,head_width=0.16,head_length=0.32", "color": colour, "lw": 1}
    style |= {"shrinkA": 4, "shrinkB": 4, "connectionstyle": f"arc3,rad={bend}"}
    axes.annotate("", xy=source, xytext=reader, arrowprops=style, zorder=2)


def draw_sweep(axes, delays: list[int], steps: list[int], bend: float = 0) -> None:
    """Each sample at the step that computes it, with an arrow to the output that it reads."""
    palette = colours(max(steps) + 1)
    for i, step in enumerate(steps):
        source = max(0, i - delays[i])
        if source != i:
            arrow(axes, (i, step), (source, steps[source]), palette[step], bend)
        axes.plot(i, step, "o", color=palette[step], markersize=6.5, zorder=3)


def draw_jumping(axes) -> None:
    """Delays of 1. After each round a link reaches twice as far; a filled dot has none left and is done."""
    rounds = (LENGTH - 1).bit_length()
    palette = colours(rounds + 1)
    for turn in range(rounds + 1):
        reach = 2**turn
        for i in range(LENGTH):
            half = reach // 2
            if turn > 0 and i >= half:
                arrow(axes, (i, turn), (i - half, turn - 1), palette[turn])
            done = i < reach
            axes.plot(i, turn, "o", markersize=6.5, color=palette[turn], markerfacecolor=palette[turn] if done else "w")


def frame(axes, name: str, last_step: int, steps: str, cost: str) -> None:
    axes.set_title(name, fontsize=12, fontweight="bold", color=DARK)
    axes.set_xlabel(f"sample\n{steps}\n{cost}", color=DARK, linespacing=1.5)
    axes.set_xlim(-0.7, LENGTH - 0.3)
    axes.set_ylim(1.05 * last_step, -0.05 * last_step)
    axes.set_xticks(range(0, LENGTH, 2))
    axes.set_yticks(range(0, last_step + 1, 2 if last_step > 4 else 1))
    axes.grid(color=PALE, lw=0.5)
    axes.set_axisbelow(True)
    axes.spines[:].set_color(PALE)
    axes.tick_params(color=PALE, labelcolor=DARK)


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("recurrences.svg")
    figure, panels = plt.subplots(1, 3, figsize=(9.375, 4.0), layout="constrained", facecolor="white")
    for axes, caption in zip(panels, CAPTIONS, strict=True):
        frame(axes, *caption)
    for axes, label in zip(panels, ("step", "step", "round"), strict=True):
        axes.set_ylabel(label, color=DARK)
    draw_sweep(panels[0], NEAR, list(range(LENGTH)), bend=0.5)
    draw_sweep(panels[1], FAR, [(i + SMALLEST - 1) // SMALLEST for i in range(LENGTH)])
    draw_jumping(panels[2])
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()
