import { expect } from 'chai'
import { addLine, setLineStatus } from '../../../src/domain/lines.js'
import { addUser } from '../../../src/domain/users.js'
import { browse } from '../../helpers/browser-session.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { describeWeb, serveApp } from '../../helpers/web.js'
import { wordsOf } from './line/line-page.js'

describeWeb("the console's list of lines", ({ context, web }) => {
  const linesOf = async (userId: string) => (await (await browse(context, web, userId)).get('/console')).text

  it('shows number, name, status, connection and last activity of the own lines, each a link', async () => {
    const line = await createLine(context, { name: 'Support' })
    const other = await createLine(context, { name: 'Of somebody else' })
    const quiet = await addLine(context, {
      userId: line.userId,
      number: '+15558880001',
      carrierAccount: 'simulator',
    })
    await setLineStatus(context, line.userId, quiet.id, 'disabled')
    expect((await web.post(line.webhookPath, messageBody())).status).to.equal(200)
    const html = await linesOf(line.userId)
    expect(html).to.include(`href="/console/lines/${line.lineId}"`)
    expect(html).to.include(`href="/console/lines/${quiet.id}"`)
    expect(html).not.to.include(other.number).and.not.include('Of somebody else')
    const words = wordsOf(html)
    expect(words).to.match(
      new RegExp(`\\${line.number} Support active on \\d{4}-\\d\\d-\\d\\d [\\d:]{8} UTC`),
    )
    expect(words).to.include('+15558880001 no name yet disabled off none yet')
  })

  it('tells an operator without lines where to add one', async () => {
    const { id } = await addUser(context, { email: 'operator@example.com', role: 'operator' })
    const html = await linesOf(id)
    expect(html).to.include(`href="/console/users/${id}"`)
    expect(wordsOf(html)).to.include('The phone simulator is on')
  })

  it('tells a user without lines whom to ask', async () => {
    const { id } = await addUser(context, { email: 'nobody@example.com' })
    const html = await linesOf(id)
    expect(wordsOf(html)).to.include('Ask whoever runs this service to give you one')
    expect(html).not.to.include('/console/users')
  })

  it('says nothing of a simulator where there is none', async () => {
    const { id } = await addUser(context, { email: 'real@example.com' })
    const real = { ...context, config: { ...context.config, simulator: false } }
    const realWeb = await serveApp(real)
    const { text } = await (await browse(real, realWeb, id)).get('/console')
    await realWeb.close()
    expect(text).not.to.match(/simulator/i)
  })

  it('is at /console/lines too', async () => {
    const { userId } = await createLine(context)
    const { status, headers } = await (await browse(context, web, userId)).get('/console/lines')
    expect([status, headers.get('location')]).to.deep.equal([302, '/console'])
  })

  it('shows a hostile name as text', async () => {
    const { userId } = await createLine(context, { name: '<script>alert(1)</script>"\'' })
    const html = await linesOf(userId)
    expect(html).not.to.include('<script>alert')
    expect(html).to.include('&lt;script>alert(1)')
  })
})
