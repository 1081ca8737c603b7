import type { Context } from '../../../domain/context.js'
import { rotateSigningSecret } from '../../../domain/signing-secrets.js'
import { idOf } from '../form-values.js'
import { Confirm, Time } from '../form.js'
import type { Act } from '../page.js'
import { isConfirmed, sessionOf } from '../session.js'
import { Copyable, linePath, lineWithNotice, Masked, Section, type LineView } from './section.js'

const ID = 'signing-secret'

/** @param props.secret only when it was asked for */
export function SigningSecret({ view, secret }: { view: LineView; secret: string | undefined }) {
  const { endpoint } = view.connection
  return (
    <Section
      view={view}
      id={ID}
      title="Signing secret"
      offers={endpoint === null ? [] : [`${view.path}/${ID}/rotate`]}
    >
      <p>
        With it your server sees that an event is from here: it checks the <code>webhook-signature</code>{' '}
        header with any library of <a href="https://www.standardwebhooks.com">Standard Webhooks</a>.
      </p>
      {endpoint === null ? (
        <p class="empty">
          There is one as soon as there is an <a href="#outgoing-webhook">outgoing webhook URL</a>.
        </p>
      ) : (
        <Existing view={view} secret={secret} previousUntil={endpoint.previousSecretUntil} />
      )}
    </Section>
  )
}

function Existing(props: { view: LineView; secret: string | undefined; previousUntil: Date | null }) {
  const { view, secret, previousUntil } = props
  return (
    <>
      {secret === undefined ? (
        <Masked view={view} section={ID} text="whsec_••••" show="secret" button="Reveal" />
      ) : (
        <Copyable id="secret" text={secret} what="the signing secret" />
      )}
      {previousUntil !== null && (
        <p>
          The secret from before signs too, until <Time at={previousUntil} />.
        </p>
      )}
      <Confirm
        page={view.page}
        action={`${view.path}/${ID}/rotate`}
        label="Rotate…"
        consequence={
          'There is a new secret, which you see at once. For 24 hours the old one signs too, so that you can ' +
          'change over without losing an event.'
        }
        button="Rotate the secret"
      />
    </>
  )
}

/** The password comes first: rotating without seeing the new secret would lock the owner's server out. */
export function postRotate(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    if (!isConfirmed(ctx, `${linePath(lineId)}#${ID}`)) return undefined
    await rotateSigningSecret(context, sessionOf(ctx).userId, lineId)
    return lineWithNotice(lineId, 'secret-rotated', 'secret')
  }
}
