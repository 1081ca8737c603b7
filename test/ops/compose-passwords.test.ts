import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'

interface Compose {
  services: Record<
    string,
    {
      command?: string[]
      environment: Record<string, string>
      configs?: { source: string; target: string }[]
    }
  >
  configs: Record<string, { content: string }>
}

describe('compose.yaml', () => {
  const text = readFileSync('compose.yaml', 'utf8')
  const { services, configs } = parse(text, { merge: true }) as Compose
  const REQUIRED = /^\$\{(POSTGRES|REDIS)_PASSWORD:\?[^}]*containers\.md\}$/

  it('has no password of its own: without those of .env nothing starts', () => {
    expect(services.postgres?.environment.POSTGRES_PASSWORD).to.match(REQUIRED)
    expect(text).not.to.match(/PASSWORD:-/)
    expect(text).not.to.include('linehook:linehook@')
  })

  it('has a Redis that wants its password, and everybody who needs it gives it', () => {
    const [, password = ''] = /^requirepass (.*)$/m.exec(settingsOf('redis')) ?? []
    expect(password).to.match(REQUIRED)
    expect(services.redis?.environment.REDISCLI_AUTH).to.equal('${REDIS_PASSWORD}')
    const urls = Object.entries(services)
      .filter(([name]) => !['postgres', 'redis'].includes(name))
      .map(([, { environment }]) => [environment.DATABASE_URL, environment.REDIS_URL])
    expect(urls).to.have.length.above(5)
    for (const [database, redis] of urls) {
      expect(database).to.include('postgres://linehook:${POSTGRES_PASSWORD}@postgres:')
      expect(redis).to.include('redis://:${REDIS_PASSWORD}@redis:')
    }
  })

  it('has no password among the arguments of a process, which everyone on the machine can read', () => {
    for (const [name, { command = [] }] of Object.entries(services))
      expect(command.join(' '), name).not.to.match(/PASSWORD/)
    expect(settingsOf('redis'))
      .to.match(/^appendonly yes$/m)
      .and.match(/^maxmemory-policy noeviction$/m)
  })

  it('gets both from the commands of the documentation', () => {
    const page = readFileSync('docs/operating/containers.md', 'utf8')
    for (const name of ['POSTGRES_PASSWORD', 'REDIS_PASSWORD'])
      expect(page).to.include(`echo "${name}=$(openssl rand -hex 24)" >> .env`)
  })

  /** The file with which the service starts. */
  function settingsOf(name: string): string {
    const { command = [], configs: files = [] } = services[name] ?? { environment: {} }
    const file = files.find(({ target }) => command.includes(target))
    return configs[file?.source ?? '']?.content ?? ''
  }
})
