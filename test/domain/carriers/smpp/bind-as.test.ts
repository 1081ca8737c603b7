import { expect } from 'chai'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { openSettings } from '../../../../src/domain/carriers/carrier-settings.js'
import { describeContext } from '../../../helpers/context.js'
import { addSmppAccount } from './fixtures.js'

describeContext('how SMPP accounts bind', (context) => {
  it('is as transceivers, if nothing is said', async () => {
    await addSmppAccount(context, 'new')
    const settings = await openSettings(context, (await getCarrierAccount(context, 'new')).id)
    expect(settings).to.include({ bindAs: 'transceiver' })
  })
})
