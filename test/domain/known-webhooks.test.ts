import { expect } from 'chai'
import type { OpenWebhook } from '../../src/database/incoming-webhooks.js'
import { createKnownWebhooks } from '../../src/domain/known-webhooks.js'

describe('the webhooks that a process knows', () => {
  const rowOf = (lineId: string) => ({ lineId }) as OpenWebhook

  it('are those that were looked up last, so many and no more', async () => {
    const webhooks = createKnownWebhooks((lineId) => Promise.resolve(rowOf(lineId)), 3)
    for (const lineId of ['a', 'b', 'c', 'a', 'd']) await webhooks.lookUp(lineId)
    const known = ['a', 'b', 'c', 'd'].filter((lineId) => webhooks.remembered(lineId) !== undefined)
    expect(known).to.deep.equal(['a', 'c', 'd'])
  })

  it('are forgotten when they are found closed', async () => {
    let isOpen = true
    const webhooks = createKnownWebhooks((lineId) => Promise.resolve(isOpen ? rowOf(lineId) : undefined))
    expect(webhooks.remembered('a')).to.equal(undefined)
    await webhooks.lookUp('a')
    expect(webhooks.remembered('a')).to.deep.equal(rowOf('a'))
    isOpen = false
    expect(await webhooks.lookUp('a')).to.equal(undefined)
    expect(webhooks.remembered('a')).to.equal(undefined)
  })
})
