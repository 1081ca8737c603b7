import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { AllSending } from '../../database/operating/pauses.js'
import type { Context } from '../../domain/context.js'
import { mustSetUpSecondFactor } from '../../domain/people/second-factors.js'
import { canHavePasskeys } from '../../domain/people/second-factors/relying-party.js'
import { keepNote, takeNote } from '../../domain/people/one-time-notes.js'
import type { Session } from '../../domain/people/sessions.js'
import { Unavailable, UserError } from '../../errors.js'
import { brandingOf, type Branding } from '../branding.js'
import type { NonceState } from '../middleware/content-security.js'
import { allSendingPauseOf } from './operating/all-sending.js'
import { setFault, type FaultState, type FormFault } from './form-fault.js'
import { queryOf } from './form-values.js'
import { noticeOf, withParameter } from './notices.js'
import { formTokenOf, sessionOf, type SessionState } from './people/session.js'
import { unreadOf, type Unread } from './operating/unread-notices.js'

/** The facts that every page knows about its request. */
export interface Page extends Unread {
  session: Session | undefined
  csrfToken: string
  nonce: string
  path: string
  /** The notice of what was just done. */
  notice: string | undefined
  /** The fault of the form that was just refused. */
  fault: FormFault | undefined
  /** True if the reader must set up a second factor first: nothing else is available. */
  isSettingUp: boolean
  /** True if browsers support them for the URL of this installation. */
  canHavePasskeys: boolean
  hasSimulator: boolean
  /** True if a portal link opened the session: it only reaches the lines that the link named. */
  isPortal: boolean
  look: Branding
  version: string
  hasMail: boolean
  /** Set for operators while all sending is paused. */
  allSendingPause: AllSending | undefined
}

export function pageOf(ctx: KoaContext, context: Context): Page {
  const { session } = ctx.state as SessionState
  return {
    session,
    isSettingUp: session !== undefined && mustSetUpSecondFactor(context, session),
    // This is only for a page that has a form: an error page of a request without its cookie, such as one from
    // another site, would give the browser a new one, and so sign it out.
    get csrfToken() {
      return formTokenOf(ctx, context)
    },
    nonce: (ctx.state as NonceState).nonce,
    path: ctx.path,
    notice: noticeOf(queryOf(ctx, 'done')),
    fault: (ctx.state as FaultState).fault,
    canHavePasskeys: canHavePasskeys(context),
    hasSimulator: context.config.simulator && session?.portalLineIds === undefined,
    isPortal: session?.portalLineIds !== undefined,
    look: brandingOf(context.config),
    version: context.config.version,
    hasMail: context.config.smtp !== undefined,
    ...unreadOf(ctx),
    allSendingPause: allSendingPauseOf(ctx),
  }
}

export function answerPage(ctx: KoaContext, page: VNode): void {
  const { fault } = ctx.state as FaultState
  const html = renderToString(page)
  // The head of a form names the field by its label, which is known only after the field was rendered.
  const isKnownNow = fault?.field?.label !== undefined
  // Somebody else, or another tab, may have done meanwhile what the form was for.
  if (fault !== undefined && !html.includes('data-refusal="true"')) fault.isStray = true
  ctx.type = 'html'
  ctx.body = `<!doctype html>${isKnownNow || fault?.isStray === true ? renderToString(page) : html}`
}

/**
 * The work of a form's button. Resolves to the next path, with its query; or to what its page shows once; or to
 * undefined if it has answered itself.
 */
export type Act = (ctx: KoaContext) => Promise<string | ShownOnce | undefined>

/** Data that a page shows once and never again, such as a secret that was just made. */
export interface ShownOnce {
  shown: object
  /**
   * The path of the page that shows them, for a form that makes something: the browser is redirected there, so that a
   * reload does not make another one. If left out, the answer to the form shows them.
   */
  at?: string
  /** Shows them in the answer; the default is the page of the form. */
  by?: Middleware
}

interface ShownState {
  shown?: object
}

/** Returns the result of the form, for the page that answers it. */
export function shownOnce<Shown extends object>(ctx: KoaContext): Partial<Shown> {
  return (ctx.state as ShownState).shown ?? {}
}

/** Reads what a form left for this page (`ShownOnce.at`). */
export function readShownOnce(context: Context): Middleware {
  return async (ctx, next) => {
    const name = queryOf(ctx, SHOWN)
    if (name !== '' && ctx.method === 'GET') {
      const shown = await takeNote(context, sessionOf(ctx), name)
      if (shown !== undefined) (ctx.state as ShownState).shown = shown
    }
    await next()
  }
}

/** The parameter with the name of the note. */
const SHOWN = 'shown'

/** @returns undefined if Redis cannot keep it: what was made exists, and its secret would be lost */
async function noted(
  ctx: KoaContext,
  context: Context,
  { shown, at }: ShownOnce,
): Promise<string | undefined> {
  if (at === undefined) return undefined
  try {
    return withParameter(at, SHOWN, await keepNote(context, sessionOf(ctx), shown))
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/**
 * Runs a form's act and redirects the browser. If it is refused, its page is shown again, with the fault at the form
 * and the typed fields in it.
 */
export function submit(context: Context, act: Act, show: Middleware): Middleware {
  return async (ctx, next) => {
    try {
      const outcome = await act(ctx)
      if (typeof outcome === 'object') {
        const at = await noted(ctx, context, outcome)
        if (at !== undefined) {
          goTo(ctx, at)
          return
        }
        ;(ctx.state as ShownState).shown = outcome.shown
        await (outcome.by ?? show)(ctx, next)
      } else if (outcome !== undefined) goTo(ctx, outcome)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      ctx.status = error.status
      setFault(ctx, error.message)
      await show(ctx, next)
    }
  }
}

/** With 303 the next request is a GET (RFC 9110 §15.4.4). */
function goTo(ctx: KoaContext, path: string): void {
  ctx.redirect(path)
  ctx.status = 303
}
