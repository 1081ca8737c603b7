import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { unpackPackages } from '../../../dev/services/debian-packages.js'
import { createDataFolder } from '../../helpers/services/services.js'

/** With an apt-get and a dpkg that need no network. */
describe('packages of Debian', () => {
  const path = process.env.PATH
  let cacheFolder: string
  let unpacked: string

  /** @param alsoDone what is done when a package is unpacked */
  function pretend(alsoDone = ':'): void {
    const bin = join(cacheFolder, 'bin')
    mkdirSync(bin)
    const archive = 'case $arg in Dir::Cache=*) touch "${arg#Dir::Cache=}/archives/a.deb" ;; esac'
    const programs = {
      'apt-get': `for arg; do ${archive}; done`,
      dpkg: `mkdir "$3" && touch "$3/ours" && ${alsoDone}`,
    }
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    }
    process.env.PATH = `${bin}:${path}`
  }

  beforeEach(() => {
    cacheFolder = createDataFolder('packages')
    unpacked = join(cacheFolder, 'redis')
  })
  afterEach(() => {
    process.env.PATH = path
  })

  it('are unpacked in place of what was there', async () => {
    pretend()
    mkdirSync(unpacked)
    writeFileSync(join(unpacked, 'broken'), '')
    await unpackPackages('redis-server', cacheFolder, unpacked)
    expect(readdirSync(unpacked)).to.deep.equal(['ours'])
    expect(readdirSync(cacheFolder)).to.have.members(['bin', 'redis'])
  })

  it('are left as another start has unpacked them meanwhile, which runs them', async () => {
    pretend(`mkdir "${unpacked}" && touch "${unpacked}/theirs"`)
    await unpackPackages('redis-server', cacheFolder, unpacked)
    expect(existsSync(join(unpacked, 'theirs'))).to.equal(true)
    expect(readdirSync(cacheFolder)).to.have.members(['bin', 'redis'])
  })
})
