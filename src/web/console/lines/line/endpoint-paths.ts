import type { Context as KoaContext } from 'koa'
import { SIGNING_SECRET } from '../../endpoints/signing-secret.js'
import { idOf } from '../../form-values.js'
import { withNotice, type Notice } from '../../notices.js'
import { sessionOf } from '../../people/session.js'
import { linePath, lineWithNotice } from './section.js'

/** The endpoint that a form is about. */
export interface AskedEndpoint {
  userId: string
  lineId: string
  /** A further one, which the path names as `:endpointId`; undefined: it is the outgoing webhook URL. */
  furtherId: string | undefined
}

/** @throws UserError 404: what is no id is nobody's */
export function endpointOf(ctx: KoaContext): AskedEndpoint {
  const { params } = ctx as { params?: Record<string, string> }
  return {
    userId: sessionOf(ctx).userId,
    lineId: idOf(ctx, 'lineId'),
    furtherId: params?.endpointId === undefined ? undefined : idOf(ctx, 'endpointId'),
  }
}

export function furtherPath(lineId: string, endpointId: string): string {
  return `${linePath(lineId)}/endpoints/${endpointId}`
}

/** Where a form goes when it has done its work: to the section or the page that the endpoint has. */
export function endpointWithNotice(
  { lineId, furtherId }: Pick<AskedEndpoint, 'lineId' | 'furtherId'>,
  notice: Notice,
  show?: 'secret',
): string {
  if (furtherId === undefined) return lineWithNotice(lineId, notice, show)
  const path = furtherPath(lineId, furtherId)
  return show === undefined
    ? withNotice(path, notice)
    : `${withNotice(`${path}?show=${show}`, notice)}#${SIGNING_SECRET}`
}
