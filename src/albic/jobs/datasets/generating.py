"""Generated files: any format that can be written, and the one that Job 1 reads by default."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

from albic.jobs.datasets import synthetic
from albic.jobs.datasets.data_folder import VARIABLE, home
from albic.jobs.datasets.formats import WIKITICKER, Format
from albic.jobs.datasets.recipe import EDIT_RECIPE, FLIGHT_RECIPE, WEATHER_RECIPE, Recipe
from albic.jobs.datasets.writing import save
from albic.model import InvalidInput

RECIPES: Mapping[str, tuple[Recipe, Callable[[Recipe], pa.Table]]] = {
    "flights": (FLIGHT_RECIPE, synthetic.flights),
    "edits": (EDIT_RECIPE, synthetic.edits),
    "weather": (WEATHER_RECIPE, synthetic.weather),
}


def generate(form: Format, recipe: Recipe, path: Path) -> None:
    """Write what ``recipe`` asks for to ``path``."""
    _, make = RECIPES[form.kind.name]
    save(make(recipe), form, path)


def default_edits() -> Path:
    """Return a file of generated edits; made now if it is not there yet."""
    recipe = EDIT_RECIPE
    path = home() / "synth" / f"wikiticker-{recipe.rows}-seed{recipe.seed}.json.gz"
    if not path.is_file():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as wrong:
            raise InvalidInput(
                f"{str(path.parent)!r} cannot be made: {wrong.strerror}; "
                f"choose another folder with {VARIABLE}"
            ) from None
        generate(WIKITICKER, recipe, path)
    return path
