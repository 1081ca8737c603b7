import { expect } from 'chai'
import { vonage } from '../../../src/carriers/vonage/vonage.js'
import { setUp } from '../../helpers/provider-client.js'
import { startVonage, type VonageStandIn } from '../stand-ins/vonage.js'

describe('a number at Vonage that is set up', () => {
  let standIn: VonageStandIn

  beforeEach(async () => {
    standIn = await startVonage()
  })
  afterEach(() => standIn.close())

  const setUpNumber = () => {
    const settings = vonage.settings.cast({ ...standIn.credentials, apiUrl: standIn.url })
    return setUp(vonage, settings, [standIn.number])
  }

  it('keeps its other settings, such as the phone that its calls go to', async () => {
    const settings = {
      ...{ voiceCallbackType: 'tel', voiceCallbackValue: '14155550143' },
      voiceStatusCallback: 'https://calls.example.com/ended',
      moHttpUrl: 'https://texts.example.com/inbound',
    }
    standIn.numberSettings = { ...settings, app_id: 'another' }
    await setUpNumber()
    const { applicationId } = standIn.credentials
    expect(standIn.numberSettings).to.deep.equal({ ...settings, app_id: applicationId })
  })

  it('is linked, and has no other settings than before', async () => {
    await setUpNumber()
    expect(standIn.numberSettings).to.deep.equal({ app_id: standIn.credentials.applicationId })
    expect(standIn.violations).to.deep.equal([])
  })
})
