import { expect } from 'chai'
import { saveContact } from '../../../src/domain/lines/contacts.js'
import { listConversations } from '../../../src/database/messages/conversations/conversations.js'
import { openNumberSearch } from '../../../src/domain/people/private-access.js'
import { search, MAX_FOUND, type Found } from '../../../src/domain/messages/search.js'
import { newId } from '../../../src/ids.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { openHolder } from '../../database/hold.js'
import { describeContext } from '../../helpers/context.js'
import { until } from '../../helpers/until.js'
import { createLine, lineForEachTest, type TestLine } from '../../helpers/factories.js'
import { expectRefusal } from '../refusal.js'
import { createApplication } from '../applications/applications.js'
import { inboundText, queueMessage, receiveForDelivery, nameAtCarrier } from '../fixtures.js'
import { createPerson } from '../people/people.js'

/** At the other end of a message that no other test has. */
const GRACE = '+14155550142'

describeContext('search', (context) => {
  let other: TestLine

  const line = lineForEachTest(context, () => ({
    name: `Desk ${newId()}`,
    outgoingUrl: 'http://127.0.0.1:9/',
  }))
  beforeEach(async () => {
    other = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
  })

  const findOnce = (written: string) => search(context, { userId: line.userId, role: 'user' }, written)
  const findAsOperator = (written: string) =>
    search(context, { userId: other.userId, role: 'operator' }, written)
  /** With all that there is to read, for which a busy machine has no time at once. */
  const find = async (written: string) => {
    const found = await findOnce(written)
    if (!found.isIncomplete) return found
    return until('Postgres has time', async () => {
      const again = await findOnce(written)
      return !again.isIncomplete && again
    })
  }
  const messagesOf = ({ messages }: Found) => messages.map(({ id }) => id)

  it('finds a message by its id, that of its event and that of a delivery, in capitals too', async () => {
    const { id, event_id: eventId } = await receiveForDelivery(context, line)
    const [messageId = ''] = await context.db('events').where({ id: eventId }).pluck<string[]>('message_id')
    for (const written of [messageId, eventId, id, messageId.toUpperCase(), ` ${messageId} `]) {
      expect(messagesOf(await find(written)), written).to.deep.equal([messageId])
    }
  })

  it('finds messages by what their sender calls them, newest first, and nobody else’s', async () => {
    const clientRef = `Order №${newId()}`
    const ids = [
      await queueMessage(context, line, { client_ref: clientRef }),
      await queueMessage(context, line, { client_ref: clientRef }),
    ]
    const theirs = await queueMessage(context, other, { client_ref: clientRef })
    expect(messagesOf(await find(clientRef))).to.deep.equal(ids.toReversed())
    expect(messagesOf(await findAsOperator(clientRef))).to.include(theirs)
    expect(messagesOf(await find(clientRef.slice(0, -1)))).to.deep.equal([])
  })

  it('finds a message by the id that its carrier gave it', async () => {
    const carrierMessageId = `SM${newId()}`
    const id = await queueMessage(context, line)
    await nameAtCarrier(context, id, carrierMessageId)
    expect(messagesOf(await find(carrierMessageId))).to.deep.equal([id])
  })

  it('finds messages by the number at the other end, whole or a part of it, sent and received, newest first', async () => {
    const sent = await queueMessage(context, line, { to_number: GRACE })
    await receiveMessage(context, { ...inboundText(line), fromNumber: GRACE })
    const [received] = await context
      .db('messages')
      .where({ line_id: line.lineId, direction: 'inbound' })
      .pluck<string[]>('id')
    for (const written of [GRACE, '14155550142', '(415) 555-0142', '5550142']) {
      expect(messagesOf(await find(written)), written).to.deep.equal([received, sent])
    }
    expect(messagesOf(await find('4155550143'))).to.deep.equal([])
  })

  it('finds texts by a part of them, in capitals or not, and only one’s own', async () => {
    const word = newId().slice(-12)
    const sent = await queueMessage(context, line, { text: `Your Invoice ${word}` })
    const theirs = await queueMessage(context, other, { text: `Their invoice ${word}` })
    expect(messagesOf(await find(`INVOICE ${word}`))).to.deep.equal([sent])
    const none = await find(`${word} nowhere`)
    expect([none.messages, none.isOfNewest], 'it may be in an older one').to.deep.equal([[], true])
    const user = await createPerson(context, { role: 'operator' })
    const found = await search(context, { userId: user.id, role: 'operator' }, word)
    expect(messagesOf(found)).not.to.include.oneOf([sent, theirs])
  })

  it('finds words whether their accents are characters of their own or not, in what is sought and in what is found', async () => {
    const [composed, decomposed] = (['NFC', 'NFD'] as const).map((form) => 'Ça déborde à 5 %'.normalize(form))
    const ids = [
      await queueMessage(context, line, { text: composed }),
      await queueMessage(context, line, { text: decomposed }),
    ]
    for (const sought of ['ÇA DÉBORDE'.normalize('NFC'), 'ÇA DÉBORDE'.normalize('NFD'), '5 %']) {
      expect(messagesOf(await find(sought)), sought).to.deep.equal(ids.toReversed())
      const { userId, lineId } = line
      const { conversations } = await listConversations(
        context.db,
        { userId, lineId },
        { limit: 9, sought: { words: sought } },
      )
      expect(conversations).to.have.length(1)
    }
  })

  it('finds letters and digits of any width, in what is sought and in what is found', async () => {
    const ids = [
      await queueMessage(context, line, { text: 'Room abc 42' }),
      await queueMessage(context, line, { text: 'Room ａｂｃ　４２ お願いします' }),
    ]
    for (const sought of ['abc 42', 'ａｂｃ　４２', 'ABC 42'])
      expect(messagesOf(await find(sought)), sought).to.deep.equal(ids.toReversed())
    const [id] = [await queueMessage(context, line, { to_number: '+14155550177' })]
    expect(messagesOf(await find('４１５５５５０１７７'))).to.deep.equal([id])
  })

  it('finds endpoints by a part of their URL, by name and by id, and only one’s own', async () => {
    const url = `https://hooks.example.com/${newId()}`
    const [id = ''] = await context
      .db('endpoints')
      .where({ line_id: line.lineId })
      .update({ url, name: `Orders ${url.slice(-6)}` })
      .returning('id')
      .then((rows: { id: string }[]) => rows.map((row) => row.id))
    for (const written of [url.slice(8), url.toUpperCase(), `orders ${url.slice(-6)}`, id]) {
      expect(
        (await find(written)).endpoints.map((each) => each.id),
        written,
      ).to.deep.equal([id])
    }
    expect((await findAsOperator(url)).endpoints).to.deep.equal([])
  })

  it('finds lines by a part of their number or name, and applications by theirs', async () => {
    const name = `Billing ${newId()}`
    const { id, application } = await createApplication(context, { userId: line.userId, name })
    const [lineName = ''] = await context.db('lines').where({ id: line.lineId }).pluck<string[]>('name')
    for (const written of [line.lineId, line.number, line.number.slice(-6), lineName.toUpperCase()]) {
      expect(
        (await find(written)).lines.map(({ id }) => id),
        written,
      ).to.include(line.lineId)
    }
    for (const written of [id, application.clientId, name.slice(2)]) {
      expect(
        (await find(written)).applications.map((each) => each.id),
        written,
      ).to.deep.equal([id])
    }
  })

  it('finds nothing of others for a user, and everything, with its owner, for an operator', async () => {
    const user = await createPerson(context)
    const theirs = await createLine(context, { userId: user.id })
    const message = await queueMessage(context, theirs, { to_number: GRACE })
    const application = await createApplication(context, { userId: user.id })
    for (const written of [
      message,
      GRACE,
      '5550142',
      theirs.lineId,
      theirs.number,
      application.id,
      user.email,
    ]) {
      const { messages, lines, applications, users } = await find(written)
      const ids = [...messages, ...lines, ...applications].map(({ userId }) => userId)
      expect(ids, written).not.to.include(user.id)
      expect(users, written).to.deep.equal([])
    }
    const [found] = (await findAsOperator(message)).messages
    expect(found).to.deep.include({ id: message, userId: user.id, ownerEmail: user.email })
    expect((await findAsOperator(theirs.number)).lines).to.deep.include.members([
      {
        id: theirs.lineId,
        number: theirs.number,
        name: theirs.number,
        userId: user.id,
        ownerEmail: user.email,
      },
    ])
    expect((await findAsOperator(application.id)).applications).to.have.length(1)
    expect((await findAsOperator(user.email.slice(0, 20))).users.map(({ id }) => id)).to.deep.equal([user.id])
  })

  it('finds for an operator others’ messages by a whole number only, after a reason, which they read', async () => {
    const user = await createPerson(context)
    const number = '+14155550177'
    await queueMessage(context, await createLine(context, { userId: user.id }), { to_number: number })
    const operator = await createPerson(context, { role: 'operator' })
    const own = await queueMessage(context, await createLine(context, { userId: operator.id }), {
      to_number: number,
    })
    const actor = { kind: 'user', userId: operator.id, credentialId: newId(), address: '127.0.0.1' } as const
    const acting = { ...context, actor }
    const findBy = async (by: typeof acting, written: string) => {
      const { messages, others } = await search(by, { userId: operator.id, role: 'operator' }, written)
      return [messages.some((one) => one.id === own), messages.some((one) => one.userId === user.id), others]
    }
    const told = () =>
      context
        .db('audit_log')
        .where({ user_id: user.id, action: 'user.person.found' })
        .pluck<unknown[]>('after')

    expect(await findBy(acting, number)).to.deep.equal([true, false, 'reason'])
    await expectRefusal(openNumberSearch(acting, ' x '), 400, /^reason must say in 5 to 300 characters/)
    await openNumberSearch(acting, 'ticket 4711')
    for (const part of ['177', '0177', '50177', '415 555']) {
      expect(await findBy(acting, part), part).to.deep.equal([true, false, 'whole number'])
    }
    // Long enough to be a number, and not this one.
    for (const part of ['4155550177', '415555017']) {
      expect((await findBy(acting, part))[1], part).to.equal(false)
    }
    expect(await told()).to.deep.equal([])
    for (const written of [number, '1 (415) 555-0177']) {
      expect(await findBy(acting, written)).to.deep.equal([true, true, 'searched'])
    }
    expect(await told()).to.deep.equal([{ reason: 'ticket 4711' }])
    // The reason opens for the session that gave it, and for half an hour.
    const elsewhere = { ...acting, actor: { ...actor, credentialId: newId() } }
    expect(await findBy(elsewhere, number)).to.deep.equal([true, false, 'reason'])
    const rows = await context
      .db('audit_log')
      .where({ action: 'person.search_opened' })
      .select('user_id', 'after')
    expect(rows).to.deep.equal([{ user_id: null, after: { reason: 'ticket 4711' } }])
    expect(JSON.stringify(await context.db('audit_log').select())).to.not.include(number)
  })

  it('finds the reader’s own contacts by a part of their names', async () => {
    await saveContact(context, line.userId, '+14155550188', { name: 'Maria Ω' })
    expect((await find('maria')).contacts).to.deep.equal([{ number: '+14155550188', name: 'Maria Ω' }])
    expect((await findAsOperator('maria')).contacts).to.deep.equal([])
  })

  it('takes what has a special meaning in SQL as it is', async () => {
    // Letters that no random id of a name has.
    for (const written of ['%%%', '___', "'; drop", '\\\\\\', 'x\0yz']) {
      expect(await find(written), written).to.deep.include({
        messages: [],
        lines: [],
        applications: [],
        contacts: [],
        users: [],
      })
    }
  })

  it('gives a screen of each kind at most', async () => {
    for (let n = 0; n <= MAX_FOUND; n += 1) await queueMessage(context, line, { to_number: '+14155550177' })
    expect((await find('+14155550177')).messages).to.have.length(MAX_FOUND)
  })

  it('says so when Postgres has no time to look through everything for a part of a number', async () => {
    const trx = await openHolder(context.db)
    try {
      await trx.raw('lock table messages in access exclusive mode')
      expect(await findOnce('(415) 555')).to.deep.include({ messages: [], isIncomplete: true })
    } finally {
      await trx.rollback()
    }
    await until('it is said no more', async () => !(await findOnce('(415) 555')).isIncomplete)
  })

  it('wants three characters at least, and not more than anything has', async () => {
    await expectRefusal(find(' 12 '), 400, 'Enter at least 3 characters')
    await expectRefusal(find('x'.repeat(255)), 400, 'Enter at most 254 characters')
  })
})
