import { expect } from 'chai'
import { listAllLines } from '../../../src/database/lines/lines.js'
import { enableConnection } from '../../../src/domain/lines/connections.js'
import {
  addLine,
  getAnyLine,
  getOwnLine,
  listOwnLines,
  renameLine,
  setLineStatus,
  type NewLine,
} from '../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { addUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { expectRefusal } from '../refusal.js'
import { inboundText } from '../fixtures.js'

describeContext('lines', (context) => {
  let userId: string
  let count = 0

  before(async () => {
    userId = (await addUser(context, { email: 'ada@example.com' })).id
  })

  const freshNumber = () => {
    count += 1
    return `+1415555${String(count).padStart(4, '0')}`
  }
  const add = (overrides: Partial<NewLine> = {}) =>
    addLine(context, { userId, number: freshNumber(), carrierAccount: 'simulator', ...overrides })

  it('have these fields when nothing else is asked for', async () => {
    const number = freshNumber()
    const line = await add({ number })
    const expected = {
      id: line.id,
      userId,
      number,
      name: number,
      carrierAccount: 'simulator',
      routes: [],
      shortCodes: null,
      status: 'active',
      country: 'US',
      allowedCountries: null,
      messagesPerNumberPerMinute: 5,
      messagesPerMinute: 30,
      pausedAt: null,
      pausedBy: null,
      pausedCountries: null,
    }
    expect(line).to.deep.equal(expected)
    expect(await getAnyLine(context, line.id)).to.deep.equal(expected)
  })

  it('keep what was asked for', async () => {
    const { id } = await add({
      number: ' +44 20 7946 0123 ',
      name: '  Office ',
      allowedCountries: ['gb', ' US '],
      messagesPerNumberPerMinute: 1,
      messagesPerMinute: 100_000,
    })
    expect(await getAnyLine(context, id)).to.deep.include({
      number: '+442079460123',
      name: 'Office',
      country: 'GB',
      allowedCountries: ['GB', 'US'],
      messagesPerNumberPerMinute: 1,
      messagesPerMinute: 100_000,
    })
  })

  it('are named after their number when the name is blank', async () => {
    const line = await add({ name: ' \0 ' })
    expect(line.name).to.equal(line.number)
  })

  it('take their number in E.164 in any width, and as a tel: URI', async () => {
    expect(await add({ number: ' ＋１４１５５５５００９１' })).to.include({ number: '+14155550091' })
    expect(await add({ number: 'tel:+1-415-555-0092' })).to.include({ number: '+14155550092' })
  })

  const IN_E164 = 'number must be in E.164 format, such as +15551234567'
  const COUNTRIES = 'allowedCountries must be two-letter ISO 3166 codes, such as US,CA'
  const NO_CARRIER =
    'Carrier pigeon is not set up. Add it with `linehook carrier add`. The simulator needs SIMULATOR=true'
  for (const [field, values, message] of [
    ['number', ['', '14155550000', 'tel:4155550000', '(415) 555-0000', '+1', '+1555'], IN_E164],
    ['number', ['+1 415 555 0000 ext. 5'], IN_E164],
    ['carrierAccount', ['pigeon'], NO_CARRIER],
    ['allowedCountries', [[], ['US', '']], COUNTRIES],
    ['allowedCountries', [['USA']], `${COUNTRIES}. USA is not one`],
    ['allowedCountries', [['ZZ']], `${COUNTRIES}. ZZ is not one`],
    ['allowedCountries', [['US', 'uk']], `${COUNTRIES}. UK is not one. Did you mean GB?`],
    ...(['messagesPerNumberPerMinute', 'messagesPerMinute'] as const).map(
      (limit) =>
        [
          limit,
          [0, -1, 1.5, 100_001, Number.NaN],
          `${limit} must be a whole number from 1 to 100000`,
        ] as const,
    ),
  ] as const) {
    for (const value of values) {
      it(`are refused with a ${field} that is ${JSON.stringify(value)}`, async () => {
        await expectRefusal(add({ [field]: value }), 400, message)
      })
    }
  }

  it('have numbers of their own, also those of other users', async () => {
    const { number } = await add()
    const other = await addUser(context, { email: 'ben@example.com' })
    for (const fields of [{}, { userId: other.id }])
      await expectRefusal(add({ number, ...fields }), 409, `number ${number} already belongs to a line`)
  })

  it('are found by id and by number, however it is written', async () => {
    const { id, number } = await add()
    for (const reference of [id, id.toUpperCase(), number, number.slice(1), ` ${number} `]) {
      expect((await getAnyLine(context, reference)).id).to.equal(id)
    }
  })

  for (const reference of ['', 'nobody', newId(), '+14155559999', '\0']) {
    it(`are not found by ${JSON.stringify(reference)}`, async () => {
      await expectRefusal(
        getAnyLine(context, reference),
        404,
        `No line has the ID or number ${reference}. See \`linehook line list\``,
      )
    })
  }

  it('are listed oldest first, with whether they are connected', async () => {
    const first = await add()
    const second = await add()
    await enableConnection(context, userId, second.id)
    const listed = (await listAllLines(context.db)).slice(-2)
    expect(listed).to.deep.equal([
      { ...first, connected: false },
      { ...second, connected: true },
    ])
  })

  it('are disabled and made active again by their owner', async () => {
    const { id } = await add()
    await setLineStatus(context, userId, id, 'disabled')
    expect(await getAnyLine(context, id)).to.include({ status: 'disabled' })
    await setLineStatus(context, userId, id, 'active')
    expect(await getAnyLine(context, id)).to.include({ status: 'active' })
  })

  describe('of a user', () => {
    let strangerId: string

    before(async () => {
      strangerId = (await addUser(context, { email: 'mallory@example.com' })).id
    })

    const ids = async (filter?: Parameters<typeof listOwnLines>[2], user = userId) =>
      (await listOwnLines(context, user, filter)).map(({ id }) => id)

    it('are listed oldest first, and nobody else’s', async () => {
      const mine = [await add(), await add()].map(({ id }) => id)
      const theirs = await add({ userId: strangerId })
      expect((await ids()).slice(-2)).to.deep.equal(mine)
      expect(await ids({}, strangerId)).to.deep.equal([theirs.id])
    })

    it('are found by id, by number however it is written, and by name', async () => {
      const { id, number } = await add({ name: 'Front desk' })
      expect(await ids({ id })).to.deep.equal([id])
      expect(await ids({ phoneNumber: ` ${number} ` })).to.deep.equal([id])
      expect(await ids({ name: 'Front desk' })).to.deep.equal([id])
      expect(await ids({ id, name: 'Front' })).to.deep.equal([])
    })

    it('are not found by what no line can fit, nor by another user', async () => {
      const { id, number } = await add({ name: 'Back desk' })
      for (const filter of [{ id: 'x' }, { id: newId() }, { phoneNumber: 'x' }, { name: '\0' }]) {
        expect(await ids(filter)).to.deep.equal([])
      }
      for (const filter of [{ id }, { phoneNumber: number }, { name: 'Back desk' }]) {
        expect(await ids(filter, strangerId)).to.deep.equal([])
      }
    })

    it('say whether they are connected and when something last happened', async () => {
      const line = await add()
      expect(await getOwnLine(context, userId, line.id)).to.deep.equal({
        ...line,
        isConnected: false,
        lastActivityAt: null,
      })
      await enableConnection(context, userId, line.id)
      await receiveMessage(context, inboundText({ number: line.number }))
      const own = await getOwnLine(context, userId, line.id)
      expect(own.isConnected).to.equal(true)
      expect(Date.now() - own.lastActivityAt!.getTime()).to.be.within(-1000, 20_000)
    })

    it('are theirs alone to get', async () => {
      const { id } = await add()
      for (const [user, wrong] of [
        [strangerId, id],
        [userId, newId()],
        [userId, 'x'],
      ] as const) {
        await expectRefusal(getOwnLine(context, user, wrong), 404, 'No such line')
        await expectRefusal(renameLine(context, user, wrong, 'Mine'), 404, 'No such line')
        await expectRefusal(setLineStatus(context, user, wrong, 'disabled'), 404, 'No such line')
      }
      const unchanged = await getOwnLine(context, userId, id)
      expect(unchanged).to.include({ name: unchanged.number, status: 'active' })
    })

    it('are renamed', async () => {
      const { id } = await add()
      await renameLine(context, userId, id, '  <b>Front</b> desk\0 ')
      expect((await getOwnLine(context, userId, id)).name).to.equal('<b>Front</b> desk')
    })

    it('are not renamed to nothing', async () => {
      const { id } = await add()
      await expectRefusal(renameLine(context, userId, id, ' '), 400, 'name must have 1 to 100 characters')
    })
  })
})
