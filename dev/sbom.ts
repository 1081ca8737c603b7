import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** npm's entry for a package: its path, and the hash that identifies it. */
interface LockedPackage {
  name?: string
  version: string
  integrity?: string
  license?: string
  dev?: boolean
  /** True if it is part of this project. */
  link?: boolean
  devOptional?: boolean
}

interface Lock {
  name: string
  version: string
  packages: Record<string, LockedPackage>
}

/**
 * Lists every third-party package that production may install, as CycloneDX. It is made from the lockfile: `npm sbom`
 * refuses a tree with `overrides`, and would list what is installed on this machine rather than on all.
 */
export function billOfMaterials(lock: Lock) {
  const components = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path, each]) => componentOf(path, each))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  // A package in two places is listed once.
  const unique = [...new Map(components.map((each) => [each['bom-ref'], each])).values()]
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': lock.name, name: lock.name, version: lock.version },
    },
    components: unique,
  }
}

function componentOf(path: string, { name, version, integrity = '', license }: LockedPackage) {
  const ownName = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const purl = `pkg:npm/${ownName.replace('@', '%40')}@${version}`
  const digest = integrity.replace(/^sha512-/, '')
  return {
    type: 'library',
    'bom-ref': purl,
    name: ownName,
    version,
    purl,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
  process.stdout.write(`${JSON.stringify(billOfMaterials(lock), null, 2)}\n`)
}
