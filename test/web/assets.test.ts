import { expect } from 'chai'
import { assetPath } from '../../src/web/assets.js'
import { describeWeb } from '../helpers/web/web.js'

const TYPES = {
  'inter-latin.woff2': 'font/woff2',
  'console.css': 'text/css; charset=utf-8',
  'simulator.css': 'text/css; charset=utf-8',
  'htmx.js': 'text/javascript; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'try.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

describeWeb('assets', ({ web }) => {
  it('have a content hash in their path and the right type, and are cached forever', async () => {
    for (const [name, type] of Object.entries(TYPES)) {
      const path = assetPath(name as keyof typeof TYPES)
      expect(path).to.match(/^\/assets\/[\w-]{12}\/[\w.-]+$/)
      const { status, headers, text } = await web.request(path)
      expect([status, headers.get('content-type')], name).to.deep.equal([200, type])
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.getSetCookie()).to.deep.equal([])
      expect(text).not.to.equal('')
      const head = await web.request(path, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-type'), head.text]).to.deep.equal([200, type, ''])
    }
  })

  it('come as Brotli if the browser supports it, else as gzip, else as they are', async () => {
    const path = assetPath('console.css')
    const plain = await web.request(path, { headers: { 'Accept-Encoding': 'identity' } })
    const sizes: number[] = []
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['identity', null],
      ['br;q=0', null],
    ] as const) {
      const answer = await web.request(path, { headers: { 'Accept-Encoding': accepted } })
      expect([accepted, answer.headers.get('content-encoding')]).to.deep.equal([accepted, encoding])
      expect(answer.headers.get('vary')).to.equal('Accept-Encoding')
      expect(answer.text === plain.text, accepted).to.equal(true)
      sizes.push(Number(answer.headers.get('content-length')))
    }
    const [brotli = 0, gzip = 0, whole = 0] = sizes
    expect(brotli).to.be.below(gzip * 0.9)
    expect(gzip).to.be.below(whole * 0.3)
    const font = await web.request(assetPath('inter-latin.woff2'), { headers: { 'Accept-Encoding': 'br' } })
    expect(font.headers.get('content-encoding')).to.equal(null)
  })

  it('include the font that every page preloads', async () => {
    const { text } = await web.request('/console/sign-in', { headers: { Accept: 'text/html' } })
    const [, path = ''] = /<link rel="preload" href="([^"]+)" as="font"/.exec(text) ?? []
    expect(path).to.equal(assetPath('inter-latin.woff2'))
  })

  it('return an uncached 404 under another hash, another name or outside the list', async () => {
    const path = assetPath('console.css')
    const hash = path.split('/')[2]!
    for (const other of [
      '/assets/AAAAAAAAAAAA/console.css',
      `/assets/${hash.toLowerCase()}x/console.css`,
      `/assets/${hash}/console.js`,
      `/assets/${hash}/nothing.css`,
      `/assets/${hash}/__proto__`,
      `/assets/${hash}/..%2Fconsole.css`,
      `/assets/${hash}/..%2F..%2Fapp.ts`,
      `/assets/undefined/nothing`,
      `/assets/${hash}`,
      '/assets/',
    ]) {
      const { status, headers } = await web.request(other)
      expect([status, headers.get('cache-control')], other).to.deep.equal([404, 'no-store'])
    }
  })
})
