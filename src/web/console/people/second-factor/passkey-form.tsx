import type { ComponentChildren } from 'preact'
import type { Context as KoaContext } from 'koa'
import { assetPath } from '../../../assets.js'
import { fieldOf } from '../../form-values.js'
import { Form } from '../../form.js'
import type { Page } from '../../page.js'

/** The name keeps its value out of pages. */
export const CREDENTIAL = 'secretCredential'

/** Shows a form that `passkeys.js` sends with the passkey's answer. It stays hidden if the browser has no passkeys. */
export function PasskeyForm(props: {
  page: Page
  action: string
  /** The path at which the script asks what the passkey has to sign. */
  options?: string
  does: 'add' | 'show'
  button: string
  isMultipart?: boolean
  children?: ComponentChildren
}) {
  const { page, action, options = `${action}/options`, does, button, isMultipart = false, children } = props
  // A fault is shown even if the browser no longer supports passkeys.
  const isHidden = page.fault?.action !== action
  const more = {
    'data-passkey': does,
    'data-options': options,
    ...(isHidden ? { hidden: '' } : {}),
  }
  return (
    <>
      <Form page={page} action={action} isMultipart={isMultipart} more={more}>
        {children}
        <input type="hidden" name={CREDENTIAL} value="" />
        <button type="submit">{button}</button>
        <small class="passkey-fault" role="status" />
      </Form>
      <script src={assetPath('webauthn.js')} nonce={page.nonce} defer />
      <script src={assetPath('passkeys.js')} nonce={page.nonce} defer />
    </>
  )
}

/**
 * Shows the button for a passkey: on the sign-in page instead of a password, after a password as the second step, and on
 * the page that asks for confirmation.
 */
export function PasskeyButton({ page, action, next }: { page: Page; action: string; next: string }) {
  if (!page.canHavePasskeys) return null
  return (
    <PasskeyForm page={page} action={action} does="show" button="Use a passkey">
      <input type="hidden" name="next" value={next} />
    </PasskeyForm>
  )
}

export function credentialOf(ctx: KoaContext): string {
  return fieldOf(ctx, CREDENTIAL)
}
