import type { RouterMiddleware } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type * as yup from 'yup'
import type { Scope } from '../../domain/applications/application-access.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Vocabulary } from '../../vocabulary.js'
import { actingFor } from '../actor.js'
import { readBodyFields } from '../input/body-fields.js'
import { readQuery } from '../input/query.js'
import { userOf } from '../middleware/authenticate.js'
import type { BodyBound, BodyRefusals } from '../middleware/body-bytes.js'
import type { Access } from '../middleware/token-scope.js'
import type { Answer, Parameter } from '../openapi/parts.js'
import type { ProblemStatus } from '../openapi/problems.js'
import { doubted } from '../unknown-outcome.js'

type Method = 'get' | 'put' | 'patch' | 'post' | 'delete'

/**
 * An operation under /v1, defined once: the router, the checks of its fields, the API's description and with it the
 * TypeScript client are made from it. In sentences and names `{line}`, `{lines}` and `{Line}` are the product word,
 * in fields `lineId` is its id.
 */
export interface Definition<Query extends yup.AnyObject, Body extends yup.AnyObject> {
  operationId: string
  /** The method and the path: `get /v1/messages/{messageId}`. */
  at: `${Method} /v1/${string}`
  may: Access
  /** An application's token must have one of them; without any, no application may do this. */
  scopes?: readonly Scope[]
  /** Set if only an operator's API token may do this. */
  isForOperators?: true
  summary: string
  description: string
  query?: yup.ObjectSchema<Query>
  headers?: readonly Parameter[]
  body?: yup.ObjectSchema<Body>
  /** Set if the body may be a form too. */
  takesForm?: true
  /** The bound on a body of another size than 64 KiB. */
  sizeOfBody?: { bound: BodyBound; refusals: BodyRefusals }
  /** Set if at least one field is required. */
  needsField?: true
  /** Set if its `act` finds out what happened to a statement whose answer was lost. */
  knowsOutcome?: true
  /** Set if unknown fields are ignored, as in the original: its clients send more than we read. */
  ignoresUnknown?: true
  answer: Answer
  /** The refusals that do not follow from the rest, such as 409. */
  refusals?: readonly ProblemStatus[]
  /** @returns the answer; undefined if it is answered already */
  act: (asked: OperationCall<Query, Body>) => Promise<unknown>
}

export interface OperationCall<Query = unknown, Body = unknown> {
  /** The context for the caller. */
  context: Context
  ctx: KoaContext
  userId: string
  /** The first id that the path names. The domain checks whether it is the user's. */
  id: string
  /** The ids of everything that the path names: `lineId`, … */
  ids: Readonly<Record<string, string>>
  /** @throws UserError 400 naming every invalid parameter */
  query: () => Promise<Query>
  /**
   * Read on demand, because the check of the owner comes first.
   *
   * @throws UserError 400 naming every invalid field
   */
  body: () => Promise<Body>
}

export interface Operation extends Omit<Definition<yup.AnyObject, yup.AnyObject>, 'act' | 'at'> {
  tag: string
  method: Method
  /** The path with its parameters in braces. */
  path: string
  handler: (context: Context) => RouterMiddleware
}

/** The parameters of paths. A value that is not an id is not found, except where a reference may replace it. */
export const PATH_PARAMETERS: Record<string, { about: string; isReference?: true }> = {
  lineId: { about: 'The ID of the {line}.' },
  messageId: { about: 'The ID of the message.' },
  deliveryId: { about: 'The ID of the delivery.' },
  endpointId: { about: 'The ID of the endpoint.' },
  taskId: { about: 'The ID of the task.' },
  applicationId: { about: 'The ID of the application.' },
  userId: { about: 'The ID of the user.' },
  contactId: {
    about: 'The ID of the contact, or its number with the plus sign as `%2B`.',
    isReference: true,
  },
}

/** @param tag the group of the description that the operations are in */
export function operationsOf(tag: string) {
  return <Query extends yup.AnyObject, Body extends yup.AnyObject>({
    at,
    act,
    ...rest
  }: Definition<Query, Body>): Operation => {
    const [method, path] = at.split(' ') as [Method, string]
    const tellsIfDone = rest.knowsOutcome === true || !rest.may.startsWith('changes')
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const handler = (context: Context): RouterMiddleware => {
      const { vocabulary } = context
      const query = rest.query && inProductWord(rest.query, vocabulary)
      const body = rest.body && inProductWord(rest.body, vocabulary)
      return async (ctx) => {
        const ids = Object.fromEntries(names.map((name) => [name, readId(ctx, name)]))
        const call: OperationCall<Query, Body> = {
          context: actingFor(ctx, context),
          ctx,
          userId: userOf(ctx),
          id: ids[names[0] ?? ''] ?? '',
          ids,
          query: async () => (query === undefined ? ({} as Query) : readQuery(ctx, query, vocabulary)),
          body: async () =>
            body === undefined
              ? ({} as Body)
              : readBodyFields(body, vocabulary.canonicalFields(fieldsOf(ctx))),
        }
        const answer = await act(call).catch((error: unknown) => {
          throw tellsIfDone ? error : doubted(error)
        })
        if (answer !== undefined) ctx.body = answer
      }
    }
    return { ...(rest as object as Operation), tag, method, path, handler }
  }
}

export function fieldsOf(ctx: KoaContext): Record<string, unknown> {
  return ctx.request.body ?? {}
}

/**
 * Reads an id in its one spelling, to which secrets are sealed.
 *
 * @throws UserError 404
 */
function readId(ctx: KoaContext, name: string): string {
  const id = (ctx as { params?: Record<string, string> }).params?.[name] ?? ''
  if (PATH_PARAMETERS[name]?.isReference === true) return id
  if (!isId(id)) throw new UserError(`No such ${name.replace(/Id$/, '')}`, 404)
  return id.toLowerCase()
}

/** Refusals use the field's name in the request. */
export function inProductWord<Fields extends yup.AnyObject>(
  schema: yup.ObjectSchema<Fields>,
  { idField }: Vocabulary,
): yup.ObjectSchema<Fields> {
  const { lineId } = schema.fields as unknown as Record<string, yup.Schema | undefined>
  if (lineId === undefined) return schema
  const byWord = relabelled.get(schema) ?? new Map<string, object>()
  relabelled.set(schema, byWord)
  const found = byWord.get(idField) ?? schema.shape({ lineId: lineId.label(idField) })
  byWord.set(idField, found)
  return found as yup.ObjectSchema<Fields>
}

/** The schemas by the product word: making one takes longer than reading a message with it. */
const relabelled = new WeakMap<object, Map<string, object>>()
