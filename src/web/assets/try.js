// Runs in the browser, at /docs/try/…. It sends the form as a request to the API and shows the response as it comes, so that
// streams of events can be tried too. The tab keeps the token, by the functions of `console.js`.

const TOKEN = 'linehook-api-token'
/** The end of a longer response is shown. */
const MAX_SHOWN = 200_000

const form = document.querySelector('form.try')
const part = (selector) => document.querySelector(selector)
const token = form.elements.secretToken
const stop = part('[data-stop]')
const body = part('#response-body')

/** Returns what fetch takes. Fields that are left empty are not sent. */
function requestOf() {
  const { method, path } = form.dataset
  const headers = { Accept: '*/*' }
  const query = new URLSearchParams()
  let url = path
  for (const [name, value] of new FormData(form)) {
    const [, place, key] = /^(path|query|header)\.(.+)$/.exec(name) ?? []
    if (place === 'path') url = url.replace(`{${key}}`, encodeURIComponent(value))
    if (place === 'query' && value !== '') query.append(key, value)
    if (place === 'header' && value !== '') headers[key] = value
  }
  if (token?.value) headers.Authorization = `Bearer ${token.value.trim()}`
  const sent = form.elements.body?.value
  if (sent !== undefined) headers['Content-Type'] = 'application/json'
  // The reader's session is not sent: the response is the one that a program would get.
  const options = { method, headers, body: sent, credentials: 'omit', redirect: 'manual' }
  return [query.size === 0 ? url : `${url}?${query}`, options]
}

function showStatus(text, isGood) {
  const status = part('.response-status')
  status.textContent = text
  status.classList.toggle('why', !isGood)
}

async function send(signal) {
  const begun = performance.now()
  const [url, options] = requestOf()
  const response = await fetch(url, { ...options, signal })
  const ms = Math.round(performance.now() - begun)
  // HTTP/2, as behind a proxy, has no words for a status.
  showStatus(`${`${response.status} ${response.statusText}`.trim()} · ${ms} ms`, response.ok)
  part('.response-headers').hidden = false
  part('.response-headers pre').textContent = [...response.headers].map((pair) => pair.join(': ')).join('\n')
  await showBody(response)
}

async function showBody(response) {
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader.read()) {
    text = (text + piece.value).slice(-MAX_SHOWN)
    body.textContent = text
    part('.response-body').hidden = false
  }
  const isJson = /[/+]json/.test(response.headers.get('Content-Type')) && text.length < MAX_SHOWN
  if (isJson) body.textContent = JSON.stringify(JSON.parse(text), null, 2)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const request = new AbortController()
  const button = form.querySelector('[type=submit]')
  if (token) keep('sessionStorage', TOKEN, token.value.trim())
  for (const each of [part('section .empty'), part('.response-body')]) each.hidden = true
  body.textContent = ''
  button.disabled = true
  stop.hidden = false
  stop.onclick = () => request.abort()
  showStatus('Waiting for the response…', true)
  send(request.signal)
    .catch((error) => {
      if (request.signal.aborted) showStatus(`${part('.response-status').textContent} · stopped`, true)
      else showStatus(`The request failed: ${error.message}`, false)
    })
    .finally(() => {
      button.disabled = false
      stop.hidden = true
    })
})

if (token) token.value = storage('sessionStorage')?.getItem(TOKEN) ?? ''
form.querySelector('fieldset').disabled = false
