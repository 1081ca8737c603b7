import { expect } from 'chai'
import { freePort } from '../../../../dev/services/free-port.js'
import { startSmsc } from '../../../../dev/smsc/server.js'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { testCarrierAccount } from '../../../../src/domain/carriers/accounts/carrier-test.js'
import { holdAccounts } from '../../../../src/domain/carriers/held-accounts/holder.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { connectSmsc, OUTBIND } from '../../../carriers/smpp/outbind-smsc.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { until } from '../../../helpers/until.js'
import { messageRow, queueMessage } from '../../fixtures.js'
import { addSmppAccount } from './fixtures.js'

/** Each as an SMSC writes it, with its type and plan; and as the line's owner sees it. */
const SENDERS = [
  { address: '72975', ton: 3, npi: 0, from: '72975' },
  { address: '72975', ton: 6, npi: 0, from: '72975' },
  { address: '72975', ton: 1, npi: 1, from: '72975' },
  { address: '72975', ton: 0, npi: 1, from: '72975' },
  { address: '2020', ton: 2, npi: 8, from: '2020' },
  { address: 'Bank', ton: 5, npi: 0, from: 'Bank' },
  { address: 'ACME 24/7', ton: 5, npi: 9, from: 'ACME 24/7' },
  { address: '15005550101', ton: 1, npi: 1, from: '+15005550101' },
] as const

describeContext('texts by the sessions of an SMSC', (context) => {
  const receivedFrom = async (lineId: string) =>
    context.db('events').where({ line_id: lineId }).orderBy('id').select<object[]>('payload', 'from_number')
  const textsFrom = (number: string) =>
    SENDERS.map(({ address, ton, npi, from }, n) => ({
      fields: {
        ...{ source_addr: address, source_addr_ton: ton, source_addr_npi: npi },
        ...{ destination_addr: number.replace('+', ''), dest_addr_ton: 1, dest_addr_npi: 1 },
        ...{ data_coding: 0, short_message: Buffer.from(`text ${n}`) },
      },
      event: { payload: `text ${n}`, from_number: from },
    }))

  it('from short codes and names are from them, whatever type and plan the SMSC gives them', async () => {
    const smsc = await startSmsc({ deliverWindow: 1 })
    await addSmppAccount(context, 'smsc', { port: smsc.port })
    const line = await createLine(context, { carrierAccount: 'smsc', outgoingUrl: 'http://127.0.0.1:1/' })
    const holder = holdAccounts(context, { followMs: 50 })
    const texts = textsFrom(line.number)
    for (const { fields } of texts) smsc.bring(fields)
    await until('all are answered', () => smsc.answers.length === texts.length)
    expect(await receivedFrom(line.lineId)).to.have.deep.members(texts.map(({ event }) => event))
    await holder.close()
    await smsc.close()
  })

  it('go both ways where the SMSC connects to us', async () => {
    const { log, lines } = memoryLog()
    const port = await freePort()
    await addSmppAccount(context, 'outbind', {
      ...{ outbindPort: port, outbindFrom: '127.0.0.1', outbindPassword: OUTBIND.password },
    })
    const line = await createLine(context, { carrierAccount: 'outbind', outgoingUrl: 'http://127.0.0.1:1/' })
    const account = await getCarrierAccount(context, 'outbind')
    const holder = holdAccounts({ ...context, log }, { followMs: 50 })
    const saw = (msg: string) => until(msg, () => lines.some((each) => each.msg === msg))
    await saw('smpp.listening')
    expect(await testCarrierAccount(context, account)).to.deep.equal({
      ok: false,
      fault: `the SMSC has not connected to port ${port}`,
    })

    const smsc = connectSmsc(port)
    smsc.outbind()
    await saw('smpp.bound')
    await until('it works', async () => (await testCarrierAccount(context, account)).ok)
    const [text] = textsFrom(line.number)
    smsc.send('deliver_sm', text?.fields)
    await until('it is answered', () => smsc.commands().includes('deliver_sm_resp'))
    expect(await receivedFrom(line.lineId)).to.deep.equal([text?.event])

    const messageId = await queueMessage(context, line)
    await sendMessage(context, messageId)
    expect(await messageRow(context, messageId)).to.include({ status: 'sent' })
    expect(smsc.commands()).to.include('submit_sm')
    await holder.close()
    await until('it hears of the end', () => smsc.commands().includes('unbind') && smsc.isClosed())
  })
})
