import { readFileSync } from 'node:fs'
import { expect } from 'chai'

interface Lock {
  packages: Record<string, { hasInstallScript?: boolean; link?: boolean; resolved?: string }>
}

describe('the packages', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock

  it('have none among them that reports installations', () => {
    expect(Object.keys(packages).filter((path) => path.includes('@scarf/'))).to.deep.equal([])
  })
})
