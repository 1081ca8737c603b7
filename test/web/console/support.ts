import { expect } from 'chai'
import { listSessions } from '../../../src/database/people/sessions.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { getCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../../src/domain/context.js'
import { addEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import { startReplay } from '../../../src/domain/endpoints/deliveries/replay.js'
import { connect, createApplication } from '../../domain/applications/applications.js'
import { ANNA, queueMessage, receiveForDelivery } from '../../domain/fixtures.js'
import { createPerson, type Person } from '../../domain/people/people.js'
import type { Role } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { forEachTest } from '../../helpers/suite.js'
import { routesOf, type Route } from '../../helpers/web/routes.js'
import { startSession } from '../../helpers/web/sessions.js'
import { browse, type BrowserSession } from '../../helpers/web/browser-session.js'
import type { Answer, TestWeb } from '../../helpers/web/web.js'

/** Below /simulator, but for programs: without a session and without pages. */
const FOR_PROGRAMS = ['/simulator/inbound', '/simulator/outbox', '/uploads/:token']

/** A browser in which a new user is signed in, or a new operator. */
export async function browseAs(context: Context, web: TestWeb, role: Role = 'user'): Promise<BrowserSession> {
  return browse(context, web, (await createPerson(context, { role })).id)
}

/** Called in the body of a suite: before each test somebody new signs in, in a browser of their own. */
export function signedInForEachTest(context: Context, web: TestWeb, role: Role = 'user') {
  const person = forEachTest(() => createPerson(context, { role }))
  const browser = forEachTest(() => browse(context, web, person.id))
  return { person, browser }
}

/** Opens a page of the table, or sends its form. */
export function request(
  browser: BrowserSession,
  method: string,
  path: string,
  fields?: Record<string, string>,
): Promise<Answer> {
  return method === 'GET' ? browser.get(path) : browser.submit(path, fields)
}

/** The form at this path may have files. */
export const isMultipart = (path: string) => path.startsWith('/simulator/phones/')

/** Sends the form that is at this path, in its own encoding. */
export function sendForm(
  browser: BrowserSession,
  path: string,
  fields: Record<string, string | Blob>,
): Promise<Answer> {
  if (isMultipart(path)) return browser.submitMultipart(path, fields)
  return browser.submit(path, fields as Record<string, string>)
}

/** Sends a form that makes something, and opens the page that shows it once. */
export async function submitAndSee(
  browser: BrowserSession,
  path: string,
  fields?: Record<string, string>,
): Promise<Answer> {
  const answer = await browser.submit(path, fields)
  expect(answer.status, path).to.equal(303)
  return browser.get(answer.headers.get('location') ?? '')
}

/** What the app's own table has for browsers. */
export function consoleRoutes(context: Context): Route[] {
  return routesOf(context).filter(
    ({ path }) => /^\/(console|simulator)(\/|$)/.test(path) && !FOR_PROGRAMS.includes(path),
  )
}

/** What answers also who is not signed in. */
export function isOpen(path: string): boolean {
  return path === '/console/set-up' || path === '/console/portal' || path.startsWith('/console/sign-in')
}

/** Somebody who has one of everything that a path of the console can name. */
export interface Owner {
  person: Person
  line: TestLine
  /** A path of the table with the ids of what is theirs. */
  fill: (path: string) => string
}

export async function createOwner(
  context: Context,
  { person: given, role = 'operator' }: { person?: Person; role?: Role } = {},
): Promise<Owner> {
  const person = given ?? (await createPerson(context, { role }))
  const line = await createLine(context, { userId: person.id, outgoingUrl: 'http://127.0.0.1:9/events' })
  const { id: tokenId } = await createApiToken(context, person.id, 'a program')
  await startSession(context, person.id, 'another browser')
  const [session] = await listSessions(context.db, person.id)
  const messageId = await queueMessage(context, line, { status: 'failed', error: 'carrier_refused' })
  const delivery = await receiveForDelivery(context, line)
  const webhookUrl = 'http://127.0.0.1:9/application-events'
  const application = await createApplication(context, { userId: person.id, webhookUrl })
  await connect(context, application, line)
  const written = { url: 'http://127.0.0.1:9/more-events' }
  const { endpoint } = await addEndpoint(context, person.id, { lineId: line.lineId }, written)
  const { id: taskId } = await startReplay(
    context,
    { of: 'line', userId: person.id, lineId: line.lineId },
    { from: new Date(0) },
  )
  const values: Record<string, string> = {
    userId: person.id,
    lineId: line.lineId,
    tokenId,
    sessionId: session!.id,
    messageId,
    deliveryId: delivery.id,
    taskId,
    endpointId: endpoint.id,
    applicationId: application.id,
    accountId: (await getCarrierAccount(context, 'simulator')).id,
    // Nobody has it: with a passkey, the password would not be enough any more.
    passkeyId: newId(),
    phone: ANNA.slice(1),
    number: encodeURIComponent(ANNA),
    contactId: newId(),
    group: 'messages',
    operationId: 'sendMessage',
  }
  const fill = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`the tests have no value for :${name} yet`)
      return value
    })
  return { person, line, fill }
}

/** What a notice tells of an endpoint of a line. */
export const endpointDetails = (userId: string, more: Record<string, unknown>) => ({
  ...{ endpointId: newId(), host: 'hooks.example.com', userId, lineId: 'a-line', lineName: 'Front desk' },
  ...{ applicationId: null, applicationName: null, failureCount: 9, failingForMs: 3_700_000 },
  ...{ lastFailure: 'timeout', reason: 'gone', ...more },
})

export function expectPage(answer: Answer, status = 200): void {
  expect([answer.status, answer.headers.get('content-type')], answer.text).to.deep.equal([
    status,
    'text/html; charset=utf-8',
  ])
}

/** @param location a part of it */
export function expectSentTo(answer: Answer, location: string, status = 303): void {
  expect([answer.status, answer.headers.get('location')], answer.text).to.deep.equal([status, location])
}

/** What a page says is wrong with a form, with its commands in backquotes, and without the full stop of a page. */
export function faultOf({ text }: Answer): string | undefined {
  const [, said] = /<p role="alert"[^>]*>((?:[^<]|<\/?code>)*)</.exec(text) ?? []
  return said?.replaceAll(/<\/?code>/g, '`').replace(/\.$/, '')
}

/** What the form that ends with this path says it was made for. */
export function seenIn(html: string, form: string): string {
  const seen = new RegExp(`action="[^"]*/${form}"(?:(?!</form>).)*name="seen" value="([^"]+)"`, 's').exec(
    html,
  )?.[1]
  if (seen === undefined) throw new Error(`${form} does not say what it was made for`)
  return seen
}

/** A page of this status that says at a form what is wrong. */
export function expectFault(answer: Answer, status: number, fault: string | RegExp): void {
  expectPage(answer, status)
  if (typeof fault === 'string') expect(faultOf(answer)).to.equal(fault.replace(/\.$/, ''))
  else expect(faultOf(answer)).to.match(fault)
}

/** Every row of the database, but for when a session was last seen. */
export async function allRows({ db }: Context): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await db.raw<{ rows: { name: string }[] }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
     and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  const dumped: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    const { rows } = await db.raw<{ rows: { row: unknown }[] }>(
      `select (to_jsonb(t) - 'last_seen_at') as row from ?? t order by 1`,
      [name],
    )
    dumped[name] = rows.map(({ row }) => row)
  }
  return dumped
}

/** Every row of what forms change, and what the audit log says was done, but for the acts that are left out. */
export async function rowsAndActs(context: Context, leftOut: RegExp): Promise<Record<string, unknown>> {
  const { sessions, sign_in_attempts, audit_log = [], ...others } = await allRows(context)
  expect([sessions, sign_in_attempts]).to.not.include(undefined)
  const acts = (audit_log as { action: string }[]).map(({ action }) => action)
  return { ...others, acts: acts.filter((action) => !leftOut.test(action)) }
}

/** The page that asks for the password before a form does anything. */
export function isAskedAgain({ status, text }: Answer): boolean {
  return status === 401 && text.includes('name="confirm-password"')
}

/** What that page keeps of the form, but for what it adds itself. */
export function carriedBy({ text }: Answer): [name: string, value: string][] {
  const [, form = ''] = /<article class="narrow">.*?<form(.*?)<\/form>/s.exec(text) ?? []
  return [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    .map(([, name = '', value = '']): [string, string] => [name, value])
    .filter(([name]) => name !== 'csrf' && !name.startsWith('confirm-'))
}

/** The password was given too long ago for what needs it. */
export async function loseFreshness({ db }: Context): Promise<void> {
  await db('sessions').update({ confirmed_at: db.raw(`now() - interval '11 minutes'`) })
}
