import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { readProcfile } from '../../dev/start/supervise.js'

interface Compose {
  services: Record<string, { image: string; command?: string[]; healthcheck?: { disable?: boolean } }>
}

const TEMPLATE = 'ops/systemd/linehook@.service'
const STORES = ['postgres', 'redis']

describe('every way to run the service has the process types of the Procfile', () => {
  const types = readProcfile()
  const release = /^release: (.+)$/m.exec(read('Procfile'))?.[1]?.split(' ')

  it('compose.yaml: a service for each with its command, and one that migrates before', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose
    const expected = types.map(({ name, command }) => [name, command])
    const commands = Object.entries(services)
      .filter(([name]) => !STORES.includes(name))
      .map(([name, { command }]) => [name, command])
    expect(commands).to.have.deep.members([...expected, ['migrate', release]])
    // The image asks `web` whether it is well; the others do not listen.
    const asked = Object.keys(services).filter((name) => services[name]?.healthcheck?.disable !== true)
    expect(asked).to.have.members(['web', ...STORES])
  })

  it('Dockerfile: runs `web`, and what it copies is let through', () => {
    const dockerfile = read('Dockerfile')
    const web = types.find(({ name }) => name === 'web')?.command
    expect(dockerfile).to.include(`CMD ${JSON.stringify(web).replaceAll(',', ', ')}`)
    const letThrough = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path)
    expect(letThrough.filter((path) => !existsSync(path))).to.deep.equal([])
    expect(letThrough).to.include.members([
      'package.json',
      'package-lock.json',
      'Procfile',
      'src',
      'migrations',
    ])
  })

  it('systemd: the target wants each, and each unit starts its command', () => {
    const wanted = /^Wants=(.+)$/m.exec(read('ops/systemd/linehook.target'))?.[1]?.split(' ')
    expect(wanted).to.have.members(types.map(({ name }) => `linehook@${name}.service`))
    for (const { name, command } of types) {
      const ofItsOwn = `ops/systemd/linehook@${name}.service.d/program.conf`
      const unit = read(existsSync(ofItsOwn) ? ofItsOwn : TEMPLATE)
      expect(lastStart(unit).replaceAll('%i', name), name).to.equal(`/usr/bin/${command.join(' ')}`)
    }
    expect(lastStart(read('ops/systemd/linehook-migrate.service'))).to.equal(`/usr/bin/${release?.join(' ')}`)
  })
})

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function lastStart(unit: string): string {
  return [...unit.matchAll(/^ExecStart=(.*)$/gm)].at(-1)?.[1] ?? ''
}
