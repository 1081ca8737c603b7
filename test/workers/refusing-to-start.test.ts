import { expect } from 'chai'
import { Redis } from 'ioredis'
import { randomBytes } from 'node:crypto'
import { createEnvironment, type Environment } from '../helpers/process/environment.js'
import { runSource, stopProcesses, withoutAdvice } from '../helpers/process/processes.js'
import { ownRedis, type OwnService } from '../journeys/support/own-services.js'

describe('a process that refuses to start', () => {
  let redis: OwnService
  let client: Redis

  before(async () => {
    redis = await ownRedis()
    client = new Redis(redis.url)
  })

  after(async () => {
    await stopProcesses()
    client.disconnect()
    await redis.remove()
  })

  /** @returns how it ended, and what it said on standard error */
  async function run(source: string, environment: Environment) {
    const process = runSource(source, environment)
    const exitCode = await process.exitCode
    return { exitCode, errorLines: withoutAdvice(process.errorLines), outputLines: process.outputLines }
  }

  it('a worker does not start with a Redis that may lose jobs, and says what to set', async () => {
    await client.config('SET', 'appendonly', 'no')
    const ended = await run('workers/send-message.ts', await createEnvironment({ REDIS_URL: redis.url }))
    const sentence = 'Redis has appendonly no and would start empty after a crash. Set it to yes'
    expect(ended).to.deep.equal({ exitCode: 1, errorLines: [sentence], outputLines: [] })
  })

  for (const source of ['src/server.ts', 'workers/deliver-event.ts']) {
    it(`${source} names every fault of its configuration at once, and no secret`, async () => {
      const secret = randomBytes(16).toString('hex')
      const ended = await run(source, {
        DATABASE_URL: `mysql://linehook:${secret}@127.0.0.1/linehook`,
        ENCRYPTION_KEY: secret,
        PORT: '70000',
        PRODUCT_WORD: 'two words',
        ALLOWED_PRIVATE_CIDRS: 'localhost',
      })
      expect(ended.exitCode).to.equal(1)
      expect(ended.errorLines[0]).to.equal('The configuration has 6 errors:')
      const names = ended.errorLines.slice(1).map((line) => line.trim().split(' ')[0])
      expect(names).to.have.members([
        'DATABASE_URL',
        'REDIS_URL',
        'ENCRYPTION_KEY',
        'PORT',
        'PRODUCT_WORD',
        'ALLOWED_PRIVATE_CIDRS',
      ])
      expect([...ended.errorLines, ...ended.outputLines].join('\n')).not.to.contain(secret)
    })
  }
})
