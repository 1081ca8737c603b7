import { expect } from 'chai'
import fc from 'fast-check'
import { readKeyword } from '../../../../src/domain/messages/opt-out/keywords.js'
import { changeConnection } from '../../../../src/domain/lines/connections.js'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { cutIntoSegments } from '../../../../src/kit/text/segments.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import {
  ago,
  changeRows,
  ANNA,
  inboundText,
  messageRow,
  queueMessage,
  type DeliveryRow,
  type MessageRow,
  post,
} from '../../fixtures.js'
import { expectRefusal } from '../../refusal.js'

describe('a keyword', () => {
  for (const [keyword, words] of [
    [
      'stop',
      [
        'STOP',
        'STOPALL',
        'STOP ALL',
        'UNSUBSCRIBE',
        'CANCEL',
        'END',
        'QUIT',
        'REVOKE',
        'OPTOUT',
        'OPT OUT',
        'OPT-OUT',
      ],
    ],
    ['start', ['START', 'UNSTOP']],
    ['help', ['HELP', 'INFO']],
  ] as const) {
    for (const word of words) {
      it(`${word} means ${keyword}, in any case and with space around it`, () => {
        const mixed = word.slice(0, 1) + word.slice(1).toLowerCase()
        for (const text of [word, word.toLowerCase(), mixed, `  ${word}\n`, `\t${mixed} `]) {
          expect(readKeyword(text), JSON.stringify(text)).to.equal(keyword)
        }
      })
    }
  }

  it('may have punctuation around it, as phones and people add it', () => {
    const texts = [
      'Stop.',
      'STOP!!',
      '“Stop”',
      "'stop'",
      'Stop . ',
      '*STOP*',
      'stop\u200e',
      'ＳＴＯＰ',
      'Opt  out.',
    ]
    for (const text of texts) expect(readKeyword(text), JSON.stringify(text)).to.equal('stop')
    expect(readKeyword('Help?')).to.equal('help')
  })

  it('is read from a whole text only', () => {
    const texts = [
      'stop it',
      'please stop',
      'STOP STOP',
      'the end',
      'non-stop',
      'restart',
      'Stop, please',
      'S.T.O.P',
      '?',
      '',
      '  ',
      'Hello',
      'HELP ME',
      'YES',
    ]
    for (const text of texts) expect(readKeyword(text), JSON.stringify(text)).to.be.undefined
  })

  it('can be read from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['stop', 'start', 'help', undefined]).to.include(readKeyword(text))
      }),
    )
  })
})

describeContext('STOP, START and HELP', (context) => {
  const line = lineForEachTest(context, {
    ...{ outgoingUrl: 'http://127.0.0.1:9/events', optInEvents: ['optOut'] },
  })

  const text = (words: string, fromNumber = ANNA, carrierAccount = 'simulator') =>
    receiveMessage(
      context,
      inboundText(line, { fromNumber, carrierAccount, content: { type: 'inboundText', text: words } }),
    )
  const answers = () =>
    context
      .db('messages')
      .where({ line_id: line.lineId, source: 'service' })
      .orderBy('id')
      .select<MessageRow[]>()
  const answerTexts = async () => (await answers()).map((answer) => answer.text)
  const events = () =>
    context
      .db('events')
      .where({ line_id: line.lineId })
      .orderBy('id')
      .select<{ id: string; type: string; payload: string; from_number: string; to_number: string }[]>()
  const optOuts = async () =>
    (await events()).filter(({ type }) => type === 'optOut').map(({ payload }) => payload)
  const optedOutAt = async () =>
    (await context.db('line_peers').where({ line_id: line.lineId }).pluck<(Date | null)[]>('opted_out_at'))[0]

  it('START is confirmed once, and only by who had opted out', async () => {
    await text('START')
    expect(await answers()).to.deep.equal([])
    await text('STOP')
    await text('UNSTOP')
    await text('START')
    expect(await answerTexts()).to.have.length(2)
    expect((await answerTexts())[1]).to.match(/^You will get messages.*again/)
    await text('STOP')
    expect(await answerTexts()).to.have.length(3)
  })

  it('a confirmation of START that waits is not sent after another STOP', async () => {
    await text('STOP')
    await text('START')
    await text('STOP')
    const [first, start, second] = await answers()
    expect(await sendMessage(context, first!.id)).to.include({ error: 'opted_out' })
    expect(await sendMessage(context, start!.id)).to.include({ error: 'opted_out' })
    expect(await sendMessage(context, second!.id)).to.deep.equal({ kind: 'sent' })
  })

  it('HELP is answered once in 24 hours for each number', async () => {
    await text('help')
    await text('INFO')
    expect(await answerTexts()).to.have.length(1)
    expect((await answerTexts())[0])
      .to.include('STOP')
      .and.include('START')
    await text('HELP', '+15005550142')
    expect(await answerTexts()).to.have.length(2)
    await context.db('line_peers').update({ help_answered_at: ago(context, '23 hours') })
    await text('HELP')
    expect(await answerTexts()).to.have.length(2)
    await context.db('line_peers').update({ help_answered_at: ago(context, '25 hours') })
    await text('HELP')
    expect(await answerTexts()).to.have.length(3)
  })

  it('HELP of who has opted out is not answered', async () => {
    await text('STOP')
    await text('HELP')
    expect(await answerTexts()).to.have.length(1)
  })

  it('each answer fits into one segment', async () => {
    for (const words of ['HELP', 'STOP', 'START']) await text(words)
    const sizes = (await answerTexts()).map((words) => cutIntoSegments(words ?? ''))
    expect(sizes.map(({ encoding, parts }) => [encoding, parts.length])).to.deep.equal(
      Array(3).fill(['GSM-7', 1]),
    )
  })

  it('an answer waits for its slot as every other message', async () => {
    await changeRows(context, 'lines', line.lineId, { messages_per_minute: 1 })
    expect(await sendMessage(context, await queueMessage(context, line))).to.deep.equal({ kind: 'sent' })
    await text('STOP', '+15005550142')
    const [answer] = await answers()
    expect(await sendMessage(context, answer!.id)).to.include({ kind: 'wait', reason: 'window' })
  })

  it('a carrier that answers itself is not answered over, but the opt-out counts', async () => {
    const name = 'answers-itself'
    await context.db('carrier_accounts').insert({
      id: '0199aaaa-0000-7000-8000-000000000001',
      name,
      kind: 'simulator',
      handles_opt_out: true,
    })
    await changeRows(context, 'lines', line.lineId, { carrier: name })
    for (const words of ['HELP', 'STOP']) await text(words, ANNA, name)
    expect([await answers(), await optOuts()]).to.deep.equal([[], ['optedOut']])
    expect(await sendMessage(context, await queueMessage(context, line))).to.include({ error: 'opted_out' })
  })

  for (const [what, allowedCountries, sender] of [
    ['of a country that the line may not send to', ['US'], '+447911123456'],
    ['of no country', ['US'], '+80012345678'],
    ['that is a premium number', null, '+19005551234'],
    ['of a satellite', null, '+881631010000'],
    ['that no number is', null, '+123'],
  ] as const) {
    it(`a sender ${what} is not answered, but the opt-out counts, and its end`, async () => {
      await changeRows(context, 'lines', line.lineId, {
        allowed_countries: allowedCountries === null ? null : [...allowedCountries],
      })
      for (const words of ['HELP', 'STOP', 'START']) await text(words, sender)
      expect([await answers(), await optOuts()]).to.deep.equal([[], ['optedOut', 'optedIn']])
      await text('STOP', sender)
      expect(await optedOutAt()).to.be.a('date')
    })
  }

  it('a sender of a country that the line may send to is answered', async () => {
    await changeRows(context, 'lines', line.lineId, { allowed_countries: ['GB'] })
    await text('STOP', '+447400123456')
    expect(await answers()).to.have.length(1)
  })

  it('a Mexican phone that a network writes with the 1 of old is one person', async () => {
    const postTo = (toNumber: string) => post(context, line, { toNumber })
    const spellings = ['+525512345678', '+5215512345678']
    await text('Hello', '+5215512345678')
    const [event] = await events()
    for (const toNumber of [event!.from_number, ...spellings])
      expect(await postTo(toNumber)).to.include({ toNumber: '+525512345678', status: 'queued' })

    await text('STOP', '+5215512345678')
    expect((await answers()).map(({ to_number }) => to_number)).to.deep.equal(['+525512345678'])
    for (const toNumber of spellings) await expectRefusal(postTo(toNumber), 403)
  })

  it('a disabled line answers nothing, but the opt-out counts', async () => {
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    await text('STOP')
    expect([await answers(), await optOuts()]).to.deep.equal([[], []])
    expect(await optedOutAt()).to.be.a('date')
  })

  it('a repeat by the carrier changes nothing', async () => {
    const inbound = inboundText(line, { content: { type: 'inboundText', text: 'STOP' } })
    await receiveMessage(context, inbound)
    expect(await receiveMessage(context, inbound)).to.deep.equal({ kind: 'repeat' })
    expect([await answerTexts(), await optOuts()].map(({ length }) => length)).to.deep.equal([1, 1])
  })

  it('STOPs at the same moment are one', async () => {
    await Promise.all(Array.from({ length: 8 }, () => text('STOP')))
    expect([await answerTexts(), await optOuts()].map(({ length }) => length)).to.deep.equal([1, 1])
  })

  it('make an event for each change, besides the text’s own', async () => {
    for (const words of ['STOP', 'stop', 'START', 'Hello']) await text(words)
    expect(await optOuts()).to.deep.equal(['optedOut', 'optedIn'])
    const all = await events()
    expect(all.filter(({ type }) => type === 'inboundText').map(({ payload }) => payload)).to.deep.equal([
      'STOP',
      'stop',
      'START',
      'Hello',
    ])
    const event = all.find(({ type }) => type === 'optOut')!
    expect(event).to.include({ from_number: ANNA, to_number: line.number })
    const [delivery] = await context.db('deliveries').where({ event_id: event.id }).select<DeliveryRow[]>()
    expect(delivery).to.include({ status: 'pending', type: 'optOut' })
  })

  it('make no such event for who did not ask for it', async () => {
    await changeConnection(context, line.userId, line.lineId, { optInEvents: ['messageStatus'] })
    await text('STOP')
    expect(await optOuts()).to.deep.equal([])
  })

  it('a second opt-out keeps the time of the first', async () => {
    await text('STOP')
    const first = await optedOutAt()
    await text('STOP')
    expect(await optedOutAt()).to.deep.equal(first)
    expect(await messageRow(context, (await answers())[0]!.id)).to.include({ status: 'queued' })
  })
})
