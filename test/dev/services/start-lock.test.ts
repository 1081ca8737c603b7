import { expect } from 'chai'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLinehook } from '../../../dev/services/start-lock.js'
import { createDataFolder } from '../../helpers/services/services.js'

const startLock = new URL('../../../dist/dev/services/start-lock.js', import.meta.url).href

/** It takes the lock at the moment it is told, to the millisecond, so that all of them are at it together. */
const RACER = `
  import { takeStartLock } from ${JSON.stringify(startLock)}
  let lock
  process.on('message', ({ takeAt }) => {
    if (takeAt === undefined) {
      lock.release?.()
      return process.send({ released: true })
    }
    while (Date.now() < takeAt);
    lock = takeStartLock()
    process.send({ heldBy: lock.heldBy })
  })
  process.send('ready')
`

describe('the lock of a start', () => {
  let folder = ''
  let lock = ''
  let racers: ChildProcess[] = []

  beforeEach(async () => {
    folder = createDataFolder('lock')
    mkdirSync(join(folder, '.data'))
    lock = join(folder, '.data/start.pid')
    racers = await startRacers(8)
  })

  afterEach(() => {
    for (const racer of racers) racer.kill('SIGKILL')
  })

  // A lock is held only by what looks like Linehook, so its name is in the command line.
  const startRacers = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const racer = spawn(process.execPath, ['--input-type=module', '-e', RACER, 'linehook'], {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        })
        await once(racer, 'message')
        return racer
      }),
    )

  const tell = async (racer: ChildProcess, message: object) => {
    racer.send(message)
    const [answer] = (await once(racer, 'message')) as [{ heldBy?: number }]
    return answer
  }

  /** @returns the ids of the processes that have the lock */
  const race = async () => {
    const takeAt = Date.now() + 5
    const answers = await Promise.all(racers.map((racer) => tell(racer, { takeAt })))
    return racers.flatMap(({ pid }, index) => (answers[index]?.heldBy === undefined ? [pid] : []))
  }

  const endedPid = () => spawnSync(process.execPath, ['--version']).pid

  it('has one holder, however many processes find it left behind at the same time', async () => {
    const ended = endedPid()
    for (let round = 0; round < 200; round++) {
      writeFileSync(lock, String(ended))
      const holders = await race()
      expect(holders, `round ${round}`).to.have.length(1)
      expect(readFileSync(lock, 'utf8')).to.equal(String(holders[0]))
      await Promise.all(racers.map((racer) => tell(racer, {})))
      expect(readdirSync(join(folder, '.data')), 'what is left').to.deep.equal([])
    }
  })

  it('may be held by process 1, if that is Linehook and not an init that runs it', () => {
    const line = (...words: string[]) => words.map((word) => `${word}\0`).join('')
    expect(isLinehook(1, line('node', 'dist/bin/linehook.js', 'start'))).to.equal(true)
    expect(isLinehook(1, line('/usr/local/bin/node', '/usr/local/bin/linehook', 'start'))).to.equal(true)
    expect(isLinehook(1, line('/sbin/docker-init', '--', 'linehook', 'start'))).to.equal(false)
    expect(isLinehook(1, line('/usr/lib/systemd/systemd', '--switched-root'))).to.equal(false)
    expect(isLinehook(7, line('node', 'dist/bin/linehook.js', 'start'))).to.equal(true)
    expect(isLinehook(7, line('node', 'other.js'))).to.equal(false)
  })

  it('is taken over although the process that was taking it over has ended too', async () => {
    const ended = endedPid()
    for (const name of [lock, `${lock}.old`, `${lock}.old.old`]) writeFileSync(name, String(ended))
    expect(await race()).to.have.length(1)
  })
})
