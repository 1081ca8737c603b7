import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { findSetUpLink, type SetUpLink } from '../../src/domain/people/set-up-links.js'
import { addUser } from '../../src/domain/people/users.js'
import { isId } from '../../src/ids.js'
import type { Environment } from '../helpers/process/environment.js'
import { createPerson } from '../domain/people/people.js'
import { createLine } from '../helpers/factories.js'
import { startWeb, stopProcesses } from '../helpers/process/processes.js'
import { createInstallation, post } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

describe('linehook user and linehook line', function () {
  this.timeout(30_000)

  let environment: Environment
  let context: Context
  let url: string

  before(async () => {
    ;({ environment, context } = await createInstallation())
    ;({ url } = await startWeb(environment))
  })

  after(async () => {
    await stopProcesses()
    await context.close()
  })

  const run = (...args: string[]) => answer(environment, ...args)
  const runJson = (...args: string[]) => jsonAnswer(environment, ...args)
  const refuse = (...args: string[]) => refusal(environment, ...args)

  const findUser = (email: string): Promise<Record<string, unknown> | undefined> =>
    context.db('users').where({ email }).first('id', 'email', 'name', 'role')
  const ownerOf = async (url = '') =>
    (await findSetUpLink(context, new URL(url).searchParams.get('token') ?? ''))?.userId
  const findLine = (number: string): Promise<Record<string, unknown> | undefined> =>
    context.db('lines').where({ number }).first('*')

  it('user add adds a user, who is named by the address when no name is given', async () => {
    const [said, link] = await run('user', 'add', 'grace@example.com')
    const user = await findUser('grace@example.com')
    expect(user).to.include({ name: 'grace@example.com', role: 'user' })
    expect(said).to.equal(`user grace@example.com added (${String(user?.id)})`)
    expect(await ownerOf(link)).to.equal(user?.id)

    const json = await runJson('user', 'add', 'ada@example.com', '--name', 'Ada')
    const { setUpLink, ...rest } = json as { setUpLink: SetUpLink }
    const added = { ...(await findUser('ada@example.com')), hasPassword: false }
    expect(rest).to.deep.equal({ ...added, disabledAt: null, stoppedAt: null })
    expect(rest).to.include({ email: 'ada@example.com', name: 'Ada' })
    expect(await ownerOf(setUpLink.url)).to.equal((rest as { id?: string }).id)
  })

  it('user add --operator adds somebody who runs the service', async () => {
    const [said] = await run('user', 'add', 'olga@example.com', '--operator')
    expect(said).to.match(/^operator olga@example\.com added/)
    expect(await findUser('olga@example.com')).to.include({ role: 'operator' })
  })

  it('user set-up-link prints a new link, and the one before works no more', async () => {
    const { id } = await addUser(context, { email: 'ben@example.com' })
    const [first] = await run('user', 'set-up-link', 'Ben@example.com')
    expect(await ownerOf(first)).to.equal(id)
    const { url: second } = (await runJson('user', 'set-up-link', 'ben@example.com')) as SetUpLink
    expect(await ownerOf(second)).to.equal(id)
    expect(await ownerOf(first)).to.equal(undefined)
    expect(await refuse('user', 'set-up-link', 'nobody@example.com')).to.equal(
      'no user has the email nobody@example.com: add one with `linehook user add`',
    )
  })

  it('user list shows everybody, and says how to add somebody when there is nobody', async () => {
    const { environment: other, context: others } = await createInstallation()
    try {
      expect(await answer(other, 'user', 'list')).to.deep.equal([
        'There are no users: add one with `linehook user add`.',
      ])
      const waiting = await addUser(others, { email: 'cleo@example.com', name: 'Cleo' })
      const ready = await createPerson(others, { role: 'operator' })
      const [lines, json] = await Promise.all([
        answer(other, 'user', 'list'),
        jsonAnswer(other, 'user', 'list'),
      ])
      expect(lines).to.deep.equal([
        `${waiting.id}  user     not set up  cleo@example.com  Cleo`,
        `${ready.id}  operator set up      ${ready.email}  Ada`,
      ])
      expect(json).to.deep.equal([waiting, ready].map((each) => ({ ...each, hasSecondFactor: false })))
    } finally {
      await others.close()
    }
  })

  it('user add refuses what is no address, and one that is taken', async () => {
    const [wrong, taken] = await Promise.all([
      refuse('user', 'add', 'ada'),
      refuse('user', 'add', 'Ada@Example.com'),
    ])
    expect(wrong).to.equal('email must be an e-mail address, such as ada@example.com')
    expect(taken).to.equal('email Ada@Example.com belongs to a user already')
  })

  it('line add adds an active line with the usual limits, not connected', async () => {
    const [said] = await run('line', 'add', '+12125550001', '--user', 'ada@example.com')
    const line = await findLine('+12125550001')
    expect(line).to.include({
      name: '+12125550001',
      carrier: 'simulator',
      status: 'active',
      country: 'US',
      allowed_countries: null,
      messages_per_number_per_minute: 5,
      messages_per_minute: 30,
    })
    expect(said).to.equal(`line +12125550001 added (${String(line?.id)})`)
  })

  it('line add takes a name, countries and limits', async () => {
    const json = await runJson(
      ...['line', 'add', '+12125550002', '--user', 'ada@example.com', '--name', 'Front desk'],
      ...['--carrier', 'simulator', '--countries', 'us,CA', '--per-number', '7', '--per-minute', '70'],
    )
    const { userId, id, ...rest } = json as Record<string, unknown>
    expect([isId(userId), isId(id)]).to.deep.equal([true, true])
    expect(rest).to.deep.equal({
      number: '+12125550002',
      name: 'Front desk',
      carrierAccount: 'simulator',
      routes: [],
      status: 'active',
      country: 'US',
      allowedCountries: ['US', 'CA'],
      messagesPerNumberPerMinute: 7,
      messagesPerMinute: 70,
      pausedAt: null,
      pausedBy: null,
      pausedCountries: null,
    })
    expect(await findLine('+12125550002')).to.deep.include({
      name: 'Front desk',
      allowed_countries: ['US', 'CA'],
    })
  })

  it('line add refuses in one line what it cannot use', async () => {
    const add = (number: string, user: string, ...options: string[]) =>
      refuse('line', 'add', number, '--user', user, ...options)
    expect(
      await Promise.all([
        add('2125550003', 'ada@example.com'),
        add('+12125550001', 'ada@example.com'),
        add('+12125550003', 'nobody@example.com'),
        add('+12125550003', 'ada@example.com', '--carrier', 'pigeon'),
      ]),
    ).to.deep.equal([
      'number must be in E.164 form, such as +15551234567',
      'number +12125550001 belongs to a line already',
      'no user has the email nobody@example.com: add one with `linehook user add`',
      'carrier pigeon is not set up here: add it with `linehook carrier add`; the simulator needs SIMULATOR=true',
    ])
    expect(await findLine('+12125550003')).to.equal(undefined)
  })

  it('line list shows every line with its state, and says how to add one when there is none', async () => {
    const { lineId, number } = await createLine(context, { name: 'Connected one' })
    const [lines, json] = await Promise.all([run('line', 'list'), runJson('line', 'list')])
    expect(lines).to.have.length(3)
    expect(lines[0]).to.match(/\+12125550001 +active +not connected +\+12125550001$/)
    expect(lines[2]?.startsWith(`${lineId}  ${number} `)).to.equal(true)
    expect(lines[2]).to.match(/active +connected +Connected one$/)
    expect((json as Record<string, unknown>[])[2]).to.include({ id: lineId, number, connected: true })

    const { environment: empty, context: other } = await createInstallation()
    await other.close()
    expect(await answer(empty, 'line', 'list')).to.deep.equal([
      'There are no lines: add one with `linehook line add`.',
    ])
  })

  it('line disable closes its webhook, and line enable opens it again', async () => {
    const line = await createLine(context)
    expect(await run('line', 'disable', line.number)).to.deep.equal([`line ${line.number} is disabled`])
    expect((await post(url, line)).status).to.equal(404)

    const json = await runJson('line', 'enable', line.lineId)
    expect(json).to.deep.equal({ id: line.lineId, number: line.number, status: 'active' })
    expect((await post(url, line)).status).to.equal(200)
  })
})
