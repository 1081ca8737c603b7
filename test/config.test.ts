import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { readFileSync, truncateSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { ConfigInvalid } from '../src/config/invalid.js'
import { readConfig, SECRETS, withSecretFiles, settings } from '../src/config.js'
import { readVersion } from '../src/config/version.js'
import { createDataFolder } from './helpers/services/services.js'

const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64')

const required = {
  DATABASE_URL: 'postgres://linehook:hunter2@db.internal/linehook',
  REDIS_URL: 'redis://:hunter3@redis.internal:6379/0',
  ENCRYPTION_KEY: KEY,
}

function faultsOf(overrides: Record<string, string | undefined>): string[] {
  try {
    readConfig({ ...required, ...overrides })
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.faults
    throw error
  }
  return []
}

describe('configuration', () => {
  it('needs three settings and has a default for every other', () => {
    const { encryptionKeys, version, ...rest } = readConfig(required)
    expect(encryptionKeys).to.deep.equal([Buffer.alloc(32, 7)])
    expect(version).to.equal(readVersion())
    expect(rest).to.deep.equal({
      databaseUrl: required.DATABASE_URL,
      countryGuardPerHour: 100,
      databasePoolSize: 10,
      databaseNamedStatements: true,
      redisUrl: required.REDIS_URL,
      redisSentinels: undefined,
      port: 3000,
      host: '0.0.0.0',
      publicUrl: 'http://localhost:3000',
      trustedProxyHops: 0,
      productWord: 'line',
      brand: {
        name: 'Linehook',
        isOwnName: false,
        logo: undefined,
        color: undefined,
        supportUrl: undefined,
      },
      logLevel: 'info',
      logFormat: 'auto',
      queuesPassword: undefined,
      queuesWritable: false,
      requireSecondFactor: 'operators',
      routeThrottleMs: 5000,
      breachedPasswords: undefined,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      metricsToken: undefined,
      rateLimitStatus: 403,
      messageTtlMs: 4 * 3_600_000,
      maxQueuedMessages: 100_000,
      maxQueuedPerLine: 1000,
      accessTokenSeconds: 90 * 24 * 3600,
      simulator: false,
      allowHttp: false,
      allowedPrivateCidrs: [],
      allowedCarrierCidrs: [],
      deliveryRetryBaseMs: 5000,
      deliveryTimeoutMs: 15_000,
      endpointMaxInFlight: 100,
      carrierTimeoutMs: 15_000,
      sendConcurrency: 200,
      deliverConcurrency: 200,
      fetchConcurrency: 20,
      mediaTimeoutMs: 30_000,
      mediaRetentionDays: 30,
      messageRetentionDays: 0,
      excerptRetentionDays: 0,
      auditRetentionDays: 0,
      mediaFolder: '.data/media',
      mediaS3: undefined,
      smtp: undefined,
      startedByPid: undefined,
      traces: undefined,
    })
  })

  it('cannot be changed once it is read', () => {
    const config = readConfig(required)
    expect(() => Object.assign(config, { port: 1 })).to.throw(TypeError)
  })

  it('tells every fault at once, each with its variable, one a line', () => {
    const faults = faultsOf({
      DATABASE_URL: undefined,
      REDIS_URL: 'http://redis',
      ENCRYPTION_KEY: 'short',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      SIMULATOR: 'perhaps',
    })
    expect(faults).to.have.members([
      'DATABASE_URL is required',
      'REDIS_URL must start with redis://',
      'ENCRYPTION_KEY must be 32 bytes in base64 (`openssl rand -base64 32`). Retired keys can follow, separated by commas',
      'PORT must be a whole number from 1 to 65535',
      'LOG_LEVEL must be debug, info, warn, error or silent',
      'SIMULATOR must be true or false',
    ])
    const { message } = new ConfigInvalid(faults)
    expect(message.split('\n')).to.deep.equal([
      'The configuration has 6 errors:',
      ...faults.map((fault) => `  ${fault}`),
    ])
    expect(new ConfigInvalid(['PORT is wrong']).message).to.match(/^The configuration has 1 error:\n/)
  })

  it('never repeats a value that may be a secret', () => {
    try {
      readConfig({
        DATABASE_URL: 'mysql://user:hunter2@db',
        REDIS_URL: 'unix://:hunter3@redis',
        ENCRYPTION_KEY: 'hunter4',
        QUEUES_PASSWORD: 'hunter5',
      })
      expect.fail('it should have thrown')
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigInvalid)
      const { message, stack, faults } = error as ConfigInvalid
      expect(faults).to.have.length(4)
      expect(`${message}${stack ?? ''}${JSON.stringify(error)}`).not.to.contain('hunter')
    }
  })

  it('takes Sentinels as host:port; the host in REDIS_URL is then the name of the master', () => {
    const sentinels = { REDIS_SENTINELS: 'a.internal:26379, [fd00::1]:26380', REDIS_SENTINEL_PASSWORD: 's' }
    expect(readConfig({ ...required, ...sentinels }).redisSentinels).to.deep.equal({
      addresses: [
        { host: 'a.internal', port: 26379 },
        { host: 'fd00::1', port: 26380 },
      ],
      password: 's',
    })
    const wrong = ['a', 'a:x', 'redis://a:26379', 'a:26379/0', 'me@a:26379', 'a:26379 b:26379']
    for (const REDIS_SENTINELS of wrong) {
      expect(faultsOf({ REDIS_SENTINELS }), REDIS_SENTINELS).to.deep.equal([
        'REDIS_SENTINELS must be host:port separated by commas, such as sentinel-1:26379',
      ])
    }
    expect(faultsOf({ REDIS_SENTINEL_PASSWORD: 's' })).to.deep.equal([
      'REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS. Set both',
    ])
    expect(faultsOf({ ...sentinels, REDIS_URL: 'redis:///0' })).to.deep.equal([
      "REDIS_URL must contain the master's name instead of a host",
    ])
  })

  it('refuses a DATABASE_URL with several hosts, which the driver cannot read', () => {
    for (const DATABASE_URL of [
      'postgres://me:a,b@one:5432,two:5432/x',
      'postgresql://one,two/x?sslmode=require',
    ]) {
      expect(faultsOf({ DATABASE_URL }), DATABASE_URL).to.deep.equal([
        'DATABASE_URL must name a single host that points to the primary. See docs/operating/scaling.md',
      ])
    }
    for (const DATABASE_URL of ['postgres://me:a,b@one/x', 'postgres:///x?host=/run/a,b']) {
      expect(faultsOf({ DATABASE_URL }), DATABASE_URL).to.deep.equal([])
    }
  })

  describe('refuses a URL whose password a driver would cut off, and does not repeat it', () => {
    for (const [name, scheme, more] of [
      ['DATABASE_URL', 'postgres', []],
      ['REDIS_URL', 'redis', ['Sec100%ret', 'Sec%E4ret']],
      ['SMTP_URL', 'smtps', []],
    ] as const) {
      it(name, () => {
        const cut = ['Sec/ret2', 'Sec#ret2', 'Sec?ret2', '12/Secret', '12#Secret', '12?Secret', 'a@/Secret']
        for (const password of [...cut, ...more]) {
          const url = `${scheme}://me:${password}@server:5432/0`
          expect(faultsOf({ [name]: url }), url).to.deep.equal([
            `${name} must be a valid URL. Encode special characters in the password: %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %`,
          ])
        }
      })
    }

    it('but takes what the drivers can read', () => {
      const whole = {
        DATABASE_URL: [
          'postgres://me:Sec%2Fret%23%3F%25@h/x',
          'postgres://me:100%@h/x',
          'postgres://me:a@b@h/x',
          'postgres://me:secret@/x?host=/run/postgresql',
          'postgres:///x?host=/run/postgresql&user=me@example.com',
          'postgres://%2Frun%2Fpostgresql/x',
          'postgres://[::1]:5432/x?sslmode=verify-full',
        ],
        REDIS_URL: [
          'redis://:Sec%2Fret%25@h:6379/0',
          'redis:///0?path=/run/redis.sock',
          'rediss://[::1]:6379',
        ],
      }
      for (const [name, urls] of Object.entries(whole))
        for (const url of urls) expect(faultsOf({ [name]: url }), url).to.deep.equal([])
      for (const url of whole.DATABASE_URL)
        expect(() => new pg.Client({ connectionString: url })).not.to.throw()
      for (const url of whole.REDIS_URL) new Redis(url, { lazyConnect: true }).disconnect()
    })
  })

  it('takes an empty value, or one of spaces, as not set', () => {
    expect(
      readConfig({ ...required, PORT: '', LOG_LEVEL: '  ', PUBLIC_URL: '', QUEUES_PASSWORD: '' }),
    ).to.include({
      port: 3000,
      logLevel: 'info',
      logFormat: 'auto',
      publicUrl: 'http://localhost:3000',
      queuesPassword: undefined,
    })
    expect(faultsOf({ DATABASE_URL: '' })).to.deep.equal(['DATABASE_URL is required'])
  })

  describe('takes a secret from a file', () => {
    let folder: string

    before(() => {
      folder = createDataFolder('secrets')
    })

    const fileWith = async (text: string) => {
      const path = join(folder, `secret-${randomUUID()}`)
      await writeFile(path, text)
      return path
    }

    it('each of them, without the end of the line', async () => {
      const values: Record<string, string> = {
        ...required,
        REDIS_SENTINEL_PASSWORD: 'hunter4',
        QUEUES_PASSWORD: 'a phrase nobody says',
        METRICS_TOKEN: 'another phrase that nobody says',
        OTEL_EXPORTER_OTLP_HEADERS: 'key=hunter5',
        MEDIA_S3_SECRET_ACCESS_KEY: 'hunter six',
        SMTP_URL: 'smtps://u:p@mail.example',
      }
      expect(Object.keys(values)).to.have.members(SECRETS)
      const files = await Promise.all(
        Object.entries(values).map(async ([name, value], n) => [
          `${name}_FILE`,
          await fileWith(`${value}${['', '\n', '\r\n'][n % 3] ?? ''}`),
        ]),
      )
      const { env, faults } = withSecretFiles(Object.fromEntries(files) as Record<string, string>)
      expect(faults).to.deep.equal([])
      expect(env).to.deep.equal(values)
      const config = readConfig({
        DATABASE_URL_FILE: await fileWith(`${required.DATABASE_URL}\n`),
        REDIS_URL: required.REDIS_URL,
        ENCRYPTION_KEY_FILE: await fileWith(KEY),
      })
      expect(config.databaseUrl).to.equal(required.DATABASE_URL)
      expect(config.encryptionKeys).to.deep.equal([Buffer.alloc(32, 7)])
    })

    it('or says what is wrong with it, by its variable, and not what stands in it', async () => {
      const key = { ENCRYPTION_KEY: undefined }
      const long = await fileWith('x')
      // It takes no room on the disk, and is longer than the longest string.
      truncateSync(long, 700 * 1024 * 1024)
      for (const [ENCRYPTION_KEY_FILE, fault] of [
        [join(folder, 'none'), 'names a file that cannot be read: ENOENT'],
        [folder, 'names a file that cannot be read: EISDIR'],
        [await fileWith('\n'), 'names an empty file'],
        [long, 'names a file with more than 65536 characters'],
      ] as const) {
        expect(faultsOf({ ...key, ENCRYPTION_KEY_FILE })).to.deep.equal([`ENCRYPTION_KEY_FILE ${fault}`])
      }
      expect(faultsOf({ ENCRYPTION_KEY_FILE: await fileWith(KEY) })).to.deep.equal([
        'ENCRYPTION_KEY_FILE and ENCRYPTION_KEY are both set. Remove one of them',
      ])
      const faults = faultsOf({ ...key, ENCRYPTION_KEY_FILE: await fileWith('hunter6'), PORT: 'x' })
      expect(faults).to.have.length(2)
      expect(faults.join()).to.include('ENCRYPTION_KEY must be 32 bytes').and.not.to.include('hunter6')
    })

    it('and has no such file for what is no secret', async () => {
      expect(readConfig({ ...required, PORT_FILE: await fileWith('4000') }).port).to.equal(3000)
    })
  })

  it('takes no notice of variables that are not its own', () => {
    expect(faultsOf({ PATH: '/bin', LINEHOOK_PORT: 'x' })).to.deep.equal([])
  })

  it('lets the public URL end in slashes, and leaves them out', () => {
    for (const url of ['https://hooks.example.com', 'https://example.com/hooks']) {
      for (const end of ['', '/', '//'])
        expect(readConfig({ ...required, PUBLIC_URL: url + end }).publicUrl).to.equal(url)
    }
    expect(readConfig({ ...required, PORT: '8080' }).publicUrl).to.equal('http://localhost:8080')
  })

  it('takes several encryption keys, the sealing one first', () => {
    const { encryptionKeys } = readConfig({ ...required, ENCRYPTION_KEY: `${KEY}, ${OTHER_KEY}` })
    expect(encryptionKeys).to.deep.equal([Buffer.alloc(32, 7), Buffer.alloc(32, 8)])
  })

  it('takes several private ranges', () => {
    const { allowedPrivateCidrs } = readConfig({
      ...required,
      ALLOWED_PRIVATE_CIDRS: '10.0.0.0/8, fd00::/8,',
    })
    expect(allowedPrivateCidrs).to.deep.equal(['10.0.0.0/8', 'fd00::/8'])
  })

  it('reads the message time-to-live in seconds', () => {
    expect(readConfig({ ...required, MESSAGE_TTL_SECONDS: '60' }).messageTtlMs).to.equal(60_000)
  })

  describe('accepts at each setting', () => {
    const accepted: Record<string, string[]> = {
      DATABASE_URL: ['postgres://x', 'postgresql://x'],
      REDIS_URL: ['redis://x', 'rediss://x'],
      PRODUCT_WORD: ['line', 'Burner', 'x'.repeat(32)],
      PUBLIC_URL: ['http://localhost:3000', 'https://example.com/below', 'HTTPS://EXAMPLE.COM'],
      BRAND_NAME: ['Acme Lines', 'Müller & Söhne', 'x'.repeat(40)],
      BRAND_COLOR: ['5b40c9', '#FFE000'],
      SUPPORT_URL: ['https://help.example.com/lines?from=console', 'mailto:help@example.com?subject=Lines'],
      LOG_LEVEL: ['debug', 'info', 'warn', 'error', 'silent'],
      QUEUES_PASSWORD: ['correct horse battery', 'n6oYt0wU2kQ-'],
      METRICS_TOKEN: ['qX4vT9zLm2Rk7WcBn5HdYf8J'],
      RATE_LIMIT_STATUS: ['403', '429'],
      SIMULATOR: ['true', 'false', 'TRUE', '1', '0'],
      ALLOWED_PRIVATE_CIDRS: ['127.0.0.0/8', '::1/128'],
      ALLOWED_CARRIER_CIDRS: ['10.20.0.0/16'],
    }
    for (const [name, values] of Object.entries(accepted)) {
      it(`${name}: ${values.map((value) => value.slice(0, 40)).join(' ')}`, () => {
        for (const value of values) expect(faultsOf({ [name]: value }), value).to.deep.equal([])
      })
    }
  })

  describe('refuses at each setting', () => {
    const refused: Record<string, string[]> = {
      DATABASE_URL: ['mysql://x', 'localhost/linehook'],
      REDIS_URL: ['localhost:6379', 'http://x'],
      ENCRYPTION_KEY: [
        'x',
        KEY.slice(0, -1),
        `${KEY},short`,
        Buffer.alloc(16).toString('base64'),
        Buffer.alloc(32).toString('base64'),
        `${KEY},${Buffer.alloc(32).toString('base64')}`,
        ',',
        'ä'.repeat(44),
      ],
      PUBLIC_URL: [
        'example.com',
        'ftp://example.com',
        'http://',
        'https://e.com/?',
        'https://e.com/?a=b',
        'https://e.com#x',
      ],
      PRODUCT_WORD: ['two words', 'line1', 'x'.repeat(33), 'li/ne', 'ligne-é', 'user', 'Message'],
      BRAND_NAME: ['x'.repeat(41), 'Acme\nLines', '<b>Acme</b>', 'Acme: Lines', '"Acme"'],
      BRAND_LOGO: ['/dev/null', '/nowhere/logo.svg', '.', 'package.json'],
      BRAND_COLOR: ['#fff', 'teal', '5b40c', '5b40c9ff', 'rgb(1,2,3)'],
      SUPPORT_URL: [
        ...['http://help.example.com', 'help@example.com', 'javascript:alert(1)', 'mailto:', 'https://'],
        ...['https://help.example.com/"onclick', 'mailto:help@example.com, ben@example.com'],
      ],
      LOG_LEVEL: ['trace', 'INFO'],
      QUEUES_PASSWORD: ['x'.repeat(11), 'n6oYt0wU2kQ', 'x'.repeat(12), '123456789012', 'linehook2026'],
      METRICS_TOKEN: ['qX4vT9zLm2Rk7WcBn5HdYf8', 'x'.repeat(24), 'password'.repeat(3)],
      RATE_LIMIT_STATUS: ['500', 'no'],
      QUEUES_WRITABLE: ['yes', '2'],
      ALLOW_HTTP: ['on'],
      ALLOWED_CARRIER_CIDRS: ['10.0.0.0', 'smsc.internal'],
      ALLOWED_PRIVATE_CIDRS: ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8,x', 'localhost/8'],
    }
    for (const [name, values] of Object.entries(refused)) {
      it(`${name}: ${values.map((value) => value.slice(0, 20)).join(' ')}`, () => {
        for (const value of values) {
          const faults = faultsOf({ [name]: value })
          expect(faults, value).to.have.length(1)
          expect(faults[0]).to.match(new RegExp(`^${name} must (?!.*${name})`))
        }
      })
    }
  })

  describe('takes a logo', () => {
    let folder: string

    before(() => {
      folder = createDataFolder('logo')
    })

    const write = async (bytes: string | Buffer) => {
      const path = join(folder, `logo-${randomUUID()}`)
      await writeFile(path, bytes)
      return path
    }
    const png = (width: number, height: number) =>
      Buffer.concat([
        Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
        ...[width, height].map((side) => Buffer.from(side.toString(16).padStart(8, '0'), 'hex')),
      ])

    it('that is a PNG or an SVG by what is in it, with its proportions', async () => {
      for (const [bytes, type, ratio] of [
        [png(300, 100), 'png', 3],
        ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60"/>', 'svg', 2],
        ["\ufeff<?xml version='1.0'?>\n<!-- a > b -->\n<svg viewBox='0,0,10.5,21'>", 'svg', 0.5],
        ['<svg height="10px" width="40px">', 'svg', 4],
      ] as const) {
        const { logo } = readConfig({ ...required, BRAND_LOGO: await write(Buffer.from(bytes)) }).brand
        expect([logo?.type, logo?.ratio, logo?.bytes]).to.deep.equal([type, ratio, Buffer.from(bytes)])
      }
    })

    it('and says what is wrong with another', async () => {
      for (const [bytes, fault] of [
        ['<html><svg viewBox="0 0 1 1"/></html>', 'must name a PNG or SVG file, but this is neither'],
        ['', 'must name a PNG or SVG file, but this is neither'],
        [
          '<svg xmlns="http://www.w3.org/2000/svg">',
          'must name an SVG file whose <svg> has a viewBox, or a width and a height',
        ],
        [png(0, 5), 'must name a PNG file whose width and height are not 0'],
        [png(1, 1).subarray(0, 20), 'must name a complete PNG file, but this one is truncated'],
        [Buffer.alloc(256 * 1024 + 1), 'must name a file of at most 256 KiB'],
      ] as const) {
        expect(faultsOf({ BRAND_LOGO: await write(Buffer.from(bytes)) })).to.deep.equal([
          `BRAND_LOGO ${fault}`,
        ])
      }
    })
  })

  describe('holds each number to its range', () => {
    const ranges: Record<string, [number, number]> = {
      PORT: [1, 65_535],
      METRICS_PORT: [1, 65_535],
      TRUSTED_PROXY_HOPS: [0, 10],
      MESSAGE_TTL_SECONDS: [60, 604_800],
      MAX_QUEUED_MESSAGES: [1, 10_000_000],
      MAX_QUEUED_PER_LINE: [1, 1_000_000],
      DELIVERY_RETRY_BASE_MS: [10, 3_600_000],
      DELIVERY_TIMEOUT_MS: [100, 60_000],
      ENDPOINT_MAX_IN_FLIGHT: [1, 1000],
      CARRIER_TIMEOUT_MS: [100, 60_000],
      SEND_CONCURRENCY: [1, 2000],
      DELIVER_CONCURRENCY: [1, 2000],
      DATABASE_POOL_SIZE: [1, 500],
      FETCH_CONCURRENCY: [1, 500],
      MEDIA_TIMEOUT_MS: [100, 300_000],
      MEDIA_RETENTION_DAYS: [1, 3650],
      STARTED_BY_PID: [1, 4_194_304],
    }
    for (const [name, [min, max]] of Object.entries(ranges)) {
      it(`${name}: ${min} to ${max}`, () => {
        for (const value of [min, max]) expect(faultsOf({ [name]: String(value) })).to.deep.equal([])
        for (const value of [min - 1, max + 1, min + 0.5, 'many', 'NaN', 'Infinity']) {
          expect(faultsOf({ [name]: String(value) }), String(value)).to.deep.equal([
            `${name} must be a whole number from ${min} to ${max}`,
          ])
        }
      })
    }
  })

  it('keeps media in a bucket where one is named, with both halves of its key or none', () => {
    const bucket = { MEDIA_S3_BUCKET: 'media', MEDIA_S3_ACCESS_KEY_ID: 'id' }
    expect(readConfig({ ...required, MEDIA_S3_BUCKET: 'media' }).mediaS3).to.deep.equal({
      bucket: 'media',
      region: 'us-east-1',
      endpoint: undefined,
      credentials: undefined,
    })
    expect(faultsOf(bucket)).to.deep.equal([
      'MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY must be set together',
    ])
    const whole = readConfig({ ...required, ...bucket, MEDIA_S3_SECRET_ACCESS_KEY: 'secret' })
    expect(whole.mediaS3?.credentials).to.deep.equal({ accessKeyId: 'id', secretAccessKey: 'secret' })
  })

  it('traces where a collector is named, with its headers and the share of messages', () => {
    expect(readConfig(required).traces).to.equal(undefined)
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' }
    expect(readConfig({ ...required, ...collector }).traces).to.deep.equal({
      ...{ endpoint: 'http://localhost:4318', headers: {}, share: 1 },
    })
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x=,team=sms' }
    const some = readConfig({ ...required, ...collector, ...headers, OTEL_TRACES_SAMPLER_ARG: '0.1' })
    expect(some.traces).to.deep.include({ headers: { authorization: 'Bearer x=', team: 'sms' }, share: 0.1 })
    for (const fault of ['Basic Sec100%', 'Sec%E4ret', 'Sec%0Aret', 'Sec€ret'])
      expect(
        faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: `team=sms,authorization=${fault}` }),
        fault,
      ).to.deep.equal([
        'OTEL_EXPORTER_OTLP_HEADERS must have names and values that HTTP allows. Encode % as %25',
      ])
    expect(faultsOf({ OTEL_TRACES_SAMPLER_ARG: '2', OTEL_EXPORTER_OTLP_HEADERS: 'x' })).to.have.members([
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1',
      'OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas',
    ])
  })

  it('sends mails by a server, from a sender, and not with one of them only', () => {
    const SMTP_URL = 'smtps://linehook:p%40ss@smtp.example.com:465'
    for (const MAIL_FROM of ['lines@example.com', 'Acme Lines <lines@example.com>']) {
      expect(readConfig({ ...required, SMTP_URL, MAIL_FROM }).smtp).to.deep.equal({
        url: SMTP_URL,
        from: MAIL_FROM,
        name: undefined,
      })
    }
    const together = ['SMTP_URL and MAIL_FROM must be set together']
    expect(faultsOf({ SMTP_URL })).to.deep.equal(together)
    expect(faultsOf({ MAIL_FROM: 'lines@example.com' })).to.deep.equal(together)
  })

  for (const [name, value] of [
    ['SMTP_URL', 'mail.acme.example'],
    ['SMTP_URL', 'https://mail.acme.example'],
    ['SMTP_URL', 'smtp://user:50%@mail.acme.example:port'],
    ['MAIL_FROM', 'Acme Lines'],
    ['MAIL_FROM', 'Acme <lines@example.com>, ada@example.com'],
    ['MAIL_FROM', 'Acme\r\nBcc: ada@example.com <lines@example.com>'],
  ] as const) {
    it(`refuses ${JSON.stringify(value)} as ${name}, and does not repeat it`, () => {
      const faults = faultsOf({ [name]: value })
      expect(faults.join()).to.include(`${name} must be`).and.to.not.include(value)
    })
  }

  it('says one sentence about every setting', () => {
    for (const [name, setting] of Object.entries(settings)) {
      const { about } = setting.describe().meta as { about: string }
      expect(about, name).to.match(/^[A-Z].*\.$/)
    }
  })

  it('knows the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(readVersion()).to.equal(version)
  })
})
