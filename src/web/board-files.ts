import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Context as KoaContext } from 'koa'
import { answerAsset, FOREVER, type Asset } from './assets.js'

/**
 * The scripts and styles of the queue dashboard, as its package has them. The package would send 650 kB uncompressed
 * for each page, and none of it could be kept.
 */
const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')),
  'dist/static',
)
const names = new Set(readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(isText))
const files = new Map<string, Asset>()

function isText(name: string): boolean {
  return /\.(js|css|json|svg)$/.test(name)
}

/** Its name has its content's hash in it: `main.f10757109b.js`. */
const HASHED = /\.[\da-f]{10}\.(js|css)$/

/** @returns false if the package has no such file of text, and nothing was answered */
export async function answerBoardFile(ctx: KoaContext, name: string): Promise<boolean> {
  if (!names.has(name) || !['GET', 'HEAD'].includes(ctx.method)) return false
  const file = files.get(name) ?? { bytes: readFileSync(join(FOLDER, name)), compressed: new Map() }
  files.set(name, file)
  // Only operators get them, so no shared cache keeps them.
  if (HASHED.test(name)) ctx.set('Cache-Control', `private, ${FOREVER}`)
  await answerAsset(ctx, name, file)
  return true
}
