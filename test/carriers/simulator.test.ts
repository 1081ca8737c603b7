import { expect } from 'chai'
import { CarrierThrottled, CarrierUnavailable } from '../../src/carriers/carrier.js'
import type { SimulatorOutbox } from '../../src/carriers/simulator-outbox.js'
import { createSimulator, MAGIC_NUMBERS, THROTTLED_FOR_MS } from '../../src/carriers/simulator.js'
import { listSimulatedMessages } from '../../src/database/simulator/simulator-outbox.js'
import { getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { findCarrierClient } from '../../src/domain/carriers/carrier-clients.js'
import { carrierOf } from '../helpers/carrier.js'
import { createTestContext } from '../helpers/context.js'
import { failure } from '../helpers/failure.js'
import { anyMessage, conformsToCarrier } from './conformance.js'

conformsToCarrier('simulator', async () => {
  const context = await createTestContext({ SIMULATOR: 'true' })
  return {
    carrier: await carrierOf(context),
    taken: async () =>
      (await listSimulatedMessages(context.db, {}, 1000)).map(
        ({ carrierMessageId, messageId, fromNumber, toNumber, text, mediaUrls }) => ({
          carrierMessageId,
          messageId,
          fromNumber,
          toNumber,
          text,
          mediaUrls,
        }),
      ),
    situations: {
      rejected: { toNumber: MAGIC_NUMBERS.rejected },
      throttled: { toNumber: MAGIC_NUMBERS.throttled, ageMs: 10 },
      throttledNoMore: { ageMs: THROTTLED_FOR_MS },
      unavailable: { toNumber: MAGIC_NUMBERS.unavailableTwice, attempt: 1 },
      unavailableNoMore: { attempt: 3 },
      outcomeUnknown: { toNumber: MAGIC_NUMBERS.outcomeUnknown },
      neverAnswers: { toNumber: MAGIC_NUMBERS.neverAnswers },
    },
    close: () => context.close(),
  }
})

describe('simulator', () => {
  const forEver = new AbortController().signal
  const outbox: SimulatorOutbox = { take: () => Promise.resolve() }
  const carrier = createSimulator('simulator', outbox)

  it('asks to wait for what is left of two seconds after the message was accepted', async () => {
    const error = await failure(
      carrier.send(anyMessage({ toNumber: MAGIC_NUMBERS.throttled, ageMs: 1500 }), forEver),
    )
    expect(error).to.be.instanceOf(CarrierThrottled)
    expect(error).to.have.property('retryInMs', 500)
  })

  it('is unavailable for two attempts to its number, and takes the third', async () => {
    const toNumber = MAGIC_NUMBERS.unavailableTwice
    for (const attempt of [1, 2]) {
      const error = await failure(carrier.send(anyMessage({ toNumber, attempt }), forEver))
      expect(error).to.be.instanceOf(CarrierUnavailable)
    }
    expect(await carrier.send(anyMessage({ toNumber, attempt: 3 }), forEver)).to.have.property(
      'carrierMessageId',
    )
  })

  it('does not say that it took a message which its outbox has not kept', async () => {
    const broken = createSimulator('simulator', { take: () => Promise.reject(new Error('Postgres is away')) })
    expect((await failure(broken.send(anyMessage(), forEver))).message).to.equal('Postgres is away')
  })

  it('has magic numbers that are numbers of nobody, each another', () => {
    const numbers = Object.values(MAGIC_NUMBERS)
    expect(new Set(numbers).size).to.equal(5)
    for (const number of numbers) expect(number).to.match(/^\+1500555000\d$/)
  })

  it('is there where it is switched on, and only there', async () => {
    const on = await createTestContext({ SIMULATOR: 'true' })
    const off = await createTestContext({ SIMULATOR: 'false' })
    const account = await getCarrierAccount(off, 'simulator')
    expect((await findCarrierClient(on, account))?.name).to.equal('simulator')
    expect(await findCarrierClient(off, account)).to.equal(undefined)
    await Promise.all([on.close(), off.close()])
  })
})
