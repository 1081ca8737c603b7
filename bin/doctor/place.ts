import { connect } from 'node:net'
import { isLoopback } from '../../src/network.js'
import { PATIENCE_MS } from './subject.js'

/** The place that a URL of Postgres or Redis points to: never its user, password or parameters. */
export interface Place {
  host: string
  port: number
  /** The name that is shown. */
  name: string
  /** True if it is on this machine, as far as the name tells. */
  isLocal: boolean
  /** A socket in the file system, which has no host and port. */
  isSocket: boolean
}

/** @returns undefined if the URL has a form that we cannot read */
export function placeOf(url: string, standardPort: number): Place | undefined {
  if (!URL.canParse(url)) return undefined
  const parsed = new URL(url)
  const given = decoded(parsed.searchParams.get('host') ?? parsed.hostname)
  const host = given.replace(/^\[|\]$/g, '')
  const isSocket = host.startsWith('/')
  const port = Number(parsed.searchParams.get('port') ?? parsed.port) || standardPort
  return {
    host,
    port,
    name: isSocket ? host : `${host}:${port}`,
    isLocal: isSocket || isLoopback(host),
    isSocket,
  }
}

/** Removes the URL's password from a text about the URL. */
export function withoutPassword(said: string, url: string): string {
  const [, password = ''] = /:\/\/[^:@/]*:([^@]+)@/.exec(url) ?? []
  return [password, decoded(password)].reduce(
    (text, each) => (each === '' ? text : text.replaceAll(each, '***')),
    said,
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

/**
 * Checks that a server accepts connections there.
 *
 * @returns the fault, as the end of a sentence; undefined if there is none
 */
export async function probe({ host, port, isSocket }: Place): Promise<string | undefined> {
  // The client's own error is clear enough about a file.
  if (isSocket || host === '') return undefined
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (what?: string) => {
      socket.destroy()
      resolve(what)
    }
    socket.setTimeout(PATIENCE_MS, () => {
      end(`did not accept a connection within ${PATIENCE_MS / 1000} s`)
    })
    socket.once('connect', () => {
      end()
    })
    socket.once('error', (error) => {
      end(wordsOf(error))
    })
  })
}

function wordsOf(error: NodeJS.ErrnoException): string {
  // For a name with several addresses, Node reports one error that contains the error of each.
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error
  const { code = '' } = first
  if (code === 'ECONNREFUSED') return 'refuses connections'
  if (NO_ADDRESS.includes(code)) return 'cannot be found: its name does not resolve'
  return `cannot be reached (${code || first.message})`
}

const NO_ADDRESS = ['ENOTFOUND', 'EAI_AGAIN']

/**
 * Reads what a Redis sends before it gets a command. One that lets no client in (protected mode, too many clients)
 * says why and closes, while ioredis, which has sent nothing yet, notices only the close.
 *
 * @returns its error, or undefined if it sends none
 */
export async function greetingAt({ host, port, isSocket }: Place): Promise<string | undefined> {
  if (isSocket || host === '') return undefined
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let said = ''
    const end = () => {
      socket.destroy()
      resolve(/^-(.+)/.exec(said)?.[1]?.trim())
    }
    socket.setEncoding('utf8').on('data', (part: string) => {
      said += part
      if (said.includes('\n')) end()
    })
    socket.setTimeout(PATIENCE_MS, end).on('error', end).on('close', end)
  })
}
