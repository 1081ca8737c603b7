import * as yup from 'yup'
import { readLogo, type Logo } from './config/brand-logo.js'
import { splitList } from './config/kinds.js'
import { readSecretFiles, type GivenSecrets } from './config/secret-files.js'
import { settings } from './config/settings.js'
import { readVersion } from './config/version.js'

export type Config = ReturnType<typeof readConfig>

/** Lists every fault of the configuration, one per line, each naming its variable. */
export class ConfigInvalid extends Error {
  override name = 'ConfigInvalid'

  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length} error${faults.length === 1 ? '' : 's'}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    )
  }
}

/** The names of the settings that are secret; each may stand in a file that `<NAME>_FILE` names. */
export const SECRETS = Object.entries(settings)
  .filter(([, setting]) => setting.describe().meta?.secret === true)
  .map(([name]) => name)

/** Returns each secret under its name, including those that are in files. */
export function withSecretFiles(env: NodeJS.ProcessEnv): GivenSecrets {
  return readSecretFiles(env, SECRETS)
}

/**
 * Reads and checks `settings`. Nothing else reads process.env.
 *
 * @throws ConfigInvalid
 */
export function readConfig(asGiven: NodeJS.ProcessEnv = process.env) {
  const { env, faults } = withSecretFiles(asGiven)
  // `VAR=` in an env file means "not set".
  const given = Object.fromEntries(
    Object.keys(settings).map((name) => [name, env[name]?.trim() || undefined]),
  )
  const value = validate(given, faults)
  return Object.freeze({
    version: readVersion(),
    databaseUrl: value.DATABASE_URL,
    databasePoolSize: value.DATABASE_POOL_SIZE,
    databaseNamedStatements: value.DATABASE_NAMED_STATEMENTS,
    redisUrl: value.REDIS_URL,
    redisSentinels: readSentinels(value),
    encryptionKeys: splitList(value.ENCRYPTION_KEY).map((key) => Buffer.from(key, 'base64')),
    port: value.PORT,
    host: value.HOST,
    publicUrl: (value.PUBLIC_URL ?? `http://localhost:${value.PORT}`).replace(/\/+$/, ''),
    trustedProxyHops: value.TRUSTED_PROXY_HOPS,
    productWord: value.PRODUCT_WORD,
    brand: readBrand(value),
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT,
    queuesPassword: value.QUEUES_PASSWORD,
    queuesWritable: value.QUEUES_WRITABLE,
    requireSecondFactor: value.REQUIRE_SECOND_FACTOR,
    breachedPasswords: value.BREACHED_PASSWORDS,
    metricsPort: value.METRICS_PORT,
    metricsHost: value.METRICS_HOST,
    metricsToken: value.METRICS_TOKEN,
    traces: readCollector(value),
    rateLimitStatus: value.RATE_LIMIT_STATUS === 429 ? (429 as const) : (403 as const),
    routeThrottleMs: value.ROUTE_THROTTLE_SECONDS * 1000,
    messageTtlMs: value.MESSAGE_TTL_SECONDS * 1000,
    maxQueuedMessages: value.MAX_QUEUED_MESSAGES,
    maxQueuedPerLine: value.MAX_QUEUED_PER_LINE,
    countryGuardPerHour: value.COUNTRY_GUARD_PER_HOUR,
    accessTokenSeconds: value.ACCESS_TOKEN_SECONDS,
    simulator: value.SIMULATOR,
    allowHttp: value.ALLOW_HTTP,
    allowedPrivateCidrs: splitList(value.ALLOWED_PRIVATE_CIDRS),
    allowedCarrierCidrs: splitList(value.ALLOWED_CARRIER_CIDRS),
    deliveryRetryBaseMs: value.DELIVERY_RETRY_BASE_MS,
    deliveryTimeoutMs: value.DELIVERY_TIMEOUT_MS,
    endpointMaxInFlight: value.ENDPOINT_MAX_IN_FLIGHT,
    carrierTimeoutMs: value.CARRIER_TIMEOUT_MS,
    sendConcurrency: value.SEND_CONCURRENCY,
    deliverConcurrency: value.DELIVER_CONCURRENCY,
    fetchConcurrency: value.FETCH_CONCURRENCY,
    mediaTimeoutMs: value.MEDIA_TIMEOUT_MS,
    mediaRetentionDays: value.MEDIA_RETENTION_DAYS,
    messageRetentionDays: value.MESSAGE_RETENTION_DAYS,
    excerptRetentionDays: value.EXCERPT_RETENTION_DAYS,
    auditRetentionDays: value.AUDIT_RETENTION_DAYS,
    mediaFolder: value.MEDIA_FOLDER,
    mediaS3: readBucket(value),
    smtp: readSmtp(value),
    startedByPid: value.STARTED_BY_PID,
  })
}

/** The name and the looks that the service shows. */
export interface Brand {
  name: string
  /** True if the operator chose the name. */
  isOwnName: boolean
  logo: Logo | undefined
  /** A color as #rrggbb. */
  color: string | undefined
  supportUrl: string | undefined
}

function readBrand(value: ReturnType<typeof validate>): Brand {
  const { BRAND_NAME: name, BRAND_LOGO: path, BRAND_COLOR: color, SUPPORT_URL: supportUrl } = value
  const logo = path === undefined ? undefined : readLogo(path)
  // readLogo found it a moment ago.
  if (logo !== undefined && 'fault' in logo) throw new ConfigInvalid([`BRAND_LOGO ${logo.fault}`])
  return {
    name: name ?? 'Linehook',
    isOwnName: name !== undefined,
    logo,
    color: color === undefined ? undefined : `#${color.replace('#', '').toLowerCase()}`,
    supportUrl,
  }
}

/**
 * @returns undefined if Redis is where REDIS_URL leads
 * @throws ConfigInvalid for a password without sentinels, or without a name
 */
function readSentinels(value: ReturnType<typeof validate>) {
  const { REDIS_URL: url, REDIS_SENTINELS: given, REDIS_SENTINEL_PASSWORD: password } = value
  if (given === undefined) {
    if (password === undefined) return undefined
    throw new ConfigInvalid(['REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS. Set both'])
  }
  if (!URL.canParse(url) || new URL(url).hostname === '') {
    throw new ConfigInvalid(["REDIS_URL must contain the master's name instead of a host"])
  }
  const addresses = splitList(given).map((address) => {
    const { hostname, port } = new URL(`redis://${address}`)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
  })
  return { addresses, password }
}

/** @returns undefined if nothing is traced */
function readCollector(value: ReturnType<typeof validate>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = value
  if (endpoint === undefined) return undefined
  const pairs = splitList(headers).map((pair): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
  })
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: Object.fromEntries(pairs),
    share: value.OTEL_TRACES_SAMPLER_ARG,
  }
}

/**
 * @returns undefined if media are kept in the folder
 * @throws ConfigInvalid if only half of a key is given
 */
function readBucket(value: ReturnType<typeof validate>) {
  if (value.MEDIA_S3_BUCKET === undefined) return undefined
  const { MEDIA_S3_ACCESS_KEY_ID: accessKeyId, MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey } = value
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigInvalid(['MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY must be set together'])
  }
  return {
    bucket: value.MEDIA_S3_BUCKET,
    region: value.MEDIA_S3_REGION,
    endpoint: value.MEDIA_S3_ENDPOINT,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey },
  }
}

/**
 * @returns undefined if no mail is sent
 * @throws ConfigInvalid for one setting without the other
 */
function readSmtp({ SMTP_URL: url, MAIL_FROM: from, BRAND_NAME: name }: ReturnType<typeof validate>) {
  if (url !== undefined && from !== undefined) return { url, from, name }
  if (url === undefined && from === undefined) return undefined
  throw new ConfigInvalid(['SMTP_URL and MAIL_FROM must be set together'])
}

/** @param unread the faults of secret files; their settings are not reported as missing as well */
function validate(given: Record<string, string | undefined>, unread: readonly string[]) {
  try {
    const value = yup.object(settings).validateSync(given, { abortEarly: false })
    if (unread.length === 0) return value
    throw new ConfigInvalid([...unread])
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    const faults = error.inner
      .filter(({ path = '', type }) => type !== 'optionality' || !isUnread(path, unread))
      .map((each) => `${each.path ?? ''} ${each.type === 'optionality' ? 'is required' : each.message}`)
    throw new ConfigInvalid([...new Set([...unread, ...faults])])
  }
}

function isUnread(name: string, unread: readonly string[]): boolean {
  return unread.some((fault) => fault.startsWith(`${name}_FILE `))
}
