import { randomUUID } from 'node:crypto'
import type { Config } from '../../src/config.js'
import { findLineWithWebhook } from '../../src/database/lines/incoming-webhooks.js'
import { isLoopback } from '../../src/network.js'
import { createSafeFetch, FetchFailed, type SafeFetch, type SafeResponse } from '../../src/safe-fetch.js'
import { createVocabulary } from '../../src/vocabulary.js'
import { judgeCertificate } from './certificate.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'
import { migrations } from './schema.js'
import { withoutEnding } from '../../src/without-ending.js'

const REQUEST_MS = 3000

export const publicUrl: Check = {
  name: 'PUBLIC_URL',
  after: [migrations.name],
  timeoutMs: 10_000,
  look: async (subject, works) => {
    const { config } = subject
    const door = createSafeFetch({
      allowHttp: true,
      allowedPrivateCidrs: config.allowedPrivateCidrs,
      connectTimeoutMs: REQUEST_MS,
    })
    try {
      return await judgeUrl(config, door, () =>
        works(migrations.name) ? findLineWithWebhook(subject.db) : Promise.resolve(undefined),
      )
    } finally {
      await door.close()
    }
  },
}

type FindLine = () => Promise<string | undefined>

async function judgeUrl(config: Config, door: SafeFetch, findLine: FindLine): Promise<Finding> {
  const url = new URL(config.publicUrl)
  const shown = withoutEnding(`${url.origin}${url.pathname}`, '/')
  try {
    const health = await door.request(`${config.publicUrl}/healthz`, { timeoutMs: REQUEST_MS })
    const wrong = judgeHealth(shown, health) ?? (await judgeIdentity(config, shown, door, await findLine()))
    if (wrong !== undefined) return wrong
    return (await judgeCertificate(url, door)) ?? judgeReach(url, shown)
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return judgeFailure(shown, error)
  }
}

function judgeHealth(shown: string, { status, headers, body }: SafeResponse): Finding | undefined {
  if (status >= 300 && status < 400) {
    const target = headers.location
    return fault(
      `${shown} redirects${target === undefined ? '' : ` to ${withoutQuery(target)}`}, and carriers do not follow redirects.`,
      'Set PUBLIC_URL to the final URL.',
    )
  }
  if (status >= 500) {
    return fault(
      `${shown} returns ${status}: a proxy is there but cannot reach \`web\`.`,
      "Start `web`, or correct the proxy's target.",
    )
  }
  return status === 200 && readJson(body).status === 'ok' ? undefined : elsewhere(shown, `answers ${status}`)
}

/**
 * Makes a check that no other service passes, and no other Linehook: a request without a token to the webhook of a
 * line in this database is refused with 403, and one to the webhook of any other line with 404. It sends nothing.
 */
async function judgeIdentity(
  config: Config,
  shown: string,
  door: SafeFetch,
  lineId: string | undefined,
): Promise<Finding | undefined> {
  const path = createVocabulary(config.productWord).incomingWebhookPath(lineId ?? randomUUID())
  const request = { method: 'POST', body: '{}', timeoutMs: REQUEST_MS } as const
  const { status, body } = await door.request(`${config.publicUrl}${path}`, request)
  if (readJson(body).success !== false) return elsewhere(shown, `returns ${status} for an incoming webhook`)
  if (lineId === undefined || status === 403) return undefined
  if (status === 503) {
    return fault(
      `${shown} points to Linehook, but it cannot accept messages right now.`,
      'Check its /readyz.',
    )
  }
  return fault(
    `${shown} points to a Linehook with another database, which does not have this one's lines.`,
    "Correct PUBLIC_URL, DATABASE_URL or the proxy's target.",
  )
}

function judgeReach({ protocol, hostname }: URL, shown: string): Finding {
  if (isLoopback(hostname)) {
    return warning(
      `${shown} points to this machine: \`web\` answers, but nobody else can reach it.`,
      'This is fine for testing. Otherwise, set PUBLIC_URL to the address that people and carriers use.',
    )
  }
  if (protocol === 'http:') {
    return warning(
      `${shown} is this service, but over plain http, so others on the network can read tokens and passwords.`,
      'Put a proxy with a certificate in front of `web`, and set PUBLIC_URL to its https:// URL.',
    )
  }
  return ok(`${shown} is this service, as seen from this machine.`)
}

function judgeFailure(shown: string, { failure, message }: FetchFailed): Finding {
  if (failure === 'blocked_address') {
    return warning(
      `${shown} has a private address here, so it was not called. From outside, it may or may not reach this service.`,
      'If the name has a public address elsewhere, check its /healthz from there. If not, carriers cannot reach it: use a public address. To let `doctor` check it, add this range to ALLOWED_PRIVATE_CIDRS.',
    )
  }
  if (failure.startsWith('tls')) return fault(message, 'Give the proxy a valid certificate for this name.')
  return fault(
    message,
    'Start `web` and the proxy in front of it, and check that the name in PUBLIC_URL points there.',
  )
}

function elsewhere(shown: string, what: string): Finding {
  return fault(`${shown} points to another service: it ${what}.`, "Correct PUBLIC_URL or the proxy's target.")
}

function readJson(body: Buffer): Record<string, unknown> {
  try {
    const parsed = JSON.parse(body.toString('utf8')) as unknown
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*/s, '')
}
