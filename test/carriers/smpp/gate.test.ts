import { expect } from 'chai'
import { createGate } from '../../../src/carriers/smpp/gate.js'

describe('the gate of an account', () => {
  const signal = new AbortController().signal

  async function waitOf(gate: ReturnType<typeof createGate>, lengthMs: number): Promise<number> {
    const pace = { limit: 1, lengthMs }
    await gate(pace, signal)
    const passedAt = performance.now()
    await gate(pace, signal)
    return performance.now() - passedAt
  }

  it('keeps parts as far apart as a pace below one a second says', async () => {
    expect(await waitOf(createGate(10_000), 1500)).to.be.at.least(1499)
  })

  it('lets no part wait so long that the time for the text runs out', async () => {
    expect(await waitOf(createGate(200), 60_000)).to.be.within(199, 30_000)
  })
})
