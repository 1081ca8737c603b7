import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { isPortalSessionOver } from '../../../domain/people/portal.js'
import { UserError } from '../../../errors.js'
import { setFault } from '../form-fault.js'
import { fieldNames, fieldOf } from '../form-values.js'
import { Form } from '../form.js'
import { NarrowPage } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { CodeField, halfOpenOf, takeSecondStep } from './second-step.js'
import type { SessionState } from './session.js'
import { EmailField, PasswordField, startSession } from './sign-in.js'
import { Typed } from '../typed.js'

/** These names are used by no other field of our forms. */
const EMAIL = 'sign-in-email'
const PASSWORD = 'sign-in-password'
/** The name keeps its value out of pages. */
const CODE = 'sign-in-secret-code'
const OWN = [EMAIL, PASSWORD, CODE]

const SIGNED_IN = 'You are signed in again. Check your input and submit the form once more.'

/**
 * Runs before each form that needs a session. If the session is over, the answer is a sign-in page, which keeps what
 * was typed and posts it to the same path. After that the form's own page is shown with the same values. The form is
 * not sent automatically, because another person may sign in hours later.
 *
 * @param read reads the form's body, and checks that the form is ours
 * @param show the form's page, with the checks before it
 */
export function signInFirst(context: Context, read: Middleware[], show: Middleware[]): Middleware {
  return async (ctx, next) => {
    const { session, browserToken } = ctx.state as SessionState
    if (session !== undefined) {
      await next()
      return
    }
    // Nothing ties a form to a browser that has no cookie.
    if (browserToken === undefined) throw new UserError('Sign in first', 401)
    await all(ctx, read).catch(refuseUnlessForeign)
    try {
      if (!(await signInBy(ctx, context))) {
        await showSignInAgain(ctx, context)
        return
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      setFault(ctx, error.message)
      await showSignInAgain(ctx, context)
      return
    }
    setFault(ctx, SIGNED_IN)
    await all(ctx, show)
  }
}

/** @returns true if the session is complete; otherwise the page asks for what is missing */
async function signInBy(ctx: KoaContext, context: Context): Promise<boolean> {
  const names = fieldNames(ctx)
  if (names.includes(CODE)) {
    await takeSecondStep(ctx, context, fieldOf(ctx, CODE))
    return true
  }
  return names.includes(PASSWORD) && startSession(ctx, context, fieldOf(ctx, EMAIL), fieldOf(ctx, PASSWORD))
}

/** A form that cannot be read has nothing to keep. */
function refuseUnlessForeign(error: unknown): never {
  const isUnreadable = error instanceof UserError && error.status !== 403
  throw isUnreadable ? new UserError('Sign in first', 401) : error
}

/** Each step decides if the next one runs: a check that has answered does not go on to the page. */
async function all(ctx: KoaContext, [step, ...others]: Middleware[]): Promise<void> {
  if (step !== undefined) await step(ctx, () => all(ctx, others))
}

async function showSignInAgain(ctx: KoaContext, context: Context): Promise<void> {
  const { browserToken } = ctx.state as SessionState
  const isHalfOpen = (await halfOpenOf(ctx, context)) !== undefined
  const isPortalOver = browserToken !== undefined && (await isPortalSessionOver(context, browserToken))
  const action = ctx.path + ctx.search
  const own = pageOf(ctx, context)
  const page = own.fault === undefined ? own : { ...own, fault: { ...own.fault, action } }
  ctx.status = 401
  answerPage(
    ctx,
    <NarrowPage
      page={page}
      title="Sign in"
      heading={isPortalOver ? 'Your access through the link has ended' : 'Sign in to continue'}
    >
      <p>
        {isPortalOver
          ? 'Nothing was sent. Get a new link where you got this one. If you have a password, you can also sign in here to continue.'
          : 'Your session has expired. Sign in to continue.'}{' '}
        Your input is kept{isPortalOver && ' if you sign in'}, except for passwords, other secrets and files.
      </p>
      <Form page={page} action={action} isMultipart={ctx.is('multipart/form-data') !== false}>
        <Typed ctx={ctx} but={OWN} />
        {isHalfOpen ? (
          <CodeField name={CODE} />
        ) : (
          <>
            <EmailField name={EMAIL} />
            <PasswordField name={PASSWORD} />
          </>
        )}
        <button type="submit" class="primary">
          Sign in
        </button>
      </Form>
    </NarrowPage>,
  )
}
