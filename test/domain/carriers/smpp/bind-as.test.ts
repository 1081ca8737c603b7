import { expect } from 'chai'
import { migrationSource } from '../../../../src/database/migrations.js'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../../../src/domain/carriers/accounts/change.js'
import { openSettings, sealSettings } from '../../../../src/domain/carriers/carrier-settings.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { addSmppAccount } from './fixtures.js'

const MIGRATION = { migrationSource: migrationSource(), name: '20261122130000_carrier_sessions' }

describeContext('how SMPP accounts bind', (context) => {
  const settingsOf = async (name: string) =>
    openSettings(context, (await getCarrierAccount(context, name)).id)

  it('is as transceivers, if nothing is said', async () => {
    await addSmppAccount(context, 'new')
    expect(await settingsOf('new')).to.include({ bindAs: 'transceiver' })
  })

  it('stays transmitter and receiver for accounts from before there was a choice, also when they are changed', async () => {
    const id = newId()
    const settings = { host: '127.0.0.1', port: 2775, systemId: 'linehook' }
    await context.db.migrate.down(MIGRATION)
    await context.db('carrier_accounts').insert({
      id,
      name: 'old',
      kind: 'smpp',
      settings_sealed: sealSettings(context, id, settings),
    })
    await context.db.migrate.up(MIGRATION)

    const expected = { ...settings, bindAs: 'transmitter-and-receiver' }
    expect(await settingsOf('old')).to.deep.equal(expected)
    await changeCarrierAccount(context, await getCarrierAccount(context, 'old'), { settings: { port: 2776 } })
    expect(await settingsOf('old')).to.include({ ...expected, port: 2776 })
    await changeCarrierAccount(context, await getCarrierAccount(context, 'old'), { unset: ['bindAs'] })
    expect(await settingsOf('old')).to.include({ bindAs: 'transceiver' })
  })
})
