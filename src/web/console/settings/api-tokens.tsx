import { createApiToken, removeApiToken, type ApiToken } from '../../../domain/api-tokens.js'
import type { Context } from '../../../domain/context.js'
import { MAX_NAME_LENGTH } from '../../../domain/names.js'
import { fieldOf, idOf } from '../form-values.js'
import { Confirm, Empty, Field, Form, Time } from '../form.js'
import { withNotice } from '../notices.js'
import type { Act, Page } from '../page.js'
import { isConfirmed, sessionOf } from '../session.js'
import { UserText } from '../user-text.js'
import { SETTINGS } from './path.js'

export interface CreatedToken {
  name: string
  token: string
}

/** @param props.created only when it was just made */
export function ApiTokens(props: {
  page: Page
  tokens: ApiToken[]
  created: CreatedToken | undefined
  publicUrl: string
}) {
  const { page, tokens, created, publicUrl } = props
  const action = `${SETTINGS}/api-tokens`
  return (
    <section id="api-tokens">
      <h2>API tokens</h2>
      <p>
        A program that has one can do everything that you can do to your lines: see the{' '}
        <a href="/docs">API</a>.
      </p>
      {created !== undefined && (
        <div role="status" class="notice">
          <p>
            The token “<UserText>{created.name}</UserText>” is made. It is shown only now:
          </p>
          <p class="copyable">
            <code id="new-token">{created.token}</code>
            <button type="button" data-copy="new-token" hidden>
              Copy
            </button>
          </p>
          <pre>{`curl -H 'Authorization: Bearer ${created.token}' ${publicUrl}/v1/lines`}</pre>
        </div>
      )}
      {tokens.length === 0 ? (
        <Empty>You have no API tokens yet: give the first one a name and create it.</Empty>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th>Name</th>
              <th>Created</th>
              <th>Last used</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {tokens.map(({ id, name, createdAt, lastUsedAt }) => (
              <tr key={id}>
                <td data-label="Name">
                  <UserText>{name}</UserText>
                </td>
                <td data-label="Created">
                  <Time at={createdAt} />
                </td>
                <td data-label="Last used">{lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />}</td>
                <td>
                  <Confirm
                    page={page}
                    action={`${action}/${id}/revoke`}
                    label="Revoke"
                    consequence={
                      <>
                        Programs that use “<UserText>{name}</UserText>” are refused from then on.
                      </>
                    }
                    button="Revoke the token"
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Form page={page} action={action} class="row">
        <Field
          page={page}
          action={action}
          name="name"
          label="Name of a new token"
          required
          more={{ maxlength: MAX_NAME_LENGTH }}
        />
        <button type="submit">Create token</button>
      </Form>
    </section>
  )
}

export function postRevokeApiToken(context: Context): Act {
  return async (ctx) => {
    await removeApiToken(context, sessionOf(ctx).userId, idOf(ctx, 'tokenId'))
    return withNotice(SETTINGS, 'token-revoked')
  }
}

export function postApiToken(context: Context): Act {
  return async (ctx) => {
    if (!isConfirmed(ctx, SETTINGS)) return undefined
    const created = await createApiToken(context, sessionOf(ctx).userId, fieldOf(ctx, 'name'))
    return { shown: { created } }
  }
}
