import { expect } from 'chai'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../dev/services/free-port.js'
import { readVersion } from '../../src/config/version.js'
import { connectDatabase } from '../../src/database/connection.js'
import { environmentForAllTests } from '../helpers/process/environment.js'
import { runProgram, stopProcesses } from '../helpers/process/processes.js'
import { SELF_MADE } from '../helpers/services/self-made.js'
import { createDataFolder, createEmptyDatabase } from '../helpers/services/services.js'
import { answer, command, linehook, refusal } from './linehook.js'

describe('linehook, the command line', () => {
  const environment = environmentForAllTests()
  let folder: string

  beforeEach(() => {
    folder = createDataFolder('bin')
  })
  after(stopProcesses)

  it('ends without a word when its reader has seen enough', async () => {
    const script = fileURLToPath(new URL('../../dist/bin/linehook.js', import.meta.url))
    const run = runProgram('pipe', ['sh', '-c', `${process.execPath} ${script} doctor | head -n 1`], {})
    await run.exitCode
    expect(run.errorLines).to.deep.equal([])
    expect(run.outputLines).to.have.length(1)
  })

  it('--help is the help, and --version says which this is', async () => {
    const [help, version] = await Promise.all([linehook({}, ['--help']), linehook({}, ['--version'])])
    expect(help.outputLines.join('\n')).to.match(/^Usage: linehook [^]*\n {2}start [^]*\n {2}webhook /)
    expect([version.exitCode, version.outputLines]).to.deep.equal([0, [readVersion()]])
  })

  it('an unknown command is named, with the way to the help, and ends with 1', async () => {
    const { exitCode, outputLines, errorLines } = await linehook(environment, ['lien', 'list'])
    expect(exitCode).to.equal(1)
    expect(errorLines[0]).to.match(/^error: unknown command 'lien'/)
    expect(errorLines.at(-1)).to.equal('Add --help to see the commands and options.')
    expect(errorLines.join('\n')).not.to.contain('Usage: linehook')
    expect(outputLines).to.deep.equal([])
  })

  it('output that cannot be written is one sentence, and ends with 1', async () => {
    const script = fileURLToPath(new URL('../../dist/bin/linehook.js', import.meta.url))
    const shell = ['sh', '-c', `${process.execPath} ${script} doctor > /dev/full`]
    const run = runProgram('full', shell, {})
    expect([await run.exitCode, run.errorLines]).to.deep.equal([
      1,
      ['The output could not be written (ENOSPC)'],
    ])
  })

  it('--csv and --json together are refused', async () => {
    const sentence = await refusal(environment, 'message', 'list', '--csv', '--json')
    expect(JSON.parse(sentence)).to.deep.equal({ error: 'Give either --csv or --json, not both' })
  })

  it('a missing argument or option is named, and ends with 1', async () => {
    for (const [args, sentence] of [
      [['connection', 'set-url', '+15551230000'], /^error: missing required argument 'url'$/],
      [['line', 'add', '+15551230000'], /^error: required option '--user <email>' not specified$/],
      [
        ['line', 'add', '+15551230000', '--user', 'a@b.c', '--per-minute', 'many'],
        /'many' is invalid\. It must be a whole number\.$/,
      ],
    ] as const) {
      const { exitCode, errorLines } = await command(environment, args)
      expect(exitCode).to.equal(1)
      expect(errorLines[0]).to.match(sentence)
    }
  })

  it('--json stands before or after the command', async () => {
    const places = [
      ['--json', 'line', 'list'],
      ['line', '--json', 'list'],
      ['line', 'list', '--json'],
    ]
    const [answers, refused, started] = await Promise.all([
      Promise.all(places.map((args) => answer(environment, ...args))),
      refusal(environment, '--json', 'line', 'disable', '+15551230000'),
      linehook(environment, ['--json', 'start'], folder),
    ])
    for (const lines of answers) expect(JSON.parse(lines.join('\n'))).to.deep.equal([])
    expect(JSON.parse(refused)).to.have.property('error')
    expect([started.exitCode, started.errorLines]).to.deep.equal([1, [`{"error":"unknown option '--json'"}`]])
    const wrong = await refusal(environment, 'line', 'list', '--nonsense', '--json')
    expect(JSON.parse(wrong)).to.deep.equal({ error: "unknown option '--nonsense'" })
  })

  it('a file of this folder that it cannot read, such as one of another user, is named in one sentence', async () => {
    await mkdir(join(folder, '.data/settings.json'), { recursive: true })
    await mkdir(join(folder, '.data/start.pid'))
    await writeFile(join(folder, 'Procfile'), 'web: node dist/src/server.js\n')
    for (const args of [['doctor'], ['start'], ['restore', 'linehook.backup']]) {
      expect(await linehook({}, args, folder), args[0]).to.deep.equal({
        ...{ exitCode: 1, outputLines: [] },
        errorLines: ['A file cannot be read or written (EISDIR: illegal operation on a directory, read)'],
      })
    }
  })

  it('a folder that is called .env is not the file with variables', async () => {
    await mkdir(join(folder, '.env'))
    const ended = await linehook(environment, ['line', 'list'], folder)
    expect(ended).to.deep.include({ exitCode: 0, errorLines: [] })
  })

  it('start says what is wrong with a Postgres that is configured, without a stack trace', async () => {
    await writeFile(join(folder, 'Procfile'), 'web: node dist/src/server.js\n')
    const away = {
      ...environment,
      DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/linehook',
      PORT: String(await freePort()),
    }
    expect(await linehook(away, ['start'], folder)).to.deep.include({
      ...{ exitCode: 1, errorLines: ['Postgres cannot be reached. Check DATABASE_URL'] },
    })
  })

  it('restore says what is missing for the embedded services, without a stack trace', async () => {
    expect(await linehook({ PATH: folder }, ['restore', 'linehook.backup'], folder)).to.deep.include({
      exitCode: 1,
      errorLines: [
        'no embedded Redis: there is no redis-server on PATH',
        'Either set REDIS_URL, or install redis-server or valkey-server, or use compose.yaml.',
      ],
    })
  })

  it('without any configuration it says how to start, and leaves the folder as it is', async () => {
    expect(await linehook({}, ['line', 'list'], folder)).to.deep.equal({
      ...{ exitCode: 1, outputLines: [] },
      errorLines: [
        'Linehook is not running in this folder. Start it with `npm start`, or set DATABASE_URL and the other variables.',
      ],
    })
    expect(await readdir(folder)).to.deep.equal([])
  })

  it('without a database it still names the faults of what is configured', async () => {
    const { exitCode, errorLines } = await linehook({ PORT: 'many' }, ['line', 'list'], folder)
    expect(exitCode).to.equal(1)
    expect(errorLines[0]).to.match(/^Linehook is not running in this folder/)
    expect(errorLines.at(-1)).to.match(/^ {2}PORT must be a whole number/)
  })

  it('in a folder whose embedded Postgres has stopped it asks whether it runs', async () => {
    await mkdir(join(folder, '.data'))
    const services = {
      DATABASE_URL: 'postgres://linehook@127.0.0.1:1/linehook',
      REDIS_URL: environment.REDIS_URL,
    }
    await writeFile(join(folder, '.data/services.json'), JSON.stringify(services))
    expect(await linehook({}, ['line', 'list'], folder)).to.deep.include({
      exitCode: 1,
      errorLines: ['Postgres cannot be reached. Check that `npm start` is running in this folder'],
    })
  })

  it('reads .env in its folder; the environment wins over it', async () => {
    const file = Object.entries({ ...environment, DATABASE_URL: 'postgres://127.0.0.1:1/nobody' })
    await writeFile(join(folder, '.env'), file.map(([name, value]) => `${name}=${value}\n`).join(''))
    const { DATABASE_URL = '' } = environment
    const [fromFile, fromEnvironment] = await Promise.all([
      linehook({}, ['line', 'list'], folder),
      linehook({ DATABASE_URL }, ['line', 'list'], folder),
    ])
    expect(fromFile.errorLines).to.deep.equal(['Postgres cannot be reached. Check DATABASE_URL'])
    expect([fromEnvironment.exitCode, fromEnvironment.errorLines]).to.deep.equal([0, []])
  })

  it('a faulty configuration is listed whole, without a stack trace', async () => {
    const faulty = { ...environment, REDIS_URL: 'http://127.0.0.1', ENCRYPTION_KEY: 'short' }
    const { exitCode, errorLines } = await linehook(faulty, ['line', 'list'])
    expect(exitCode).to.equal(1)
    const words = errorLines.map((line) => line.trim().split(' ')[0])
    expect(words).to.deep.equal(['The', 'REDIS_URL', 'ENCRYPTION_KEY'])
  })

  it('says what is wrong with Postgres in one line', async () => {
    const tls = await listenAsPostgres()
    const { DATABASE_URL = '' } = environment
    const withUrl = (change: (url: URL) => void) => {
      const url = new URL(DATABASE_URL)
      change(url)
      return { ...environment, DATABASE_URL: url.href }
    }
    const stopped = withUrl((url) => (url.port = '1'))
    const away = /^Postgres cannot be reached. Check DATABASE_URL$/
    expect(await refusal(stopped, 'migrate', '--wait', '0')).to.match(away)
    const wrong = withUrl((url) => (url.password = 'wrong'))
    // A minute of waiting would not mend it.
    expect(await refusal(wrong, 'migrate', '--wait', '600')).to.match(/^Postgres refused the connection/)
    for (const [faulty, sentence] of [
      [stopped, away],
      [
        withUrl((url) => (url.pathname = '/nosuch')),
        /^Postgres refused the connection \(database "nosuch" does not exist\). Check DATABASE_URL$/,
      ],
      [wrong, /^Postgres refused the connection \(password authentication failed .+\). Check DATABASE_URL$/],
      [
        withUrl((url) => (url.search = '?sslmode=verify-full')),
        /^No connection to Postgres can be opened \(The server does not support SSL connections\). Check DATABASE_URL$/,
      ],
      [
        withUrl((url) => (url.search = '?sslrootcert=/nosuch')),
        /^No connection to Postgres can be opened \(ENOENT: .+\/nosuch'\). Check DATABASE_URL$/,
      ],
      [
        withUrl((url) => {
          url.port = String((tls.address() as AddressInfo).port)
          url.search = '?sslmode=verify-full'
        }),
        /^The certificate of Postgres is not valid \(self-signed certificate\)\. Check it, or sslmode/,
      ],
      [
        { ...environment, DATABASE_URL: await createEmptyDatabase() },
        /^The database has no schema yet, or an older one. Run `linehook migrate`$/,
      ],
    ] as const) {
      expect(await refusal(faulty, 'line', 'list')).to.match(sentence)
    }
    tls.close()
  })

  it('migrate says which right its role lacks', async () => {
    const url = new URL(await createEmptyDatabase())
    const admin = connectDatabase({ url: url.href, poolSize: 1, applicationName: 'test' })
    await admin.raw(`create role powerless login password 'x'`)
    await admin.raw('revoke create on schema public from public')
    try {
      url.username = 'powerless'
      url.password = 'x'
      expect(await refusal({ ...environment, DATABASE_URL: url.href }, 'migrate')).to.match(
        /^The role in DATABASE_URL lacks a right \(permission denied for schema public\)\. Run `grant create, usage on schema public to <role>` as/,
      )
    } finally {
      await admin.raw('drop role powerless')
      await admin.destroy()
    }
  })

  it('its answer is all that it prints, also while Redis is down and everything is logged', async () => {
    const noisy = { ...environment, REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'debug' }
    const ended = await linehook(noisy, ['line', 'list', '--json'])
    expect(ended).to.deep.equal({ exitCode: 0, outputLines: ['[]'], errorLines: [] })
  })
})

/** Agrees to TLS as Postgres does, with a certificate that nobody has signed. */
async function listenAsPostgres(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, ...SELF_MADE }).on('error', () => undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
