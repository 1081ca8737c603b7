import { randomBytes } from 'node:crypto'
import type { Context } from '../../../src/domain/context.js'
import { formTokenOf, startSession } from './sessions.js'
import type { Answer, TestWeb } from './web.js'

/** A browser without a screen: it keeps its cookie and sends forms with their token. */
export interface BrowserSession {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Posts a form as the page's own form would; as pairs, a name may have several values. */
  submit(
    path: string,
    fields?: Record<string, string> | [name: string, value: string][],
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** As `submit`, for a form with files. */
  submitMultipart(path: string, fields: Record<string, string | Blob>): Promise<Answer>
  /** As `submitMultipart`, also with several files in one field. */
  submitForm(path: string, fields: FormData): Promise<Answer>
  /** Posts what it is given, with the cookie and without the form token. */
  post(path: string, body: string, headers?: Record<string, string>): Promise<Answer>
  cookie(): string
  /** What its forms have in the field `csrf`. */
  token(): string
}

/** Signed in as the user, without the sign-in page; undefined: signed in as nobody. */
export async function browse(context: Context, web: TestWeb, userId?: string): Promise<BrowserSession> {
  const token =
    userId === undefined ? randomBytes(32).toString('base64url') : await startSession(context, userId)
  let cookie = `__Host-linehook=${token}`

  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await web.request(path, {
      ...init,
      headers: {
        Accept: 'text/html',
        Cookie: cookie,
        ...(init.headers as Record<string, string> | undefined),
      },
    })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      if (pair.startsWith('__Host-linehook=')) cookie = pair
    }
    return answer
  }
  const formToken = () => formTokenOf(cookie.slice(cookie.indexOf('=') + 1))

  const submitForm = (path: string, fields: FormData): Promise<Answer> => {
    const form = new FormData()
    form.append('csrf', formToken())
    for (const [name, value] of fields) form.append(name, value)
    return request(path, { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' }, body: form })
  }

  return {
    get: (path, headers = {}) => request(path, { headers }),
    submit: (path, fields = {}, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
        body: new URLSearchParams(
          Array.isArray(fields) ? [['csrf', formToken()], ...fields] : { csrf: formToken(), ...fields },
        ),
      }),
    submitMultipart: (path, fields) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      return submitForm(path, form)
    },
    submitForm,
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body,
      }),
    cookie: () => cookie,
    token: formToken,
  }
}
