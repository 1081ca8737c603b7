import { expect } from 'chai'
import { createPerson } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { expectPage, expectSentTo } from '../support.js'

const FORGOT = '/console/forgot-password'
const ANSWER = '/console/sign-in?done=reset-asked'

describeWeb(
  'who forgot the password',
  { environment: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'lines@acme.example' } },
  ({ context, web }) => {
    it('is linked from the sign-in page, and gets the same response as everyone', async () => {
      const person = await createPerson(context)
      const browser = await browse(context, web)
      const signIn = await browser.get('/console/sign-in')
      expect(signIn.text).to.include(`<a href="${FORGOT}">Forgot your password?</a>`)
      expectPage(await browser.get(FORGOT))
      for (const email of [person.email, 'nobody@example.com', 'no address', '']) {
        expectSentTo(await browser.submit(FORGOT, { email }), ANSWER)
      }
      const answer = await browser.get(ANSWER)
      expect(answer.text).to.include('If an account with a password uses this address')
      expect(await context.db('dispatches').select('kind', 'user_id')).to.deep.equal([
        { kind: 'reset_link', user_id: person.id },
      ])
    })

    it('has to send the page’s own form', async () => {
      const browser = await browse(context, web)
      expect((await browser.post(FORGOT, 'email=ada@example.com')).status).to.equal(403)
    })
  },
)

describeWeb('without a mail server', ({ context, web }) => {
  it('the sign-in page does not offer a link, and the page does not exist', async () => {
    const browser = await browse(context, web)
    const { text } = await browser.get('/console/sign-in')
    expect(text).to.not.include('Forgot your password?')
    expect((await browser.get(FORGOT)).status).to.equal(404)
  })
})
