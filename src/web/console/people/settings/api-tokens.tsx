import {
  createApiToken,
  EXPIRY_DAYS,
  removeApiToken,
  type ApiToken,
  type TokenScope,
} from '../../../../domain/people/api-tokens.js'
import type { Context } from '../../../../domain/context.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { UserError } from '../../../../errors.js'
import { actAt } from '../../act.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Confirm, Empty, Field, Form, Select, Time } from '../../form.js'
import type { Act, Page } from '../../page.js'
import { Table } from '../../parts/table.js'
import { Copyable } from '../../secret.js'
import { sessionOf } from '../session.js'
import { labelOf, UserText } from '../../user-text.js'
import { SETTINGS } from './path.js'

export interface CreatedToken {
  name: string
  token: string
}

/** @param props.created set only if it was just made */
export function ApiTokens(props: {
  page: Page
  tokens: ApiToken[]
  created: CreatedToken | undefined
  lines: OwnLine[]
  publicUrl: string
}) {
  const { page, tokens, created, lines, publicUrl } = props
  const action = `${SETTINGS}/api-tokens`
  return (
    <section id="api-tokens">
      <h2>API tokens</h2>
      <p>
        A program with a token can use your lines through the <a href="/docs">API</a>, with the permissions
        you choose. Limit its lifetime and its lines where you can, so that a leaked token does less harm.
      </p>
      {created !== undefined && (
        <div role="status" class="notice">
          <p>
            Token “<UserText>{created.name}</UserText>” created. It is not shown again:
          </p>
          <Copyable id="new-token" text={created.token} what="the token" />
          <pre tabIndex={0}>{`curl -H 'Authorization: Bearer ${created.token}' ${publicUrl}/v1/lines`}</pre>
        </div>
      )}
      {tokens.length === 0 ? (
        <Empty>No API tokens yet. Create your first one below.</Empty>
      ) : (
        <Table
          rows={tokens}
          class="tidy"
          columns={{
            Name: ({ name }) => <UserText>{name}</UserText>,
            Permissions: (token) => <ScopeInWords scope={token} />,
            Created: ({ createdAt }) => <Time at={createdAt} />,
            'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
            Expires: ({ expiresAt, isExpired }) => (
              <>
                {isExpired && <strong>Expired </strong>}
                {expiresAt === null ? 'Never' : <Time at={expiresAt} />}
              </>
            ),
          }}
          acts={({ id, name }) => (
            <Confirm
              page={page}
              action={`${action}/${id}/revoke`}
              label="Revoke"
              consequence={
                <>
                  Programs that use “<UserText>{name}</UserText>” stop working immediately.
                </>
              }
              button="Revoke token"
            />
          )}
        />
      )}
      <NewToken page={page} action={action} lines={lines} />
    </section>
  )
}

function NewToken({ page, action, lines }: { page: Page; action: string; lines: OwnLine[] }) {
  return (
    <details open={page.fault?.action === action}>
      <summary>New token</summary>
      <Form page={page} action={action} class="row">
        <Field name="name" label="Token name" required more={{ maxlength: MAX_NAME_LENGTH }} />
        <Select name="expiresInDays" label="Expires" options={EXPIRIES} value="90" />
        <Select name="may" label="Permissions" options={MAY} value="all" />
        <Select
          name="lineId"
          label="Lines"
          options={[
            ['', 'All my lines and applications'],
            ...lines.map(({ id, name, number }) => [id, labelOf(name, number)] as const),
          ]}
          value=""
        />
        <button type="submit">Create token</button>
      </Form>
    </details>
  )
}

const EXPIRIES = [
  ...EXPIRY_DAYS.map((days) => [String(days), `in ${days} days`] as const),
  ['never', 'never'] as const,
]

const MAY = [
  ['all', 'Read, change and send'],
  ['read', 'Read only, without secrets'],
] as const

function ScopeInWords(props: { scope: TokenScope & { lineName: string | null } }) {
  const { isReadOnly, lineId, lineName } = props.scope
  return (
    <>
      {isReadOnly ? 'Read only' : 'Read, change and send'}
      {lineId !== null && (
        <>
          {', on '}
          <UserText>{lineName ?? lineId}</UserText>
        </>
      )}
    </>
  )
}

export const postRevokeApiToken = actAt(SETTINGS, 'token-revoked', (context, userId, ctx) =>
  removeApiToken(context, userId, idOf(ctx, 'tokenId')),
)

export function postApiToken(context: Context): Act {
  return async (ctx) => {
    const lineId = fieldOf(ctx, 'lineId')
    const created = await createApiToken(context, sessionOf(ctx).userId, fieldOf(ctx, 'name'), {
      expiresInDays: readExpiry(fieldOf(ctx, 'expiresInDays')),
      isReadOnly: fieldOf(ctx, 'may') === 'read',
      lineId: lineId === '' ? null : lineId.toLowerCase(),
    })
    return { shown: { created }, at: `${SETTINGS}#api-tokens` }
  }
}

function readExpiry(written: string): number | null {
  if (written === 'never' || written === '') return null
  const days = EXPIRY_DAYS.find((each) => String(each) === written)
  if (days === undefined)
    throw new UserError(`expiresInDays must be ${EXPIRY_DAYS.join(', ')} days, or never`)
  return days
}
