"""An example application for Linehook: it replies to every text that a connected line receives."""

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
    # A silent client does not keep a thread.
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
            # Browsers request it.
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
                self.answer(500, "Something went wrong. Check the log.")

    def show_start(self):
        self.answer(200, START, {"Content-Type": "text/html; charset=utf-8"})

    def connect(self):
        """1. The user is sent to Linehook to sign in and choose lines."""
        url, state, verifier = begin_authorization()
        # Lax, because the browser has to send the cookie when Linehook redirects it back.
        self.answer(303, "", {"Location": url, "Set-Cookie": cookie(f"connecting={state}.{verifier}; Max-Age=3600")})

    def finish_connecting(self):
        """2. The user returns with a code or an error."""
        kept = re.search(r"(?:^|; )connecting=([\w-]+)\.([\w-]+)", self.headers.get("Cookie", ""))
        # Without the cookie, this browser did not start here: someone may be passing it an authorization of their own.
        if kept is None:
            return self.answer(400, f"Start at {APP_URL}/connect")
        forget = {"Set-Cookie": cookie("connecting=; Max-Age=0")}

        answer = dict(parse_qsl(urlsplit(self.path).query))
        if answer.get("error") == "access_denied":
            return self.answer(200, "Nothing was connected.", forget)

        lines = finish_authorization(answer, *kept.groups())
        names = ", ".join(f"{line['name']} ({line['phoneNumber']})" for line in lines)
        self.answer(200, f"Connected: {names}. Text it to get a reply.", forget)

    def receive_event(self):
        """3. A connected line received something."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_LENGTH:
            return self.answer(413, "The body is longer than any event, or has no length.")
        try:
            event = read_event(self.headers, self.rfile.read(int(length)))
        except WrongSignature:
            return self.answer(401, "The signature is wrong.")
        # Answer immediately: Linehook waits 15 s, then retries. Put what must not be lost into your own queue first.
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
        """The query of /callback has a code, which must not be logged."""


def reply(event, event_id):
    """4. The reply is sent from the line that received the text."""
    text = f"You said: {event['payload'][:1000]}"
    send_message({"lineId": event["lineId"], "toNumber": event["fromNumber"], "text": text}, event_id)
    print(f"Replied to event {event_id}", flush=True)


def cookie(text):
    secure = "; Secure" if APP_URL.startswith("https:") else ""
    return f"{text}; Path=/callback; HttpOnly; SameSite=Lax{secure}"


if __name__ == "__main__":
    # UTF-8, even if the output is not a terminal.
    sys.stdout.reconfigure(encoding="utf-8")
    server = ThreadingHTTPServer(("", PORT), Handler)
    print(f"Auto reply is at {APP_URL}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
