import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { freePort } from '../../../dev/services/free-port.js'
import { signatureHeaders } from '../../../src/domain/endpoints/deliveries/signature.js'
import { runSource, stopProcesses, type RunningProcess } from '../../helpers/process/processes.js'
import { until } from '../../helpers/until.js'

const body = '{"type":"inboundText"}'

describe('dev/receiver', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  let receiver: RunningProcess
  let url: string

  before(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/`
    receiver = runSource('dev/start/receiver.ts', { RECEIVER_PORT: String(port), RECEIVER_SECRET: secret })
    await until('it listens', () => fetch(url, { method: 'POST' }).then(({ ok }) => ok))
  })

  after(stopProcesses)

  /** Posts an event signed with these secrets. */
  async function postEvent(secrets: string[], query = ''): Promise<Response> {
    const headers = signatureHeaders('event-1', Math.floor(Date.now() / 1000), body, secrets)
    const response = await fetch(url + query, { method: 'POST', body, headers })
    await response.body?.cancel()
    return response
  }

  it('prints an event with its webhook-id, and whether its signature is valid', async () => {
    const other = `whsec_${randomBytes(32).toString('base64')}`
    await postEvent([secret])
    await postEvent([other])
    await postEvent([other, secret])
    await until('all are printed', () => receiver.outputLines.length === 4)
    expect(receiver.outputLines.slice(1)).to.deep.equal([
      `${body}  (webhook-id event-1, signature valid)`,
      `${body}  (webhook-id event-1, SIGNATURE NOT VALID)`,
      `${body}  (webhook-id event-1, signature valid)`,
    ])
  })

  it('answers 200 unless it is asked for another status, with Retry-After if asked', async () => {
    expect((await postEvent([secret])).status).to.equal(200)
    const throttling = await postEvent([secret], '?status=429&retry-after=30')
    expect([throttling.status, throttling.headers.get('retry-after')]).to.deep.equal([429, '30'])
  })

  it('goes on after a request for a status that does not exist', async () => {
    expect(await postEvent([secret], '?status=many').catch(() => 'cut off')).to.equal('cut off')
    expect((await postEvent([secret])).status).to.equal(200)
  })

  it('answers late if asked', async () => {
    const askedAt = Date.now()
    await postEvent([secret], '?delay=300')
    expect(Date.now() - askedAt).to.be.at.least(290)
  })

  it('goes on SIGTERM, whoever is still connected', async () => {
    const lineCount = receiver.lines.length
    const hanging = postEvent([secret], '?delay=60000').catch(() => undefined)
    await until('it has the event', () => receiver.lines.length > lineCount)
    await receiver.kill('SIGTERM')
    await hanging
    expect(await receiver.exitCode).to.equal(0)
  })
})
