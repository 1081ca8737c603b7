import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { RouterMiddleware } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { UserError } from '../errors.js'
import { inProject } from '../kit/process/project-files.js'

const gzip = promisify(zlib.gzip) as (bytes: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>
const brotli = promisify(zlib.brotliCompress) as (
  bytes: Buffer,
  options: zlib.BrotliOptions,
) => Promise<Buffer>
const require = createRequire(import.meta.url)

const STYLES = ['fonts', 'tokens', 'base', 'shell', 'parts', 'messages']

/**
 * Every file that our pages name, from their packages and our own; several are served as one. Files that others name
 * come first.
 */
const FILES = {
  'inter-latin.woff2': require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  'inter-latin-ext.woff2':
    require.resolve('@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2'),
  'htmx.js': require.resolve('htmx.org/dist/htmx.min.js'),
  // The package does not export its file for pages.
  'webauthn.js': join(dirname(require.resolve('@simplewebauthn/browser')), '../dist/bundle/index.umd.min.js'),
  'passkeys.js': inProject('src/web/assets/passkeys.js'),
  'console.css': STYLES.map((name) => inProject(`src/web/assets/styles/${name}.css`)),
  'fonts.css': [inProject('src/web/assets/styles/fonts.css')],
  'console.js': inProject('src/web/assets/console.js'),
  'drawer.js': inProject('src/web/assets/drawer.js'),
  'live.js': inProject('src/web/assets/live.js'),
  'live-worker.js': inProject('src/web/assets/live-worker.js'),
  'simulator.css': inProject('src/web/assets/simulator.css'),
  'reference.css': inProject('src/web/assets/reference.css'),
  'try.js': inProject('src/web/assets/try.js'),
  'board.css': inProject('src/web/assets/board.css'),
  'board.js': inProject('src/web/assets/board.js'),
  'icon.svg': inProject('src/web/assets/icon.svg'),
}

export type AssetName = keyof typeof FILES

export interface Asset {
  bytes: Buffer
  /** The compressed bytes by their encoding. */
  compressed: Map<string, Promise<Buffer>>
}

const paths = new Map<AssetName, string>()
/** The files by their paths: another hash under a known name is another file. */
const assets = new Map<string, Asset>()
for (const [name, files] of Object.entries(FILES))
  paths.set(name as AssetName, addAsset(name, readAsset(files)))

function readAsset(files: string | URL | URL[]): Buffer {
  if (!Array.isArray(files)) return readFileSync(files)
  const text = files.map((file) => readFileSync(file, 'utf8')).join('')
  return Buffer.from(text.replace(/url\(([\w.-]+)\)/g, (_, name: AssetName) => `url(${assetPath(name)})`))
}

/**
 * @returns its path, which has the content's hash in it, so that browsers keep it forever and still get a new
 *   release's files
 */
export function addAsset(name: string, bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  const path = `/assets/${hash}/${name}`
  assets.set(path, { bytes, compressed: new Map() })
  return path
}

export function assetPath(name: AssetName): string {
  return paths.get(name) ?? ''
}

export function assetText(name: AssetName): string {
  return assets.get(assetPath(name))?.bytes.toString('utf8') ?? ''
}

const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

/**
 * Answers with one of our files.
 *
 * @throws UserError 404
 */
export const getAsset: RouterMiddleware = (ctx) => {
  const { hash, name = '' } = ctx.params
  const asset = assets.get(`/assets/${hash ?? ''}/${name}`)
  if (asset === undefined) throw new UserError('Nothing was found at this path', 404)
  // A worker has the policy of its own script, not that of the page.
  if (name === 'live-worker.js') ctx.set('Content-Security-Policy', "default-src 'none'; connect-src 'self'")
  // The operator's logo may be from an unknown source. Opened by itself, its scripts do nothing.
  if (name.endsWith('.svg')) ctx.set('Content-Security-Policy', SVG_POLICY)
  ctx.set('Cache-Control', `public, ${FOREVER}`)
  return answerAsset(ctx, name, asset)
}

/** For a file whose path has its content's hash in it. */
export const FOREVER = 'max-age=31536000, immutable'

/** Files of these types are compressed already. */
const PACKED = /\.(woff2|png|ico)$/

/** For the dashboard's largest script (846 kB), Brotli's level 11 takes 2.3 s, and level 9 takes 0.14 s for 10% more bytes. */
const LARGE = 300_000

/** The first one is the smallest. */
const ENCODERS: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => {
    const { BROTLI_PARAM_QUALITY } = zlib.constants
    return brotli(bytes, { params: { [BROTLI_PARAM_QUALITY]: bytes.length > LARGE ? 9 : 11 } })
  },
  gzip: (bytes) => gzip(bytes, { level: 9 }),
}

/** Browsers accept both equally, so the choice is ours. */
function acceptedEncoder(ctx: KoaContext) {
  return Object.entries(ENCODERS).find(([encoding]) => ctx.acceptsEncodings(encoding) === encoding)
}

/**
 * Answers with a file, compressed for browsers that support it. It is compressed once, for the first request.
 * Pages are not compressed: from the length of a page with a secret and a part of the request in it, attackers could
 * guess the secret (BREACH).
 */
export async function answerAsset(ctx: KoaContext, name: string, asset: Asset): Promise<void> {
  ctx.type = name.slice(name.lastIndexOf('.'))
  ctx.vary('Accept-Encoding')
  const [encoding, encode] = (PACKED.test(name) ? undefined : acceptedEncoder(ctx)) ?? []
  if (encoding === undefined || encode === undefined) {
    ctx.body = asset.bytes
    return
  }
  const compressed = asset.compressed.get(encoding) ?? encode(asset.bytes)
  asset.compressed.set(encoding, compressed)
  ctx.set('Content-Encoding', encoding)
  ctx.body = await compressed
}
