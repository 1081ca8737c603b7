import { expect } from 'chai'
import { lineForAllTests, messageBody } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, newNumber } from '../support.js'

describeWeb('the path of an incoming webhook', ({ context, web }) => {
  const line = lineForAllTests(context)

  const paths = [
    '/webhooks/lineId/{id}',
    '/webhooks/line/{id}',
    '/webhooks/lineId/{id}/',
    '/webhooks/line/{id}//',
    '//webhooks/lineId/{id}',
    '/webhooks//lineId///{id}',
    '//webhooks//line//{id}//',
  ]

  for (const path of paths) {
    it(`may be ${path}`, async () => {
      const answer = await web.post(
        `${path.replace('{id}', line.lineId)}?token=${line.token}`,
        messageBody({ toNumber: newNumber() }),
      )
      expectAccepted(answer)
    })
  }

  it('may have the id in capitals, and other parameters', async () => {
    const path = `/webhooks/line/${line.lineId.toUpperCase()}?utm=1&token=${line.token}&x=%zz`
    expectAccepted(await web.post(path, messageBody({ toNumber: newNumber() })))
  })

  for (const path of [
    '/webhooks/lineId',
    '/webhooks/lineId/',
    '/webhooks/lineId/a/b',
    '/webhooks/phone/{id}',
    '/webhooks/lineId/{id}/messages',
  ]) {
    it(`is not ${path}, which answers 404 in the same shape`, async () => {
      const answer = await web.post(`${path.replace('{id}', line.lineId)}?token=${line.token}`, messageBody())
      expectRefused(answer, 404, 'URL is invalid')
    })
  }

  it('takes POST only, and says so in the same shape', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      const answer = await web.request(line.webhookPath, { method })
      expectRefused(answer, 405, 'Method not allowed. See the Allow header')
      expect(answer.headers.get('allow')).to.equal('POST')
    }
  })
})
