import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { examine, ok, type Check } from '../../../bin/doctor/check.js'
import { openSubject } from '../../../bin/doctor/subject.js'
import { environmentForAllTests, type Environment } from '../../helpers/process/environment.js'
import { startWeb, stopProcesses } from '../../helpers/process/processes.js'
import { createDataFolder } from '../../helpers/services/services.js'
import { freePort } from '../../../dev/services/free-port.js'
import { linehook } from '../linehook.js'

interface Answer {
  faultCount: number
  warningCount: number
  checks: { name: string; state: string; why: string; cure?: string }[]
}

describe('linehook doctor', () => {
  const environment = environmentForAllTests()
  let folder: string

  before(() => {
    folder = createDataFolder('doctor')
  })
  after(stopProcesses)

  /** With --json, where it finds a fault. */
  const doctor = async (of: Environment) => {
    const { exitCode, outputLines, errorLines } = await linehook(of, ['doctor', '--json'], folder)
    expect([exitCode, errorLines]).to.deep.equal([1, []])
    const said = outputLines.join('\n')
    return { said, ...(JSON.parse(said) as Answer) }
  }

  it('ends with 0 while there is no fault, and says each thing that it looked at', async () => {
    const port = String(await freePort())
    const served = { ...environment, PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` }
    await startWeb(served)
    const { exitCode, outputLines, errorLines } = await linehook(served, ['doctor'], folder)
    expect([exitCode, errorLines]).to.deep.equal([0, []])
    expect(outputLines[0]).to.match(/^ok {6} Configuration {2}Every variable is valid\.$/)
    expect(outputLines.some((line) => /^ok {6} Redis AOF {6}appendonly is yes/.test(line))).to.be.true
    expect(outputLines.at(-1)).to.match(/^0 faults, \d warnings?$/)
  })

  it('a fault ends it with 1; all checks are made all the same; --json has each with its cure', async () => {
    const faulty = { ...environment, PORT: 'many', ENCRYPTION_KEY: 'a key that is S3cret' }
    const { said, ...answer } = await doctor(faulty)
    const stateOf = (name: string) => answer.checks.find((each) => each.name === name)?.state
    const [configuration] = answer.checks
    expect(configuration?.state).to.equal('fault')
    expect(configuration?.why).to.match(/ENCRYPTION_KEY must be 32 bytes.+; PORT must be a whole number/)
    expect(['Migrations', 'Redis', 'Secrets'].map(stateOf)).to.deep.equal(['ok', 'ok', 'fault'])
    const cureless = answer.checks.filter(({ state, cure }) => state !== 'ok' && cure === undefined)
    expect(cureless).to.deep.equal([])
    expect(answer.faultCount).to.equal(answer.checks.filter(({ state }) => state === 'fault').length)
    expect(said).not.to.include('S3cret')
  })

  it('all faults of the configuration are said, also of settings that belong together', async () => {
    const faulty = {
      ...environment,
      PORT: 'many',
      SMTP_URL: 'smtp://mail.example.com',
      REDIS_SENTINEL_PASSWORD: 'a password',
    }
    const { checks } = await doctor(faulty)
    expect(checks[0]?.why.split('; ')).to.deep.equal([
      'PORT must be a whole number from 1 to 65535',
      'REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS. Set both',
      'SMTP_URL and MAIL_FROM must be set together.',
    ])
  })

  it('a URL with a password that is not encoded is a fault; the password is printed nowhere', async () => {
    const faulty = {
      ...environment,
      DATABASE_URL: 'postgres://me:Sec#ret1@127.0.0.1/linehook',
      REDIS_URL: 'redis://:Sec/ret2@127.0.0.1:6379',
    }
    const { said, checks } = await doctor(faulty)
    expect(checks[0]?.why).to.match(/^DATABASE_URL must be a valid URL\..+; REDIS_URL must be a valid URL\./)
    expect(said).not.to.match(/Sec\W|ret\d/)
    const [start, ...rest] = (await linehook(faulty, ['status'], folder)).errorLines
    expect(start).to.equal('The configuration has 2 errors:')
    expect(rest.join()).not.to.match(/Sec\W|ret\d/)
  })

  it('where nothing is configured and nothing runs', async () => {
    const { checks } = await doctor({})
    const whys = ['Postgres', 'Redis', 'Clocks'].map((name) => checks.find((each) => each.name === name)?.why)
    expect(whys).to.deep.equal([
      'DATABASE_URL is missing or invalid.',
      'REDIS_URL is missing or invalid.',
      "No other clock is available to compare with this machine's.",
    ])
  })

  it('files that every user of the machine may read', async () => {
    const found = async () => (await doctor(environment)).checks.find(({ name }) => name === 'Permissions')
    const path = join(folder, '.env')
    await writeFile(path, 'LOG_LEVEL=info\n')
    await chmod(path, 0o644)
    const open = await found()
    expect(open).to.include({ state: 'warning' })
    expect(open?.cure).to.match(/^Run `chmod o-r .+\/\.env`\.$/)
    await chmod(path, 0o600)
    expect((await found())?.state).to.equal('ok')
  })
})

describe('the checks of the doctor', () => {
  const subject = openSubject({})
  after(() => subject.close())

  const check = (name: string, more: Partial<Check> = {}): Check => ({
    name,
    look: () => ok('Fine.'),
    ...more,
  })

  it('one that fails and one that never ends are faults of their own; the others go on', async () => {
    const checks = [
      check('broken', {
        look: () => {
          throw new Error('no such file')
        },
      }),
      check('endless', { timeoutMs: 50, look: () => new Promise(() => undefined) }),
      check('fine'),
    ]
    const found = await Promise.all(examine(checks, subject))
    expect(found.map(({ name, state, why }) => [name, state, why])).to.deep.equal([
      ['broken', 'fault', 'The check failed: no such file'],
      ['endless', 'fault', 'It took longer than 0.05 s.'],
      ['fine', 'ok', 'Fine.'],
    ])
  })

  it('one that needs another is not looked at while that has a fault, nor one that needs it in turn', async () => {
    const looked: string[] = []
    const checks = [
      check('first', { look: () => ({ state: 'fault', why: 'Gone.' }) }),
      check('second', { needs: 'first' }),
      check('third', { needs: 'second' }),
      check('fourth', {
        after: ['first'],
        look: (_, works) => {
          looked.push(String(works('first')))
          return ok('Fine.')
        },
      }),
    ]
    const found = await Promise.all(examine(checks, subject))
    expect(found.map(({ state }) => state)).to.deep.equal(['fault', 'warning', 'warning', 'ok'])
    expect(found[2]?.why).to.equal('Not checked, because of the problem with second.')
    expect(looked).to.deep.equal(['false'])
  })
})
