import { expect } from 'chai'
import { getEndpoint } from '../../src/domain/endpoints/endpoints.js'
import { revealSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { ownerOf, resumeEndpoint } from '../../src/domain/operating/pauses.js'
import { newId } from '../../src/ids.js'
import { createApplication } from '../domain/applications/applications.js'
import { createLine } from '../helpers/factories.js'
import { command, describeCommands } from './linehook.js'

describeCommands('linehook endpoint', ({ environment, context, run, json, refuse }) => {
  const endpoint = (...args: string[]) => run('endpoint', ...args)

  it('adds, lists, changes, pauses and removes them', async () => {
    const line = await createLine(context)
    const url = 'http://127.0.0.1:9/hook?token=hush'
    const [said = ''] = await endpoint('add', line.number, url, '--name', 'CRM', '--events', 'optOut')
    const [, id = '', secret] = /^endpoint (\S+) added; signing secret: (whsec_\S+)$/.exec(said) ?? []
    expect(await revealSigningSecret(context, { userId: line.userId }, id)).to.equal(secret)
    expect(await endpoint('secret', id)).to.deep.equal([secret])
    const [listed = ''] = await endpoint('list', line.number)
    expect(listed).to.match(new RegExp(`^${id} +CRM +127.0.0.1:9 +new$`))

    await endpoint('change', id, '--name', '', '--events', '')
    await endpoint('set-policy', id, '--set', 'ordered=true')
    await endpoint('pause', id)
    expect(await json('endpoint', 'policy', id)).to.include({ ordered: true })
    const [row] = await json<Record<string, unknown>[]>('endpoint', 'list', line.number)
    expect(row).to.deep.include({ id, name: null, url, optInEvents: [], pausedByUser: null })
    expect(row?.pausedAt).to.be.a('string')
    expect(await refuse('endpoint', 'try-now', id)).to.match(/paused. Resume them first/)
    await endpoint('resume', id)
    expect(await endpoint('enable', id)).to.deep.equal(['endpoint enabled'])
    expect(await endpoint('send-held', id)).to.deep.equal(['0 held events are being sent'])

    expect(await endpoint('remove', id)).to.deep.equal(['endpoint deleted'])
    expect(await endpoint('list', line.number)).to.deep.equal(['There are no endpoints.'])
    for (const gone of [id, newId()]) {
      expect(await refuse('endpoint', 'change', gone, '--name', 'x')).to.equal(
        'No such endpoint. See `linehook endpoint list`',
      )
    }
  })

  it('shows, tests and pauses the outgoing webhook of a line and the webhook of an application alike', async () => {
    const url = 'http://127.0.0.1:9/hook'
    const { number, endpointId, userId } = await createLine(context, { outgoingUrl: url })
    const application = await createApplication(context, { userId, webhookUrl: url })
    expect(await endpoint('list', number)).to.deep.equal([
      `${endpointId}  outgoing webhook  127.0.0.1:9  new`,
    ])
    expect(await json('endpoint', 'list', application.id)).to.have.length(1)
    for (const id of [endpointId, application.endpointId]) {
      const now = () => getEndpoint(context, { userId }, id)
      const set = ['--set', 'retrySchedule=5,60', '--set', 'retryOnTimeout=false']
      expect(await endpoint('set-policy', id, ...set)).to.include.members([
        'retrySchedule: 5, 60',
        'retryOnTimeout: false',
        'timeoutSeconds: default',
      ])
      expect(await refuse('endpoint', 'set-policy', id, '--set', 'timeoutSeconds=soon')).to.equal(
        'timeoutSeconds must be a whole number from 1 to 60',
      )
      expect(await endpoint('pause', id)).to.deep.equal(['events paused'])
      expect(await json('endpoint', 'show', id)).to.include({ id, pausedByUser: null })
      const byOwner = resumeEndpoint(context, ownerOf(userId), await now())
      expect(await byOwner.catch((error: unknown) => error)).to.include({ status: 403 })
      expect(await endpoint('resume', id)).to.deep.equal(['events resumed'])
      expect((await now()).pausedAt).to.equal(null)
      const [secret = ''] = await endpoint('rotate-secret', id)
      expect(await endpoint('secret', id)).to.deep.equal([secret])
      expect((await command(environment, ['endpoint', 'rotate-secret', id])).exitCode).to.equal(1)
      const [newest] = await endpoint('rotate-secret', id, '--overlap', '0')
      expect(await endpoint('secret', id)).to.deep.equal([newest])
      const { exitCode, outputLines } = await command(environment, ['endpoint', 'test', id])
      expect(exitCode).to.equal(1)
      expect(outputLines.join('\n')).to.match(/^failed: connect in \d+ ms/)
    }
  })
})
