import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath, URL } from 'node:url'

/**
 * Hooks of Node's loader: a test that imports a file of the project gets what `npm run build` made of it, because that is
 * what users run. The tests and their helpers stay as they are written.
 */
const project = new URL('../../', import.meta.url).href
const built = `${project}dist/`
const SHIPPED = /^(bin|dev|migrations|src|workers)\//

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  const { parentURL = '' } = context
  const path = specifier.startsWith('.')
    ? new URL(specifier, parentURL).href
    : specifier.startsWith('file:')
      ? specifier
      : undefined
  if (path?.startsWith(built)) return { url: path, format: 'module', shortCircuit: true }
  if (path?.startsWith(project) && SHIPPED.test(path.slice(project.length))) {
    const url = `${built}${path.slice(project.length).replace(/\.tsx?$/, '.js')}`
    if (existsSync(fileURLToPath(url.replace(/\?.*/, ''))))
      return { url, format: 'module', shortCircuit: true }
  }
  return nextResolve(specifier, context)
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith(built)) return nextLoad(url, context)
  return { format: 'module', source: await readFile(fileURLToPath(url)), shortCircuit: true }
}
