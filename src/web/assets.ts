import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { RouterMiddleware } from '@koa/router'
import { UserError } from '../errors.js'
import { inProject } from '../project-files.js'

const require = createRequire(import.meta.url)

/** Every file that our pages name: from their packages, and our own. */
const FILES = {
  'pico.css': require.resolve('@picocss/pico/css/pico.min.css'),
  'htmx.js': require.resolve('htmx.org/dist/htmx.min.js'),
  'htmx-sse.js': require.resolve('htmx.org/dist/ext/hx-sse.min.js'),
  // The package does not export its file for pages.
  'webauthn.js': join(dirname(require.resolve('@simplewebauthn/browser')), '../dist/bundle/index.umd.min.js'),
  'passkeys.js': inProject('src/web/assets/passkeys.js'),
  'swagger-ui.css': require.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui.js': require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'console.css': inProject('src/web/assets/console.css'),
  'console.js': inProject('src/web/assets/console.js'),
  'simulator.css': inProject('src/web/assets/simulator.css'),
  'docs.js': inProject('src/web/assets/docs.js'),
  'icon.svg': inProject('src/web/assets/icon.svg'),
}

export type AssetName = keyof typeof FILES

const assets = new Map(
  Object.entries(FILES).map(([name, file]) => {
    const bytes = readFileSync(file)
    return [name, { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 12) }]
  }),
)

/** Has the content's hash in it, so that browsers keep it for ever and still get a new release's files. */
export function assetPath(name: AssetName): string {
  return `/assets/${assets.get(name)?.hash ?? ''}/${name}`
}

/** @throws UserError 404 */
export const getAsset: RouterMiddleware = (ctx) => {
  const { hash, name = '' } = ctx.params
  const asset = assets.get(name)
  if (asset?.hash !== hash || asset === undefined) throw new UserError('There is nothing at this path', 404)
  ctx.type = name.slice(name.lastIndexOf('.'))
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
  ctx.body = asset.bytes
}
