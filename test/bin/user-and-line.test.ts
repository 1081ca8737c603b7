import { expect } from 'chai'
import { findSetUpLink, type SetUpLink } from '../../src/domain/people/set-up-links.js'
import { addUser } from '../../src/domain/people/users.js'
import { isId } from '../../src/ids.js'
import { createPerson } from '../domain/people/people.js'
import { createLine } from '../helpers/factories.js'
import { describeCommands } from './linehook.js'

type Row = Record<string, unknown>

describeCommands('linehook user', ({ context, run, json, refuse }) => {
  const findUser = (email: string): Promise<Row | undefined> =>
    context.db('users').where({ email }).first('id', 'email', 'name', 'role')
  const ownerOf = async (url = '') =>
    (await findSetUpLink(context, new URL(url).searchParams.get('token') ?? ''))?.userId

  it('list says how to add somebody when there is nobody, and then shows everybody', async () => {
    expect(await run('user', 'list')).to.deep.equal(['There are no users. Add one with `linehook user add`.'])
    const waiting = await addUser(context, { email: 'cleo@example.com', name: 'Cleo' })
    const ready = await createPerson(context, { role: 'operator' })
    expect(await run('user', 'list')).to.deep.equal([
      `${waiting.id}  user     not set up  cleo@example.com  Cleo`,
      `${ready.id}  operator set up      ${ready.email}  Ada`,
    ])
    expect(await json('user', 'list')).to.deep.equal(
      [waiting, ready].map((each) => ({ ...each, hasSecondFactor: false })),
    )
  })

  it('add adds a user, who is named by the address when no name is given, or an operator', async () => {
    const [said, link] = await run('user', 'add', 'grace@example.com')
    const user = await findUser('grace@example.com')
    expect(user).to.include({ name: 'grace@example.com', role: 'user' })
    expect(said).to.equal(`user grace@example.com added (${String(user?.id)})`)
    expect(await ownerOf(link)).to.equal(user?.id)

    const { setUpLink, ...rest } = await json<Row & { setUpLink: SetUpLink }>(
      ...['user', 'add', 'ada@example.com', '--name', 'Ada'],
    )
    const added = { ...(await findUser('ada@example.com')), hasPassword: false }
    expect(rest).to.deep.equal({ ...added, disabledAt: null, stoppedAt: null })
    expect(rest).to.include({ email: 'ada@example.com', name: 'Ada' })
    expect(await ownerOf(setUpLink.url)).to.equal(rest.id)

    const [ofOperator] = await run('user', 'add', 'olga@example.com', '--operator')
    expect(ofOperator).to.match(/^operator olga@example\.com added/)
    expect(await findUser('olga@example.com')).to.include({ role: 'operator' })
  })

  it('set-up-link prints a new link, and the one before works no more', async () => {
    const { id } = await addUser(context, { email: 'ben@example.com' })
    const [first] = await run('user', 'set-up-link', 'Ben@example.com')
    expect(await ownerOf(first)).to.equal(id)
    const { url: second } = await json<SetUpLink>('user', 'set-up-link', 'ben@example.com')
    expect([await ownerOf(second), await ownerOf(first)]).to.deep.equal([id, undefined])
  })

  it('refuses in one line an address that is none, is taken, or is nobody’s', async () => {
    for (const [verb, email, sentence] of [
      ['add', 'ada', 'email must be an email address, such as ada@example.com'],
      ['add', 'Ada@Example.com', 'email Ada@Example.com already belongs to a user'],
      [
        'set-up-link',
        'nobody@example.com',
        'No user has the email nobody@example.com. Add one with `linehook user add`',
      ],
    ] as const) {
      expect(await refuse('user', verb, email)).to.equal(sentence)
    }
  })
})

describeCommands('linehook line', ({ context, run, json, refuse }) => {
  const owner = ['--user', 'ada@example.com']

  before(() => addUser(context, { email: 'ada@example.com' }))

  const findLine = (number: string): Promise<Row | undefined> =>
    context.db('lines').where({ number }).first('*')

  it('list says how to add one when there is none', async () => {
    expect(await run('line', 'list')).to.deep.equal(['There are no lines. Add one with `linehook line add`.'])
  })

  it('add adds an active line with the usual limits, not connected', async () => {
    const [said] = await run('line', 'add', '+12125550001', ...owner)
    const line = await findLine('+12125550001')
    expect(line).to.include({
      ...{ name: '+12125550001', carrier: 'simulator', status: 'active', country: 'US' },
      ...{ allowed_countries: null, messages_per_number_per_minute: 5, messages_per_minute: 30 },
    })
    expect(said).to.equal(`line +12125550001 added (${String(line?.id)})`)
  })

  it('add takes a name, countries and limits', async () => {
    const { userId, id, ...rest } = await json(
      ...['line', 'add', '+12125550002', ...owner, '--name', 'Front desk', '--carrier', 'simulator'],
      ...['--countries', 'us,CA', '--per-number', '7', '--per-minute', '70'],
    )
    expect([isId(userId), isId(id)]).to.deep.equal([true, true])
    expect(rest).to.deep.equal({
      ...{
        number: '+12125550002',
        name: 'Front desk',
        carrierAccount: 'simulator',
        routes: [],
        shortCodes: null,
        status: 'active',
      },
      ...{ country: 'US', allowedCountries: ['US', 'CA'] },
      ...{ messagesPerNumberPerMinute: 7, messagesPerMinute: 70 },
      ...{ pausedAt: null, pausedBy: null, pausedCountries: null },
    })
    const stored = { name: 'Front desk', allowed_countries: ['US', 'CA'] }
    expect(await findLine('+12125550002')).to.deep.include(stored)
  })

  it('add refuses in one line what it cannot use', async () => {
    for (const [args, sentence] of [
      [['2125550003', ...owner], 'number must be in E.164 format, such as +15551234567'],
      [['+12125550001', ...owner], 'number +12125550001 already belongs to a line'],
      [
        ['+12125550003', '--user', 'nobody@example.com'],
        'No user has the email nobody@example.com. Add one with `linehook user add`',
      ],
      [
        ['+12125550003', ...owner, '--carrier', 'pigeon'],
        'Carrier pigeon is not set up. Add it with `linehook carrier add`. The simulator needs SIMULATOR=true',
      ],
    ] as const) {
      expect(await refuse('line', 'add', ...args)).to.equal(sentence)
    }
    expect(await findLine('+12125550003')).to.equal(undefined)
  })

  it('list shows every line with its state', async () => {
    const { lineId, number } = await createLine(context, { name: 'Connected one' })
    const lines = await run('line', 'list')
    expect(lines).to.have.length(3)
    expect(lines[0]).to.match(/\+12125550001 +active +not connected +all countries +\+12125550001$/)
    expect(lines[2]).to.match(
      new RegExp(`^${lineId}  \\${number} +active +connected +all countries +Connected one$`),
    )
    const rows = await json<Row[]>('line', 'list')
    expect(rows[2]).to.include({ id: lineId, number, connected: true })
  })

  it('change changes countries, limits and the carrier account', async () => {
    const { lineId: id, number } = await createLine(context)
    expect(await run('line', 'change', number, '--countries', 'us,gb', '--per-minute', '600')).to.deep.equal([
      `line ${number} may send to US,GB, 5 messages per minute to one number and 600 in total, by simulator`,
    ])
    expect((await run('line', 'list')).join('\n')).to.match(new RegExp(`\\${number} .* US,GB +`))
    expect(await json('line', 'change', id, '--countries', 'all', '--carrier', 'simulator')).to.deep.equal({
      ...{ id, number, carrierAccount: 'simulator', allowedCountries: null },
      ...{ messagesPerNumberPerMinute: 5, messagesPerMinute: 600 },
    })
    expect(await refuse('line', 'change', id)).to.equal(
      'Give at least one of --countries, --per-number, --per-minute and --carrier',
    )
  })

  it('disable and enable change its state', async () => {
    const { lineId: id, number } = await createLine(context)
    expect(await run('line', 'disable', number)).to.deep.equal([`line ${number} is disabled`])
    expect(await findLine(number)).to.include({ status: 'disabled' })
    expect(await json('line', 'enable', id)).to.deep.equal({ id, number, status: 'active' })
    expect(await findLine(number)).to.include({ status: 'active' })
  })
})
