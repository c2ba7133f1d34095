"""The page about settings, made from the code that declares them."""

from albic.config.sources import FILE
from albic.config.table import TABLE, Setting

HEAD = f"""\
# Settings

This page is generated: `albic config show --markdown > docs/settings.md`.

Every setting has one name. It can be given as a keyword argument of `albic.attach`, as an
environment variable, or in a TOML file: the one that `config=` names, or `{FILE}` in the working
directory if that is there. A keyword comes before the environment, that before the file, and that
before the default. A name that nobody knows and a value that makes no sense are refused with what
was probably meant.

```python
controller = albic.attach(query, period="30s", max_migrations=4, least_gain=0.1)
```

```toml
# {FILE}
period = "30s"
max_migrations = 4

[limits]
max_nodes = 12
```

```
ALBIC_PERIOD=30s ALBIC_LIMITS_MAX_NODES=12 python job.py
```

As a keyword, `limits` is a `Limits` of `albic.scaling` with the same fields. `planner`, `scaling`
and `journal` may also be objects of your own there. `albic config show` prints every setting with
its value and where that comes from.

| setting | variable | default | unit | meaning |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + "".join(f"{_row(setting)}\n" for setting in TABLE)


def value_text(value: object) -> str:
    """Return a value as a file would have it; none where there is none."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ", ".join(_part_text(part) for part in value) or "none"
    return str(value)


def _part_text(part: object) -> str:
    """Return one of several values: a name, or two hours."""
    return part if isinstance(part, str) else "-".join(f"{hour:g}" for hour in part)  # type: ignore[attr-defined]


def _row(setting: Setting) -> str:
    """Return one line of the table."""
    cells = (
        f"`{setting.name}`",
        f"`{setting.variable}`",
        f"`{value_text(setting.default)}`",
        setting.unit,
        setting.meaning,
    )
    return f"| {' | '.join(cells)} |"
