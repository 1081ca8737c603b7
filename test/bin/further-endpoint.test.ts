import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { revealSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { newId } from '../../src/ids.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

describe('linehook endpoint, of further endpoints', function () {
  this.timeout(60_000)

  let environment: Environment
  let context: Context
  let line: TestLine

  before(async () => {
    ;({ environment, context } = await createInstallation())
    line = await createLine(context)
  })
  after(() => context.close())

  const endpoint = (...args: string[]) => answer(environment, 'endpoint', ...args)

  it('adds, lists, changes, pauses and removes them', async () => {
    const url = 'http://127.0.0.1:9/hook?token=hush'
    const [said = ''] = await endpoint('add', line.number, url, '--name', 'CRM', '--events', 'optOut')
    const [, id = '', secret] = /^endpoint (\S+) added; signing secret (whsec_\S+)$/.exec(said) ?? []
    expect(await revealSigningSecret(context, line.userId, line.lineId, id)).to.equal(secret)
    const [listed = ''] = await endpoint('list', line.number)
    expect(listed).to.match(new RegExp(`^${id} +CRM +127.0.0.1:9 +not called yet$`))

    await endpoint('change', id, '--name', '', '--events', '')
    await endpoint('set-policy', id, '--set', 'ordered=true')
    await endpoint('pause', id)
    expect(await jsonAnswer(environment, 'endpoint', 'policy', id)).to.include({ ordered: true })
    const [row] = (await jsonAnswer(environment, 'endpoint', 'list', line.number)) as Record<
      string,
      unknown
    >[]
    expect(row).to.deep.include({ id, name: null, url, optInEvents: [], pausedByUser: null })
    expect(row?.pausedAt).to.be.a('string')
    expect(await refusal(environment, 'endpoint', 'try-events-now', id)).to.match(/paused: resume them first/)
    await endpoint('resume', id)
    expect(await endpoint('enable', id)).to.deep.equal(['endpoint enabled'])
    expect(await endpoint('send-held', id)).to.deep.equal(['0 held events are being sent'])

    expect(await endpoint('remove', id)).to.deep.equal(['endpoint deleted'])
    expect(await endpoint('list', line.number)).to.deep.equal([
      'There is none beside the outgoing webhook URL.',
    ])
    for (const gone of [id, newId()]) {
      expect(await refusal(environment, 'endpoint', 'change', gone, '--name', 'x')).to.match(
        /^no further endpoint has the id/,
      )
    }
  })
})
