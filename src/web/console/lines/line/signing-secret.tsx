import type { Context } from '../../../../domain/context.js'
import { rotateSigningSecret } from '../../../../domain/endpoints/signing-secrets.js'
import { EndpointSecret, SIGNING_SECRET as ID, WhatItIsFor } from '../../endpoints/signing-secret.js'
import type { Act } from '../../page.js'
import { endpointOf, endpointWithNotice } from './endpoint-paths.js'
import { Section, tabPath, type LineView } from './section.js'

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
      <WhatItIsFor />
      {endpoint === null ? (
        <p class="empty">
          There is one as soon as there is an <a href="#outgoing-webhook">outgoing webhook URL</a>.
        </p>
      ) : (
        <EndpointSecret
          page={view.page}
          path={tabPath(view.line.id, 'receive')}
          secret={secret}
          previousUntil={endpoint.previousSecretUntil}
          rotateAction={`${view.path}/${ID}/rotate`}
        />
      )}
    </Section>
  )
}

/** Also of a further endpoint. Needs the password (route table): rotating without seeing the new secret would lock the owner's server out. */
export function postRotate(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    const { userId, lineId, furtherId } = asked
    await rotateSigningSecret(context, userId, lineId, furtherId)
    return endpointWithNotice(asked, 'secret-rotated', 'secret')
  }
}
