import { expect } from 'chai'
import { pauseCountry } from '../../../src/database/messages/country-guard.js'
import { changeLine, type LineChanges } from '../../../src/domain/lines/change-line.js'
import { getAnyLine } from '../../../src/domain/lines/lines.js'
import { setRoutes } from '../../../src/domain/lines/routes.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import {
  ahead,
  ANNA,
  BEN,
  CLEO,
  hasMessageJob,
  messageRow,
  queueMessage,
  sendWhenDue,
  UNLIMITED,
} from '../fixtures.js'
import { expectRefusal } from '../refusal.js'

describeContext('a change of a line', (context) => {
  let line: TestLine

  before(() => context.db('carrier_accounts').insert({ id: newId(), name: 'second', kind: 'simulator' }))

  beforeEach(async () => {
    line = await createLine(context)
  })

  const read = () => getAnyLine(context, line.lineId)
  const change = async (changes: LineChanges) => {
    await changeLine(context, await read(), changes)
    return read()
  }
  const written = () =>
    context
      .db('audit_log')
      .where({ action: 'line.changed', subject_id: line.lineId })
      .select('before', 'after')

  it('changes what is given, and records only that', async () => {
    expect(await change({ allowedCountries: ['us', ' gb', 'US'] })).to.deep.include({
      allowedCountries: ['US', 'GB'],
      messagesPerNumberPerMinute: 5,
      messagesPerMinute: 30,
      carrierAccount: 'simulator',
    })
    expect(await change({ messagesPerMinute: 600, carrierAccount: ' second ' })).to.deep.include({
      allowedCountries: ['US', 'GB'],
      messagesPerMinute: 600,
      carrierAccount: 'second',
    })
    expect(await change({ allowedCountries: null, messagesPerMinute: 600 })).to.deep.include({
      allowedCountries: null,
    })
    await change({ messagesPerMinute: 600, carrierAccount: 'second' })
    expect(await written()).to.deep.equal([
      { before: { allowedCountries: null }, after: { allowedCountries: ['US', 'GB'] } },
      {
        before: { carrierAccount: 'simulator', messagesPerMinute: 30 },
        after: { carrierAccount: 'second', messagesPerMinute: 600 },
      },
      { before: { allowedCountries: ['US', 'GB'] }, after: { allowedCountries: null } },
    ])
  })

  it('makes waiting messages due again', async () => {
    const resumedAt = () =>
      context.db('lines').where({ id: line.lineId }).pluck<(Date | null)[]>('resumed_at')
    expect(await resumedAt()).to.deep.equal([null])
    await change({ messagesPerMinute: 600 })
    expect((await resumedAt())[0]).to.be.instanceOf(Date)
  })

  describe('lets messages go that wait for their turns', () => {
    const slow = (name: string) => ({ id: newId(), name, kind: 'simulator', messages_per_second: 0.001 })
    before(() => context.db('carrier_accounts').insert([slow('slow'), slow('snail')]))

    for (const [what, fields, toNumber, act] of [
      ['with a higher limit', { messagesPerMinute: 1 }, CLEO, () => change({ messagesPerMinute: 600 })],
      [
        'with a higher limit to a number',
        { messagesPerNumberPerMinute: 1 },
        BEN,
        () => change({ messagesPerNumberPerMinute: 60 }),
      ],
      [
        'at another account',
        { ...UNLIMITED, carrierAccount: 'slow' },
        CLEO,
        () => change({ carrierAccount: 'second' }),
      ],
      [
        'by a new route',
        { ...UNLIMITED, carrierAccount: 'snail' },
        CLEO,
        async () => setRoutes(context, await read(), [{ carrier: 'second' }]),
      ],
    ] as const) {
      it(what, async () => {
        line = await createLine(context, fields)
        const first = await queueMessage(context, line, { to_number: BEN })
        expect(await sendMessage(context, first)).to.deep.equal({ kind: 'sent' })
        const waits = await queueMessage(context, line, { to_number: toNumber })
        const unreached = await queueMessage(context, line, {
          to_number: ANNA,
          error: 'carrier_unavailable',
          not_before: ahead(context, '5 minutes'),
        })
        const another = await createLine(context, fields)
        const behind = await queueMessage(context, another, { to_number: BEN })
        expect(await sendMessage(context, waits)).to.include({ kind: 'wait', reason: 'window' })
        await sendMessage(context, behind)
        const { not_before: before } = await messageRow(context, behind)

        await act()
        expect(await messageRow(context, waits)).to.include({ job_generation: 1, not_before: null })
        expect(await hasMessageJob(context, waits, 1)).to.equal(true)
        expect(await sendMessage(context, waits)).to.deep.equal({ kind: 'sent' })
        if (before === null) return
        expect(await sendMessage(context, unreached)).to.deep.equal({ kind: 'sent' })
        await sendWhenDue(context, behind)
        expect(Number((await messageRow(context, behind)).not_before)).to.be.below(Number(before))
      })
    }
  })

  it('ends the pause of a country that is listed, and begins it again without a list', async () => {
    await pauseCountry(context.db, { userId: line.userId, country: 'JM', accepted: 340, usual: 12 })
    expect((await read()).pausedCountries).to.deep.equal(['JM'])
    expect((await change({ allowedCountries: ['US', 'JM'] })).pausedCountries).to.equal(null)
    expect((await change({ allowedCountries: null })).pausedCountries).to.deep.equal(['JM'])
  })

  // What else is refused is in `lines.test.ts`: a new line is read by the same functions.
  for (const [changes, words] of [
    [{ allowedCountries: [] }, /^allowedCountries must be/],
    [{ messagesPerMinute: 0 }, /^messagesPerMinute must be/],
    [{ carrierAccount: 'pigeon' }, /^Carrier pigeon is not set up/],
  ] satisfies [LineChanges, RegExp][]) {
    it(`is refused with ${JSON.stringify(changes)}`, async () => {
      await expectRefusal(change(changes), 400, words)
      expect(await written()).to.deep.equal([])
    })
  }
})
