import { expect } from 'chai'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { findMessage } from '../../../src/database/messages/reading.js'
import { readLimits } from '../../../src/domain/messages/limits.js'
import { countForCaps, setSpendCap } from '../../../src/domain/messages/spending/spend-caps.js'
import { presentMessage } from '../../../src/web/api/presenters.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { post, submit, changeSettings } from '../fixtures.js'

/** Two segments of UCS-2, or one with a Turkish table. */
const TURKISH = `${'a'.repeat(70)}şğı`

describeContext('the national tables of an account', (context) => {
  let line: TestLine

  const languages = () =>
    context.db('carrier_accounts').where({ name: 'smsc' }).first<{ languages: string[] }>('languages')
  const change = (settings: Record<string, unknown>) => changeSettings(context, 'smsc', settings)
  const send = async (of = line, text = TURKISH) => {
    const { id } = await post(context, of, { text })
    const message = await findMessage(context.db, of.userId, id)
    return presentMessage(context, message!)
  }

  before(async () => {
    const settings = { host: '127.0.0.1', systemId: 'linehook', nationalTables: 'Turkish, spanish' }
    await addCarrierAccount(context, { name: 'smsc', kind: 'smpp', settings })
    line = await createLine(context, { carrierAccount: 'smsc' })
  })

  it('are noted beside its settings, and change with them', async () => {
    expect(await languages()).to.deep.equal({ languages: ['turkish', 'spanish'] })
    await change({ port: 2776 })
    expect(await languages()).to.deep.equal({ languages: ['turkish', 'spanish'] })
    await change({ nationalTables: '' })
    expect(await languages()).to.deep.equal({ languages: [] })
    await change({ nationalTables: 'turkish' })
    expect(await languages()).to.deep.equal({ languages: ['turkish'] })
  })

  it('are Latin-1 where the SMSC has it for its default alphabet: what it lacks is sent and counted as UCS-2', async () => {
    await change({ nationalTables: '', defaultAlphabet: 'latin-1' })
    expect(await languages()).to.deep.equal({ languages: ['latin-1'] })
    expect(await send(line, '€'.repeat(80))).to.include({ encoding: 'UCS-2', segmentCount: 2 })
    await change({ defaultAlphabet: 'gsm-7', nationalTables: 'turkish' })
    expect(await send(line, '€'.repeat(80))).to.include({ encoding: 'GSM-7', segmentCount: 1 })
  })

  it('count in what its lines send: in the message, in caps, and as long as they are set', async () => {
    await setSpendCap(context, { of: 'line', id: line.lineId, userId: line.userId }, 100)
    const used = async () => (await readLimits(context, line.userId, line.lineId)).caps[0]?.used
    expect(await send()).to.include({ encoding: 'GSM-7', segmentCount: 1 })
    expect(await used()).to.equal(1)
    expect(await send(line, 'ğ🙂')).to.include({ encoding: 'UCS-2', segmentCount: 1 })
    await change({ nationalTables: '' })
    expect(await send()).to.include({ encoding: 'UCS-2', segmentCount: 2 })
    expect(await used()).to.equal(4)
    await change({ nationalTables: 'turkish' })
    await submit(context, line.lineId, { text: TURKISH })
    expect(await used()).to.equal(5)
    const elsewhere = await createLine(context)
    expect(await send(elsewhere)).to.include({ encoding: 'UCS-2', segmentCount: 2 })
  })
  it('are looked up only for a text that they may shorten', async () => {
    const asked: string[] = []
    const findLanguages = (name: string) => {
      asked.push(name)
      return context.batched.findLanguages(name)
    }
    const count = (text: string) =>
      countForCaps({ batched: { ...context.batched, findLanguages } }, { carrierAccount: 'smsc' }, text)
    const others = ['ğ'.repeat(70), 'a'.repeat(400), `${'a'.repeat(80)}🙂`]
    expect(await Promise.all(others.map(count))).to.deep.equal([1, 3, 2])
    expect(asked).to.deep.equal([])
    expect(await count(TURKISH)).to.equal(1)
    expect(asked).to.deep.equal(['smsc'])
  })
})
