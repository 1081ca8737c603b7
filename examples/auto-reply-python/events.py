"""What Linehook posts: its signature, and repeated events."""

import base64
import hashlib
import hmac
import json
import threading
import time

from settings import SIGNING_SECRET

MAX_BODY_LENGTH = 100_000
MAX_REMEMBERED = 10_000
TOLERANCE_SECONDS = 300

KEY = base64.b64decode(SIGNING_SECRET.removeprefix("whsec_"))

# The `webhook-id` of each event so far, oldest first. A real application looks in its database.
seen = {}
seen_lock = threading.Lock()


class WrongSignature(Exception):
    """The request is not from Linehook, or too old."""


def read_event(headers, body):
    """Returns what Linehook posted: type, payload, fromNumber, toNumber, userId, lineId.

    The signature (https://www.standardwebhooks.com) covers the raw bytes.
    JSON that is parsed and written again may differ.
    """
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WrongSignature
    content = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, content, hashlib.sha256))
    # There are two while the secret is rotated.
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(expected, signature) for signature in signatures):
        raise WrongSignature
    return json.loads(body)


def is_repeat(event_id):
    """An event is repeated if Linehook did not get our answer; its `webhook-id` stays the same."""
    with seen_lock:
        if event_id in seen:
            return True
        seen[event_id] = True
        if len(seen) > MAX_REMEMBERED:
            del seen[next(iter(seen))]
        return False
