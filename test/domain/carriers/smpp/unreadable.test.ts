import { expect } from 'chai'
import { listUnclearCallbacks } from '../../../../src/domain/carriers/unclear-callbacks.js'
import { holdAccounts } from '../../../../src/domain/carriers/held-accounts/holder.js'
import { pdu, startRawSmsc } from '../../../carriers/smpp/raw-smsc.js'
import { describeContext } from '../../../helpers/context.js'
import { until } from '../../../helpers/until.js'
import { addSmppAccount } from './fixtures.js'
import { openings } from '../../../helpers/openings.js'

describeContext('what an SMSC sends that cannot be read', (context) => {
  const open = openings()

  it('is refused and kept for operators, and the session goes on', async () => {
    const smsc = await open(startRawSmsc())
    const account = await addSmppAccount(context, 'smsc', { port: smsc.port })
    open(holdAccounts(context, { followMs: 50 }))
    await until('it is bound', () => smsc.bindCount() === 1)
    smsc.write(pdu('00000005', 7, Buffer.alloc(70_000, 'x')))
    smsc.write(pdu('00000005', 8, Buffer.from('cut')))
    await until('both are refused', () => smsc.received.length === 2)
    expect(smsc.received.sort()).to.deep.equal([
      '00000010800000000000000200000007',
      '00000010800000000000000200000008',
    ])
    expect(smsc.bindCount()).to.equal(1)
    const kept = await listUnclearCallbacks(context, account)
    expect(kept.map(({ why }) => why)).to.have.members([
      'a PDU of 70016 bytes that cannot be read',
      'a PDU of 19 bytes that cannot be read',
    ])
  })
})
