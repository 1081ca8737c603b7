import {
  errors,
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  type ClientMetadata,
} from 'oidc-provider'
import {
  consumeOAuthRecord,
  deleteOAuthRecord,
  findOAuthRecord,
  upsertOAuthRecord,
  type OAuthRecordKind,
} from '../../database/applications/oauth-records.js'
import { findClient } from '../../domain/applications/applications.js'
import { endTokensOf } from '../../domain/applications/tokens.js'
import type { Context } from '../../domain/context.js'
import { Unavailable } from '../../errors.js'
import { sha256 } from '../../secrets.js'

/** Stores oidc-provider's data: codes and tokens are rows in Postgres, by their hash; clients are our applications. */
export function createAdapter(context: Context): AdapterFactory {
  return (name) => {
    if (name === 'Client') return { ...NOTHING, find: (id) => findMetadata(context, id) }
    // The console decides who is signed in: every authorization begins without a session of its own.
    return name === 'Session' ? NOTHING : createRecords(context, name as OAuthRecordKind)
  }
}

function createRecords(context: Context, kind: OAuthRecordKind): Adapter {
  const { db } = context
  return {
    ...NOTHING,
    upsert: (id, payload, expiresInSeconds = 0) =>
      upsertOAuthRecord(db, {
        kind,
        idHash: sha256(id),
        grantHash: payload.grantId === undefined ? null : sha256(payload.grantId),
        clientId: payload.clientId ?? (payload.params?.client_id as string | undefined) ?? null,
        userId: payload.accountId ?? null,
        payload: withoutValue(payload),
        expiresInSeconds,
      }),
    find: async (id) => {
      const record = await findOAuthRecord(db, kind, sha256(id))
      if (record === undefined) return undefined
      const { payload, consumedAt } = record
      return {
        ...payload,
        jti: id,
        // The browser continues there after the consent page.
        ...(kind === 'Interaction' ? { returnTo: `/oauth/authorize/${id}` } : {}),
        ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }),
      }
    },
    consume: async (id) => {
      if (await consumeOAuthRecord(db, kind, sha256(id))) return
      const record = await findOAuthRecord(db, kind, sha256(id))
      if (record?.consumedAt === null) {
        throw new Unavailable('The last use has not issued tokens yet', record.secondsLeft)
      }
      // The record has been used up since we looked. As after every extra use, the grant ends (RFC 9700 §2.1.1).
      const grantId = record?.payload.grantId
      if (typeof grantId === 'string') await endTokensOf(context, sha256(grantId))
      throw new errors.InvalidGrant('used at the same moment by another request')
    },
    destroy: (id) =>
      kind === 'Grant' ? endTokensOf(context, sha256(id)) : deleteOAuthRecord(db, kind, sha256(id)),
    revokeByGrantId: (grantId) => endTokensOf(context, sha256(grantId)),
  }
}

/** The code's or token's own value must not be in its row. */
function withoutValue(payload: AdapterPayload): object {
  return { ...payload, jti: undefined, returnTo: undefined }
}

async function findMetadata(context: Context, clientId: string): Promise<ClientMetadata | undefined> {
  const application = await findClient(context, clientId)
  if (application === undefined) return undefined
  const isPublic = application.kind === 'public'
  return {
    client_id: application.clientId,
    redirect_uris: application.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
    // The package requires it but compares it with nothing: we only keep its hash, and `provider.ts` compares that.
    ...(isPublic ? {} : { client_secret: 'kept as a hash' }),
  }
}

const nothing = () => Promise.resolve(undefined)

const NOTHING: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
}
