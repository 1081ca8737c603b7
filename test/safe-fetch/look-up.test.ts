import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLookup } from '../../src/safe-fetch/look-up.js'
import type { Lookup } from '../../src/safe-fetch/resolve.js'
import { createDataFolder } from '../helpers/services/services.js'
import { openForSuite } from '../helpers/suite.js'

const FORMAT_A = 1
const SERVFAIL = 2
const NXDOMAIN = 3

/** A name server (RFC 1035). A name is silent, fails, has an IPv4 address, or does not exist. */
async function startNameServer() {
  const socket = createSocket('udp4')
  const asked: string[] = []
  let isFailing = false
  socket.on('message', (query, peer) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const name = labels.join('.')
    const kind = query.readUInt16BE(at + 1)
    asked.push(name)
    if (name.startsWith('silent') || (name.startsWith('known-half') && kind !== FORMAT_A)) return
    const hasAddress = name.startsWith('known') && kind === FORMAT_A
    const code = isFailing ? SERVFAIL : name.startsWith('known') ? 0 : NXDOMAIN
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt32BE(hasAddress && code === 0 ? 1 << 16 : 0, 6)
    head.writeUInt16BE(0, 10)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 1])
    const parts = [head, query.subarray(12, at + 5), ...(hasAddress && code === 0 ? [answer] : [])]
    socket.send(Buffer.concat(parts), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    fail: (fails: boolean) => {
      isFailing = fails
    },
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  }
}

describe('the look-up of names', () => {
  const server = openForSuite(startNameServer)
  let lookup: Lookup
  const ofSystem: string[] = []
  let answerOfSystem: (() => void)[] = []

  before(async () => {
    const hostsFile = join(createDataFolder('hosts'), 'hosts')
    await writeFile(
      hostsFile,
      '# ours\n127.0.0.1 localhost\n192.0.2.9\tKnown.in-hosts.example alias # here\n',
    )
    const system: Lookup = (name, _options, callback) => {
      ofSystem.push(name)
      answerOfSystem.push(() => {
        callback(null, [{ address: '192.0.2.9', family: 4 }])
      })
    }
    lookup = createLookup({ nameServers: [server.address], system, hostsFile, firstWaitMs: 1000 })
  })
  beforeEach(() => {
    server.asked.length = 0
    ofSystem.length = 0
    answerOfSystem = []
  })

  const addressOf = (name: string, by = lookup) =>
    new Promise<string>((resolve, reject) => {
      by(name, { all: true }, (error, addresses) => {
        if (error === null) resolve(addresses.map(({ address, family }) => `${address}/${family}`).join())
        else reject(error)
      })
    })

  it('has the address of a name while name servers are silent about many others', async () => {
    let ended = 0
    const silent = Array.from({ length: 20 }, (_, n) =>
      addressOf(`silent${n % 2}.example`).finally(() => (ended += 1)),
    )
    expect(await addressOf('known.example')).to.equal('192.0.2.1/4')
    expect(ended).to.equal(0)
    const outcomes = await Promise.allSettled(silent)
    expect(
      outcomes.map((each) => each.status === 'rejected' && (each.reason as { code: string }).code),
    ).to.deep.equal(Array<string>(20).fill('ETIMEOUT'))
    expect(ofSystem).to.deep.equal([])
  })

  it('has the IPv4 address of a name about whose IPv6 addresses the name servers are silent', async () => {
    // It gives up sooner than the one that is tested would.
    const impatient = createLookup({ nameServers: [server.address], firstWaitMs: 500 })
    let hasGivenUp = false
    const silent = addressOf('silent.example', impatient).catch(() => (hasGivenUp = true))
    expect(await addressOf('known-half.example')).to.equal('192.0.2.1/4')
    expect(hasGivenUp).to.equal(false)
    await silent
    expect(hasGivenUp).to.equal(true)
  })

  it('asks the system for names of its hosts file and names without a dot, and no name server', async () => {
    const found = Promise.all(['known.in-hosts.example', 'smsc', 'localhost'].map((name) => addressOf(name)))
    for (const answer of answerOfSystem) answer()
    expect(await found).to.deep.equal(Array<string>(3).fill('192.0.2.9/4'))
    expect(server.asked).to.deep.equal([])
  })

  it('asks the system for names that no name server knows, for one at a time', async () => {
    const found = Promise.all(['one.local', 'two.local', 'one.local'].map((name) => addressOf(name)))
    while (answerOfSystem.length === 0) await new Promise(setImmediate)
    // A name server would have answered long before for the second one, too.
    await addressOf('known.example')
    expect(ofSystem).to.have.length(1)
    answerOfSystem[0]?.()
    while (answerOfSystem.length === 1) await new Promise(setImmediate)
    answerOfSystem[1]?.()
    expect(await found).to.deep.equal(Array<string>(3).fill('192.0.2.9/4'))
    expect(ofSystem.toSorted()).to.deep.equal(['one.local', 'two.local'])
  })

  it('has the address again when the name server that failed works', async () => {
    server.fail(true)
    const failure = await addressOf('known.example').catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'ESERVFAIL')
    server.fail(false)
    expect(await addressOf('known.example')).to.equal('192.0.2.1/4')
  })
})
