"""Access to the page: the token, the names that it answers to, and headers for browsers."""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from millstream.page.settings import PageSettings

COOKIE = "millstream-token"
_LOCAL = ("localhost", "127.0.0.1", "::1")
_SAFE = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class SafeHeaders:
    """Adds the headers that keep a browser from loading or leaking anything."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SAFE.items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, with_headers)


class PageAccess:
    """Lets requests pass that bring the token, if there is one; all may ask for the health.

    A page of this machine only answers to this machine's names: otherwise a foreign web page that
    gives its own name this address (DNS rebinding) could read it.
    """

    def __init__(self, app: ASGIApp, settings: PageSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._refused(scope) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), str(scope["path"])
        if self._settings.is_local and host_of(headers.get("host", "")) not in (
            *_LOCAL,
            self._settings.host,
        ):
            return _answer(400, "this page answers to names of this machine only", "Ask 127.0.0.1.")
        if not self._settings.token or path.startswith("/health/"):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[0]
        if path == "/" and self._is_token(given.encode()):
            return self._entered(query, _name(scope))
        bearer = headers.get("authorization", "")
        is_bearer = bearer[:7].lower() == "bearer "
        known = bearer[7:].strip().encode("latin-1") if is_bearer else _cookie(headers, scope)
        if self._is_token(known):
            return None
        return _answer(
            401,
            "the page asks for a token",
            "Open /?token=..., or send the header Authorization: Bearer ...; the token is the "
            "entry millstream.ui.token of the application's configuration.",
        )

    def _is_token(self, given: bytes) -> bool:
        return hmac.compare_digest(given, self._settings.token.encode())

    def _entered(self, query: dict[str, list[str]], cookie: str) -> Response:
        """Move the token from the address, where histories keep it, to a cookie."""
        rest = urlencode(query, doseq=True)
        answer = RedirectResponse(f"/?{rest}" if rest else "/", 303)
        answer.set_cookie(
            cookie,
            self._settings.token.encode().hex(),
            httponly=True,
            samesite="strict",
            secure=bool(self._settings.certificate),
        )
        return answer


def host_of(header: str) -> str:
    """Return the name in a header ``Host``, without the port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0].lower()


def _name(scope: Scope) -> str:
    """Return the cookie's name: browsers give one port's cookies to the others of a host, too."""
    server = scope.get("server")
    return f"{COOKIE}-{server[1] if server else 0}"


def _cookie(headers: Headers, scope: Scope) -> bytes:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_name(scope))
        return b"" if found is None else bytes.fromhex(found.value)
    except (CookieError, ValueError):
        return b""


def _answer(status: int, error: str, hint: str) -> Response:
    return JSONResponse({"error": error, "hint": hint}, status)
