import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { newSid } from '../../carriers/twilio/stand-in.js'
import { ANNA } from '../../domain/fixtures.js'
import { createTestDatabase } from '../../helpers/services/services.js'
import { startProxy, through, type TcpProxy } from '../proxy.js'
import { inboundOf, serveTwilio, type TwilioSide } from './support.js'

/** More than the second after which everybody else is answered 503. */
const OUTAGE_MS = 3000

describe('what Twilio brings while Postgres is away', () => {
  let proxy: TcpProxy
  let side: TwilioSide

  before(async () => {
    const direct = await createTestDatabase()
    proxy = await startProxy(direct)
    side = await serveTwilio({ DATABASE_URL: through(proxy, direct) })
  })
  beforeEach(() => side.context.db('messages').delete())
  after(async () => {
    await side.close()
    await proxy.close()
  })

  for (const how of ['refuse', 'hang'] as const) {
    it(`is taken in when it is back, for Twilio does not come again after a 503 (${how})`, async () => {
      const sid = newSid('SM')
      await proxy.cut(how)
      const called = side.call('message', {
        MessageSid: sid,
        From: ANNA,
        To: side.line.number,
        NumMedia: '0',
        Body: 'Hi',
      })
      expect(await Promise.race([called, sleep(OUTAGE_MS, 'no answer yet')])).to.equal('no answer yet')
      await proxy.restore()
      expect((await called).status).to.equal(200)
      expect((await inboundOf(side)).map(({ carrier_message_id: id }) => id)).to.deep.equal([sid])
    })
  }
})
