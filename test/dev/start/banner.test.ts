import { expect } from 'chai'
import { banner } from '../../../dev/start/banner.js'
import type { Sample } from '../../../dev/start/sample.js'
import { readConfig } from '../../../src/config.js'

const SAMPLE: Sample = { number: '+15005550100', webhookUrl: 'http://host/hook', signingSecret: undefined }

describe('the banner', () => {
  const show = (prepared: Parameters<typeof banner>[1] = {}, overrides: Record<string, string> = {}) => {
    const config = readConfig({
      DATABASE_URL: 'postgres://nowhere',
      REDIS_URL: 'redis://nowhere',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      PUBLIC_URL: 'https://lines.example.com',
      ...overrides,
    })
    return banner(config, prepared)
      .split('\n')
      .map((line) => line.trim())
  }

  it('says where things are', () => {
    expect(show({}, { SIMULATOR: 'true', QUEUES_PASSWORD: 'a-long-password' }).slice(0, 9)).to.deep.equal([
      '',
      'Linehook is running.',
      '',
      'Console          https://lines.example.com/console',
      'Phone simulator  https://lines.example.com/simulator',
      'API              https://lines.example.com/docs',
      'Health           https://lines.example.com/readyz',
      'Queue dashboard  https://lines.example.com/queues   (user operator, password a-long-password)',
      '',
    ])
  })

  it('leaves out the password of the dashboard if the operator chose it', () => {
    const lines = show({ hasOwnQueuesPassword: true }, { QUEUES_PASSWORD: 'a-long-password' }).join('\n')
    expect(lines).to.include('(user operator, password as in QUEUES_PASSWORD)')
    expect(lines).not.to.include('a-long-password')
  })

  it('says that the workers are one process, and why', () => {
    const said = 'All workers run in one process, because there is less than 1 GiB of memory.'
    expect(show({ smallBecause: 'there is less than 1 GiB of memory' })).to.include(said)
    expect(show().join('\n')).not.to.contain('one process')
  })

  it('says nothing of the simulator where there is none', () => {
    expect(show().join('\n')).not.to.contain('simulator')
  })

  it('has the link for the first operator while there is one to set up', () => {
    const setUpUrl = 'https://lines.example.com/console/set-up?token=abc'
    expect(show({ setUpUrl })).to.include(`Set up your account (this link works once): ${setUpUrl}`)
    expect(show().join('\n')).not.to.contain('Set up')
  })

  it('has lines to paste when there is a sample', () => {
    const lines = show({ sample: SAMPLE }).filter((line) => line.startsWith('curl'))
    expect(lines).to.have.length(3)
    expect(lines[0]).to.contain(`'${SAMPLE.webhookUrl ?? ''}'`)
    expect(show().filter((line) => line.startsWith('curl'))).to.deep.equal([])
  })

  it('has a token in those of the simulator where others reach it too', () => {
    const curlLines = (overrides: Record<string, string>) =>
      show({ sample: SAMPLE }, overrides).filter((line) => line.startsWith('curl'))
    const isTold = (lines: string[]) => lines.map((line) => line.includes('Bearer API_TOKEN'))
    expect(isTold(curlLines({}))).to.deep.equal([false, true, true])
    const here = { HOST: '127.0.0.1', PUBLIC_URL: 'http://localhost:3000' }
    expect(isTold(curlLines(here))).to.deep.equal([false, false, false])
  })
})
