import { expect } from 'chai'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { getConnection } from '../../src/domain/lines/connection-overview.js'
import { revealIncomingWebhook } from '../../src/domain/lines/incoming-webhooks.js'
import { addLine } from '../../src/domain/lines/lines.js'
import { addUser } from '../../src/domain/people/users.js'
import { answer } from '../bin/linehook.js'
import { browse } from '../helpers/web/browser-session.js'
import type { Environment } from '../helpers/process/environment.js'
import { messageBody } from '../helpers/factories.js'
import { openForSuite } from '../helpers/suite.js'
import { serveApp } from '../helpers/web/web.js'
import { createInstallation } from './support/steps.js'

/** The five operations of specification §3, and how one does them. */
interface Front {
  enable(): Promise<unknown>
  createWebhook(): Promise<unknown>
  regenerate(): Promise<unknown>
  deleteWebhook(): Promise<unknown>
  disconnect(): Promise<unknown>
}

for (const word of ['line', 'burner']) {
  describe(`journey: console, API and command line, with PRODUCT_WORD=${word}`, () => {
    const environment: Environment = {}
    const context = openForSuite(async () => {
      const installation = await createInstallation({ PRODUCT_WORD: word })
      Object.assign(environment, installation.environment)
      return installation.context
    })
    const web = openForSuite(() => serveApp(context))

    const byConsole = async (userId: string, lineId: string): Promise<Front> => {
      const browser = await browse(context, web, userId)
      const submit = async (path: string, fields?: Record<string, string>) => {
        const { status, text } = await browser.submit(`/console/lines/${lineId}${path}`, fields)
        expect(status, text).to.equal(303)
      }
      return {
        enable: () => submit('/connection/enable'),
        createWebhook: () => submit('/incoming-webhook'),
        regenerate: () => submit('/incoming-webhook/regenerate', { overlapSeconds: '0' }),
        deleteWebhook: () => submit('/incoming-webhook/delete'),
        disconnect: () => submit('/connection/disconnect'),
      }
    }

    const byApi = async (userId: string, lineId: string): Promise<Front> => {
      const { token } = await createApiToken(context, userId, 'test')
      const call = async (method: string, path: string, body?: object) => {
        const { status, text } = await web.request(`/v1/${word}s/${lineId}${path}`, {
          method,
          headers: { Authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        expect(status, text).to.equal(200)
      }
      return {
        enable: () => call('PUT', '/connection', { enabled: true }),
        createWebhook: () => call('POST', '/incoming-webhook'),
        regenerate: () => call('POST', '/incoming-webhook/regenerate'),
        deleteWebhook: () => call('DELETE', '/incoming-webhook'),
        disconnect: () => call('DELETE', '/connection'),
      }
    }

    const byCommandLine = (_: string, lineId: string): Promise<Front> => {
      const run = (...args: string[]) => answer(environment, ...args, lineId)
      return Promise.resolve({
        enable: () => run('connection', 'enable'),
        createWebhook: () => run('webhook', 'create'),
        regenerate: () => run('webhook', 'regenerate'),
        deleteWebhook: () => run('webhook', 'delete'),
        disconnect: () => run('connection', 'disconnect'),
      })
    }

    /** What everybody can see after a step: the connection's state, and what every URL so far answers. */
    async function see(userId: string, lineId: string, urls: string[]) {
      const { enabled, incomingWebhook } = await getConnection(context, userId, lineId)
      const url = (await revealIncomingWebhook(context, userId, lineId))?.url
      if (url !== undefined && !urls.includes(url)) urls.push(url)
      const answers = []
      for (const { pathname, search } of urls.map((each) => new URL(each))) {
        const { status, body } = await web.post(pathname + search, messageBody())
        answers.push([status, body])
      }
      return { enabled, hasWebhook: incomingWebhook !== null, answers }
    }

    const ok = [200, { success: true }]
    const wrong = [403, { success: false, error: 'URL is invalid' }]
    const gone = [404, { success: false, error: "URL doesn't exist" }]

    for (const [name, front] of [
      ['the console', byConsole],
      ['the API', byApi],
      ['the command line', byCommandLine],
    ] as const) {
      it(`the operations of section 3 have the same results through ${name}`, async () => {
        const person = name.replace(/\W/g, '')
        const { id: userId } = await addUser(context, { email: `${person}@example.com` })
        const number = `+1555444${String(person.length).padStart(4, '0')}`
        const { id: lineId } = await addLine(context, { userId, number, carrierAccount: 'simulator' })
        const does = await front(userId, lineId)
        const urls: string[] = []

        for (const [step, enabled, hasWebhook, answers] of [
          ['enable', true, false, []],
          ['createWebhook', true, true, [ok]],
          ['regenerate', true, true, [wrong, ok]],
          ['deleteWebhook', true, false, [gone, gone]],
          ['createWebhook', true, true, [wrong, wrong, ok]],
          ['disconnect', false, false, [gone, gone, gone]],
        ] as const) {
          await does[step]()
          expect(await see(userId, lineId, urls), step).to.deep.equal({ enabled, hasWebhook, answers })
        }
      })
    }
  })
}
