import { expect } from 'chai'
import type { QueueAnswer, QueueRequest } from '../../../src/database/messages/queueing.js'
import { createLineBacklogs } from '../../../src/domain/messages/line-backlogs.js'

const request = {
  messageId: 'm',
  lineId: 'line',
  source: 'webhook',
  toNumber: '+1',
  text: 'x',
} satisfies QueueRequest
const window = { limit: 1, used: 0, opensMs: 0 }

function answer(outcome: QueueAnswer['outcome'], waitingOnLine: number | null): QueueAnswer {
  return { outcome, messageId: null, windows: { toNumber: window, line: window }, waitingOnLine }
}

describe('what a process knows of the backlogs of lines', () => {
  let now = 0
  const open = () => createLineBacklogs(10, () => now)

  it('counts a line that it has not counted yet, or not for a second', () => {
    const backlogs = open()
    expect(backlogs.isRoomy('line')).to.equal(false)
    backlogs.note([request], [answer('accepted', 0)])
    expect(backlogs.isRoomy('line')).to.equal(true)
    expect(backlogs.isRoomy('other')).to.equal(false)
    now += 999
    expect(backlogs.isRoomy('line')).to.equal(true)
    now += 1
    expect(backlogs.isRoomy('line')).to.equal(false)
  })

  it('counts every time when half of what may wait does, those of one batch included', () => {
    const backlogs = open()
    backlogs.note(
      [request, request, request],
      [answer('accepted', 1), answer('accepted', 1), answer('rate_limited', 1)],
    )
    expect(backlogs.isRoomy('line')).to.equal(true)
    backlogs.note([request, request], [answer('accepted', null), answer('accepted', null)])
    expect(backlogs.isRoomy('line')).to.equal(false)
  })

  it('learns nothing from an answer that is none', () => {
    const backlogs = open()
    backlogs.note([request], [new Error('its line is gone')])
    expect(backlogs.isRoomy('line')).to.equal(false)
  })
})
