import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import type { WrittenAuditFilter } from '../../../../domain/operating/audit/filter.js'
import type { Context } from '../../../../domain/context.js'
import { idParameter, readQuery } from '../../../input/query.js'
import { localParameter, writtenParameters, zoneParameter } from '../../time-filter.js'

const FILTER_NAMES = ['actor', 'action', 'subject', 'user', 'from', 'until', 'zone'] as const

type FilterName = (typeof FILTER_NAMES)[number]

export type WrittenFilter = Partial<Record<FilterName, string>>

const parameters = yup.object({
  before: idParameter(),
  actor: yup.string(),
  action: yup.string(),
  subject: yup.string(),
  user: yup.string(),
  zone: zoneParameter(),
  from: localParameter(),
  until: localParameter(),
})

/** @throws UserError naming every invalid field */
export async function readWritten(
  ctx: KoaContext,
  { vocabulary }: Context,
): Promise<{ asked: WrittenAuditFilter; before: string | undefined }> {
  const { actor, action, subject, user, from, until, before } = await readQuery(ctx, parameters, vocabulary)
  return { asked: { actor, action, subject, user, from, until }, before }
}

export function writtenAuditFilter(ctx: KoaContext): WrittenFilter {
  return writtenParameters(ctx, FILTER_NAMES)
}
