import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'

interface Compose {
  services: Record<string, { image: string; volumes: string[] }>
}

const LINE = '# - ./logo.svg:/etc/linehook/logo.svg:ro'

describe('a logo in compose.yaml', () => {
  const text = readFileSync('compose.yaml', 'utf8')
  const mountsOf = (compose: string) =>
    Object.values((parse(compose, { merge: true }) as Compose).services)
      .filter(({ image }) => image === 'linehook')
      .map(({ volumes }) => volumes)

  it('is mounted in every process once its line is uncommented, and in none before', () => {
    const media = 'media:/var/lib/linehook/media'
    const mounts = mountsOf(text)
    expect(mounts).to.have.length.above(5)
    expect(mounts).to.deep.equal(mounts.map(() => [media]))
    const withLogo = mountsOf(text.replace(LINE, LINE.slice(2)))
    expect(withLogo).to.deep.equal(mounts.map(() => [media, LINE.slice(4)]))
  })

  it('is where the documentation says that BRAND_LOGO finds it', () => {
    const path = LINE.split(':')[1]
    for (const page of ['compose.yaml', 'docs/operating/containers.md', 'docs/configuration.md'])
      expect(readFileSync(page, 'utf8'), page).to.include(`BRAND_LOGO=${path}`)
  })
})
