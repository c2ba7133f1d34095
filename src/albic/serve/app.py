"""The application: the page, the API and the metrics behind the doors of ``access``."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from importlib.metadata import version
from importlib.resources import files

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from albic.model import AlbicError
from albic.serve import access
from albic.serve.address import Serving
from albic.serve.api import api_router, status_of
from albic.serve.jobs import Jobs
from albic.serve.metrics import CONTENT_TYPE, exposition

FOLDER = files("albic.serve") / "page"
#: The files of the page, by the address that a browser asks for.
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page/charts.js": ("charts.js", "text/javascript; charset=utf-8"),
    "/page/icon.svg": ("icon.svg", "image/svg+xml"),
}
#: A request with a larger body is not read.
MOST_BODY_BYTES = 10_000


def application(jobs: Jobs, serving: Serving, planners: Sequence[str] = ()) -> FastAPI:
    """Return the application that shows ``jobs``; ``planners`` can be chosen at run time."""
    app = FastAPI(
        title="albic",
        version=version("albic"),
        summary="What a controller of stateful streaming jobs sees and does.",
        openapi_url="/api/openapi.json",
        # Their pages load scripts from outside addresses.
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(api_router(jobs, planners))
    _add_page(app)
    _add_metrics(app, jobs)
    _add_failures(app)
    _add_doors(app, serving)
    return app


def _add_page(app: FastAPI) -> None:
    """Add the files of the page."""
    for address, (name, kind) in FILES.items():
        app.get(address, include_in_schema=False)(_file((FOLDER / name).read_bytes(), kind))


def _file(content: bytes, kind: str) -> Callable[[], Response]:
    """Return what answers with a file."""

    def answer() -> Response:
        return Response(content, media_type=kind)

    return answer


def _add_metrics(app: FastAPI, jobs: Jobs) -> None:
    """Add what Prometheus reads."""

    @app.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(exposition(jobs), headers={"Content-Type": CONTENT_TYPE})


def _add_failures(app: FastAPI) -> None:
    """Let everything that goes wrong be one sentence in one form."""

    @app.exception_handler(HTTPException)
    async def refused(_: Request, wrong: HTTPException) -> JSONResponse:
        headers = dict(wrong.headers or {})
        return JSONResponse({"error": str(wrong.detail)}, wrong.status_code, headers)

    @app.exception_handler(RequestValidationError)
    async def senseless(_: Request, wrong: RequestValidationError) -> JSONResponse:
        first = wrong.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return JSONResponse({"error": f"{place}: {first['msg']}"}, 422)

    @app.exception_handler(AlbicError)
    async def told(_: Request, wrong: AlbicError) -> JSONResponse:
        status = status_of(wrong)
        headers = {"Retry-After": "1"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
        return JSONResponse({"error": str(wrong)}, status, headers)


def _add_doors(app: FastAPI, serving: Serving) -> None:
    """Let nobody in who may not, and tell browsers what they may do with the answers."""

    @app.middleware("http")
    async def doors(
        request: Request, pass_on: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        why = access.refusal(request.method, request.url.path, request.headers, serving)
        if why is None and not _is_short(request):
            why = access.Refusal(413, f"a request has at most {MOST_BODY_BYTES} bytes")
        response = (
            await pass_on(request)
            if why is None
            else JSONResponse({"error": why.reason}, why.status)
        )
        response.headers.update(access.HEADERS)
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response


def _is_short(request: Request) -> bool:
    """Return whether the body of a request is within bounds, and its length is told before."""
    if "transfer-encoding" in request.headers:
        return False
    told = request.headers.get("content-length", "0")
    return told.isdecimal() and int(told) <= MOST_BODY_BYTES
