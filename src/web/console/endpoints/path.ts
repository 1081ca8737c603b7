import { withNotice, type Notice } from '../notices.js'
import { SIGNING_SECRET } from './signing-secret.js'

export function endpointPath(id: string): string {
  return `/console/endpoints/${id}`
}

/** Returns the page that a form leads to after its work. */
export function endpointWithNotice(id: string, notice: Notice, show?: 'secret'): string {
  const path = endpointPath(id)
  if (show === undefined) return withNotice(path, notice)
  return `${withNotice(`${path}?show=${show}`, notice)}#${SIGNING_SECRET}`
}
