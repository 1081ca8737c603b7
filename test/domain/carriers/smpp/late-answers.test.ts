import { expect } from 'chai'
import { holdAccounts } from '../../../../src/domain/carriers/held-accounts/holder.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { pdu, startRawSmsc, type RawSmsc } from '../../../carriers/smpp/raw-smsc.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import { messageRow, queueMessage } from '../../fixtures.js'
import { addSmppAccount } from './fixtures.js'

const [SUBMIT_RESP, ENQUIRE_RESP, NACK] = ['80000004', '80000015', '80000000']
const refusal = (status: string, answer: string) => answer.slice(0, 16) + status + answer.slice(24)

describeContext('the answers of an SMSC to a text', (context) => {
  let smsc: RawSmsc
  let nth = 0
  const sending: Promise<unknown>[] = []
  let name: string
  let holder: ReturnType<typeof holdAccounts>

  async function start(carrierTimeoutMs: number): Promise<void> {
    const config = { ...context.config, carrierTimeoutMs }
    smsc = await startRawSmsc()
    name = `smsc-${(nth += 1)}`
    await addSmppAccount(context, name, { port: smsc.port })
    holder = holdAccounts({ ...context, config }, { followMs: 50 })
    await until('it is bound', () => smsc.bindCount() === 1)
  }

  afterEach(async () => {
    await Promise.all(sending.splice(0))
    await holder.close()
    await smsc.close()
  })

  async function send(text = 'Hello'): Promise<string> {
    const line = await createLine(context, { carrierAccount: name })
    const id = await queueMessage(context, line, { text })
    const earlier = smsc.received.length
    sending.push(sendMessage(context, id))
    await until('it is at the SMSC', () => smsc.received.length > earlier)
    return id
  }

  const settled = (id: string, status: string) =>
    until(`it is ${status}`, async () => (await messageRow(context, id)).status === status)
  const answer = (command: string, body = '') =>
    pdu(command, parseInt(smsc.received.at(-1)!.slice(24, 32), 16), Buffer.from(body, 'latin1'))

  it('count after CARRIER_TIMEOUT_MS too: the text is sent after all', async () => {
    await start(300)
    const id = await send()
    await settled(id, 'unknown')
    smsc.write(answer(SUBMIT_RESP, 'LATE1\0'))
    await settled(id, 'sent')
    expect(await messageRow(context, id)).to.include({ carrier_message_id: 'LATE1', error: null })
  })

  it('count after CARRIER_TIMEOUT_MS too: the text is refused after all', async () => {
    await start(300)
    const id = await send()
    await settled(id, 'unknown')
    smsc.write(refusal('0000000b', answer(SUBMIT_RESP)))
    await settled(id, 'failed')
    expect(await messageRow(context, id)).to.include({ carrier_code: 'ESME_RINVDSTADR' })
  })

  it('leave a text of several parts unknown if a late one is not for the last', async () => {
    await start(300)
    const id = await send('x'.repeat(200))
    await settled(id, 'unknown')
    smsc.write(answer(SUBMIT_RESP, 'PART1\0'))
    const other = await send()
    smsc.write(answer(SUBMIT_RESP, 'OTHER\0'))
    await settled(other, 'sent')
    expect((await messageRow(context, id)).status).to.equal('unknown')
  })

  it('are only those to submit_sm', async () => {
    await start(15_000)
    const id = await send()
    smsc.write(answer(ENQUIRE_RESP))
    smsc.write(answer(SUBMIT_RESP, 'TRUE1\0'))
    await settled(id, 'sent')
    expect(await messageRow(context, id)).to.include({ carrier_message_id: 'TRUE1' })
  })

  it('say nothing in a generic_nack without an error', async () => {
    await start(15_000)
    const id = await send()
    smsc.write(answer(NACK))
    await settled(id, 'unknown')
  })
})
