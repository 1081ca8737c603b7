import { LANGUAGES, LITERALS, TITLES, type Language, type Sample } from './sample.js'

/** The port that the receivers listen on, and that the command for a terminal posts to. */
export const RECEIVER_PORT = 4000

export interface SampleReceiver {
  /** A secret such as `whsec_…`. */
  secret: string
  /** The body of an event of this line, for the command for a terminal. */
  body: string
  port?: number
}

/**
 * Makes servers that verify the signature of an event (https://www.standardwebhooks.com) and print it, with only each
 * language's standard library. curl cannot be a server: it comes last, and posts an event, signed like ours, to one
 * of the others.
 */
export function receiveSamples({ secret, body, port = RECEIVER_PORT }: SampleReceiver): Sample[] {
  const servers = LANGUAGES.filter((language) => language !== 'curl')
  return [...servers, 'curl' as const].map((language) => {
    const { run, write } = RECEIVERS[language]
    const literal = LITERALS[language]
    const code = write({ secret: literal(secret), body: literal(body), port })
    return {
      language,
      title: language === 'curl' ? 'curl: post an event to it' : TITLES[language],
      code,
      run: run(port),
    }
  })
}

interface Receiver {
  run: (port: number) => string
  /** @param parts the texts as literals of the language */
  write: (parts: SampleReceiver & { port: number }) => string
}

const RECEIVERS: Record<Language, Receiver> = {
  curl: {
    run: (port) => `Paste it into a terminal. It posts to whatever is listening on port ${port}.`,
    write: ({ secret, body, port }) => `SECRET=${secret}
KEY=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
BODY=${body}
ID=try_$(date +%s)
TIMESTAMP=$(date +%s)
SIGNATURE=$(printf %s "$ID.$TIMESTAMP.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
curl -i -H 'Content-Type: application/json' -H "webhook-id: $ID" -H "webhook-timestamp: $TIMESTAMP" \\
  -H "webhook-signature: v1,$SIGNATURE" --data-raw "$BODY" http://localhost:${port}/`,
  },
  node: {
    run: () => 'node receive.mjs',
    write: ({ secret, port }) => `import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const KEY = Buffer.from(${secret}.replace('whsec_', ''), 'base64')

function isOurs(headers, body) {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  // A recorded request is refused after five minutes.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const signed = createHmac('sha256', KEY).update(\`\${id}.\${timestamp}.\`).update(body).digest('base64')
  const expected = Buffer.from(\`v1,\${signed}\`)
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer(async (request, response) => {
  // Verify the raw bytes, because JSON that is parsed and written again may differ.
  let body = Buffer.alloc(0)
  try {
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk])
      if (body.length > 1_000_000) return request.destroy()
    }
  } catch {
    return // The connection was closed before the request was complete.
  }
  if (!isOurs(request.headers, body)) return response.writeHead(401).end()
  response.writeHead(200).end()
  const event = JSON.parse(body)
  console.log(event.type, event.fromNumber, event.payload)
}).listen(${port})`,
  },
  python: {
    run: () => 'python3 receive.py',
    write: ({ secret, port }) => `import base64
import hashlib
import hmac
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(${secret}.removeprefix("whsec_"))


def is_ours(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    # A recorded request is refused after five minutes.
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    content = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, content, hashlib.sha256))
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        # Verify the raw bytes, because JSON that is parsed and written again may differ.
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1_000_000))
        ours = is_ours(self.headers, body)
        self.send_response(200 if ours else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if ours:
            event = json.loads(body)
            print(event["type"], event["fromNumber"], event["payload"], flush=True)


ThreadingHTTPServer(("", ${port}), Handler).serve_forever()`,
  },
  go: {
    run: () => 'go run receive.go',
    write: ({ secret, port }) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(${secret}, "whsec_"))

func isOurs(header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// A recorded request is refused after five minutes.
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		// Verify the raw bytes, because JSON that is parsed and written again may differ.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1_000_000))
		if err != nil || !isOurs(request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct{ Type, FromNumber, Payload string }
		if json.Unmarshal(body, &event) == nil {
			fmt.Println(event.Type, event.FromNumber, event.Payload)
		}
	})
	log.Fatal(http.ListenAndServe(":${port}", nil))
}`,
  },
  php: {
    run: (port) => `php -S localhost:${port} receive.php`,
    write: ({ secret }) => `<?php
$key = base64_decode(substr(${secret}, strlen('whsec_')));
// Verify the raw bytes, because JSON that is parsed and written again may differ.
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
$ours = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
    $ours = $ours || hash_equals($expected, $signature);
}
// A recorded request is refused after five minutes.
if (!$ours || abs(time() - (int) $timestamp) > 300) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true);
file_put_contents('php://stdout', "{$event['type']} {$event['fromNumber']} {$event['payload']}\\n");`,
  },
  ruby: {
    run: () => 'ruby receive.rb',
    write: ({ secret, port }) => `require 'json'
require 'openssl'
require 'socket'

KEY = ${secret}.delete_prefix('whsec_').unpack1('m')

def ours?(headers, body)
  timestamp = headers['webhook-timestamp'].to_s
  # A recorded request is refused after five minutes.
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  content = "#{headers['webhook-id']}.#{timestamp}.".b + body
  expected = 'v1,' + [OpenSSL::HMAC.digest('SHA256', KEY, content)].pack('m0')
  headers['webhook-signature'].to_s.split.any? { |given| OpenSSL.secure_compare(given, expected) }
end

server = TCPServer.new(${port})
loop do
  Thread.new(server.accept) do |socket|
    socket.gets
    headers = {}
    while (line = socket.gets) && line != "\\r\\n"
      name, value = line.split(':', 2)
      headers[name.downcase] = value.to_s.strip
    end
    # Verify the raw bytes, because JSON that is parsed and written again may differ.
    body = socket.read([headers['content-length'].to_i, 1_000_000].min).to_s
    ours = ours?(headers, body)
    socket.write "HTTP/1.1 #{ours ? '200 OK' : '401 Unauthorized'}\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n"
    event = ours ? JSON.parse(body.force_encoding('UTF-8')) : nil
    puts "#{event['type']} #{event['fromNumber']} #{event['payload']}" if event
    $stdout.flush
  ensure
    socket.close
  end
end`,
  },
}
