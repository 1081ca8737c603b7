import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** What npm writes of each package: where it lies, and the hash by which it knows it again. */
interface LockedPackage {
  name?: string
  version: string
  integrity?: string
  license?: string
  dev?: boolean
  /** It lies in this project. */
  link?: boolean
  devOptional?: boolean
}

interface Lock {
  name: string
  version: string
  packages: Record<string, LockedPackage>
}

/**
 * Every package of others that production may install, as CycloneDX. From the lockfile: `npm sbom` refuses a tree with
 * `overrides`, and would list what one machine has rather than what all install.
 */
export function billOfMaterials(lock: Lock) {
  const components = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path, each]) => componentOf(path, each))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  // One that lies in two places is one.
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
