import { expect } from 'chai'
import { runScript } from '../helpers/scripts.js'
import { runProgram, stopProcesses } from '../helpers/process/processes.js'

const SECRET = 'S3cr3tT0ken'
const TEXT = 'the words of a person'
const NUMBER = '+15005550199'

type Line = Record<string, unknown>

/** Runs these statements in a process of their own, with a `log`, and gives the lines it wrote, as they came. */
async function logLines(statements: string, level = 'info'): Promise<string[]> {
  const script = runScript(`
    import { createLog } from './dist/src/telemetry/log.js'
    const log = createLog('test', ${JSON.stringify(level)})
    const [SECRET, TEXT, NUMBER] = ${JSON.stringify([SECRET, TEXT, NUMBER])}
    ${statements}`)
  expect(await script.exitCode, script.lines.join('\n')).to.equal(0)
  return script.lines
}

describe('log', () => {
  after(stopProcesses)

  it('writes one JSON line of a unit of work, with time, level, process and what the caller says', async () => {
    const [line = '', ...others] = await logLines(`
      log.info({ messageId: 'm-1', outcome: 'sent', durationMs: 1795000000123, count: 12345678 }, 'message.sent')
      log.debug('not at this level')`)
    expect(others).to.deep.equal([])
    const { time, pid, ...rest } = JSON.parse(line) as Line
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(pid).to.be.a('number')
    expect(rest).to.deep.equal({
      level: 'info',
      process: 'test',
      messageId: 'm-1',
      outcome: 'sent',
      durationMs: 1795000000123,
      count: 12345678,
      msg: 'message.sent',
    })
  })

  it('takes nothing that users wrote for a format', async () => {
    const [line = ''] = await logLines(
      `log.info({ outcome: '%s %d %j %o {0} \${1+1}', lineId: '%n' }, 'message.sent')`,
    )
    expect(JSON.parse(line)).to.include({
      outcome: '%s %d %j %o {0} ${1+1}',
      lineId: '%n',
      msg: 'message.sent',
    })
  })

  it('drops what is too much to wait for a reader, and says how many lines', async () => {
    const written = await logLines(
      `for (let count = 0; count < 20_000; count += 1) log.info({ filler: 'x'.repeat(1000) }, 'line')`,
    )
    const last = JSON.parse(written.at(-1) ?? '') as Line
    expect(last).to.include({ level: 'warn', msg: 'log.lines_dropped' })
    expect(last.count).to.be.above(1000)
    expect(written.length - 1 + Number(last.count)).to.equal(20_000)
  })

  it('keeps lines that a full disk does not take, and writes them when there is room', async () => {
    const written = await logLines(`
      const { default: fs } = await import('node:fs')
      const { write } = fs
      let tries = 0
      fs.write = (...given) => {
        tries += 1
        given.at(-1)(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
      }
      for (let n = 1; n <= 3; n += 1) {
        log.info({ n }, 'line')
        while (tries < n) await new Promise(setImmediate)
      }
      fs.write = write
      log.info({ n: 4 }, 'line')`)
    expect(written.map((line) => (JSON.parse(line) as Line).n)).to.deep.equal([1, 2, 3, 4])
  })

  for (const [how, end, exitCode] of [
    ['is asked to stop', `process.kill(process.pid, 'SIGTERM')`, 0],
    ['crashes', `throw new Error('a bug')`, 1],
  ] as const) {
    it(`does not keep a process that ${how} from ending while its disk is full`, async () => {
      const code = `
        import { closeOnSignal } from './dist/src/kit/process/shutdown.js'
        import { createLog } from './dist/src/telemetry/log.js'
        const log = createLog('web', 'info')
        const timer = setInterval(() => log.info('line'), 10)
        closeOnSignal(log, [{ name: 'work', close: async () => console.error('closed') }])
        setTimeout(() => { ${end} }, 100)`
      const shell = ['sh', '-c', 'exec "$NODE" --input-type=module --eval "$CODE" > /dev/full']
      const script = runProgram('full', shell, { NODE: process.execPath, CODE: code })
      expect(await script.exitCode).to.equal(exitCode)
      expect(script.errorLines).to.deep.equal(exitCode === 0 ? ['closed'] : [])
    })
  }

  it('writes nothing when it is silent', async () => {
    expect(await logLines(`log.error('nothing')`, 'silent')).to.deep.equal([])
  })

  describe('never writes', () => {
    let lines: string[]

    before(async () => {
      lines = await logLines(`
        const secrets = {
          token: SECRET, secret: SECRET, password: SECRET, authorization: SECRET, cookie: SECRET,
          text: TEXT, payload: TEXT, toNumber: NUMBER, fromNumber: NUMBER, number: NUMBER,
        }
        const url = 'https://example.com/webhooks/lineId/7?token=' + SECRET
        const databaseUrl = 'postgres://linehook:' + SECRET + '@db.internal:5432/linehook'
        const driverError = Object.assign(new Error('insert failed: Key (to_number)=(15005550199) exists'), {
          code: '23505', detail: TEXT, parameters: [TEXT, NUMBER], config: { url },
        })

        log.info(secrets, 'fields')
        log.info({ message: secrets }, 'fields one level down')
        log.info({ message: { content: secrets } }, 'fields two levels down')
        log.child(secrets).info('fields of a child logger')
        log.info({ url, path: '/a?b=' + SECRET + '&c="d e', list: [url] }, 'query strings')
        log.info('GET ' + url)
        log.info({ databaseUrl, note: 'redis://:' + SECRET + '@redis' }, 'passwords in URLs')
        log.info({ note: 'to ' + NUMBER + ', from ' + NUMBER }, 'numbers to ' + NUMBER)
        log.error({ err: new Error('no answer of ' + url + ' for ' + NUMBER) }, 'error message')
        log.error({ err: new Error('connect ' + databaseUrl) }, 'error with a password')
        log.error({ err: driverError }, 'error with fields')
        log.error({ err: new Error('outer', { cause: new Error(url) }) }, 'error with a cause')
        log.error({ err: 'thrown ' + url + ' 15005550199' }, 'thrown string')
        log.error(new Error('direct ' + url + ' ' + NUMBER))
        log.info({ last: true }, 'the end')`)
    })

    const forbidden: [string, RegExp][] = [
      ['tokens, secrets and passwords', /S3cr3t/],
      ['message text', /words of a person/],
      ['whole numbers', /5005550199/],
    ]
    for (const [what, pattern] of forbidden) {
      it(what, () => {
        expect(lines.filter((line) => pattern.test(line))).to.deep.equal([])
      })
    }

    it('a line that is not JSON, whatever is cut out of it', () => {
      const messages = lines.map((line) => (JSON.parse(line) as Line).msg)
      expect(messages).to.have.length(15)
      expect(messages.at(-1)).to.equal('the end')
    })

    it('and keeps the rest of what is cut', () => {
      const find = (msg: string) =>
        lines.map((line) => JSON.parse(line) as Line).find((line) => line.msg === msg)
      expect(find('query strings')).to.include({
        url: 'https://example.com/webhooks/lineId/7?[cut]',
        path: '/a?[cut]"d e',
      })
      expect(find('passwords in URLs')).to.include({
        databaseUrl: 'postgres://[cut]@db.internal:5432/linehook',
        note: 'redis://[cut]@redis',
      })
      expect(find('fields')).to.include({ token: '[cut]', text: '[cut]', toNumber: '[cut]' })
    })
  })

  it('writes the name, code, message and stack of an error, and no other field of it', async () => {
    const [line = ''] = await logLines(`
      class PoolError extends Error { name = 'PoolError' }
      const err = Object.assign(new PoolError('no connection'), { code: 'ECONNREFUSED', bindings: ['x'] })
      log.warn({ err }, 'database.unreachable')`)
    const { level, msg, err } = JSON.parse(line) as Line & { err: Line }
    expect({ level, msg }).to.deep.equal({ level: 'warn', msg: 'database.unreachable' })
    expect(err).to.have.all.keys('name', 'code', 'message', 'stack')
    expect(err).to.include({ name: 'PoolError', code: 'ECONNREFUSED', message: 'no connection' })
    expect(err.stack).to.match(/^(PoolError|Error): no connection\n +at /)
  })

  it('leaves out a code that is not a string, and writes what was thrown instead of an error', async () => {
    const lines = await logLines(`
      log.warn({ err: Object.assign(new Error('odd'), { code: 7 }) }, 'one')
      log.warn({ err: 'only a string' }, 'two')`)
    const [one, two] = lines.map((line) => JSON.parse(line) as Line)
    expect(one?.err).to.have.all.keys('name', 'message', 'stack')
    expect(two?.err).to.deep.equal({ message: 'only a string' })
  })

  describe('for people', () => {
    const statements = `
      log.info({ messageId: 'm-1', token: SECRET, note: 'to ' + NUMBER }, 'message.sent')
      logPlain(log, { status: 200 }, 'request.handled')
      log.error({ err: new Error('no answer of https://example.com/?token=' + SECRET) }, 'request.failed')`
    const writtenBy = async (format: string, before = '') => {
      const script = runScript(
        `${before}
        import { createLog } from './dist/src/telemetry/log.js'
        import { logPlain } from './dist/src/telemetry/plain-line.js'
        const log = createLog('web', 'info', ${JSON.stringify(format)})
        const [SECRET, NUMBER] = ${JSON.stringify([SECRET, NUMBER])}
        ${statements}`,
        { NO_COLOR: '1' },
      )
      expect(await script.exitCode, script.lines.join('\n')).to.equal(0)
      return script.lines
    }
    const TERMINAL = 'process.stdout.isTTY = true;'

    it('has one line for each unit of work, without what is cut out', async () => {
      const [sent = '', handled = '', failed = '', ...stack] = await writtenBy('pretty')
      expect(sent).to.match(
        /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: message\.sent \{"messageId":"m-1","token":"\[cut\]","note":"to \[number\]"\}$/,
      )
      expect(handled).to.match(/INFO: request\.handled \{"status":200\}$/)
      expect(failed).to.match(/ERROR: request\.failed/)
      expect(stack.join('\n')).to.match(/Error: no answer of https:\/\/example\.com\/\?\[cut\]\n +at /)
      expect([sent, ...stack].join()).not.to.match(/S3cr3t|5005550199/)
    })

    it('is what a terminal gets, unless JSON is asked for', async () => {
      expect((await writtenBy('auto', TERMINAL))[0]).to.match(/INFO: message\.sent/)
      expect(JSON.parse((await writtenBy('json', TERMINAL))[0] ?? '')).to.include({ msg: 'message.sent' })
      expect(JSON.parse((await writtenBy('auto'))[0] ?? '')).to.include({ msg: 'message.sent' })
    })

    it('has the last words of a process that crashes', async () => {
      const script = runScript(
        `import { closeOnSignal } from './dist/src/kit/process/shutdown.js'
        import { createLog } from './dist/src/telemetry/log.js'
        const log = createLog('web', 'info', 'pretty')
        closeOnSignal(log, [])
        for (let n = 0; n < 1000; n += 1) log.info({ n }, 'line')
        throw new Error('a bug')`,
        { NO_COLOR: '1' },
      )
      expect(await script.exitCode).to.equal(1)
      expect(script.lines.filter((line) => line.includes('INFO: line'))).to.have.length(1000)
      expect(script.lines.join('\n')).to.match(/FATAL: process\.crashed[^]+Error: a bug/)
    })
  })
})
