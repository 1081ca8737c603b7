"""OAuth with PKCE, `state` and `iss`; tokens and their refresh; `POST /v1/messages`."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import urllib.error
import urllib.request
from urllib.parse import quote, urlencode

from settings import APP_URL, CLIENT_ID, CLIENT_SECRET, LINEHOOK_URL

TIMEOUT_SECONDS = 15


class Refused(Exception):
    """Linehook did not answer 200."""

    def __init__(self, status, body):
        super().__init__(f"Linehook answered {status}: {body}")
        self.status = status


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, because urllib would send our secrets to the other server too."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


def ask(url, body=None, headers=None):
    """Returns the parsed JSON. Raises Refused, or OSError if there is no answer."""
    request = urllib.request.Request(url, data=body, headers=headers or {})
    try:
        with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(error.code, error.read(10_000).decode(errors="replace")) from None


# Linehook's metadata has its OAuth endpoints (RFC 8414).
metadata = ask(f"{LINEHOOK_URL}/.well-known/oauth-authorization-server")


class Authorization:
    """The authorization that lets us use lines. A real application keeps tokens in its database, encrypted."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.lock = threading.Lock()

    def refresh(self, used):
        """A refresh token is for one use: if it is used again later, the authorization ends. If several requests find
        the access token expired, one refreshes and the others wait for it.

        Raises Refused if the user has disconnected us (`invalid_grant`).
        """
        with self.lock:
            if self.tokens is used:
                self.tokens = ask_for_tokens(
                    {"grant_type": "refresh_token", "refresh_token": used["refresh_token"]}
                )


# The authorizations by line ID.
authorizations = {}


def begin_authorization():
    """Returns the URL for the user, and the two secrets to keep until they return: `state` ties the answer
    to their browser, `verifier` (PKCE) makes a stolen code worthless."""
    state = secrets.token_urlsafe(32)
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = urlencode(
        {
            "response_type": "code",
            "client_id": CLIENT_ID,
            "redirect_uri": f"{APP_URL}/callback",
            "scope": "messages:connect",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
    )
    return f"{metadata['authorization_endpoint']}?{query}", state, verifier


def finish_authorization(answer, state, verifier):
    """Checks `state` and `iss` in the answer and exchanges its code for tokens.

    Gives the lines that the user connected: id, name, phoneNumber and more.
    """
    if not hmac.compare_digest(answer.get("state", "").encode(), state.encode()):
        raise ValueError("the answer has another state than we gave")
    if answer.get("iss") != metadata["issuer"]:
        raise ValueError("the answer is from another server")
    if "code" not in answer:
        raise ValueError(f"the answer has no code: {answer.get('error')}")
    tokens = ask_for_tokens(
        {
            "grant_type": "authorization_code",
            "code": answer["code"],
            "redirect_uri": f"{APP_URL}/callback",
            "code_verifier": verifier,
        }
    )
    authorization = Authorization(tokens)
    for line in tokens["connected_lines"]:
        authorizations[line["id"]] = authorization
    return tokens["connected_lines"]


def send_message(message, idempotency_key):
    """Sends `{lineId, toNumber, text}` once, however often it is posted with the same key."""
    authorization = authorizations.get(message["lineId"])
    if authorization is None:
        raise LookupError(f"we have no token for line {message['lineId']}: connect it again")

    def post(tokens):
        headers = {
            "Authorization": f"Bearer {tokens['access_token']}",
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
        }
        return ask(f"{LINEHOOK_URL}/v1/messages", json.dumps(message).encode(), headers)

    tokens = authorization.tokens
    try:
        post(tokens)
    except Refused as refused:
        if refused.status != 401:
            raise
        authorization.refresh(tokens)
        post(authorization.tokens)


def ask_for_tokens(fields):
    # RFC 6749 §2.3.1: both are encoded before they are joined.
    credentials = f"{quote(CLIENT_ID, safe='')}:{quote(CLIENT_SECRET, safe='')}"
    headers = {"Authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"}
    return ask(metadata["token_endpoint"], urlencode(fields).encode(), headers)
