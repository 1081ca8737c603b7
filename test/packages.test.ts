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
})
