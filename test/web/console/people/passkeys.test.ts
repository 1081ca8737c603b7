import { expect } from 'chai'
import { canHavePasskeys } from '../../../../src/domain/people/second-factors/relying-party.js'
import { answerNewPasskey } from '../../../domain/people/passkey.js'
import { createPerson } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { expectFault, expectPage, faultOf, loseFreshness, signedInForEachTest } from '../support.js'

const PASSKEYS = '/console/settings/second-factor/passkeys'
const SIGN_IN = '/console/sign-in/passkey'

/** What a browser really answers is in `test/browser/passkeys.test.ts`. */
const GARBAGE = [
  '',
  'null',
  '[]',
  '{"id":1}',
  '{"id":"x"}',
  '{"id":"\\u0000"}',
  '{"id":"x","rawId":"x","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA"}}',
]

const options = { environment: { PUBLIC_URL: 'http://localhost:3999' } }

describeWeb('passkeys', options, ({ context, web }) => {
  const { browser } = signedInForEachTest(context, web)

  const age = (interval: string) =>
    context.db('passkey_challenges').update({ created_at: context.db.raw('now() - ?::interval', [interval]) })

  it('are requested with their own challenge, which requires user verification', async () => {
    const add = (await browser.submit(`${PASSKEYS}/options`)).body as Record<string, unknown>
    const again = (await browser.submit(`${PASSKEYS}/options`)).body as Record<string, unknown>
    expect(add).to.have.nested.property('rp.id', 'localhost')
    expect(add).to.have.nested.property('authenticatorSelection.userVerification', 'required')
    expect(add.challenge)
      .to.match(/^[\w-]{43}$/)
      .and.not.to.equal(again.challenge)

    const visitor = await browse(context, web)
    const show = (await visitor.submit(`${SIGN_IN}/options`)).body
    expect(show).to.deep.include({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
  })

  it('are refused with an explanation, whatever is sent, and never with a 500', async () => {
    for (const secretCredential of GARBAGE) {
      await browser.submit(`${PASSKEYS}/options`)
      const added = await browser.submit(PASSKEYS, { name: 'my phone', secretCredential })
      expectFault(added, 400, /^The passkey was not registered/)

      const visitor = await browse(context, web)
      await visitor.submit(`${SIGN_IN}/options`)
      const signedIn = await visitor.submit(SIGN_IN, { secretCredential })
      expectFault(signedIn, 401, /^The passkey was not accepted/)

      await browser.submit('/console/confirm/passkey/options')
      expectPage(await browser.submit('/console/confirm/passkey', { secretCredential }), 401)
    }
    expect(await context.db('passkeys')).to.deep.equal([])
  })

  it('need a name', async () => {
    await browser.submit(`${PASSKEYS}/options`)
    const answer = await browser.submit(PASSKEYS, { name: ' ', secretCredential: '{}' })
    expect(faultOf(answer)).to.match(/^Name of the new passkey must have 1 to 100 characters/)
  })

  it('get a challenge only shortly after the password was entered', async () => {
    await loseFreshness(context)
    expect((await browser.submit(`${PASSKEYS}/options`)).status).to.equal(403)
  })

  it('have questions for each browser, one at a time, for five minutes', async () => {
    const questions = () => context.db('passkey_challenges').pluck<string[]>('challenge')
    await context.db('passkey_challenges').delete()
    await browser.submit(`${PASSKEYS}/options`)
    await browser.submit(`${PASSKEYS}/options`)
    expect(await questions()).to.have.length(1)
    await browser.submit(PASSKEYS, { name: 'my phone', secretCredential: '{"id":"x"}' })
    expect(await questions(), 'each is answered once').to.deep.equal([])
    await browser.submit(`${PASSKEYS}/options`)
    await age('6 minutes')
    await browser.submit(PASSKEYS, { name: 'my phone', secretCredential: '{"id":"x"}' })
    expect(await questions(), 'too old to be taken').to.have.length(1)
  })

  it('have a request limit per address', async () => {
    const visitor = await browse(context, web)
    let status = 200
    for (let n = 0; n < 61 && status === 200; n += 1)
      status = (await visitor.submit(`${SIGN_IN}/options`)).status
    expect(status).to.equal(429)
  })

  it('that belong to another user or do not exist cannot be removed', async () => {
    const [id] = await context
      .db('passkeys')
      .insert({
        id: '01a20000-0000-7000-8000-000000000001',
        user_id: (await createPerson(context)).id,
        name: 'theirs',
        credential_id: 'x',
        public_key: Buffer.from('x'),
        counter: 0,
        transports: [],
      })
      .returning<{ id: string }[]>('id')
    for (const wrong of [id!.id, 'x']) expectPage(await browser.submit(`${PASSKEYS}/${wrong}/remove`), 404)
    expect(await context.db('passkeys')).to.have.length(1)
  })

  it('are registered whatever the browser says about how they are reached', async () => {
    await context.db('passkeys').delete()
    for (const transports of [['usb', 'magic', 7], 5, null]) {
      const { challenge } = (await browser.submit(`${PASSKEYS}/options`)).body as { challenge: string }
      const secretCredential = answerNewPasskey(context, challenge, transports)
      const { status } = await browser.submit(PASSKEYS, { name: 'my phone', secretCredential })
      expect(status, JSON.stringify(transports)).to.be.below(400)
    }
    const kept = await context.db('passkeys').orderBy('id').pluck<string[][]>('transports')
    expect(kept).to.deep.equal([['usb'], [], []])
  })
})

describe('an installation', () => {
  for (const [publicUrl, can] of [
    ['https://linehook.example', true],
    ['https://linehook.example:8443/below', true],
    ['http://localhost:3000', true],
    ['http://a.localhost', true],
    ['http://linehook.example', false],
    ['https://192.0.2.1', false],
    ['http://127.0.0.1:3000', false],
    ['http://[::1]:3000', false],
  ] as const) {
    it(`at ${publicUrl} ${can ? 'can' : 'cannot'} have passkeys`, () => {
      expect(canHavePasskeys({ config: { publicUrl } })).to.equal(can)
    })
  }
})
