import { expect } from 'chai'
import { describeWeb } from '../../../helpers/web/web.js'
import { expectPage, signedInForEachTest } from '../support.js'

const NEW = '/console/carriers/new'

describeWeb('the form of a kind with many settings', ({ context, web }) => {
  const { browser } = signedInForEachTest(context, web, 'operator')

  /** The groups in their order, the open ones with a plus. */
  const groupsOf = (html: string) =>
    [...html.matchAll(/<details class="row"( open)?><summary>([^<]*)/g)].map(
      ([, open = '', title = '']) => `${open === '' ? '' : '+'}${title}`,
    )

  it('folds the groups that hold only defaults', async () => {
    const http = await browser.get(`${NEW}?kind=http`)
    expectPage(http)
    expect(groupsOf(http.text)).to.deep.equal([
      'Responses',
      'Incoming requests',
      'Incoming messages',
      'Receipts',
    ])
    // What is needed to send stands above them.
    expect(http.text.indexOf('name="setting-url"')).to.be.below(http.text.indexOf('<details class="row"'))
    const smpp = await browser.get(`${NEW}?kind=smpp`)
    expect(groupsOf(smpp.text)).to.deep.equal([
      ...['Sessions', 'Number types', 'Texts and receipts', 'SMSC fields and errors', 'Additional hosts'],
    ])
    expect(groupsOf((await browser.get(`${NEW}?kind=twilio`)).text)).to.deep.equal([])
  })

  it('opens those with something else, and those with a fault', async () => {
    const fields = { kind: 'http', name: 'a', 'setting-url': 'https://sms.example.com/' }
    const refused = await browser.submit(NEW, {
      ...fields,
      'setting-idField': 'data.id',
      'setting-statusField': 'x'.repeat(201),
      'setting-errorField': 'error',
      'setting-refusalWords': 'error,failed,rejected',
    })
    expectPage(refused, 400)
    expect(groupsOf(refused.text)).to.include('+Responses').and.to.include('+Receipts')
  })
})
