import * as yup from 'yup'
import { readLogo } from './config/brand-logo.js'
import { readBrand, readBucket, readCollector, readSentinels, readSmtp } from './config/groups.js'
import { ConfigInvalid } from './config/invalid.js'
import {
  areHeaders,
  count,
  everyKeyIs32Bytes,
  flag,
  hardToGuess,
  httpUrl,
  isAddress,
  isCidr,
  isSupportUrl,
  list,
  noKeyIsZero,
  retention,
  splitList,
  text,
} from './config/kinds.js'
import { readSecretFiles, type GivenSecrets } from './config/secret-files.js'
import {
  isPostgresUrl,
  isRedisUrl,
  isServerUrl,
  MUST_BE_ENCODED,
  namesOneHost,
} from './config/server-urls.js'
import { readVersion } from './config/version.js'
import { isFreeWord } from './vocabulary.js'
import { withoutEnding } from './without-ending.js'

/** The maximum of CARRIER_TIMEOUT_MS. A carrier that hangs occupies a worker's slot for that long. */
export const MAX_CARRIER_TIMEOUT_MS = 60_000

/**
 * Every setting of Linehook, with one sentence each. A test checks the table of docs/configuration.md and
 * `.env.example` against it.
 */
export const settings = {
  DATABASE_URL: text()
    .required()
    .matches(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .test(
      'host',
      'must name a single host that points to the primary. See docs/operating/scaling.md',
      namesOneHost,
    )
    .test('url', MUST_BE_ENCODED, isPostgresUrl)
    .meta({ about: 'Postgres, which stores every message and event.', secret: true }),
  REDIS_URL: text()
    .required()
    .matches(/^rediss?:\/\//, 'must start with redis://')
    .test('url', MUST_BE_ENCODED, isRedisUrl)
    .meta({ about: 'Redis, which holds the queues (noeviction, AOF on).', secret: true }),
  REDIS_SENTINELS: list(isAddress, 'must be host:port separated by commas, such as sentinel-1:26379').meta({
    about:
      'Redis Sentinel addresses as host:port, separated by commas. The host in REDIS_URL is then the name of the master, such as mymaster.',
  }),
  REDIS_SENTINEL_PASSWORD: text().meta({ about: 'The password for Redis Sentinel.', secret: true }),
  ENCRYPTION_KEY: text()
    .required()
    .test(
      'keys',
      'must be 32 bytes in base64 (`openssl rand -base64 32`). Retired keys can follow, separated by commas',
      everyKeyIs32Bytes,
    )
    .test('zero', 'must not be all zeros. Generate one with `openssl rand -base64 32`', noKeyIsZero)
    .meta({
      about:
        'Encrypts webhook tokens, signing secrets, carrier credentials and authenticator app secrets at rest. The first key encrypts; any others only decrypt.',
      secret: true,
    }),
  PORT: count(1, 65_535).default(3000).meta({ about: 'The port that `web` listens on.' }),
  HOST: text().default('0.0.0.0').meta({ about: 'The address that `web` listens on.' }),
  PUBLIC_URL: httpUrl().meta({
    about:
      'The URL where people and carriers reach `web`. Generated webhook URLs start with it. Default: http://localhost:PORT.',
  }),
  TRUSTED_PROXY_HOPS: count(0, 10)
    .default(0)
    .meta({ about: 'The number of reverse proxies in front of `web` that set X-Forwarded-For.' }),
  PRODUCT_WORD: text()
    .matches(/^[A-Za-z]{1,32}$/, 'must be 1 to 32 letters')
    .test('free', 'must not be a word that the API has for something else, such as user', isFreeWord)
    .default('line')
    .meta({
      about: 'The word used instead of "line" in paths and fields, for clients written for another product.',
    }),
  BRAND_NAME: text()
    .max(40, 'must have at most 40 characters, because it is in the header of every page')
    .matches(
      /^[^\p{C}\p{Zl}\p{Zp}<>":\\]+$/u,
      'must be a name on one line without < > " : or \\, such as Acme Lines',
    )
    .meta({
      about: 'The name of the service in pages, emails, authenticator apps and passkeys. Default: Linehook.',
    }),
  BRAND_LOGO: text()
    .test('logo', (path, { createError }) => {
      const logo = path === undefined ? undefined : readLogo(path)
      return logo === undefined || !('fault' in logo) || createError({ message: logo.fault })
    })
    .meta({ about: 'A PNG or SVG file of at most 256 KiB: the logo and icon of every page.' }),
  BRAND_COLOR: text()
    .matches(/^#?[\da-f]{6}$/i, 'must be six hexadecimal digits, such as 5b40c9')
    .meta({
      about:
        'The colour of buttons and links: six hexadecimal digits, such as 5b40c9. Text in it is lightened or darkened where it would be hard to read.',
    }),
  SUPPORT_URL: text()
    .test(
      'url',
      'must be an https:// URL or a mailto: address, such as mailto:help@example.com',
      isSupportUrl,
    )
    .meta({
      about: 'Where people get help: an https:// URL or a mailto: address. Every page and email links to it.',
    }),
  LOG_LEVEL: text()
    .oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info')
    .meta({ about: 'The minimum log level: debug, info, warn, error or silent.' }),
  LOG_FORMAT: text().oneOf(['auto', 'json', 'pretty'], 'must be auto, json or pretty').default('auto').meta({
    about: 'The log format: json, pretty, or auto (pretty on a terminal, json elsewhere).',
  }),
  QUEUES_PASSWORD: hardToGuess(12, 18).meta({
    about:
      'Gives read-only access to the dashboard at /queues through HTTP Basic (user name: operator). Operators who are signed in do not need it.',
    secret: true,
  }),
  QUEUES_WRITABLE: flag()
    .default(false)
    .meta({ about: 'Lets signed-in operators retry, promote and remove jobs in the dashboard.' }),
  REQUIRE_SECOND_FACTOR: text()
    .oneOf(['operators', 'everybody', 'off'], 'must be operators, everybody or off')
    .default('operators')
    .meta({
      about:
        'Who needs a second factor to use the console: operators, everybody or off. `npm start` without settings turns it off.',
    }),
  BREACHED_PASSWORDS: text().meta({
    about:
      'A sorted file of SHA-1 hashes of breached passwords, in the format of Have I Been Pwned. New passwords found in it are refused.',
  }),
  METRICS_PORT: count(1, 65_535).meta({
    about:
      'The port on which a process serves /metrics to Prometheus. Under `linehook start` the processes use this port and the ones after it.',
  }),
  METRICS_HOST: text().default('127.0.0.1').meta({ about: 'The address that METRICS_PORT listens on.' }),
  METRICS_TOKEN: hardToGuess(24, 24).meta({
    about:
      'The token for /metrics (`Authorization: Bearer …`). If set, `web` serves /metrics too, and METRICS_PORT requires the token.',
    secret: true,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().meta({
    about:
      'The OpenTelemetry collector that receives a trace of each message, such as http://localhost:4318.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: text()
    .matches(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/, 'must be name=value, separated by commas')
    .test('headers', 'must have names and values that HTTP allows. Encode % as %25', areHeaders)
    .meta({ about: 'Headers for the collector, as name=value, separated by commas.', secret: true }),
  OTEL_TRACES_SAMPLER_ARG: yup
    .number()
    .typeError('must be a number from 0 to 1')
    .min(0, 'must be a number from 0 to 1')
    .max(1, 'must be a number from 0 to 1')
    .default(1)
    .meta({ about: 'The share of messages to trace, from 0 to 1.' }),
  RATE_LIMIT_STATUS: yup
    .number()
    .typeError('must be 403 or 429')
    .oneOf([403, 429], 'must be 403 or 429')
    .default(403)
    .meta({ about: 'The status code of `Rate limit exceeded`: 403 as specified, or 429.' }),
  MESSAGE_TTL_SECONDS: count(60, 604_800)
    .default(14_400)
    .meta({ about: 'A message that could not be sent within this time fails as `expired`.' }),
  ROUTE_THROTTLE_SECONDS: count(0, 3600).default(5).meta({
    about:
      'If a carrier asks for a longer wait than this and the line has another route, the message is sent through that route.',
  }),
  MAX_QUEUED_MESSAGES: count(1, 10_000_000)
    .default(100_000)
    .meta({ about: 'The maximum number of waiting messages. Above that, new ones are refused with 503.' }),
  MAX_QUEUED_PER_LINE: count(1, 1_000_000).default(1000).meta({
    about: 'The maximum number of waiting messages per line. Above that, new ones for that line are refused.',
  }),
  COUNTRY_GUARD_PER_HOUR: count(0, 1_000_000).default(100).meta({
    about:
      'Pauses sending to a country for a user who sends this many messages there in an hour, if that is also ten times as many as usual. 0 turns this off.',
  }),
  ACCESS_TOKEN_SECONDS: count(60, 31_536_000)
    .default(7_776_000)
    .meta({ about: "How long an application's access token is valid. The default is 90 days." }),
  SIMULATOR: flag().default(false).meta({
    about:
      'Enables the phone simulator at /simulator and its API. The API requires an API token unless `web` can only be reached from this machine.',
  }),
  ALLOW_HTTP: flag()
    .default(false)
    .meta({ about: 'Allows outgoing webhook URLs with http:// in addition to https://.' }),
  ALLOWED_PRIVATE_CIDRS: list(isCidr, 'must be CIDR ranges separated by commas, such as 10.0.0.0/8').meta({
    about: "Private address ranges that users' URLs may point to, separated by commas.",
  }),
  ALLOWED_CARRIER_CIDRS: list(isCidr, 'must be CIDR ranges separated by commas, such as 10.0.0.0/8').meta({
    about:
      'Private address ranges that carrier accounts may use in addition to ALLOWED_PRIVATE_CIDRS, for example for an SMSC in your own network.',
  }),
  DELIVERY_RETRY_BASE_MS: count(10, 3_600_000).default(5000).meta({
    about: 'The first delay of the retry schedule. Each later delay is 4 times longer, up to 24 hours.',
  }),
  DELIVERY_TIMEOUT_MS: count(100, 60_000)
    .default(15_000)
    .meta({ about: 'How long an endpoint may take to respond.' }),
  ENDPOINT_MAX_IN_FLIGHT: count(1, 1000).default(100).meta({
    about:
      'The maximum number of concurrent requests to one endpoint, across all workers. It starts at 10, rises while response times stay normal, and falls when the endpoint is overloaded.',
  }),
  CARRIER_TIMEOUT_MS: count(100, MAX_CARRIER_TIMEOUT_MS)
    .default(15_000)
    .meta({ about: 'How long a carrier may take to respond. After that, the outcome is unknown.' }),
  SEND_CONCURRENCY: count(1, 2000)
    .default(200)
    .meta({ about: 'The number of messages that one `send-message` process sends at the same time.' }),
  DELIVER_CONCURRENCY: count(1, 2000)
    .default(200)
    .meta({ about: 'The number of deliveries that one `deliver-event` process makes at the same time.' }),
  FETCH_CONCURRENCY: count(1, 500)
    .default(20)
    .meta({ about: 'The number of media files that one `fetch-media` process copies at the same time.' }),
  MEDIA_TIMEOUT_MS: count(100, 300_000)
    .default(30_000)
    .meta({ about: 'How long it may take to fetch one picture, video or recording.' }),
  MEDIA_RETENTION_DAYS: count(1, 3650)
    .default(30)
    .meta({ about: 'How many days copies of media are kept. After that, their URLs return 410.' }),
  MESSAGE_RETENTION_DAYS: retention(
    'How many days messages, events and deliveries are kept. Data is deleted a month at a time, once the whole month is older',
  ),
  EXCERPT_RETENTION_DAYS: retention("How many days excerpts of endpoints' responses are kept"),
  AUDIT_RETENTION_DAYS: retention(
    'How many days the audit log is kept. Data is deleted a month at a time, once the whole month is older',
  ),
  MEDIA_FOLDER: text().default('.data/media').meta({
    about: 'The folder for copies of media, shared by `web` and `fetch-media`. Not used with a bucket.',
  }),
  MEDIA_S3_BUCKET: text().meta({
    about: 'The bucket for copies of media, at S3 or a compatible service.',
  }),
  MEDIA_S3_REGION: text().default('us-east-1').meta({ about: 'The region of the bucket.' }),
  MEDIA_S3_ENDPOINT: httpUrl().meta({
    about:
      'The URL of an S3-compatible service other than AWS, such as https://storage.example.com. Buckets are addressed by path.',
  }),
  MEDIA_S3_ACCESS_KEY_ID: text().meta({
    about:
      'The access key for the bucket. Without one, the usual AWS credential sources are used (role, profile).',
  }),
  MEDIA_S3_SECRET_ACCESS_KEY: text().meta({ about: 'The secret access key.', secret: true }),
  SMTP_URL: text()
    .matches(
      /^smtps?:\/\/[^/?#\s]+/,
      'must be an smtp:// or smtps:// URL with a host, such as smtps://user:password@smtp.example.com',
    )
    .test('url', MUST_BE_ENCODED, isServerUrl)
    .meta({
      about: 'The mail server for notifications and password reset links. Without it, no email is sent.',
      secret: true,
    }),
  MAIL_FROM: text()
    .matches(
      /^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
      'must be an address or a name with an address, such as Linehook <linehook@example.com>',
    )
    .meta({
      about:
        'The sender of emails. A name before the address is used as the name of the service, unless BRAND_NAME is set. Required with SMTP_URL.',
    }),
  DATABASE_POOL_SIZE: count(1, 500)
    .default(10)
    .meta({ about: 'The number of Postgres connections per process.' }),
  DATABASE_NAMED_STATEMENTS: flag().default(true).meta({
    about:
      'Prepares frequent statements once per connection. Set it to false for PgBouncer before 1.21 in transaction mode.',
  }),
  STARTED_BY_PID: count(1, 4_194_304).meta({
    about: 'Set by `linehook start`, so that its processes stop when it exits.',
  }),
}

export type Config = ReturnType<typeof readConfig>

/** The names of the settings that are secret; each may be in a file that `<NAME>_FILE` names. */
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
    publicUrl: withoutEnding(value.PUBLIC_URL ?? `http://localhost:${value.PORT}`, '/'),
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
