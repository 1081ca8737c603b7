import { expect } from 'chai'
import { getOwnLine } from '../../../../src/domain/lines/lines.js'
import { startTextList } from '../../../../src/domain/messages/text-list/task.js'
import { newId } from '../../../../src/ids.js'
import { PASSWORD } from '../../../domain/people/people.js'
import { ANNA, claimMessage, messageRow, queueMessage } from '../../../domain/fixtures.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectPage, loseFreshness, signedInForEachTest } from '../support.js'

const PEOPLE = '/console/people'

describeWeb('the console, of people', ({ context, web }) => {
  const { browser: operating } = signedInForEachTest(context, web, 'operator')
  const line = lineForEachTest(context)

  beforeEach(() => context.db('messages').delete())

  it('shows the stored data of a number without erasing it', async () => {
    const id = await queueMessage(context, line, { status: 'sent' })
    const page = await operating.submit(PEOPLE, { number: ANNA })
    expectPage(page)
    expect(wordsOf(page.text)).to.include('Messages 1').and.include('Erase data')
    expect((await messageRow(context, id)).text).to.equal('Hello')
  })

  it('shows the rows of text lists that wait for a number, and offers to erase them', async () => {
    const id = newId()
    const own = await getOwnLine(context, line.userId, line.lineId)
    const file = { columns: ['phone'], rows: [{ line: 2, values: [ANNA] }] }
    await startTextList(context, own, { file, text: 'Hello', column: 'phone' }, id)
    const { text } = await operating.submit(PEOPLE, { number: ANNA })
    expect(wordsOf(text)).to.include('Rows in text lists 1').and.include('Erase data')
    await context.db('tasks').where({ id }).delete()
  })

  it('says so if no line has been in contact with a number, and offers no erasure', async () => {
    const { text } = await operating.submit(PEOPLE, { number: ANNA })
    expect(wordsOf(text)).to.include('No line has been in contact with this number')
    expect(text).not.to.include(`${PEOPLE}/forget`)
  })

  it('explains an invalid number', async () => {
    const page = await operating.submit(PEOPLE, { number: '555' })
    expectFault(page, 400, /^Number must be a phone number in E\.164 format/)
  })

  it('forgets a person', async () => {
    const id = await queueMessage(context, line, { status: 'sent' })
    const page = await operating.submit(`${PEOPLE}/forget`, { number: ANNA, reason: 'ticket 4711' })
    expectPage(page)
    expect(wordsOf(page.text)).to.include("This person's data has been erased")
    expect(wordsOf(page.text)).not.to.include(ANNA)
    expect(await messageRow(context, id)).to.include({ text: null, to_number: 'forgotten' })
  })

  it('explains what prevents an erasure, and offers it again', async () => {
    await claimMessage(context, await queueMessage(context, line))
    const page = await operating.submit(`${PEOPLE}/forget`, { number: ANNA, reason: 'ticket 4711' })
    expectFault(page, 409, /are being processed right now/)
    expect(page.text).to.include(`name="number" value="${ANNA}"`)
  })

  it('requires a reason, which every user in contact with the person can read', async () => {
    const id = await queueMessage(context, line, { status: 'sent' })
    for (const form of ['export', 'forget']) {
      const page = await operating.submit(`${PEOPLE}/${form}`, { number: ANNA, reason: '' })
      expectFault(page, 400, /^Reason must say in 5 to 300 characters/)
      expect(page.text).to.include(`name="number" value="${ANNA}"`)
    }
    expect((await messageRow(context, id)).text).to.equal('Hello')
    const own = await browse(context, web, line.userId)
    const acts = () =>
      context.db('audit_log').where({ user_id: line.userId }).whereLike('action', 'user.person.%')
    expect(await acts()).to.deep.equal([])
    await operating.submit(`${PEOPLE}/export`, { number: ANNA, reason: 'ticket 4711' })
    await operating.submit(`${PEOPLE}/forget`, { number: ANNA, reason: 'ticket 4712' })
    const history = await wordsAt(own, '/console/settings/history')
    expect(history).to.match(/exported a person.*ticket 4711|ticket 4711.*exported a person/s)
    expect(history).to.match(/erased a person.*ticket 4712|ticket 4712.*erased a person/s)
    expect(history).not.to.include(ANNA)
  })

  it('after a password, a download leaves a page that can be sent again, and no used password', async () => {
    await queueMessage(context, line, { status: 'sent' })
    await loseFreshness(context)
    const typed = { number: ANNA, reason: 'ticket 4711' }
    expectPage(await operating.submit(`${PEOPLE}/export`, typed), 401)
    const confirm = { 'confirm-by': 'password', 'confirm-password': PASSWORD }
    const { text } = await operating.submit(`${PEOPLE}/export`, { ...typed, ...confirm })
    expect(text).to.include('Download ZIP').and.to.include(`name="number" value="${ANNA}"`)
    expect(text).to.include('name="reason" value="ticket 4711"').and.not.to.include('confirm-password')
    const zip = await operating.submit(`${PEOPLE}/export`, typed)
    expect(zip.headers.get('content-type')).to.equal('application/zip')
    expect(zip.text).to.match(/^PK/)
  })
})
