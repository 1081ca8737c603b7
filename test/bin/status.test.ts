import { expect } from 'chai'
import { countNewestMinutes } from '../../src/domain/operating/overview/count-minutes.js'
import { addEndpoint } from '../../src/domain/endpoints/endpoints.js'
import type { Overview } from '../../src/domain/operating/overview/overview.js'
import { queueMessage, receiveForDelivery } from '../domain/fixtures.js'
import { createLine } from '../helpers/factories.js'
import type { Environment } from '../helpers/process/environment.js'
import { until } from '../helpers/until.js'
import { answer, describeCommands } from './linehook.js'

describeCommands('linehook status', ({ environment, context }) => {
  /** What was sent in the last minute is told for half a minute after it was counted. */
  const sendNow = async () => {
    const now = new Date()
    await context.db('messages').update({ created_at: now, handed_over_at: now, sent_at: now })
    await context.db('traffic_counts').delete()
    await countNewestMinutes(context)
  }
  /** Once each part of it has been read: on a busy machine one may be late, and says so. */
  const status = (overrides: Environment = {}, ...options: string[]) =>
    until('each part has been read', async () => {
      await sendNow()
      const lines = await answer({ ...environment, ...overrides }, 'status', ...options)
      return !lines.join('\n').includes('did not respond within') && lines
    })

  before(async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/secret-path' })
    await context.db('endpoints').update({ failing_since: new Date(), consecutive_failure_count: 3 })
    await queueMessage(context, line, { status: 'sent' })
    await receiveForDelivery(context, line)
  })

  it('shows what the overview shows on one screen, without colours where nobody looks', async () => {
    const lines = await status()
    expect(lines).to.have.length.below(40)
    const said = lines.join('\n')
    expect(said).to.match(/Needs attention\n {2}✗ Queue send-message: No `send-message` process/)
    expect(said).to.match(/out: accepted 1, sent 1, delivered 0, failed 0, unknown 0; to the carrier median/)
    expect(said).to.match(/\n {2}send-message {5}stuck {9}0 waiting, 1 in the last minute, 0 workers\. /)
    expect(said).to.match(/\n {2}simulator {8}healthy {7}1 line, 1 message in 15 minutes, 0 failed\n/)
    expect(said).to.match(/\n {2}Postgres {9}healthy {7}Version: \d/)
    expect(said).to.match(/\n {2}Storage {10}healthy .* Writing: Not tested/)
    expect(said).to.match(
      /Failing or slow endpoints, worst first\n {2}127\.0\.0\.1:9 of the line \+1555\d{7}: failed 3 times in a row; 1 event waiting, 0 held\n/,
    )
    expect(said).to.match(/Busiest lines in the last 15 minutes\n {2}\+1555\d{7} {5}1 accepted, 1 received\n/)
    expect(said).not.to.include('secret-path')
    expect(said).not.to.include('\u001b')
  })

  it('does not call an endpoint failing that is only slow', async () => {
    const before = await context.db('endpoints').first('failing_since', 'consecutive_failure_count')
    await context.db('endpoints').update({
      ...{ failing_since: null, consecutive_failure_count: 0 },
      slowed_at: context.db.fn.now(),
    })
    expect((await status()).join('\n')).to.match(
      /127\.0\.0\.1:9 of the line \+1555\d{7}: slow, so it gets fewer events/,
    )
    await context.db('endpoints').update({ ...before, slowed_at: null })
  })

  it('says that an endpoint gets the notifications of an account', async () => {
    const { userId } = await createLine(context)
    const { endpoint } = await addEndpoint(
      context,
      userId,
      { isOfAccount: true },
      { url: 'http://127.0.0.1:8/' },
    )
    await context.db('endpoints').where({ id: endpoint.id }).update({ failing_since: new Date() })
    expect((await status()).join('\n')).to.include('127.0.0.1:8 of an account: ')
    await context.db('endpoints').where({ id: endpoint.id }).delete()
  })

  it('prints all of it as JSON', async () => {
    const overview = JSON.parse((await status({}, '--json')).join('\n')) as Overview
    expect(overview.needs).to.have.length(4)
    expect(overview.traffic).to.have.nested.property('value.totals.accepted', 1)
    expect(overview.redis).to.have.nested.property('value.mood', 'good')
  })

  it('says that Postgres or Redis is away, and shows the rest', async () => {
    const withoutPostgres = await status({ DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    expect(withoutPostgres.join('\n')).to.match(/✗ Postgres is not available\.\n[^]*Redis {12}healthy/)
    const withoutRedis = await status({ REDIS_URL: 'redis://127.0.0.1:1' })
    expect(withoutRedis.join('\n')).to.match(
      /✗ Redis is unreachable. Check REDIS_URL\.\n[^]*Postgres {9}healthy/,
    )
  })
})
