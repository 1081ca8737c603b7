import { expect } from 'chai'
import { findCarrierAccount } from '../../../src/database/carriers/carrier-accounts.js'
import { notePhones } from '../../../src/database/carriers/phones.js'
import { describeContext } from '../../helpers/context.js'

describeContext('the phones of an account', (context) => {
  const note = (ids: readonly number[]) =>
    notePhones(
      context.db,
      id,
      ids.map((n) => ({ id: `phone ${n}`, contactAt: new Date(n * 1000), awayAfterMs: 1000 })),
      { areAll: false },
    )
  const known = async () => Object.keys((await findCarrierAccount(context.db, { id }))?.phones ?? {})
  let id: string

  before(async () => {
    const account = await findCarrierAccount(context.db, { name: 'simulator' })
    if (account === undefined) throw new Error('there is no simulator')
    id = account.id
  })

  it('are the 200 that were in contact last, however many ids its calls name', async () => {
    await note(Array.from({ length: 199 }, (_, n) => n + 1))
    await note([200])
    expect(await known())
      .to.have.lengthOf(200)
      .and.to.include('phone 1')
    await note([201])
    expect(await known())
      .to.have.lengthOf(200)
      .and.to.include('phone 201')
      .and.to.not.include('phone 1')
  })
})
