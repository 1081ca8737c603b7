import { expect } from 'chai'
import { addEndpoint } from '../../src/domain/endpoints/endpoints.js'
import { createPerson, type Person } from '../domain/people/people.js'
import { setEndpoint, toldNotices } from '../domain/operating/notices/fixtures.js'
import { createLine } from '../helpers/factories.js'
import { startMailServer, type MailServer } from '../helpers/services/mail-server.js'
import { startProcess, type RunningProcess } from '../helpers/process/processes.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation, type Installation } from '../journeys/support/installation.js'
import { verifyEvent } from '../domain/fixtures.js'

describe('two maintenance processes with a mail server that says nothing', () => {
  const server = openForSuite(startMailServer)
  const environment = () => ({ SMTP_URL: server.url, MAIL_FROM: 'Acme Lines <lines@acme.example>' })

  describeInstallation('and somebody to tell', { processes: [], environment }, (installation) => {
    describeNotices(installation, server)
  })
})

function describeNotices({ environment, context, receiver }: Installation, server: MailServer): void {
  let owner: Person
  let signingSecret: string
  let processes: RunningProcess[]

  before(async () => {
    server.behave('mute')
    owner = await createPerson(context)
    await createLine(context, { userId: owner.id, outgoingUrl: 'http://127.0.0.1:9/secret-path' })
    await setEndpoint(context, owner.id, { failing: '2 minutes', failures: 9 })
    const url = `${receiver.url}?key=secret-key`
    signingSecret = (await addEndpoint(context, owner.id, { isOfAccount: true }, { url })).signingSecret
    processes = await Promise.all(
      (['maintenance', 'maintenance', 'deliver-event'] as const).map((name) =>
        startProcess(name, environment),
      ),
    )
  })

  it('tell once, and the operational webhook gets it once', async () => {
    const request = await until('the webhook was called', () => receiver.requests[0])
    expect(verifyEvent(request, signingSecret)).to.deep.include({ type: 'endpoint.failing' })
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
}
