import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { billOfMaterials } from '../../dev/sbom.js'
import { runScript } from '../helpers/scripts.js'

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
      if (path === '') continue
      expect(each.integrity, path).to.match(/^sha512-/)
      expect((each as { resolved?: string }).resolved, path).to.equal(undefined)
    }
  })

  it('is written by the command', async () => {
    const script = runScript(
      `process.argv[1] = process.cwd() + '/dev/sbom.ts'; await import('./dev/sbom.ts')`,
    )
    expect(await script.exitCode).to.equal(0)
    expect(JSON.parse(script.lines.join('\n'))).to.deep.equal(billOfMaterials(lock))
  })
})
