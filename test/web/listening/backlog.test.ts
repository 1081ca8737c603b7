import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { isBacklogFull } from '../../../src/domain/messages/submit/backlog.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { openings } from '../../helpers/openings.js'
import type { Environment } from '../../helpers/process/environment.js'
import { until } from '../../helpers/until.js'
import { serveApp, type Answer, type TestWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

function expectFull(answer: Answer): void {
  expectRefused(answer, 503, 'Service is temporarily unavailable')
  expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
}

const send = (web: TestWeb, line: TestLine, toNumber = newNumber()) =>
  web.post(line.webhookPath, messageBody({ toNumber }))

const finish = ({ db }: Context, lineId: string) =>
  db('messages').where({ line_id: lineId }).update({ status: 'sent' })

describe('when messages pile up', () => {
  const opened = openings()
  const open = async (environment: Environment) => {
    const context = await opened(createTestContext(environment))
    return { context, web: await opened(serveApp(context)) }
  }

  it('refuses a line with MAX_QUEUED_PER_LINE waiting with 503, but not other lines', async () => {
    const { context, web } = await open({ MAX_QUEUED_PER_LINE: '2' })
    const [full, other] = [await createLine(context), await createLine(context)]
    expectAccepted(await send(web, full))
    expectAccepted(await send(web, full))
    expectFull(await send(web, full))
    // One that is being sent counts as well.
    await context.db('messages').where({ line_id: full.lineId }).update({ status: 'sending' })
    expectFull(await send(web, full))
    expectAccepted(await send(web, other))
    expect(await messagesOf(context, full.lineId)).to.have.length(2)

    await finish(context, full.lineId)
    expectAccepted(await send(web, full))
  })

  it('refuses every line with 503 while MAX_QUEUED_MESSAGES are waiting in total', async () => {
    const wide = await open({})
    const line = await createLine(wide.context)
    for (let sent = 0; sent < 3; sent += 1) expectAccepted(await send(wide.web, line))

    const { context, web } = await open({
      DATABASE_URL: wide.context.config.databaseUrl,
      MAX_QUEUED_MESSAGES: '3',
    })
    const other = await createLine(context)
    // Nobody waits long for a Postgres that is busy: until it has told how many there are, messages are taken.
    await until('it is known', () => isBacklogFull(context))
    expectFull(await send(web, line))
    expectFull(await send(web, other))
    expect(await messagesOf(context, other.lineId)).to.deep.equal([])

    await finish(context, line.lineId)
    await until('there is room again', async () => (await send(web, other)).status === 200)
  })

  it('answers 403 before 503 when both limits are exceeded, because check 9 precedes check 10', async () => {
    const perLine = await open({ MAX_QUEUED_PER_LINE: '5' })
    const first = await createLine(perLine.context)
    const number = newNumber()
    for (let sent = 0; sent < 5; sent += 1) expectAccepted(await send(perLine.web, first, number))
    expectRefused(await send(perLine.web, first, number), 403, 'Rate limit exceeded')

    const inAll = await open({ DATABASE_URL: perLine.context.config.databaseUrl, MAX_QUEUED_MESSAGES: '5' })
    expectRefused(await send(inAll.web, first, number), 403, 'Rate limit exceeded')
  })

  it('a repeat with an Idempotency-Key still gets the first response', async () => {
    const wide = await open({ MAX_QUEUED_PER_LINE: '1' })
    const line = await createLine(wide.context)
    const key = { 'Idempotency-Key': 'k' }
    const repeat = (web: TestWeb) => web.post(line.webhookPath, messageBody(), key)
    expectAccepted(await repeat(wide.web))
    expectAccepted(await repeat(wide.web))

    const inAll = await open({ DATABASE_URL: wide.context.config.databaseUrl, MAX_QUEUED_MESSAGES: '1' })
    expectAccepted(await repeat(inAll.web))
  })
})
