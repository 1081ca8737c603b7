import { expect } from 'chai'
import { createPerson } from '../../domain/people.js'
import { ANNA, claimMessage, messageRow, queueMessage } from '../../domain/fixtures.js'
import { browse, type BrowserSession } from '../../helpers/browser-session.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web.js'
import { wordsOf } from './line/line-page.js'
import { expectPage, faultOf } from './support.js'

const PEOPLE = '/console/people'

describeWeb('the console, of people', ({ context, web }) => {
  let operating: BrowserSession
  let line: TestLine

  beforeEach(async () => {
    await context.db('messages').delete()
    const { id } = await createPerson(context, { role: 'operator' })
    operating = await browse(context, web, id)
    line = await createLine(context)
  })

  const confirmedLongAgo = () =>
    context.db('sessions').update({ confirmed_at: context.db.raw(`now() - interval '1 hour'`) })

  it('is for operators', async () => {
    const owning = await browse(context, web, line.userId)
    expectPage(await owning.get(PEOPLE), 404)
    for (const path of [PEOPLE, `${PEOPLE}/forget`]) {
      expectPage(await owning.submit(path, { number: ANNA }), 404)
    }
  })

  it('shows what there is of a number, and erases nothing by that', async () => {
    const id = await queueMessage(context, line, { status: 'sent' })
    const page = await operating.submit(PEOPLE, { number: ANNA })
    expectPage(page)
    expect(wordsOf(page.text)).to.include('Messages 1').and.include('Forget this person')
    expect((await messageRow(context, id)).text).to.equal('Hello')
  })

  it('says so when no line knows a number, and has nothing to forget then', async () => {
    const { text } = await operating.submit(PEOPLE, { number: ANNA })
    expect(wordsOf(text)).to.include('No line knows this number')
    expect(text).not.to.include(`${PEOPLE}/forget`)
  })

  it('says what is wrong with a number', async () => {
    const page = await operating.submit(PEOPLE, { number: '555' })
    expectPage(page, 400)
    expect(faultOf(page)).to.match(/^number must be a phone number in E\.164 form/)
  })

  it('forgets a person, after a recent password', async () => {
    const id = await queueMessage(context, line, { status: 'sent' })
    await confirmedLongAgo()
    const asked = await operating.submit(`${PEOPLE}/forget`, { number: ANNA })
    expect([asked.status, asked.headers.get('location')]).to.deep.equal([
      303,
      `/console/confirm?next=${encodeURIComponent(PEOPLE)}`,
    ])
    expect((await messageRow(context, id)).text).to.equal('Hello')
    await context.db('sessions').update({ confirmed_at: context.db.fn.now() })
    const page = await operating.submit(`${PEOPLE}/forget`, { number: ANNA })
    expectPage(page)
    expect(wordsOf(page.text)).to.include('This person is forgotten')
    expect(page.text).not.to.include(ANNA)
    expect(await messageRow(context, id)).to.include({ text: null, to_number: 'forgotten' })
  })

  it('says what keeps a person from being forgotten, and offers it again', async function () {
    this.timeout(20_000)
    await claimMessage(context, await queueMessage(context, line))
    const page = await operating.submit(`${PEOPLE}/forget`, { number: ANNA })
    expectPage(page, 409)
    expect(faultOf(page)).to.match(/are being worked on right now/)
    expect(page.text).to.include(`name="number" value="${ANNA}"`)
  })
})
