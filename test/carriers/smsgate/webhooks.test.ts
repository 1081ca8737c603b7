import { expect } from 'chai'
import { smsgate } from '../../../src/carriers/smsgate/smsgate.js'
import { setUp } from '../../helpers/provider-client.js'
import { startSmsGate, type SmsGateStandIn } from '../stand-ins/smsgate.js'

for (const isPhone of [false, true]) {
  describe(`the webhooks of ${isPhone ? "the phone's own server" : 'a server for several phones'}`, () => {
    let standIn: SmsGateStandIn

    beforeEach(async () => {
      standIn = await startSmsGate()
    })
    afterEach(() => standIn.close())

    const setUpPhone = async (deviceId = '', publicUrl = 'https://linehook.example.com') => {
      const apiUrl = isPhone ? standIn.url : standIn.apiUrl
      const settings = smsgate.settings.cast({ ...standIn.credentials, deviceId, apiUrl })
      await setUp(smsgate, settings, [standIn.number], publicUrl)
      expect(standIn.violations).to.deep.equal([])
      return standIn.webhooks.map((each) => ({ ...each }))
    }

    it('are the same ones, with the new URL, after PUBLIC_URL has changed', async () => {
      const before = await setUpPhone('', 'https://old.example.com')
      expect(new Set(before.map(({ event }) => event))).to.have.property('size', before.length)
      const after = await setUpPhone('', 'https://new.example.com/base')
      const url = before[0]?.url.replace('https://old.example.com', 'https://new.example.com/base')
      expect(after).to.deep.equal(before.map((each) => ({ ...each, url })))
    })

    it('are the same ones, for the other phone, after deviceId has changed', async () => {
      const before = await setUpPhone()
      for (const deviceId of [standIn.deviceId, '']) {
        const after = await setUpPhone(deviceId)
        const kept = isPhone ? null : deviceId || null
        expect(after).to.deep.equal(before.map((each) => ({ ...each, deviceId: kept })))
      }
    })

    it('leave those of another account as they are', async () => {
      const [first, ...others] = await setUpPhone()
      const url = 'https://other.example.com/carriers/smsgate/another/events'
      const another = Object.assign(standIn.webhooks[0] ?? {}, { url })
      const after = await setUpPhone()
      expect(after.slice(0, -1)).to.deep.equal([another, ...others])
      expect(after.at(-1)).to.deep.include({ url: first?.url, event: first?.event })
    })
  })
}
