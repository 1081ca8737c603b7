import { expect } from 'chai'
import { deliver } from '../../src/domain/endpoints/deliveries/deliver.js'
import { getMessage } from '../../src/domain/messages/get-message.js'
import { newId } from '../../src/ids.js'
import { ANNA, deliveryRow, queueMessage, receiveForDelivery, type DeliveryRow } from '../domain/fixtures.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { command, describeCommands } from './linehook.js'

type Row = Record<string, unknown>

describeCommands('linehook message and linehook delivery', ({ environment, context, run, json, refuse }) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine
  let other: TestLine
  let failed: string
  let elsewhere: string
  let delivery: DeliveryRow

  before(async () => {
    receiver.answerWith((response) => response.writeHead(500).end('a secret answer'))
    line = await createLine(context, { name: 'Front desk', outgoingUrl: receiver.url })
    other = await createLine(context, { name: 'Back door' })
    failed = await queueMessage(context, line, {
      status: 'failed',
      error: 'no \u001b[31msuch number',
      text: 'a private matter',
    })
    elsewhere = await queueMessage(context, other)
    delivery = await receiveForDelivery(context, line)
    await deliver(context, delivery.id, delivery.endpoint_id)
  })

  const list = (...args: string[]) => json<Row[]>(...args)
  const ids = (rows: Row[]) => rows.map(({ id }) => id)

  it('message list prints CSV, in which nothing is a formula', async () => {
    const [head, ...rows] = await run(...['message', 'list', '--line', line.number, '--csv', '--numbers'])
    expect(head).to.match(/^id,/)
    expect(rows.map((row) => row.split(',')[0])).to.include(failed)
    expect(rows.join())
      .to.include(`'${ANNA}`)
      .and.match(/,\d{4}-\d\d-\d\dT[\d:.]+Z/)
  })

  it('message send, reschedule and cancel do what /v1 does, and message list finds it by its name', async () => {
    const send = ['message', 'send', '--line', other.number, '--to', '+15005550177', '--text', 'Hi']
    const ahead = ['--send-at', '2h', '--expires-at', '3h', '--client-ref', 'order 9']
    const [said] = await run(...send, ...ahead)
    const [, id = ''] = /^(\S+) is scheduled for 20/.exec(said ?? '') ?? []
    expect(ids(await list('message', 'list', '--client-ref', 'order 9'))).to.deep.equal([id])
    const moved = await json('message', 'reschedule', id, '--send-at', '150m')
    expect(moved).to.include({ id, status: 'scheduled', clientRef: 'order 9' })
    expect(await refuse('message', 'reschedule', id, '--send-at', '4h')).to.match(/later than --send-at/)
    expect(await run('message', 'cancel', id)).to.deep.equal([`${id} is cancelled`])
    await context.db('messages').where({ id }).delete()
  })

  it("message list has every user's messages, newest first, with masked numbers and no texts", async () => {
    const rows = await list('message', 'list')
    expect(rows).to.have.length(3)
    expect(rows.map(({ direction }) => direction)).to.deep.equal(['inbound', 'outbound', 'outbound'])
    expect(rows[2]).to.include({ id: failed, toNumber: '+1•••0101', textLength: 16 })
    const lines = await run('message', 'list')
    expect(lines).to.have.length(3)
    expect(lines[2]).to.match(
      /^\S{36} {2}\S{24} {2}outbound {2}\+1•••0101 {2}failed .+Front desk {2,}no {2}\[31msuch number$/,
    )
    expect(lines[1]).to.include('Back door')
    for (const said of [JSON.stringify(rows), lines.join()]) {
      expect(said).not.to.include('private matter')
      expect(said).not.to.include(ANNA)
    }
  })

  it('message list shows whole numbers and texts to who asks for them', async () => {
    const [row] = await list('message', 'list', '--status', 'failed', '--numbers', '--text')
    expect(row).to.include({ id: failed, toNumber: ANNA, text: 'a private matter' })
    const [said] = await run('message', 'list', '--status', 'failed', '--numbers', '--text')
    expect(said).to.include(ANNA).and.to.include('a private matter')
  })

  it('message list filters as /v1 does, and by line and user', async () => {
    expect(ids(await list('message', 'list', '--line', other.number))).to.deep.equal([elsewhere])
    const { email } = await context.db('users').where({ id: other.userId }).first<{ email: string }>('email')
    expect(ids(await list('message', 'list', '--user', email))).to.deep.equal([elsewhere])
    const filtered = await Promise.all(
      [
        ['--line', other.number],
        ['--user', email],
        ['--direction', 'outbound', '--limit', '1'],
        ['--before', elsewhere],
        ['--until', '1h'],
        ['--since', '1h', '--number', ANNA, '--line', line.lineId, '--direction', 'outbound'],
      ].map(async (options) => ids(await list('message', 'list', ...options))),
    )
    expect(filtered).to.deep.equal([[elsewhere], [elsewhere], [elsewhere], [failed], [], [failed]])
  })

  it('message list names the option that is wrong', async () => {
    expect(await refuse('message', 'list', '--number', 'x')).to.match(/^--number must be a phone number/)
    const { exitCode, errorLines } = await command(environment, ['message', 'list', '--status', 'lost'])
    expect(exitCode).to.equal(1)
    expect(errorLines[0]).to.match(
      /'--status <status>' argument 'lost' is invalid\. Allowed choices are scheduled, queued, /,
    )
  })

  it('message show has what became of it, and where its events went', async () => {
    const lines = await run('message', 'show', failed)
    expect(lines[0]).to.equal(`outbound text ${failed}`)
    const said = lines.join('\n')
    expect(said).to.match(/ state +failed: no +\[31msuch number\n/)
    expect(said).to.match(/ source +webhook\n/)
    expect(said).to.match(/ text +16 characters; add --text to show them/)
    expect(said).not.to.include(ANNA)

    const received = delivery.event_id
    const { message_id: messageId } = await context
      .db('events')
      .where({ id: received })
      .first<{ message_id: string }>('message_id')
    const shown = await json<{ events: Row[] }>('message', 'show', messageId)
    expect(shown.events[0]).to.include({ id: received, type: 'inboundText' })
    expect(JSON.stringify(shown)).to.include('http_500').and.not.to.include('a secret answer')
    expect((await run('message', 'show', messageId)).join('\n')).to.match(
      new RegExp(`delivery ${delivery.id} {2}http://127\\.0\\.0\\.1:${receiver.port} {2}pending`),
    )
  })

  it('message send-again makes a new message', async () => {
    const [said = ''] = await run('message', 'send-again', failed)
    const [, made = ''] = /^\S+ resent as (\S+), which is queued$/.exec(said) ?? []
    expect(await getMessage(context, line.userId, made)).to.include({ againOf: failed, toNumber: ANNA })
    expect(await refuse('message', 'send-again', elsewhere)).to.equal(
      'Only a failed or unknown message can be resent',
    )
  })

  it('delivery list has every delivery, with the origin of its URL', async () => {
    const [row, ...others] = await list('delivery', 'list')
    expect(others).to.deep.equal([])
    expect(row).to.include({
      id: delivery.id,
      url: `http://127.0.0.1:${receiver.port}`,
      status: 'pending',
      lastFailure: 'http_500',
      fromNumber: '+1•••0101',
    })
    expect(await list('delivery', 'list', '--status', 'exhausted')).to.deep.equal([])
    expect(await list('delivery', 'list', '--type', 'inboundText', '--line', line.number)).to.have.length(1)
    const [said] = await run('delivery', 'list')
    expect(said).to.match(/inboundText {2}\+1•••0101 {2}pending {2}Front desk {2}http:\S+ {2}http_500$/)
  })

  it('delivery show has each attempt, and its answer for who asks', async () => {
    const shown = await json<{ attempts: Row[] }>('delivery', 'show', delivery.id)
    expect(shown.attempts).to.have.length(1)
    expect(shown.attempts[0]).to.include({ attemptNumber: 1, failure: 'http_500', responseStatus: 500 })
    expect(JSON.stringify(shown)).not.to.include('a secret answer')
    const said = (await run('delivery', 'show', delivery.id, '--text')).join('\n')
    expect(said).to.match(
      / attempt 1 {2}\S+ {2}\d+ ms +Connection \d+ ms, First byte \d+ ms +http_500 {2}a secret answer/,
    )
    expect(said).to.match(/request of attempt 1:\n[^]* {2}webhook-signature: v1,[^]*response to attempt 1:\n/)
    expect(said).to.match(/ next attempt +2/)
  })

  it('delivery send-again gives it a new round, once it is over', async () => {
    expect(await refuse('delivery', 'send-again', delivery.id)).to.match(
      /^This delivery is still in progress/,
    )
    await context.db('deliveries').where({ id: delivery.id }).update({ status: 'exhausted' })
    expect(await run('delivery', 'send-again', delivery.id)).to.deep.equal([
      `retrying ${delivery.id}, which is now pending`,
    ])
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', job_generation: 1 })
  })

  it('what is not there is named', async () => {
    const id = newId()
    expect(await refuse('message', 'show', id)).to.equal(
      `No message has the ID ${id}. See \`linehook message list\``,
    )
    expect(await refuse('delivery', 'show', 'x')).to.equal(
      'No delivery has the ID x. See `linehook delivery list`',
    )
  })
})
