import {
  exchange,
  keyHeader,
  LinehookError,
  type Answer,
  type CallOptions,
  type Fetch,
  type IdempotentOptions,
} from './exchange.js'
import { Operations, type Parts } from './generated.js'

export interface LinehookOptions {
  /** Where Linehook is, such as `https://linehook.example`. */
  url: string | URL
  /**
   * An API token (`lhp_…`), or an application's access token. If it is a function, it is called before each request.
   */
  token: string | (() => string | Promise<string>)
  /** How long a call waits for the complete response. Default: 30 s. */
  timeoutMs?: number
  /** A replacement for the platform's own `fetch`. */
  fetch?: Fetch
}

/** One method for each operation of `/v1`. Each throws a LinehookError for anything but a successful response. */
export class Linehook extends Operations {
  readonly #base: URL
  readonly #options: LinehookOptions

  constructor(options: LinehookOptions) {
    super()
    const base = new URL(options.url)
    // Linehook may be served below a path.
    if (!base.pathname.endsWith('/')) base.pathname += '/'
    this.#base = base
    this.#options = options
  }

  protected override async call<T>(
    method: string,
    path: string,
    parts: Parts,
    options?: IdempotentOptions,
  ): Promise<T> {
    const { body } = await this.#ask(method, path, parts, options)
    return body as T
  }

  protected override async *iterate<T>(
    path: string,
    query: object | undefined,
    options?: CallOptions,
  ): AsyncGenerator<T, void, undefined> {
    let next: object | undefined = query ?? {}
    while (next !== undefined) {
      const { headers, body }: Answer = await this.#ask('GET', path, { query: next }, options)
      if (!Array.isArray(body))
        throw new LinehookError(
          `GET ${path}: the response is not a list. Check that the URL points to Linehook`,
          {
            status: 200,
          },
        )
      yield* body as T[]
      next = nextQuery(headers.get('link'))
    }
  }

  async #ask(
    method: string,
    path: string,
    { query, body }: Parts,
    { idempotencyKey, signal, timeoutMs = this.#options.timeoutMs }: IdempotentOptions = {},
  ): Promise<Answer> {
    const { token, fetch = globalThis.fetch } = this.#options
    const url = new URL(path.slice(1), this.#base)
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
    }
    const given = (typeof token === 'string' ? token : await token()).trim()
    // The error of the platform's own check contains the token.
    if (!/^[\x21-\x7e]+$/.test(given))
      throw new TypeError('token is empty, or has a character that no token has')
    const headers = { Authorization: `Bearer ${given}`, ...keyHeader(idempotencyKey) }
    return exchange(fetch, { method, url, headers, body }, { signal, timeoutMs })
  }
}

/** Only the query of the next page is taken from the response: the token goes where it went before. */
function nextQuery(link: string | null): object | undefined {
  const [, url] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? []
  return url === undefined ? undefined : Object.fromEntries(new URL(url, 'http://next.page').searchParams)
}
