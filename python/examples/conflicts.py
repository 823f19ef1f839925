"""How bank conflicts of the LDS cost time: a run, its report, a sweep, and a figure. Run it in a folder for what it writes."""

# %% One run: its statistics are a dictionary.
import spvsim

run = spvsim.run("transpose-plain", parameters={"n": 128})
lds = run.statistics["lds"]
print(f"{lds['conflict_passes']} of {lds['passes']} passes over the banks are conflicts, in {run.statistics['cycles']} cycles")
run

# %% Its report, as in a browser.
report = run.report()
report.save("report.html")
report

# %% The ready experiment on strides, its small variant.
sweep = spvsim.sweep("lds-stride", small=True, output="lds-stride")
worst = max((row for row in sweep.rows if row["cycles_per_access"]), key=lambda row: row["cycles_per_access"])
print(f"the worst stride is {worst['stride']}: {worst['cycles_per_access']} cycles for each access")
sweep.rows[:5]

# %% The figures that the command drew.
for figure in sweep.figures:
    figure.save(f"{figure.name}.svg")
sweep

# %% A figure of its own, of the same rows.
own = spvsim.plot(
    sweep.rows.where(access=0, width=1, accesses=16),
    {"kind": "line", "x": {"column": "stride", "scale": "log2"}, "y": {"column": "cycles_per_access", "label": "time of a read", "unit": "cycles"}},
)
own.save("own.png")
own
