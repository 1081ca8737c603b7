"""An example application for Linehook: it answers every text that comes to a connected line."""

import re
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from events import MAX_BODY_LENGTH, WrongSignature, is_repeat, read_event
from linehook import begin_authorization, finish_authorization, send_message
from settings import APP_URL, PORT

START = """<!doctype html>
<title>Auto reply</title>
<h1>Auto reply</h1>
<a href="/connect">Connect your lines</a>
"""


class Handler(BaseHTTPRequestHandler):
    # A peer that says nothing keeps no thread.
    timeout = 30

    def do_GET(self):
        self.route("GET")

    def do_POST(self):
        self.route("POST")

    def route(self, method):
        routes = {
            "GET /": self.show_start,
            "GET /connect": self.connect,
            "GET /callback": self.finish_connecting,
            "POST /events": self.receive_event,
            # Browsers ask for it.
            "GET /favicon.ico": lambda: self.answer(204, ""),
        }
        self.is_answered = False
        try:
            handle = routes.get(f"{method} {urlsplit(self.path).path}")
            if handle is None:
                self.answer(404, "There is nothing here.")
            else:
                handle()
        except Exception:
            traceback.print_exc()
            if not self.is_answered:
                self.answer(500, "That did not work; the log says why.")

    def show_start(self):
        self.answer(200, START, {"Content-Type": "text/html; charset=utf-8"})

    def connect(self):
        """1. The user goes to Linehook, signs in there and chooses lines."""
        url, state, verifier = begin_authorization()
        # Lax: the cookie has to come along when Linehook sends the browser back.
        self.answer(303, "", {"Location": url, "Set-Cookie": cookie(f"connecting={state}.{verifier}; Max-Age=3600")})

    def finish_connecting(self):
        """2. The user comes back, with a code or with an error."""
        kept = re.search(r"(?:^|; )connecting=([\w-]+)\.([\w-]+)", self.headers.get("Cookie", ""))
        # Without it this browser did not begin here: somebody may be handing it an authorization of their own.
        if kept is None:
            return self.answer(400, f"Please begin at {APP_URL}/connect")
        forget = {"Set-Cookie": cookie("connecting=; Max-Age=0")}

        answer = dict(parse_qsl(urlsplit(self.path).query))
        if answer.get("error") == "access_denied":
            return self.answer(200, "Nothing was connected.", forget)

        lines = finish_authorization(answer, *kept.groups())
        names = ", ".join(f"{line['name']} ({line['phoneNumber']})" for line in lines)
        self.answer(200, f"Connected: {names}. Send a text there, and it is answered.", forget)

    def receive_event(self):
        """3. Something came to a connected line."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_LENGTH:
            return self.answer(413, "The body is longer than any event, or has no length.")
        try:
            event = read_event(self.headers, self.rfile.read(int(length)))
        except WrongSignature:
            return self.answer(401, "The signature is wrong.")
        # At once: Linehook waits 15 s and then tries again. What must not be lost goes into a queue of yours before this.
        self.answer(200, "Thank you.")

        event_id = self.headers["webhook-id"]
        if not is_repeat(event_id) and event["type"] == "inboundText":
            reply(event, event_id)

    def answer(self, status, body, headers=None):
        self.is_answered = True
        content = body.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(content)),
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """The query of /callback has a code: it is for no log."""


def reply(event, event_id):
    """4. The answer goes out from the line to which the text came."""
    text = f"You said: {event['payload'][:1000]}"
    send_message({"lineId": event["lineId"], "toNumber": event["fromNumber"], "text": text}, event_id)
    print(f"Replied to event {event_id}", flush=True)


def cookie(text):
    secure = "; Secure" if APP_URL.startswith("https:") else ""
    return f"{text}; Path=/callback; HttpOnly; SameSite=Lax{secure}"


if __name__ == "__main__":
    # Also when its output is no terminal.
    sys.stdout.reconfigure(encoding="utf-8")
    server = ThreadingHTTPServer(("", PORT), Handler)
    print(f"Auto reply is at {APP_URL}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
