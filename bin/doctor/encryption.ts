import type { Config } from '../../src/config.js'
import { isLoopback } from '../../src/network.js'
import { ok, warning, type Check, type Finding } from './check.js'

export const encryption: Check = {
  name: 'Encryption',
  look: ({ config }) => judgeEncryption(config),
}

type Connections = Pick<
  Config,
  'databaseUrl' | 'redisUrl' | 'redisSentinels' | 'smtp' | 'traces' | 'mediaS3' | 'publicUrl' | 'allowHttp'
>

/**
 * Judges the connections that leave this machine in clear text. A private network may be trusted, so the finding is a
 * warning.
 */
export function judgeEncryption(config: Connections): Finding {
  const clear = unencryptedConnections(config)
  if (clear.length === 0) return ok('With these settings, all traffic that leaves this machine is encrypted.')
  return warning(
    `Unencrypted traffic leaves this machine through ${clear.map(({ variable }) => variable).join(', ')}.`,
    `${clear.map(({ cure }) => cure).join(' ')} Or rely on a trusted network; see docs/operating/connections.md.`,
  )
}

function unencryptedConnections(config: Connections): { variable: string; cure: string }[] {
  const { databaseUrl, redisUrl, redisSentinels, smtp, traces, mediaS3, publicUrl, allowHttp } = config
  const ways: [variable: string, isClear: boolean, cure: string][] = [
    ['DATABASE_URL', isClearPostgres(databaseUrl), 'Add ?sslmode=verify-full to DATABASE_URL.'],
    [
      'REDIS_URL',
      leavesInClear(redisUrl, 'redis:') || (redisSentinels !== undefined && redisUrl.startsWith('redis:')),
      'Start REDIS_URL with rediss://.',
    ],
    ['SMTP_URL', isClearMail(smtp?.url), 'Start SMTP_URL with smtps://, or add ?requireTLS=true.'],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      leavesInClear(traces?.endpoint, 'http:'),
      'Use https:// for the collector, or run it on this machine.',
    ],
    ['MEDIA_S3_ENDPOINT', leavesInClear(mediaS3?.endpoint, 'http:'), 'Use https:// for the bucket.'],
    ['PUBLIC_URL', leavesInClear(publicUrl, 'http:'), 'Put a proxy with a certificate in front of `web`.'],
    ['ALLOW_HTTP', allowHttp, 'Remove ALLOW_HTTP, which lets events be sent unencrypted.'],
  ]
  return ways.filter(([, isClear]) => isClear).map(([variable, , cure]) => ({ variable, cure }))
}

/** With any of these the driver uses TLS or nothing; unlike libpq it does not fall back for `prefer`. */
const POSTGRES_TLS = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert']

function isClearPostgres(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined) return false
  const { searchParams } = parsed
  // The driver prefers the host in the query.
  const host = searchParams.get('host') ?? parsed.hostname
  // A socket of this machine sends nothing over a network.
  if (host === '' || host.startsWith('/') || isLoopback(host)) return false
  if (searchParams.get('sslmode') === 'disable') return true
  const hasTls = ['true', '1'].includes(searchParams.get('ssl') ?? '')
  return !hasTls && !POSTGRES_TLS.some((name) => searchParams.has(name))
}

function isClearMail(url: string | undefined): boolean {
  if (url === undefined || !leavesInClear(url, 'smtp:')) return false
  return new URL(url).searchParams.get('requireTLS') !== 'true'
}

function leavesInClear(url: string | undefined, scheme: string): boolean {
  const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  return parsed?.protocol === scheme && parsed.hostname !== '' && !isLoopback(parsed.hostname)
}
