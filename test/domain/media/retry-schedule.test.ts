import { expect } from 'chai'
import { nextMediaRetryMs } from '../../../src/domain/media/retry-schedule.js'
import type { MediaReason } from '../../../src/states.js'

describe('when media are copied again', () => {
  const waits = (failure: MediaReason, purpose: 'inbound' | 'outbound') => {
    const found: number[] = []
    for (let attempt = 1; ; attempt += 1) {
      const ms = nextMediaRetryMs(failure, purpose, attempt, 5000, 0.5)
      if (ms === undefined) return found
      found.push(ms / 1000)
    }
  }

  it('received ones that are not there yet: within a quarter of an hour', () => {
    expect(waits('media_http_404', 'inbound')).to.deep.equal([5, 10, 20, 40, 80, 160, 300, 300])
  })

  it('received ones that failed otherwise: as deliveries are, for days', () => {
    for (const failure of ['media_http_403', 'media_http_500', 'media_connect'] as const) {
      const all = waits(failure, 'inbound')
      expect(all).to.have.length(9)
      expect(all.slice(0, 3)).to.deep.equal([5, 20, 80])
    }
  })

  it('a failure that comes after the last 404 still has an attempt left', () => {
    const last = waits('media_http_404', 'inbound').length + 1
    expect(nextMediaRetryMs('media_http_500', 'inbound', last, 5000, 0.5)).to.be.greaterThan(0)
  })

  it('those that a line sends: three times, soon, and not at all where the URL is wrong', () => {
    expect(waits('media_http_500', 'outbound')).to.deep.equal([2, 6, 18])
    for (const failure of ['media_http_404', 'media_http_403', 'media_http_410'] as const) {
      expect(waits(failure, 'outbound')).to.deep.equal([])
    }
  })

  it('never what no waiting mends', () => {
    for (const failure of ['media_http_410', 'media_type', 'media_too_large', 'media_gone'] as const) {
      expect(waits(failure, 'inbound'), failure).to.deep.equal([])
    }
  })
})
