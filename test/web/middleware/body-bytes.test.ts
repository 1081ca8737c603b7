import { expect } from 'chai'
import type { Context as KoaContext } from 'koa'
import { readBodyBytes, type BodyBound } from '../../../src/web/middleware/body-bytes.js'
import { UserError } from '../../../src/errors.js'
import { failure } from '../../helpers/failure.js'

const REFUSALS = { tooLarge: 'it is too large', unreadable: 'it cannot be read' }

describe('the bytes of a body', () => {
  const readingFails = (error: Error) => {
    const ctx = { get: () => '', req: { headers: {} }, request: {} } as unknown as KoaContext
    const readBytes = (() => Promise.reject(error)) as BodyBound['readBytes']
    return failure(readBodyBytes(ctx, REFUSALS, { maxBytes: 10, readBytes }))
  }

  it('are refused for what their sender did', async () => {
    for (const [fields, message] of [
      [{ status: 413 }, REFUSALS.tooLarge],
      [{ status: 400, type: 'request.aborted' }, REFUSALS.unreadable],
      [{ code: 'ECONNRESET' }, REFUSALS.unreadable],
      [{ code: 'Z_DATA_ERROR', errno: -3 }, REFUSALS.unreadable],
    ] as const) {
      const refused = await readingFails(Object.assign(new Error('x'), fields))
      expect(refused).to.be.instanceOf(UserError).with.property('message', message)
    }
  })

  it('are not refused for a mistake of ours, which is an error', async () => {
    const mistake = new TypeError('bodyParser is not a function')
    expect(await readingFails(mistake)).to.equal(mistake)
  })
})
