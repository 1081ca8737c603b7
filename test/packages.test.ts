import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

interface Lock {
  packages: Record<string, { hasInstallScript?: boolean; link?: boolean; resolved?: string }>
}

describe('the packages', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock

  it('have none among them that reports installations', () => {
    const scarf = Object.entries(packages).filter(([path]) => path.includes('@scarf/'))
    expect(scarf).to.deep.equal([['node_modules/@scarf/scarf', { resolved: 'dev/no-scarf', link: true }]])
    expect(readdirSync('dev/no-scarf')).to.deep.equal(['package.json'])
    expect(JSON.parse(readFileSync('dev/no-scarf/package.json', 'utf8'))).not.to.have.any.keys(
      'scripts',
      'main',
    )
  })

  it('have a DOMPurify in what /docs shows that is newer than its known weaknesses (CVE-2025-26791: 3.2.4)', () => {
    const bundle = readFileSync('node_modules/swagger-ui-dist/swagger-ui-bundle.js', 'utf8')
    const [, major, minor, patch] = /DOMPurify\.version="(\d+)\.(\d+)\.(\d+)"/.exec(bundle) ?? []
    expect(Number(major) * 10_000 + Number(minor) * 100 + Number(patch)).to.be.at.least(30_204)
  })
})
