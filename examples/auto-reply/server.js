import { createServer } from 'node:http'
import { WebhookVerificationError } from 'standardwebhooks'
import { isRepeat, readEvent } from './events.js'
import { beginAuthorization, finishAuthorization, sendMessage } from './linehook.js'
import { APP_URL, PORT } from './settings.js'

const routes = {
  'GET /': showStart,
  'GET /connect': connect,
  'GET /callback': finishConnecting,
  'POST /events': receiveEvent,
  // Browsers request it.
  'GET /favicon.ico': (request, response) => answer(response, 204, ''),
}

const server = createServer(async (request, response) => {
  try {
    const url = new URL(APP_URL + request.url)
    const route = routes[`${request.method} ${url.pathname}`]
    if (route === undefined) answer(response, 404, 'There is nothing here.')
    else await route(request, response, url)
  } catch (error) {
    console.error(error)
    if (!response.headersSent) answer(response, 500, 'Something went wrong. Check the log.')
  }
})
server.listen(PORT, () => console.log(`Auto reply is at ${APP_URL}`))

const START = `<!doctype html>
<title>Auto reply</title>
<h1>Auto reply</h1>
<a href="/connect">Connect your lines</a>
`

function showStart(request, response) {
  answer(response, 200, START, { 'Content-Type': 'text/html; charset=utf-8' })
}

/** 1. The user is sent to Linehook to sign in and choose lines. */
async function connect(request, response) {
  const { url, state, verifier } = await beginAuthorization()
  // Lax, because the browser has to send the cookie when Linehook redirects it back.
  setCookie(response, `connecting=${state}.${verifier}; Max-Age=3600`)
  answer(response, 303, '', { Location: url.href })
}

/** 2. The user returns with a code or an error. */
async function finishConnecting(request, response, url) {
  const [, state, verifier] = /(?:^|; )connecting=([\w-]+)\.([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  // Without the cookie, this browser did not start here: someone may be passing it an authorization of their own.
  if (state === undefined) return answer(response, 400, `Start at ${APP_URL}/connect`)
  setCookie(response, 'connecting=; Max-Age=0')

  const isRefused = url.searchParams.get('error') === 'access_denied'
  if (isRefused) return answer(response, 200, 'Nothing was connected.')

  const lines = await finishAuthorization(url, { state, verifier })
  const names = lines.map(({ name, phoneNumber }) => `${name} (${phoneNumber})`)
  answer(response, 200, `Connected: ${names.join(', ')}. Text it to get a reply.`)
}

/** 3. A connected line received something. */
async function receiveEvent(request, response) {
  let event
  try {
    event = await readEvent(request)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return answer(response, 401, 'The signature is wrong.')
  }
  // Answer immediately: Linehook waits 15 s, then retries. Put what must not be lost into your own queue first.
  answer(response, 200, 'Thank you.')

  const eventId = request.headers['webhook-id']
  if (isRepeat(eventId) || event.type !== 'inboundText') return
  await reply(event, eventId)
}

/** 4. The reply is sent from the line that received the text. */
async function reply({ lineId, fromNumber, payload }, eventId) {
  const text = `You said: ${payload.slice(0, 1000)}`
  await sendMessage({ lineId, toNumber: fromNumber, text }, eventId)
  console.log(`Replied to event ${eventId}`)
}

function answer(response, status, body, headers = {}) {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...headers,
  })
  response.end(body)
}

function setCookie(response, cookie) {
  const secure = APP_URL.startsWith('https:') ? '; Secure' : ''
  response.setHeader('Set-Cookie', `${cookie}; Path=/callback; HttpOnly; SameSite=Lax${secure}`)
}
