import { LANGUAGES, LITERALS, TITLES, type Language, type Sample } from './sample.js'

/** The text and the receiver of a sample. */
export interface SampleText {
  /** The incoming webhook's URL, with its token. */
  url: string
  toNumber: string
  text: string
}

/** Makes programs that send a text by an incoming webhook, with only each language's standard library. */
export function sendSamples(what: SampleText): Sample[] {
  return LANGUAGES.map((language) => {
    const { run, write } = SENDERS[language]
    const literal = LITERALS[language]
    const { url, toNumber, text } = what
    const code = write({ url: literal(url), toNumber: literal(toNumber), text: literal(text) }, what)
    return { language, title: TITLES[language], code, run }
  })
}

interface Sender {
  run: string
  /** @param literals the texts as literals of the language */
  write: (literals: SampleText, what: SampleText) => string
}

const SENDERS: Record<Language, Sender> = {
  curl: {
    run: 'Paste it into a terminal.',
    write: ({ url }, { toNumber, text }) =>
      curl(url, JSON.stringify({ intent: 'message', data: { toNumber, text } })),
  },
  node: {
    run: 'node send.mjs',
    write: ({ url, toNumber, text }) => `const response = await fetch(${url}, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    intent: 'message',
    data: { toNumber: ${toNumber}, text: ${text} },
  }),
  signal: AbortSignal.timeout(15_000),
})
console.log(response.status, await response.text())`,
  },
  python: {
    run: 'python3 send.py',
    write: ({ url, toNumber, text }) => `import json
import urllib.error
import urllib.request

request = urllib.request.Request(
    ${url},
    data=json.dumps({
        "intent": "message",
        "data": {"toNumber": ${toNumber}, "text": ${text}},
    }).encode(),
    headers={"Content-Type": "application/json"},
)
try:
    with urllib.request.urlopen(request, timeout=15) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())`,
  },
  go: {
    run: 'go run send.go',
    write: ({ url, toNumber, text }) => `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"
)

func main() {
	body, err := json.Marshal(map[string]any{
		"intent": "message",
		"data":   map[string]string{"toNumber": ${toNumber}, "text": ${text}},
	})
	if err != nil {
		log.Fatal(err)
	}
	client := http.Client{Timeout: 15 * time.Second}
	response, err := client.Post(${url}, "application/json", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(answer))
}`,
  },
  php: {
    run: 'php send.php',
    write: ({ url, toNumber, text }) => `<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => 'Content-Type: application/json',
    'content' => json_encode([
        'intent' => 'message',
        'data' => ['toNumber' => ${toNumber}, 'text' => ${text}],
    ]),
    'timeout' => 15,
    'ignore_errors' => true,
]]);
$answer = file_get_contents(${url}, false, $context);
echo $answer, "\\n";`,
  },
  ruby: {
    run: 'ruby send.rb',
    write: ({ url, toNumber, text }) => `require 'json'
require 'net/http'

uri = URI(${url})
body = { intent: 'message', data: { toNumber: ${toNumber}, text: ${text} } }
response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', read_timeout: 15) do |http|
  http.post(uri.request_uri, JSON.generate(body), 'Content-Type' => 'application/json')
end
puts "#{response.code} #{response.body}"`,
  },
}

/**
 * Makes a command for a terminal.
 *
 * @param url the URL as the shell writes it
 */
function curl(url: string, body: string): string {
  return `curl -H 'Content-Type: application/json' --data-raw ${LITERALS.curl(body)} ${url}`
}
