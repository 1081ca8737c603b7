import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { build, type Metafile } from 'esbuild'

/** The packages that a process loads only when it first needs them, because they take long or much memory. */
const WAITING: Record<string, readonly string[]> = {
  'src/web/serve.ts': ['@bull-board/api', '@bull-board/koa', 'oidc-provider', 'file-type', '@node-rs/argon2'],
  'workers/processes/deliver-event.ts': ['libphonenumber-js'],
  'workers/processes/fetch-media.ts': ['libphonenumber-js', 'file-type'],
  'workers/processes/maintenance.ts': ['libphonenumber-js', 'file-type', '@node-rs/argon2'],
  'workers/processes/receive-smpp.ts': ['libphonenumber-js'],
}

describe('At its start', () => {
  let inputs: Metafile['inputs']
  before(async () => {
    const { metafile } = await build({
      entryPoints: Object.keys(WAITING),
      ...{ bundle: true, packages: 'external', splitting: true, format: 'esm', platform: 'node' },
      ...{ outdir: 'dist', write: false, metafile: true },
    })
    inputs = metafile.inputs
  })

  for (const [entry, packages] of Object.entries(WAITING))
    for (const name of packages)
      it(`${entry} does not load ${name}`, () => {
        expect(pathTo(name, entry, inputs), 'the imports that lead to it').to.deep.equal([])
      })

  it('libphonenumber is loaded by the processes that read numbers for each text, and by no other', () => {
    const program = `
      import { createRequire } from 'node:module'
      await import('./dist/src/web/app.js')
      const { warmUp } = await import('./dist/src/domain/warm-up.js')
      const { cache } = createRequire(import.meta.url)
      const isLoaded = () => Object.keys(cache).some((file) => file.includes('/libphonenumber-js/'))
      const seen = [isLoaded()]
      for (const name of ['step_lanes', 'queue_messages']) {
        await warmUp({ db: { raw: () => Promise.resolve() } }, [name])
        seen.push(isLoaded())
      }
      process.stdout.write(JSON.stringify(seen))
      process.exit()`
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })
    expect(JSON.parse(said)).to.deep.equal([false, false, true])
  })
})

/** Returns the files through which `entry` imports a package when it is loaded; none if it does not. */
function pathTo(name: string, entry: string, inputs: Metafile['inputs']): string[] {
  const importers = new Map<string, string | undefined>([[entry, undefined]])
  for (const [file] of importers)
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import' || importers.has(path)) continue
      importers.set(path, file)
      if (path === name || path.startsWith(`${name}/`)) return [...chainTo(file, importers), path]
    }
  return []
}

function chainTo(file: string | undefined, importers: ReadonlyMap<string, string | undefined>): string[] {
  return file === undefined ? [] : [...chainTo(importers.get(file), importers), file]
}
