import { expect } from 'chai'
import { inboundOf } from '../../../dev/smsc/messages.js'
import { startSmsc, type Smsc } from '../../../dev/smsc/server.js'
import { startReceiver, type Receiver, type ReceiverOptions } from '../../../src/carriers/smpp/receiver.js'
import { deleteCarrierAccount } from '../../../src/database/carrier-accounts.js'
import { confirmArrivals } from '../../../src/database/smpp-inbound.js'
import { getCarrierAccount } from '../../../src/domain/carrier-accounts.js'
import { changeCarrierAccount } from '../../../src/domain/carrier-accounts/change.js'
import type { Context } from '../../../src/domain/context.js'
import { receiveDelivery } from '../../../src/domain/smpp/receive.js'
import { receiveFromSmscs } from '../../../src/domain/smpp/receivers.js'
import { Unavailable } from '../../../src/errors.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { memoryLog } from '../../helpers/log.js'
import { until } from '../../helpers/until.js'
import { ANNA, countRows } from '../fixtures.js'
import { addSmppAccount, receivedTexts } from './fixtures.js'

describe('receiving from SMSCs', () => {
  let context: Context
  let smsc: Smsc

  beforeEach(async () => {
    context = await createTestContext()
    smsc = await startSmsc()
  })
  afterEach(async () => {
    await smsc.close()
    await context.close()
  })

  const binds = () => smsc.seen.filter((each) => each === 'bind_transceiver').length

  it('follows the accounts: added, changed and removed ones, and unbinds at the end', async () => {
    const { log, lines } = memoryLog()
    const receivers = receiveFromSmscs({ ...context, log }, { accountsMs: 50 })
    // As this side knows it: who has sent its bind has not got the answer yet.
    const boundCount = () => lines.filter(({ msg }) => msg === 'smpp.receiver_bound').length
    const account = await addSmppAccount(context, 'smsc', { port: smsc.port })
    await until('it is bound', () => boundCount() === 1)

    await changeCarrierAccount(context, await getCarrierAccount(context, 'smsc'), {
      settings: { bindCount: 2 },
    })
    await until('it is bound twice', () => boundCount() === 3 && smsc.sessions().length === 2)

    await deleteCarrierAccount(context.db, account.id)
    await until('it is unbound', () => smsc.sessions().length === 0)
    await addSmppAccount(context, 'again', { port: smsc.port })
    await until('it is bound again', () => boundCount() === 4)
    await receivers.close()
    expect(smsc.seen.filter((each) => each === 'unbind')).to.have.length(4)
    await until('nothing is left', () => smsc.sessions().length === 0)
  })

  it('binds again when the SMSC was away', async () => {
    const receivers = receiveFromSmscs(context, { accountsMs: 50 })
    await addSmppAccount(context, 'smsc', { port: smsc.port })
    await until('it is bound', () => binds() === 1)
    const { port } = smsc
    await smsc.close()
    smsc = await startSmsc({ port })
    await until('it is bound again', () => binds() === 1)
    await receivers.close()
  })

  describe('one receiver', () => {
    let line: TestLine
    let receiver: Receiver
    let handle: ReceiverOptions['handle']

    beforeEach(async () => {
      const account = await addSmppAccount(context, 'smsc', { port: smsc.port })
      line = await createLine(context, { carrier: 'smsc' })
      handle = (delivery) => receiveDelivery(context, account, delivery)
      receiver = startReceiver({
        settings: account.settings,
        log: memoryLog().log,
        handle: (delivery) => handle(delivery),
        confirm: (ids) => confirmArrivals(context.db, ids),
      })
      account.openSessionIds = () => receiver.openSessionIds()
    })
    afterEach(() => receiver.close())

    const bring = (text: string) => {
      smsc.bring(inboundOf(ANNA, line.number, text))
    }

    it('confirms what the SMSC has read', async () => {
      bring('Hi')
      await until('it is answered', () => smsc.answers.length === 1)
      await until('it is confirmed', async () => (await countRows(context, 'smpp_inbound')) === 0)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Hi'])
    })

    it('makes one message of what was committed, but not answered before the connection was lost', async () => {
      const inner = handle
      let count = 0
      handle = async (delivery) => {
        const handled = await inner(delivery)
        count += 1
        if (count === 1) smsc.cut()
        return handled
      }
      bring('Hi')
      await until('it came again and is answered', () => smsc.answers.length === 1)
      expect(count).to.equal(2)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Hi'])
      await until('it is confirmed', async () => (await countRows(context, 'smpp_inbound')) === 0)
    })

    it('answers nothing while Postgres is away, and goes on when it is back', async () => {
      const inner = handle
      let isAway = true
      let tries = 0
      handle = (delivery) => {
        tries += 1
        return isAway ? Promise.reject(new Unavailable('Postgres is not available')) : inner(delivery)
      }
      bring('Hi')
      await until('it is tried again', () => tries === 2)
      expect(smsc.answers).to.deep.equal([])
      expect(smsc.waitingCount()).to.equal(1)
      isAway = false
      await until('it is answered', () => smsc.answers.length === 1)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Hi'])
    })

    it('leaves what fails for a bug with the SMSC for later', async () => {
      const inner = handle
      let isBroken = true
      handle = (delivery) => {
        if (!isBroken) return inner(delivery)
        isBroken = false
        return Promise.reject(new TypeError('a bug'))
      }
      bring('Hi')
      await until('it came again and is answered', () => smsc.answers.length === 1)
      expect(smsc.answers).to.deep.equal([0])
    })

    it('answers what it holds when it is closed, and leaves what comes after that', async () => {
      const inner = handle
      let go: () => void = () => undefined
      const held = new Promise<void>((resolve) => (go = resolve))
      handle = async (delivery) => {
        await held
        return inner(delivery)
      }
      bring('held')
      await until('it is held', () => smsc.waitingCount() === 1 && binds() === 1 && smsc.seen.length > 0)
      await until('the session is open', () => receiver.openSessionIds().length === 1)
      const closing = receiver.close()
      bring('later')
      go()
      await closing
      expect(smsc.answers).to.deep.equal([0])
      expect(smsc.waitingCount()).to.equal(1)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['held'])
      expect(await countRows(context, 'smpp_inbound')).to.equal(0)
    })
  })
})
