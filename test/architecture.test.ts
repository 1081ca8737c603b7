import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { FOLDERS, findBreaches, readImports } from '../dev/architecture.js'

describe('architecture', () => {
  it('holds in this project', () => {
    expect(findBreaches(readImports(FOLDERS))).to.deep.equal([])
  })

  it('is read off real files: what it sees includes the imports of this project', () => {
    const imports = readImports(FOLDERS)
    expect(imports).to.deep.include({
      from: 'src/domain/messages/windows.ts',
      to: 'src/kit/redis/sliding-window.ts',
    })
    expect(imports).to.deep.include({ from: 'workers/prompt-worker.ts', to: 'bullmq' })
    expect(imports).to.deep.include({ from: 'src/web/app.ts', to: 'koa' })
    expect(imports).to.deep.include({
      from: 'src/web/console/lines/lines.tsx',
      to: 'src/web/console/layout.tsx',
    })
    expect(imports.length).to.be.greaterThan(100)
  })

  for (const [rule, sentence, imports] of [
    [
      'lets a file import from lower floors only',
      /only lower floors may be imported$/,
      [
        ['src/config.ts', 'src/kit/redis/redis.ts'],
        ['src/ids.ts', 'src/telemetry/log.ts'],
        ['src/kit/redis/sliding-window.ts', 'src/database/lines/lines.ts'],
        ['src/safe-fetch/dial.ts', 'src/domain/lines/lines.ts'],
        ['src/database/lines/lines.ts', 'src/domain/lines/lines.ts'],
        ['src/carriers/twilio/client.ts', 'src/domain/messages/send.ts'],
        ['src/queues/queues.ts', 'workers/start-worker.ts'],
        ['src/domain/lines/lines.ts', 'src/web/app.ts'],
        ['src/domain/lines/lines.ts', 'src/server.ts'],
        ['src/domain/lines/lines.ts', 'workers/send-message.ts'],
      ],
    ],
    [
      'keeps rooms apart',
      /never import one another$/,
      [
        ['src/database/lines/lines.ts', 'src/queues/queues.ts'],
        ['src/queues/queues.ts', 'src/database/lines/lines.ts'],
        ['src/carriers/simulator.ts', 'src/database/simulator/simulator-outbox.ts'],
        ['src/storage/files.ts', 'src/carriers/simulator.ts'],
        ['src/web/app.ts', 'workers/start-worker.ts'],
        ['workers/send-message.ts', 'src/web/app.ts'],
        ['workers/send-message.ts', 'src/server.ts'],
      ],
    ],
    [
      'gives a package to its owner',
      / imports .+, which belongs to /,
      [
        ['src/domain/lines/lines.ts', 'koa'],
        ['workers/send-message.ts', '@koa/router'],
        ['src/domain/lines/lines.ts', 'knex'],
        ['src/web/app.ts', 'pg'],
        ['src/domain/lines/lines.ts', 'bullmq'],
        ['src/web/app.ts', 'bullmq'],
        ['src/domain/messages/send.ts', 'ioredis'],
        ['src/carriers/twilio/client.ts', 'undici'],
        ['src/domain/lines/lines.ts', 'pino'],
      ],
    ],
  ] as const) {
    for (const [from, to] of imports) {
      it(`${rule}: ${from} may not import ${to}`, () => {
        const [breach = '', ...others] = findBreaches([{ from, to }])
        expect(others).to.deep.equal([])
        expect(breach).to.match(sentence).and.to.contain(from).and.to.contain(to)
      })
    }
  }

  it('lets through what is in order', () => {
    const allowed = [
      ['src/web/app.ts', 'src/domain/lines/lines.ts'],
      ['src/web/app.ts', 'src/config.ts'],
      ['src/web/app.ts', 'koa'],
      ['src/server.ts', 'src/web/app.ts'],
      ['workers/send-message.ts', 'src/domain/messages/send.ts'],
      ['workers/start-worker.ts', 'bullmq'],
      ['src/domain/lines/lines.ts', 'src/database/lines/lines.ts'],
      ['src/domain/lines/lines.ts', 'src/carriers/registry.ts'],
      ['src/database/lines/lines.ts', 'knex'],
      ['src/database/lines/lines.ts', 'src/database/connection.ts'],
      ['src/safe-fetch/dial.ts', 'undici'],
      ['src/kit/redis/redis.ts', 'ioredis'],
      ['src/kit/redis/redis.ts', 'src/telemetry/log.ts'],
      ['src/config.ts', 'yup'],
      ['src/web/app.ts', 'node:fs'],
    ].map(([from = '', to = '']) => ({ from, to }))
    expect(findBreaches(allowed)).to.deep.equal([])
  })

  it('has no import cycle, of two files or more', () => {
    const ring = [
      { from: 'src/domain/a.ts', to: 'src/domain/b.ts' },
      { from: 'src/domain/b.ts', to: 'src/domain/c.ts' },
      { from: 'src/domain/c.ts', to: 'src/domain/a.ts' },
    ]
    expect(findBreaches(ring)).to.deep.equal([
      'import cycle: src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts',
    ])
    expect(findBreaches(ring.slice(0, 2))).to.deep.equal([])
  })

  it('finds a cycle behind files that are in none', () => {
    const breaches = findBreaches([
      { from: 'src/domain/entry.ts', to: 'src/domain/a.ts' },
      { from: 'src/domain/a.ts', to: 'src/domain/leaf.ts' },
      { from: 'src/domain/a.ts', to: 'src/domain/b.ts' },
      { from: 'src/domain/b.ts', to: 'src/domain/a.ts' },
    ])
    expect(breaches).to.deep.equal(['import cycle: src/domain/a.ts → src/domain/b.ts → src/domain/a.ts'])
  })

  it('reads every way to write an import', () => {
    const folder = mkdtempSync(join(tmpdir(), 'linehook-architecture-'))
    try {
      mkdirSync(join(folder, 'inner'))
      writeFileSync(
        join(folder, 'inner/a.ts'),
        [
          `import one from './one.js'`,
          `import type { Two } from '../two.js'`,
          `import {\n  three,\n  type Four,\n} from './three.js'`,
          `import './side-effect.js'`,
          `export { five } from './five.js'`,
          `export * from './six.js'`,
          `import { Worker } from 'bullmq'`,
          `import router from '@koa/router/sub/path.js'`,
          `const late = await import('./late.js')`,
          `const text = "import nothing from './not-an-import.js'"`,
        ].join('\n'),
      )
      writeFileSync(join(folder, 'inner/readme.md'), `import x from './no-code.js'`)
      const targets = readImports([folder]).map(({ to }) =>
        to.startsWith(folder) ? relative(folder, to) : to,
      )
      expect(targets).to.deep.equal([
        'inner/one.ts',
        'two.ts',
        'inner/three.ts',
        'inner/side-effect.ts',
        'inner/five.ts',
        'inner/six.ts',
        'bullmq',
        '@koa/router',
        'inner/late.ts',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
