import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { billOfMaterials } from '../../dev/sbom.js'

type Lock = Parameters<typeof billOfMaterials>[0]
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
}

describe('the list of packages (npm run sbom)', () => {
  const { components } = billOfMaterials(lock)

  it('has every package that production installs, with its version and its hash, and none of the tools', () => {
    const named = new Map(components.map(({ name, version }) => [`${name}@${version}`, true]))
    for (const [name, version] of Object.entries(dependencies)) {
      // In this project, in the place of another.
      if (version.startsWith('file:')) continue
      expect([...named.keys()], name).to.include(`${name}@${version}`)
    }
    expect(components.map(({ name }) => name)).not.to.include.members(['mocha'])
    for (const { name, purl, hashes } of components) {
      expect(purl, name).to.match(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/)
      expect(hashes, name).to.have.length(1)
      expect(hashes[0]?.alg, name).to.equal('SHA-512')
      expect(hashes[0]?.content, name).to.match(/^[0-9a-f]{128}$/)
    }
    expect(new Set(components.map(({ purl }) => purl)).size).to.equal(components.length)
  })

  it('is of packages that are known by their hash, and come from no place but the registry', () => {
    for (const [path, each] of Object.entries(lock.packages)) {
      if (!path.startsWith('node_modules/') || each.link === true) continue
      expect(each.integrity, path).to.match(/^sha512-/)
      expect((each as { resolved?: string }).resolved, path).to.equal(undefined)
    }
  })

  it('is written by the command', async () => {
    const command = ['--import', 'tsx', 'dev/sbom.ts']
    const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 16_000_000 })
    expect(JSON.parse(stdout)).to.deep.equal(billOfMaterials(lock))
  })
})
