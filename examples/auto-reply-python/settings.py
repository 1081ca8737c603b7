"""The settings from the environment; `.env.example` explains each."""

import os
import sys

LINEHOOK_URL = os.environ.get("LINEHOOK_URL", "http://localhost:3000").rstrip("/")
PORT = int(os.environ.get("PORT", "4000"))
APP_URL = os.environ.get("APP_URL", f"http://localhost:{PORT}")
CLIENT_ID = os.environ.get("CLIENT_ID", "")
CLIENT_SECRET = os.environ.get("CLIENT_SECRET", "")
SIGNING_SECRET = os.environ.get("SIGNING_SECRET", "")

missing = [
    name
    for name, value in (
        ("CLIENT_ID", CLIENT_ID),
        ("CLIENT_SECRET", CLIENT_SECRET),
        ("SIGNING_SECRET", SIGNING_SECRET),
    )
    if not value
]
if missing:
    sys.exit(f"Set {', '.join(missing)}: .env.example says where to find them.")
