import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { replaceSealed, SEALED_COLUMNS } from '../../../src/database/operating/sealed-columns.js'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { openSettings } from '../../../src/domain/carriers/carrier-settings.js'
import type { Context } from '../../../src/domain/context.js'
import { revealIncomingWebhook } from '../../../src/domain/lines/incoming-webhooks.js'
import { changePolicy, getPolicy } from '../../../src/domain/endpoints/policies.js'
import { countSealed, resealSecrets } from '../../../src/domain/operating/sealed-secrets.js'
import { revealSigningSecret, rotateSigningSecret } from '../../../src/domain/endpoints/signing-secrets.js'
import { createSecrets } from '../../../src/secrets.js'
import { failure } from '../../helpers/failure.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, own, type TestLine } from '../../helpers/factories.js'
import { setUpApp } from '../../helpers/web/second-factor.js'

describeContext('secrets at rest', (context) => {
  const newKey = randomBytes(32)
  let line: TestLine

  /** The same service with other keys. */
  const withKeys = (...encryptionKeys: Buffer<ArrayBuffer>[]): Context => ({
    ...context,
    config: { ...context.config, encryptionKeys },
    secrets: createSecrets(encryptionKeys),
  })
  const both = () => withKeys(newKey, ...context.config.encryptionKeys)

  before(async () => {
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:1/events' })
    await rotateSigningSecret(context, ...own(line))
    await addCarrierAccount(context, {
      name: 'main',
      kind: 'twilio',
      settings: { accountSid: `AC${'0'.repeat(32)}`, authToken: '0'.repeat(32) },
    })
    await changePolicy(context, ...own(line), { headers: { 'X-Api-Key': 'of their server' } })
    await setUpApp(context, line.userId)
  })

  it('every sealed column of the schema is among those that are resealed', async () => {
    const { rows } = await context.db.raw<{ rows: { table: string; column: string }[] }>(
      `select table_name as "table", column_name as "column" from information_schema.columns
       where table_schema = 'public' and column_name like '%\\_sealed' order by 1, 2`,
    )
    const known = Object.values(SEALED_COLUMNS).map(({ table, column }) => ({ table, column }))
    expect(known).to.have.deep.members(rows)
  })

  it('come under the first key, whole, and the retired key can go', async () => {
    const asTheyWere = await reveal(context)
    expect(await countSealed(both())).to.deep.equal({ current: 0, retired: 6, lost: 0 })
    expect(await resealSecrets(both())).to.deep.equal({ resealedCount: 6, currentCount: 0, unreadable: [] })
    expect(await countSealed(both())).to.deep.equal({ current: 6, retired: 0, lost: 0 })
    expect(await reveal(withKeys(newKey))).to.deep.equal(asTheyWere)
    expect(await resealSecrets(both()), 'again').to.deep.equal({
      resealedCount: 0,
      currentCount: 6,
      unreadable: [],
    })
  })

  it('one that somebody writes meanwhile stays as that one wrote it', async () => {
    const line = await createLine(withKeys(newKey), { outgoingUrl: 'http://127.0.0.1:1/events' })
    const { secret_sealed: before } = await endpointOf(line)
    const newest = withKeys(randomBytes(32), newKey)
    const rotated = await rotateSigningSecret(newest, ...own(line))
    const { id, secret_sealed: now } = await endpointOf(line)
    expect(await replaceSealed(context.db, 'signingSecret', id, before, Buffer.from('late'))).to.equal(false)
    expect((await endpointOf(line)).secret_sealed.equals(now)).to.equal(true)
    expect(await revealSigningSecret(newest, ...own(line))).to.equal(rotated)
  })

  it('one that no key opens is named, and the others are resealed', async () => {
    const stranger = await createLine(withKeys(randomBytes(32)))
    const { unreadable } = await resealSecrets(withKeys(newKey))
    expect(unreadable).to.include(`incoming_webhooks.token:${stranger.lineId}`)
    expect(unreadable).not.to.include(`incoming_webhooks.token:${line.lineId}`)
  })

  it('none is called unreadable for a mistake of ours', async () => {
    const mistake = new TypeError('createDecipheriv is not a function')
    const fail = () => {
      throw mistake
    }
    const broken = { ...context, secrets: { ...context.secrets, open: fail, reseal: fail } }
    expect(await failure(resealSecrets(broken))).to.equal(mistake)
    const { id } = await context.db('carrier_accounts').where({ name: 'main' }).first<{ id: string }>('id')
    expect(await failure(openSettings(broken, id))).to.equal(mistake)
  })

  async function endpointOf({ lineId }: TestLine) {
    return context
      .db('endpoints as e')
      .join('developer_connections as c', 'c.endpoint_id', 'e.id')
      .where({ 'c.line_id': lineId })
      .first<{ id: string; secret_sealed: Buffer }>('e.id', 'e.secret_sealed')
  }

  async function reveal(through: Context) {
    const { id } = await through.db('carrier_accounts').where({ name: 'main' }).first<{ id: string }>('id')
    return {
      webhook: await revealIncomingWebhook(through, line.userId, line.lineId),
      signing: await revealSigningSecret(through, ...own(line)),
      settings: await openSettings(through, id),
      policy: await getPolicy(through, ...own(line)),
    }
  }
})
