import { connect } from 'node:net'
import { isLoopback } from '../../src/network.js'
import { PATIENCE_MS } from './subject.js'

/** Where a URL of Postgres or Redis leads: never its user, password or parameters. */
export interface Place {
  host: string
  port: number
  /** As it is shown. */
  name: string
  /** On this machine, as far as the name says. */
  isLocal: boolean
  /** A socket in the file system, which has no host and port. */
  isSocket: boolean
}

/** undefined: the URL does not say it in a way that we can read. */
export function placeOf(url: string, standardPort: number): Place | undefined {
  if (!URL.canParse(url)) return undefined
  const parsed = new URL(url)
  const given = decodeURIComponent(parsed.searchParams.get('host') ?? parsed.hostname)
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

/** What somebody said of the URL, without the URL's password. */
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

/** Whether anybody accepts connections there. @returns what is wrong, as the end of a sentence */
export async function knock({ host, port, isSocket }: Place): Promise<string | undefined> {
  // The client itself says well enough what is wrong with a file.
  if (isSocket || host === '') return undefined
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (what?: string) => {
      socket.destroy()
      resolve(what)
    }
    socket.setTimeout(PATIENCE_MS, () => {
      end(`accepts no connection within ${PATIENCE_MS / 1000} s`)
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
  // Of a name with several addresses Node reports one error with the errors of each in it.
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error
  const { code = '' } = first
  if (code === 'ECONNREFUSED') return 'refuses connections'
  if (NO_ADDRESS.includes(code)) return 'has no address: its name cannot be resolved'
  return `cannot be reached (${code || first.message})`
}

const NO_ADDRESS = ['ENOTFOUND', 'EAI_AGAIN']

/**
 * What a Redis says before it is asked anything. One that lets nobody in (protected mode, too many clients) says why and
 * closes, and ioredis, which has asked nothing yet, hears only that it closes.
 *
 * @returns its error; undefined: it says none
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
