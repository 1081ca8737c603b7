import { expect } from 'chai'
import { pauseCountry } from '../../../src/database/messages/country-guard.js'
import { changeLine, type LineChanges } from '../../../src/domain/lines/change-line.js'
import { getAnyLine } from '../../../src/domain/lines/lines.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
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

  it('ends the pause of a country that is listed, and begins it again without a list', async () => {
    await pauseCountry(context.db, { userId: line.userId, country: 'JM', accepted: 340, usual: 12 })
    expect((await read()).pausedCountries).to.deep.equal(['JM'])
    expect((await change({ allowedCountries: ['US', 'JM'] })).pausedCountries).to.equal(null)
    expect((await change({ allowedCountries: null })).pausedCountries).to.deep.equal(['JM'])
  })

  const COUNTRIES = 'allowedCountries must be two-letter ISO 3166 codes, such as US,CA'
  for (const [changes, sentence] of [
    [{ allowedCountries: [] }, COUNTRIES],
    [{ allowedCountries: ['US', 'uk'] }, `${COUNTRIES}. UK is not one. Did you mean GB?`],
    [{ allowedCountries: ['ZZ'] }, `${COUNTRIES}. ZZ is not one`],
    [{ messagesPerMinute: 0 }, 'messagesPerMinute must be a whole number from 1 to 100000'],
    [
      { carrierAccount: 'pigeon' },
      'Carrier pigeon is not set up. Add it with `linehook carrier add`. The simulator needs SIMULATOR=true',
    ],
  ] as const) {
    it(`is refused with ${JSON.stringify(changes)}`, async () => {
      await expectRefusal(change(changes as LineChanges), 400, sentence)
      expect(await written()).to.deep.equal([])
    })
  }
})
