import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Context } from '../../src/domain/context.js'
import { addEndpoint } from '../../src/domain/endpoints/endpoints.js'
import { createPerson, type Person } from '../domain/people/people.js'
import { setEndpoint, toldNotices } from '../domain/operating/notices/fixtures.js'
import { createLine } from '../helpers/factories.js'
import { startMailServer, type MailServer } from '../helpers/services/mail-server.js'
import { startProcess, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { openings } from '../helpers/openings.js'
import { until } from '../helpers/until.js'
import { createInstallation } from '../journeys/support/steps.js'

describe('two maintenance processes with a mail server that says nothing', function () {
  this.timeout(60_000)

  const open = openings()
  let server: MailServer
  let receiver: Receiver
  let context: Context
  let owner: Person
  let signingSecret: string
  let processes: RunningProcess[]

  before(async () => {
    server = await open(startMailServer())
    receiver = await open(startReceiver())
    server.behave('mute')
    const installation = await createInstallation({
      SMTP_URL: server.url,
      MAIL_FROM: 'Acme Lines <lines@acme.example>',
    })
    context = await open(Promise.resolve(installation.context))
    owner = await createPerson(context)
    await createLine(context, { userId: owner.id, outgoingUrl: 'http://127.0.0.1:9/secret-path' })
    await setEndpoint(context, owner.id, { failing: '2 minutes', failures: 9 })
    const url = `${receiver.url}?key=secret-key`
    signingSecret = (await addEndpoint(context, owner.id, { isOfAccount: true }, { url })).signingSecret
    processes = await Promise.all(
      (['maintenance', 'maintenance', 'deliver-event'] as const).map((name) =>
        startProcess(name, installation.environment),
      ),
    )
  })

  after(() => stopProcesses())

  it('tell once, and the operational webhook gets it once', async () => {
    const request = await until('the webhook was called', () => receiver.requests[0])
    const body = new Webhook(signingSecret).verify(request.body, request.headers as Record<string, string>)
    expect(body).to.deep.include({ type: 'endpoint.failing' })
    await until('the mail was tried twice', () => server.connectionCount() > 1, 30_000)
    expect(await toldNotices(context, 'endpoint.failing')).to.have.length(1)
    expect(receiver.requests).to.have.length(1)
  })

  it('keep house meanwhile', async () => {
    const countedAt = async () => {
      const [row] = await context.db('traffic_counts').max<{ at: Date | null }[]>({ at: 'counted_at' })
      return row?.at?.getTime() ?? 0
    }
    const before = await countedAt()
    await until('minutes are counted', async () => (await countedAt()) > before, 30_000)
  })

  it('mail it once when the server speaks again, and leave nothing secret in their logs', async () => {
    server.behave('take')
    // Not while a process has it: what is claimed is due in a minute, what was put off sooner.
    await until('it was put off, and is due', async () => {
      const made = await context
        .db('dispatches')
        .where({ status: 'waiting' })
        .whereRaw(`due_at < clock_timestamp() + interval '50 seconds'`)
        .update({ due_at: context.db.fn.now() })
      return made > 0
    })
    await until('it is settled', async () => {
      const [row] = await context
        .db('dispatches')
        .where({ kind: 'mail' })
        .select<{ status: string }[]>('status')
      return row?.status === 'sent'
    })
    expect(server.mails.map(({ to }) => to)).to.deep.equal([[owner.email]])
    const logs = processes.flatMap(({ lines }) => lines).join('\n')
    expect(logs).to.include('notice.told').and.to.include('dispatch.put_off')
    for (const secret of [
      'secret',
      signingSecret,
      server.password,
      encodeURIComponent(server.password),
      owner.email,
    ]) {
      expect(logs).to.not.include(secret)
    }
  })
})
