import { Option, type Command } from 'commander'
import type { Line } from '../clients/typescript/src/generated.js'
import { UserError } from '../src/errors.js'
import { isId } from '../src/ids.js'
import { refuse } from './run.js'
import { withoutEnding } from '../src/without-ending.js'

/** The address and token of the service, for commands that only speak HTTP and run on any machine. */
export interface RemoteOptions {
  url?: string
  token?: string
  json?: boolean
}

/** A service, and the API token for it. */
export interface Remote {
  url: string
  token: string
}

export type RemoteLine = Pick<Line, 'id' | 'name' | 'phoneNumber'>

/** This is longer than the service waits for an endpoint. */
const ANSWER_MS = 30_000

/** A refusal in the service's words, or the reason why there was no answer. */
export class RemoteRefusal extends UserError {
  /** @param mayPass true if the same request may be answered later */
  constructor(
    message: string,
    readonly mayPass: boolean,
  ) {
    super(message)
  }
}

export function addRemoteOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'URL of the service, such as http://localhost:3000').env('LINEHOOK_URL'),
    )
    .addOption(
      new Option('--token <token>', 'an API token of the owner; safer in the variable').env('LINEHOOK_TOKEN'),
    )
}

/** Runs a command that needs neither the database nor the settings. A refusal is one line, and the exit code 1. */
export async function runRemote(
  options: RemoteOptions,
  work: (remote: Remote) => Promise<void>,
): Promise<void> {
  try {
    await work(readRemote(options))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    refuse(options, error.message)
  }
}

function readRemote({ url = '', token = '' }: RemoteOptions): Remote {
  // A variable that is set to nothing counts as not set.
  if (url === '') throw new UserError('Give the address of the service with --url or LINEHOOK_URL')
  if (token === '') {
    throw new UserError(
      'Give an API token with --token or LINEHOOK_TOKEN. Create one in the console, under Settings',
    )
  }
  requireHttpUrl('--url', url)
  if (/[?#]/.test(url))
    throw new UserError('--url must be a URL without a query, such as http://localhost:3000')
  // A header allows no other characters, and the message of fetch would contain the token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UserError('--token must be an API token, lhp_… or lhs_…')
  return { url: withoutEnding(url, '/'), token }
}

/** @throws UserError naming the option; it leaves the URL out, because a password may be in it */
export function requireHttpUrl(option: string, url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UserError(`${option} must be a URL that starts with http:// or https://`)
  }
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw new UserError(
      `${option} must be a URL without a user name and a password, because fetch accepts none`,
    )
  }
}

/** @throws RemoteRefusal */
export async function askRemote(
  remote: Remote,
  path: string,
  {
    method = 'GET',
    body,
    timeoutMs = ANSWER_MS,
  }: { method?: string; body?: unknown; timeoutMs?: number } = {},
): Promise<unknown> {
  const response = await fetchRemote(remote, path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw await refusalOf(response)
  return response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError)
      throw new UserError(`${remote.url} is not Linehook: its response is not JSON`)
    throw new RemoteRefusal(`${remote.url} ended its response early: ${reasonOf(error)}`, true)
  })
}

/** @throws RemoteRefusal if there is no answer */
export async function fetchRemote(
  { url, token }: Remote,
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
): Promise<Response> {
  try {
    return await fetch(url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
      redirect: 'error',
    })
  } catch (error) {
    throw new RemoteRefusal(`${url} cannot be reached: ${reasonOf(error)}`, true)
  }
}

/** Reads the refusal of a service that answers with a problem (RFC 9457). */
export async function refusalOf(response: Response): Promise<RemoteRefusal> {
  const answer = (await response.json().catch(() => null)) as { detail?: unknown } | null
  const detail = answer?.detail
  const said = typeof detail === 'string' ? detail : `the service returned HTTP ${response.status}`
  return new RemoteRefusal(said, response.status === 429 || response.status >= 500)
}

/** The reason why fetch had no answer: the code of the underlying error, such as ECONNREFUSED, or fetch's message. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return 'timeout'
  return cause?.code ?? cause?.message ?? message
}

const NO_SUCH_LINE = 'No such line. Give its ID, or its number such as +15551234567'

/**
 * A blank reference, as of a variable that is not set, would be a parameter without a value, which counts as not
 * given: the first line of all would be found.
 *
 * @throws UserError if the token's owner has no such line
 */
export async function findRemoteLine(remote: Remote, reference: string): Promise<RemoteLine> {
  if (reference.trim() === '') throw new UserError(NO_SUCH_LINE)
  const query = new URLSearchParams([[isId(reference) ? 'id' : 'phoneNumber', reference]])
  const lines = (await askRemote(remote, `/v1/lines?${query}`)) as RemoteLine[]
  const [line] = lines
  if (line === undefined) throw new UserError(NO_SUCH_LINE)
  return line
}
