import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { confirmByPasskey, confirmPassword } from '../../../domain/people/sessions.js'
import { UserError } from '../../../errors.js'
import { setFault, unkeptOf } from '../form-fault.js'
import { fieldOf } from '../form-values.js'
import { Form } from '../form.js'
import { NarrowPage } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { CREDENTIAL, credentialOf, PasskeyForm } from './second-factor/passkey-form.js'
import { CodeField } from './second-step.js'
import { browserOf, isConfirmed, NEEDS_PASSWORD, noteConfirmation, sessionOf } from './session.js'
import { PasswordField } from './sign-in.js'
import { Typed } from '../typed.js'

/** True if the request needs a password that was given recently. */
export type NeedsFresh = (ctx: KoaContext, context: Context) => boolean | Promise<boolean>

/** This protects against a stranger at an open browser: the act changes where data go, or gives or takes access. */
export const fresh: NeedsFresh = () => true

/** These names are used by no other field of our forms. */
const BY = 'confirm-by'
const PASSWORD = 'confirm-password'
/** The name keeps its value out of pages. */
const CODE = 'confirm-secret-code'
const OWN = [BY, PASSWORD, CODE]

/** A browser that downloads what a form asks for stays at the page where it is. */
const DOWNLOAD = /\/export$/

const GIVE_AGAIN =
  'Confirmed. Passwords, other secrets and files were not saved. Enter them again, then submit the form once more.'

/** Runs before a page or a download that is marked for it in the route table. */
export function confirmPageFirst(context: Context, needsFresh: NeedsFresh): Middleware {
  return async (ctx, next) => {
    if (!(await needsFresh(ctx, context)) || isConfirmed(ctx)) await next()
  }
}

/**
 * Runs before a form's act, if the form is marked for it in the route table. If the password was given too long ago,
 * the answer is a page that asks for it. That page keeps what was typed and posts it to the same path, so that the
 * right password also sends the form. Only if it contained a secret or a file, which no page keeps, the form's own
 * page is shown again.
 *
 * @param show the form's page
 */
export function confirmFirst(context: Context, needsFresh: NeedsFresh, show: Middleware): Middleware {
  return async (ctx, next) => {
    if (sessionOf(ctx).isConfirmed || !(await needsFresh(ctx, context))) {
      await next()
      return
    }
    if (sessionOf(ctx).portalLineIds !== undefined) throw new UserError(NEEDS_PASSWORD, 403)
    const by = fieldOf(ctx, BY)
    if (by === '') {
      showConfirmFirst(ctx, context)
      return
    }
    try {
      await confirm(ctx, context, by)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      setFault(ctx, error.message)
      showConfirmFirst(ctx, context)
      return
    }
    const mine = ownOf(by)
    ctx.request.body = Object.fromEntries(
      Object.entries(ctx.request.body as object).filter(([name]) => !mine.includes(name)),
    )
    if (unkeptOf(ctx).length === 0) {
      if (DOWNLOAD.test(ctx.path)) showDownload(ctx, context)
      else await next()
      return
    }
    setFault(ctx, GIVE_AGAIN)
    await show(ctx, next)
  }
}

/** Returns the fields of the question. A passkey's answer belongs to the form itself if nothing was asked yet. */
function ownOf(by: string): string[] {
  return by === 'passkey' ? [...OWN, CREDENTIAL] : OWN
}

/** @throws UserError 401 */
async function confirm(ctx: KoaContext, context: Context, by: string): Promise<void> {
  const session = sessionOf(ctx)
  const token =
    by === 'passkey'
      ? await confirmByPasskey(context, session, {
          browserToken: browserOf(ctx),
          written: credentialOf(ctx),
        })
      : await confirmPassword(context, session, {
          password: fieldOf(ctx, PASSWORD),
          code: fieldOf(ctx, CODE),
          address: ctx.ip,
        })
  noteConfirmation(ctx, context, token)
}

/**
 * Shows a page with the download instead of starting it: a browser that gets a file keeps its page, which would be the
 * form with the password in it.
 */
function showDownload(ctx: KoaContext, context: Context): void {
  const page = pageOf(ctx, context)
  answerPage(
    ctx,
    <NarrowPage page={page} title="Download" heading="Your download is ready">
      <Form page={page} action={ctx.path}>
        <Typed ctx={ctx} but={OWN} />
        <button type="submit" class="primary">
          Download ZIP
        </button>
      </Form>
      <p>
        <a href={ctx.path.replace(DOWNLOAD, '')}>Go back</a>
      </p>
    </NarrowPage>,
  )
}

function showConfirmFirst(ctx: KoaContext, context: Context): void {
  const action = ctx.path + ctx.search
  const own = pageOf(ctx, context)
  const page = own.fault === undefined ? own : { ...own, fault: { ...own.fault, action } }
  const isMultipart = ctx.is('multipart/form-data') !== false
  const but = ownOf(fieldOf(ctx, BY))
  const isUnkept = unkeptOf(ctx, but).length > 0
  const carried = (by: 'password' | 'passkey') => (
    <>
      <Typed ctx={ctx} but={but} />
      <input type="hidden" name={BY} value={by} />
    </>
  )
  const hasSecondFactor = page.session?.hasSecondFactor === true
  ctx.status = 401
  answerPage(
    ctx,
    <NarrowPage page={page} title="Confirm it's you">
      <p>
        Enter your password{hasSecondFactor && ' and a code'} to continue.{' '}
        {isUnkept
          ? 'Your form then appears again with what you entered, except for passwords, other secrets and files.'
          : 'Your input is kept, and your request is carried out afterwards.'}
      </p>
      <Form page={page} action={action} isMultipart={isMultipart}>
        {carried('password')}
        <PasswordField name={PASSWORD} />
        {hasSecondFactor && <CodeField name={CODE} />}
        <button type="submit">Continue</button>
      </Form>
      {hasSecondFactor && page.canHavePasskeys && (
        <PasskeyForm
          page={{ ...page, fault: undefined }}
          action={action}
          options="/console/confirm/passkey/options"
          does="show"
          button="Use a passkey"
          isMultipart={isMultipart}
        >
          {carried('passkey')}
        </PasskeyForm>
      )}
    </NarrowPage>,
  )
}
