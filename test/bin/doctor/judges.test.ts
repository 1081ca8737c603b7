import { expect } from 'chai'
import { readConfig } from '../../../src/config.js'
import { judgeClocks } from '../../../bin/doctor/clocks.js'
import { judgeDisks } from '../../../bin/doctor/disks.js'
import { judgeEncryption } from '../../../bin/doctor/encryption.js'
import { judgeNode } from '../../../bin/doctor/node.js'
import { placeOf, withoutPassword } from '../../../bin/doctor/place.js'
import { judgeCertificateEnd } from '../../../bin/doctor/certificate.js'

describe('how the doctor judges', () => {
  it('Node: too old is a fault, past its end of life a warning', () => {
    const now = new Date('2026-11-22')
    const stateOf = (version: string) => judgeNode(version, '20.19', now).state
    expect(['18.20.8', '20.9.0', '20.18.3'].map(stateOf)).to.deep.equal(['fault', 'fault', 'fault'])
    expect(['20.19.0', '20.20.2', '25.1.0'].map(stateOf)).to.deep.equal(['warning', 'warning', 'warning'])
    expect(['22.21.0', '24.0.0', '30.0.0'].map(stateOf)).to.deep.equal(['ok', 'ok', 'ok'])
    expect(judgeNode('20.20.2', '20.19', new Date('2026-04-29')).state).to.equal('ok')
  })

  it('clocks: by how far they are apart, and by how well that is known', () => {
    const reading = (aheadMs: number, uncertainMs = 1) => ({ whose: 'Postgres', aheadMs, uncertainMs })
    expect(judgeClocks([reading(900)]).state).to.equal('ok')
    expect(judgeClocks([reading(-1500)])).to.include({
      state: 'warning',
      why: "The clock of Postgres is 1.5 s behind this machine's.",
    })
    expect(judgeClocks([reading(1500, 800)]).state, 'a slow answer').to.equal('ok')
    const [redis, postgres] = [{ ...reading(2000), whose: 'Redis' }, reading(90_000)]
    expect(judgeClocks([redis, postgres])).to.include({
      state: 'fault',
      why: "The clock of Postgres is 90.0 s ahead of this machine's, and the clock of Redis is 2.0 s ahead of this machine's.",
    })
  })

  it('disks: by bytes and by share, the fullest first', () => {
    const disk = (folder: string, freeBytes: number, freeShare: number) => ({
      of: 'media',
      folder,
      freeBytes,
      totalBytes: 1e11,
      freeShare,
    })
    expect(judgeDisks([disk('/a', 5e10, 0.5)]).state).to.equal('ok')
    expect(judgeDisks([disk('/a', 5e10, 0.05)]).state, 'little of a large one').to.equal('warning')
    expect(judgeDisks([disk('/a', 1e9, 0.5)]).state, 'half of a small one').to.equal('warning')
    expect(judgeDisks([disk('/a', 5e10, 0.5), disk('/b', 1e8, 0.01)])).to.include({
      state: 'fault',
      why: '100 MB (1%) free for media at /b.',
    })
    expect(judgeDisks([]).state).to.equal('ok')
  })

  it('certificates: those that end within two weeks', () => {
    const end = new Date('2026-12-01T00:00:00Z')
    expect(judgeCertificateEnd('example.com', end, new Date('2026-11-16T00:00:00Z'))).to.equal(undefined)
    expect(judgeCertificateEnd('example.com', end, new Date('2026-11-21T12:00:00Z'))?.why).to.equal(
      'The certificate of example.com expires in 9 days, on 2026-12-01.',
    )
    expect(judgeCertificateEnd('example.com', end, new Date('2026-11-29T12:00:00Z'))?.why).to.include(
      'expires in 1 day, on',
    )
  })

  it('encryption: what leaves this machine in clear text, by the name of its variable', () => {
    const judge = (environment: Record<string, string>) =>
      judgeEncryption(
        readConfig({
          DATABASE_URL: 'postgres://u:p@127.0.0.1/x',
          REDIS_URL: 'redis://localhost:6379',
          ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
          ...environment,
        }),
      )
    expect(judge({}).state).to.equal('ok')
    const mails = { MAIL_FROM: 'a@example.com' }
    const clear: [variable: string, value: string, more?: Record<string, string>][] = [
      ['DATABASE_URL', 'postgres://u:hunter2@db.internal/x'],
      ['DATABASE_URL', 'postgres://u:hunter2@10.0.0.4/x?sslmode=disable'],
      ['DATABASE_URL', 'postgres://u:hunter2@127.0.0.1/x?host=db.internal'],
      ['REDIS_URL', 'redis://:hunter2@redis.internal'],
      ['REDIS_URL', 'redis://mymaster', { REDIS_SENTINELS: '127.0.0.1:26379' }],
      ['SMTP_URL', 'smtp://u:hunter2@mail.example.com', mails],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
      ['MEDIA_S3_ENDPOINT', 'http://storage.example.com', { MEDIA_S3_BUCKET: 'media' }],
      ['PUBLIC_URL', 'http://hooks.example.com'],
      ['ALLOW_HTTP', 'true'],
    ]
    for (const [variable, value, more] of clear) {
      const { state, why, cure } = judge({ ...more, [variable]: value })
      expect([state, why], value).to.deep.equal([
        'warning',
        `Unencrypted traffic leaves this machine through ${variable}.`,
      ])
      expect(`${why}${cure ?? ''}`).not.to.include('hunter2')
    }
    const encrypted: [variable: string, value: string, more?: Record<string, string>][] = [
      ['DATABASE_URL', 'postgres://u:p@db.internal/x?sslmode=verify-full'],
      ['DATABASE_URL', 'postgres://u:p@db.internal/x?ssl=true'],
      ['DATABASE_URL', 'postgres://u:p@db.internal/x?ssl=1'],
      ['DATABASE_URL', 'postgres://u:p@/x?host=/run/postgresql'],
      ['REDIS_URL', 'rediss://redis.internal'],
      ['SMTP_URL', 'smtps://u:p@mail.example.com', mails],
      ['SMTP_URL', 'smtp://u:p@mail.example.com?requireTLS=true', mails],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4318'],
      ['PUBLIC_URL', 'https://hooks.example.com'],
    ]
    for (const [variable, value, more] of encrypted) {
      expect(judge({ ...more, [variable]: value }).state, value).to.equal('ok')
    }
  })

  it('what a service says: without the password, however it stands in the URL', () => {
    const said = 'no user me with the password S3cret!'
    for (const url of ['postgres://me:S3cret!@db/x', 'postgres://me:S3cret%21@/x', 'redis://:S3cret!@db']) {
      expect(withoutPassword(said, url), url).to.equal('no user me with the password ***')
    }
    expect(withoutPassword(said, 'postgres://me@db/x')).to.equal(said)
  })

  it('URLs: only the host and the port of them are ever shown', () => {
    expect(placeOf('postgres://me:S3cret@db.internal:6543/x?password=S3cret', 5432)).to.deep.equal({
      host: 'db.internal',
      port: 6543,
      name: 'db.internal:6543',
      isLocal: false,
      isSocket: false,
    })
    expect(placeOf('postgres:///x?host=/run/postgresql', 5432)).to.include({
      isSocket: true,
      isLocal: true,
    })
    expect(placeOf('postgres://me@/x?host=/run/postgresql', 5432), 'only pg can read it').to.equal(undefined)
    expect(placeOf('postgres://db/x?host=%25', 5432), 'a lone % means itself').to.include({ host: '%' })
    expect(placeOf('redis://[::1]', 6379)).to.include({ name: '::1:6379', isLocal: true })
  })
})
