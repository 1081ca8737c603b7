import { METHODS } from 'node:http'
import type { RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { actingFor } from '../actor.js'
import type { Operation } from '../api/operation.js'
import { readAllSending } from '../console/operating/all-sending.js'
import { confirmFirst, confirmPageFirst, type NeedsFresh } from '../console/people/confirm-first.js'
import { readShownOnce, submit, type Act } from '../console/page.js'
import {
  readSession,
  requireOperatorSession,
  requireOwnForm,
  requireSecondFactor,
  requireSession,
} from '../console/people/session.js'
import { signInFirst } from '../console/people/sign-in-again.js'
import { refusePortal, requireNamedLines } from '../console/portal/gate.js'
import { isReachedByPortal } from '../console/portal/reach.js'
import { readUnread } from '../console/operating/unread-notices.js'
import { authenticate, requireOperatorToken } from '../middleware/authenticate.js'
import { requireKnownFields, requireSingleFields } from '../middleware/known-fields.js'
import { allowOwnPage } from '../middleware/content-security.js'
import { readFormBody } from '../middleware/form-body.js'
import { readFieldsBody, readJsonBody } from '../middleware/json-body.js'
import { answerInOAuthsWords } from '../oauth/refusals.js'
import { readAnswerFields, readAnswerForm } from '../console/messages/conversation/pictures.js'
import { readPhoneFields, readPhoneForm } from '../simulator/phone-form.js'
import { readListFields, readListForm } from '../console/lines/text-list/form.js'
import { LiteralRouter } from './literal-router.js'

type Show = (context: Context) => Middleware
type Does = (context: Context) => Act

/** The kinds of routes: the checks before each are written here once, so that no page or form can lack them. */
export function createRoutes(context: Context) {
  // These are all methods that Node reads: one that a path does not accept is 405, never 501.
  const router = new LiteralRouter({ methods: METHODS })
  // A router compares a path with all of its routes. The busiest routes are in a separate router, which comes first.
  const firstRouter = new LiteralRouter({ methods: METHODS })
  const get = (path: string, ...handlers: RouterMiddleware[]) => router.get(path, ...handlers)
  const post = (paths: string | string[], ...handlers: RouterMiddleware[]) => router.post(paths, ...handlers)

  const reads = (isPortal: boolean) => [
    allowOwnPage,
    readSession(context, { isPortal }),
    readAllSending(context),
    readUnread(context),
  ]
  const visitor = reads(false)
  // A portal session is read only for routes that it may reach. Every other route sees no session.
  const closedToPortal = [...visitor, refusePortal(context)]
  const openToPortal = [...reads(true), requireNamedLines(context)]
  const visitorOf = (method: 'get' | 'post', path: string) =>
    isReachedByPortal(method, path) ? openToPortal : closedToPortal
  const hasSecondFactor = requireSecondFactor(context)
  const newcomer = [requireSession]
  const user = [...newcomer, hasSecondFactor]
  const operator = [...user, requireOperatorSession]
  const ownFormBy = (read: Middleware) => (page?: Middleware) => [read, requireOwnForm(context, page)]
  const ownForm = ownFormBy(readFormBody)

  /** A form's action has the form's sender as its actor. */
  const actFor =
    (act: Does): Act =>
    (ctx) =>
      act(actingFor(ctx, context))(ctx)

  /** Adds a page. With `needsFresh`, the password must have been given recently. */
  const pageFor = (who: Middleware[]) => (path: string, show: Show, needsFresh?: NeedsFresh) =>
    get(
      path,
      ...visitorOf('get', path),
      ...who,
      ...(needsFresh === undefined ? [] : [confirmPageFirst(context, needsFresh)]),
      readShownOnce(context),
      show(context),
    )
  /**
   * Adds a form of a page: either its action is done, or the page is shown again with the fault.
   *
   * @param readOfNobody reads the form of a visitor who is not signed in, without its files
   */
  const formFor =
    (checks: Middleware[], read = ownForm, readOfNobody = read) =>
    (path: string, act: Does, show: Show, needsFresh?: NeedsFresh) => {
      const page = show(context)
      const signedIn = signInFirst(context, readOfNobody(), [...checks, page])
      const confirmed = needsFresh === undefined ? [] : [confirmFirst(context, needsFresh, page)]
      const who = [...visitorOf('post', path), signedIn, ...checks]
      post(path, ...who, ...read(page), ...confirmed, submit(context, actFor(act), page))
    }

  return {
    router,
    firstRouter,
    get,
    post,
    openPage: (path: string, show: Show) => get(path, ...visitor, show(context)),
    openForm: (path: string, act: Does, show: Show) => {
      const page = show(context)
      post(path, ...visitor, ...ownForm(page), submit(context, actFor(act), page))
    },
    /** A page that also serves users who must have a second factor, and have none yet. */
    newcomerPage: pageFor(newcomer),
    newcomerForm: formFor([]),
    page: pageFor(user),
    form: formFor([hasSecondFactor]),
    operatorPage: pageFor(operator),
    operatorForm: formFor([hasSecondFactor, requireOperatorSession]),
    /** A form with a file. */
    fileForm: formFor([hasSecondFactor], ownFormBy(readPhoneForm), ownFormBy(readPhoneFields)),
    /** The form of an answer in a conversation, with or without pictures. */
    answerForm: formFor([hasSecondFactor], ownFormBy(readAnswerForm), ownFormBy(readAnswerFields)),
    /** The form with a file of recipients. */
    listForm: formFor([hasSecondFactor], ownFormBy(readListForm), ownFormBy(readListFields)),

    /**
     * An operation for programs, by an API token that may do it, in every accepted word; with a scope also for
     * applications.
     */
    v1: (operation: Operation) => {
      const { method, path, may, scopes, isForOperators, takesForm, sizeOfBody } = operation
      const readBody =
        takesForm === true
          ? readFieldsBody()
          : readJsonBody(sizeOfBody?.refusals, { isOptional: sizeOfBody === undefined, ...sizeOfBody })
      const hasBody = method !== 'get' && method !== 'delete'
      return router[method](
        context.vocabulary.paths(path.replace(/\{(\w+)\}/g, ':$1')),
        authenticate(context, may, scopes),
        ...(isForOperators === true ? [requireOperatorToken(context)] : []),
        ...(hasBody ? [readBody] : []),
        requireKnownFields(operation, context.vocabulary),
        ...(takesForm === true ? [requireSingleFields(operation, context.vocabulary)] : []),
        operation.handler(context),
      )
    },
    /** A route for applications' programs, which read RFC 6749's answers. */
    oauthPost: (paths: string | string[], handle: Show) =>
      post(paths, answerInOAuthsWords(context), readFieldsBody(), handle(context)),
  }
}

export type Routes = ReturnType<typeof createRoutes>
