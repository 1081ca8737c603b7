import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import {
  CARRIER_KINDS,
  createCarrierClients,
  type AccountKey,
  type CarrierClients,
} from '../../src/carriers/registry.js'
import { createSafeFetch } from '../../src/safe-fetch.js'
import { createLog } from '../../src/telemetry/log.js'

describe('the carriers of a process', () => {
  const http = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: [] })
  const simulated: AccountKey = { id: 'a', name: 'test', kind: 'simulator', version: 1 }
  const none = () => Promise.resolve({})
  let carriers: CarrierClients

  beforeEach(() => {
    carriers = createCarrierClients({
      http,
      log: createLog('test', 'silent'),
      publicUrl: 'http://localhost',
      simulatorOutbox: { take: () => Promise.resolve() },
    })
  })
  after(() => http.close())

  it('are made once of an account', async () => {
    const carrier = await carriers.get(simulated, none)
    const again = await carriers.get(simulated, () => Promise.reject(new Error('read again')))
    expect(again).to.equal(carrier)
    expect(carrier?.name).to.equal('test')
  })

  it('are made again when the settings have changed, and not again for who still has the older version', async () => {
    const first = await carriers.get(simulated, none)
    const second = await carriers.get({ ...simulated, version: 2 }, none)
    expect(second).not.to.equal(first)
    expect(await carriers.get(simulated, none)).to.equal(second)
  })

  it('are made after all when the settings could not be read at first', async () => {
    const failed = carriers.get(simulated, () => Promise.reject(new Error('Postgres is away')))
    expect(await failed.catch((error: unknown) => String(error))).to.equal('Error: Postgres is away')
    expect((await carriers.get(simulated, none))?.name).to.equal('test')
  })

  it('are none for a kind that nobody knows', async () => {
    for (const kind of ['', 'nobody', 'constructor', '__proto__']) {
      expect(await carriers.get({ ...simulated, id: kind, kind }, none)).to.equal(undefined)
    }
  })
})

it('the media that a message of each kind may have are those of the documentation', () => {
  const page = readFileSync('docs/carriers/README.md', 'utf8')
  const [, table = ''] = /## Media\n([^]*?)\n## /.exec(page) ?? []
  const listed = table.split('\n').flatMap((row) => {
    const [, title, ...cells] = row.split('|').map((cell) => cell.trim())
    return /^\d+$/.test(cells[0] ?? '') ? [[title, ...cells.slice(0, 4)]] : []
  })
  const inMegabytes = (bytes?: number) => (bytes === undefined ? '' : `${bytes / 1_000_000} MB`)
  expect(listed).to.deep.equal(
    [...CARRIER_KINDS.values()].flatMap(({ title, media }) =>
      media === undefined
        ? []
        : [
            [
              ...[title, String(media.count), inMegabytes(media.bytesEach), inMegabytes(media.bytesInTotal)],
              (media.types ?? []).map((type) => type.replace('image/', '')).join(', '),
            ],
          ],
    ),
  )
})

it('the files of a provider have at most 150 lines each', () => {
  const files = readdirSync('src/carriers', { recursive: true, encoding: 'utf8' })
  const providers = files.filter((file) =>
    /: kit\.Provider<Settings> = \{/.test(
      file.endsWith('.ts') ? readFileSync(`src/carriers/${file}`, 'utf8') : '',
    ),
  )
  expect(providers).to.have.length.above(10)
  const theirs = files.filter((file) =>
    providers.some(
      (provider) =>
        file === provider || (provider.includes('/') && file.startsWith(`${provider.split('/')[0]}/`)),
    ),
  )
  const lengths = theirs
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(`src/carriers/${file}`, 'utf8').split('\n').length - 1] as const)
  expect(lengths.filter(([, count]) => count > 150)).to.deep.equal([])
})
