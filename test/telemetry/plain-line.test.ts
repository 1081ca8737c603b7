import { expect } from 'chai'
import { newId } from '../../src/ids.js'
import { idOf, logPlain, pathOfOurs, word, type PlainFields } from '../../src/telemetry/plain-line.js'
import { memoryLog } from '../helpers/process/log.js'
import { stopProcesses } from '../helpers/process/processes.js'
import { runScript } from '../helpers/scripts.js'

describe('a plain line of the log', () => {
  after(stopProcesses)

  it('is as every other, at the levels of the log', async () => {
    const script = runScript(`
      import { createLog } from './dist/src/telemetry/log.js'
      import { logPlain, word } from './dist/src/telemetry/plain-line.js'
      const fields = { outcome: word('accepted'), status: 200, missing: undefined }
      const log = createLog('test', 'info')
      logPlain(log, fields, 'request.handled')
      log.info(fields, 'request.handled')
      logPlain(createLog('test', 'warn'), fields, 'request.handled')`)
    expect(await script.exitCode, script.lines.join('\n')).to.equal(0)
    const lines = script.lines.map((line) => {
      const { time, ...fields } = JSON.parse(line) as Record<string, unknown>
      expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      return fields
    })
    expect(lines).to.have.length(2)
    expect(lines[0]).to.deep.equal(lines[1])
    expect(lines[0]).to.include({ level: 'info', process: 'test', outcome: 'accepted', status: 200 })
  })

  it('is written by a log that knows of no other way, too', () => {
    const { log, lines } = memoryLog()
    logPlain(log, { path: pathOfOurs('/webhooks/lineId/1') }, 'request.handled')
    expect(lines).to.have.length(1)
  })

  it('has an id as it is, and nothing that is none', () => {
    const id = newId()
    expect(idOf(id)).to.equal(id)
    for (const text of ['', '+15005550101', `${id}?token=1`, `${id}\n`]) expect(idOf(text)).to.equal('[cut]')
  })

  /** Looked at by the compiler: were one of these lines right, `tsc` would say so. */
  it('takes no text that somebody sent', () => {
    const text = String(Math.random())
    // @ts-expect-error a text is not plain
    const withText: PlainFields = { text }
    // @ts-expect-error only words that stand in the source
    const withWord: PlainFields = { outcome: word(text) }
    // @ts-expect-error nor anything with fields of its own, such as an error
    const withError: PlainFields = { err: new Error(text) }
    expect([withText, withWord, withError]).to.have.length(3)
  })
})
