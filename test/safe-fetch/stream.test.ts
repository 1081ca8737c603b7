import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createSafeFetch, FetchFailed, type SafeFetch } from '../../src/safe-fetch.js'
import { startHostileServer } from '../helpers/services/hostile-servers.js'
import { startStandIn } from '../helpers/services/stand-in.js'
import { openForSuite } from '../helpers/suite.js'

const MIB = Buffer.alloc(1024 * 1024)

describe('safe-fetch, streaming', () => {
  const server = openForSuite(startStandIn)
  let safeFetch: SafeFetch

  before(() => {
    safeFetch = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8'] })
  })
  after(async () => {
    await safeFetch.close()
  })

  it('hands over the whole body, in order, with the head before it', async () => {
    const url = server.serve((_request, response) => {
      response.setHeader('X-Kind', 'text')
      response.write('one ')
      setImmediate(() => response.end('two'))
    })
    const seen: string[] = []
    const answer = await safeFetch.stream(url, {
      begin: ({ status, headers }) => {
        seen.push(`${status} ${headers['x-kind']}`)
        return true
      },
      take: (piece) => {
        seen.push(piece.toString())
        return true
      },
    })
    expect(seen.join('|')).to.match(/^200 text\|one \|?two$/)
    expect(answer).to.deep.include({ status: 200, truncated: false })
  })

  it('lets the server wait while the sink is busy, and loses nothing of it', async () => {
    let pushed = 0
    const url = server.serve((_request, response) => {
      const push = () => {
        while (pushed < 64) {
          pushed += 1
          if (!response.write(MIB)) {
            response.once('drain', push)
            return
          }
        }
        response.end()
      }
      push()
    })
    let byteCount = 0
    let pushedAtFirst = 0
    const answer = await safeFetch.stream(url, {
      take: async (piece) => {
        if (byteCount === 0) {
          await sleep(200)
          pushedAtFirst = pushed
        }
        byteCount += piece.length
        return true
      },
    })
    // What the sockets' own buffers hold, and not the 64 MiB that there are.
    expect(pushedAtFirst).to.be.lessThan(32)
    expect(byteCount).to.equal(64 * MIB.length)
    expect(answer.truncated).to.be.false
  })

  it('ends an endless body where the sink has enough, and the server notices', async () => {
    let pushed = 0
    const closed = new Promise<void>((resolve) => {
      endless.url = server.serve((_request, response) => {
        const push = () => {
          do pushed += MIB.length
          while (response.write(MIB) && !response.destroyed)
          response.once('drain', push)
        }
        response.once('close', resolve)
        push()
      })
    })
    let byteCount = 0
    const answer = await safeFetch.stream(endless.url, {
      take: (piece) => Promise.resolve((byteCount += piece.length) < 5_000_000),
    })
    await closed
    expect(answer.truncated).to.be.true
    expect(byteCount).to.be.within(5_000_000, 5_100_000)
    expect(pushed).to.be.lessThan(5_000_000 + 32 * MIB.length)
  })

  it('does not read a body that is not wanted', async () => {
    const url = server.serve((_request, response) => response.writeHead(404).end('nothing here'))
    const answer = await safeFetch.stream(url, { begin: ({ status }) => status === 200, take: refuse })
    expect(answer).to.deep.include({ status: 404, truncated: true })
  })

  it('rejects as the sink does', async () => {
    const url = server.serve((_request, response) => response.end('text'))
    const full = new Error('no space left')
    expect(await caught(safeFetch.stream(url, { take: () => Promise.reject(full) }))).to.equal(full)
  })

  it('has a time limit for all of it: a body that drips is a timeout, also while the sink is busy', async () => {
    const drip = server.serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.once('close', () => {
        clearInterval(timer)
      })
    })
    const never = new Promise<boolean>(() => undefined)
    for (const take of [() => true, () => never]) {
      const error = await caught(safeFetch.stream(drip, { take }, { timeoutMs: 200 }))
      expect(error).to.be.instanceOf(FetchFailed)
      expect((error as FetchFailed).failure).to.equal('timeout')
    }
  })

  it('has all of a body although the server closes while the sink is busy, and knows one that is not whole', async () => {
    const body = Buffer.alloc(3_000_000, 'm')
    const length = `Content-Length: ${body.length}`
    const cases: [head: string, sent: number, outcome: string][] = [
      ['HTTP/1.0 200 OK', body.length, 'whole'],
      ['HTTP/1.1 200 OK\r\nConnection: close', body.length, 'whole'],
      [`HTTP/1.1 200 OK\r\nConnection: close\r\n${length}`, body.length, 'whole'],
      [`HTTP/1.1 200 OK\r\nConnection: close\r\n${length}`, body.length - 1, 'reset'],
    ]
    const hostile = await startHostileServer()
    for (const [head, sent, outcome] of cases) {
      hostile.behave((socket) =>
        socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body.subarray(0, sent)])),
      )
      let byteCount = 0
      const take = async (piece: Buffer) => {
        await sleep(1)
        byteCount += piece.length
        return true
      }
      const streaming = safeFetch.stream(hostile.origin, { take })
      if (outcome === 'whole') {
        expect(await streaming, head).to.deep.include({ status: 200, truncated: false })
        expect(byteCount, head).to.equal(body.length)
      } else {
        expect(((await caught(streaming)) as FetchFailed).failure, head).to.equal(outcome)
      }
    }
    await hostile.close()
  })

  it('fails what is under way when it is closed, and what comes after', async () => {
    const closing = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8'] })
    let begun: () => void = () => undefined
    const asked = new Promise<void>((resolve) => (begun = resolve))
    const url = server.serve((_request, response) => {
      response.write('a piece')
      begun()
    })
    const underWay = caught(closing.stream(url, { take: () => true }))
    await asked
    await closing.close()
    expect(await underWay).to.include({ failure: 'aborted', requestSent: true })
    expect(await caught(closing.stream(url, { take: refuse }))).to.include({
      failure: 'aborted',
      requestSent: false,
    })
  })

  it('knows a body that ends too early', async () => {
    const url = server.serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('not a hundred')
      setTimeout(() => response.destroy(), 20)
    })
    const error = await caught(safeFetch.stream(url, { take: () => Promise.resolve(true) }))
    expect((error as FetchFailed).failure).to.equal('reset')
  })

  it('guards addresses as every request does, and follows no redirect', async () => {
    const guarded = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: [] })
    const error = await caught(guarded.stream('http://127.0.0.1/', { take: refuse }))
    await guarded.close()
    expect((error as FetchFailed).failure).to.equal('blocked_address')

    const url = server.serve((_request, response) => response.writeHead(302, { Location: '/x' }).end())
    expect((await safeFetch.stream(url, { take: () => true })).status).to.equal(302)
  })
})

const endless = { url: '' }

function refuse(): never {
  throw new Error('there is nothing to take')
}

function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('it did not reject'),
    (error: unknown) => error,
  )
}
