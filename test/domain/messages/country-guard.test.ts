import { expect } from 'chai'
import { listAudit } from '../../../src/domain/operating/audit.js'
import {
  guardCountries,
  listPausedCountries,
  resumeCountry,
} from '../../../src/domain/messages/country-guard.js'
import { addLine, getOwnLine } from '../../../src/domain/lines/lines.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { newNumber } from '../../web/support.js'
import { queueMessage } from '../fixtures.js'
import { refusal } from '../refusal.js'

const JAMAICA = '+18765550100'
const BRITAIN = '+447400123456'
const AMERICA = '+14155550142'

describeContext('the guard against a sudden rise to one country', (context) => {
  const other = joinService(context)
  let line: TestLine

  beforeEach(async () => {
    await context.db('country_hours').delete()
    await context.db('country_pauses').delete()
    await context.db('country_guard').update({
      counted_until: context.db.raw(`now() - interval '1 minute'`),
      began_at: context.db.raw(`now() - interval '8 days'`),
    })
    await context.db('messages').delete()
    line = await createLine(context)
  })

  /** Accepted half a minute ago, which the next look counts. */
  const accept = async (count: number, number: string, of: TestLine = line) => {
    for (let n = 0; n < count; n += 1) {
      await queueMessage(context, of, {
        to_number: number,
        created_at: context.db.raw(`greatest(date_trunc('hour', now()), now() - interval '30 seconds')`),
        status: 'sent',
      })
    }
  }
  const pausedOf = async (of = line) => (await getOwnLine(context, of.userId, of.lineId)).pausedCountries
  const usual = (country: string, accepted: number) =>
    context.db('country_hours').insert({
      ...{ user_id: line.userId, country, accepted },
      hour: context.db.raw(`date_trunc('hour', now()) - interval '3 days'`),
    })
  /** What is accepted in the last seconds may not be committed everywhere yet, so it is left for the next look. */
  const look = async (by = context) => {
    await context.db('country_guard').update({
      counted_until: context.db.raw(`now() - interval '1 minute'`),
    })
    await context.db('country_hours').where('hour', '>', context.db.raw(`now() - interval '1 hour'`)).delete()
    return guardCountries({ ...by, config: { ...by.config, countryGuardPerHour: 10 } })
  }

  it('pauses a country to which a user suddenly sends, and says so in the audit log', async () => {
    await accept(9, JAMAICA)
    expect(await look()).to.equal(0)
    await accept(1, JAMAICA)
    expect(await look()).to.equal(1)
    expect(await pausedOf()).to.deep.equal(['JM'])
    const [row] = await listAudit(context, { userId: line.userId }, { limit: 1 })
    expect(row).to.deep.include({
      ...{ action: 'user.country.paused', actorKind: 'service', subjectId: line.userId },
      after: { country: 'JM', accepted: 10, usual: 0, lineCount: 1 },
    })
    expect(await look(), 'a second time').to.equal(0)
  })

  it('leaves alone what is not ten times as much as was usual', async () => {
    await usual('GB', 2)
    await accept(19, BRITAIN)
    expect(await look()).to.equal(0)
    await accept(1, BRITAIN)
    expect(await look()).to.equal(1)
  })

  it('only counts in its first week, in which everything would be a rise', async () => {
    await context.db('country_guard').update({ began_at: context.db.raw(`now() - interval '6 days'`) })
    await accept(10, JAMAICA)
    expect(await look()).to.equal(0)
    expect(await context.db('country_hours').where({ country: 'JM' }).pluck('accepted')).to.deep.equal([10])
  })

  it('leaves alone lines of that country, and those that may send there by name', async () => {
    const named = await createLine(context, { userId: line.userId, allowedCountries: ['JM'] })
    await accept(10, JAMAICA, named)
    await accept(10, AMERICA)
    expect(await look()).to.equal(1)
    expect([await pausedOf(), await pausedOf(named)]).to.deep.equal([['JM'], null])
    const fresh = await addLine(context, {
      ...{ userId: line.userId, number: newNumber(), carrierAccount: 'simulator' },
    })
    expect(fresh.pausedCountries).to.deep.equal(['JM'])
  })

  it('counts each message once, however many processes look', async () => {
    await accept(10, JAMAICA)
    await context.db('country_guard').update({ counted_until: context.db.raw(`now() - interval '1 minute'`) })
    const guard = (by: typeof context) =>
      guardCountries({ ...by, config: { ...by.config, countryGuardPerHour: 1000 } })
    await Promise.all([guard(context), guard(other), guard(context)])
    await guard(other)
    expect(await context.db('country_hours').where({ country: 'JM' }).pluck('accepted')).to.deep.equal([10])
  })

  it('is over when an operator says so, and leaves the country alone for a week', async () => {
    await accept(10, JAMAICA)
    await look()
    const user = { id: line.userId }
    expect(await listPausedCountries(context, line.userId)).to.have.length(1)
    await resumeCountry(context, user, ' jm ')
    expect([await pausedOf(), await listPausedCountries(context, line.userId)]).to.deep.equal([null, []])
    expect(await look()).to.equal(0)
    expect(await refusal(resumeCountry(context, user, 'JM'))).to.include({ status: 404 })
    await context.db('country_pauses').update({ resumed_at: context.db.raw(`now() - interval '8 days'`) })
    expect(await look()).to.equal(1)
  })

  it('does nothing where it is switched off', async () => {
    await accept(10, JAMAICA)
    expect(
      await guardCountries({ ...context, config: { ...context.config, countryGuardPerHour: 0 } }),
    ).to.equal(0)
    expect(await context.db('country_hours').pluck('country')).to.deep.equal([])
  })
})
