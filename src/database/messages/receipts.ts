import type { CarrierReason } from '../../carrier-reasons.js'
import type { AccountVersion } from '../carriers/carrier-accounts.js'
import type { Database } from '../connection.js'
import { indexable, toJson } from '../text.js'
import type { SaidCharge } from './charges.js'
import { CHANGED, changeMessages, type Changes } from './announcing.js'

export interface Receipt {
  carrierAccount: string
  /** The account whose signature let the receipt in. If it was changed or removed since, nothing is done. */
  account?: AccountVersion
  /** Empty if the carrier gives only our own id. */
  carrierMessageId: string
  /**
   * Other forms in which the carrier may have written its id when it took the message. They count for `numbers` only.
   */
  otherIds?: readonly string[]
  /**
   * The message was sent to one of these, in any form. A carrier whose counter was reset reuses ids, and this
   * distinguishes the messages of one id. If left out, the newest message with the id is meant.
   */
  numbers?: readonly string[]
  /**
   * True if the caller asks again. If so, the receipt does not count yet while another text to the number is being
   * handed over, because it may be about that text: a carrier that reuses ids may give the same one.
   */
  mayWait?: boolean
  /**
   * Our own id of the message, if the carrier returns it: it finds a message whose worker died in the carrier's call.
   * The message must be of a line at this carrier. The carrier's id counts more, unless it was given to several.
   */
  messageId?: string
  /**
   * True for the answer to a call of ours that came late: then our own id alone decides. A modem counts its references
   * anew after 256, so another message may have the same.
   */
  isAnswer?: boolean
  /**
   * True if it may be about only one of several parts, without the id of that part. The failure of a part is that of
   * the whole.
   */
  isOfPart?: boolean
  status: 'sent' | 'delivered' | 'failed'
  error?: string
  /** The carrier's code, such as Twilio's `30003`. */
  carrierCode?: string
  /** The meaning of that code. */
  carrierReason?: CarrierReason
  /** True if it failed because the carrier says that the recipient has opted out. */
  isOptedOut?: boolean
  charge?: SaidCharge
}

/**
 * Numbers are compared by this many last digits, because receipts write them with and without the country and area
 * codes.
 */
const NUMBER_END = 7

/** Reading messages once more costs a third of the statement's pages, so a batch without numbers does not do it. */
const AT_NUMBER = `cross join lateral (
  select m.line_id, m.to_number, m.carrier_part_ids from messages m where m.id = k.message_id and m.direction = 'outbound' limit 1) m`
const IS_ID = `k.carrier_message_id = g."carrierMessageId"`
const IS_AT_NUMBER = `case when g."numberEnds" is null then ${IS_ID}
  else right(m.to_number, ${NUMBER_END}) = any (g."numberEnds") end`
const NOBODY_IS_SENDING = `and not (g."mayWait" is true and exists (
  select 1 from messages s where s.line_id = c.line_id and s.to_number = c.to_number and s.status = 'sending'
    and s.id <> c.id))`

/**
 * Returns true if the account is still handing over a text that a receipt may be about: to its number, or to any if it has
 * none, and claimed before the receipt arrived.
 */
export async function isHandingOver(
  db: Database,
  { carrierAccount, numbers }: Pick<Receipt, 'carrierAccount' | 'numbers'>,
  arrivedAgoMs: number,
): Promise<boolean> {
  // Uses the index of leases, because few messages are under way.
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from messages where status = 'sending' and lease_until > '-infinity' and carrier = ?
       and claimed_at <= clock_timestamp() - make_interval(secs => ? / 1000.0)
       and (?::text[] is null or right(to_number, ${NUMBER_END}) = any (?::text[])) limit 1`,
    [carrierAccount, arrivedAgoMs, endsOf(numbers), endsOf(numbers)],
  )
  return rows.length > 0
}

function endsOf(numbers: readonly string[] | undefined): string[] | null {
  return numbers?.map((number) => number.slice(-NUMBER_END)) ?? null
}

/** The message that a receipt is about. */
export interface FoundReceipt {
  /** The receipt's place among those given. */
  n: number
  messageId: string
  /** True if it is the one that counts, of several for one message. */
  isGiven: boolean
}

/**
 * Applies carriers' reports on sent messages. States only move forward (sent, then delivered or failed), and a final
 * state stays, so reports may come twice and in any order. An `unknown` message becomes known by a report, and so does
 * one that went back to the queue although the carrier has it. A message that was never claimed cannot be the
 * carrier's. Receipts of an account that has changed are `outdated`: nothing is done with them.
 *
 * A text of several parts is delivered with its last part, and fails with any of them, even if it was delivered.
 * Otherwise, the other parts say nothing about the whole: it may be `unknown` because a later one was not taken.
 *
 * A message that is found by our own id also gets the carrier's id, because the next receipt may come without ours.
 */
export async function applyReceipts(
  db: Database,
  receipts: readonly Receipt[],
): Promise<Changes & { found: FoundReceipt[]; outdated: number[] }> {
  const isByNumber = receipts.some(({ numbers, mayWait }) => numbers !== undefined || mayWait === true)
  const isOfPart = isByNumber ? 'c.is_part is true' : 'false'
  return changeMessages(
    db,
    `asked as materialized (
       select g.*, g."accountId" is not null and a.version is distinct from g."accountVersion" as is_outdated
       from jsonb_to_recordset(?::jsonb) as g(n integer, "carrierAccount" text, "accountId" uuid, "accountVersion" integer,
         "carrierMessageId" text, ids text[], "numberEnds" text[], "mayWait" boolean, "messageId" uuid, "isAnswer" boolean,
         "isOfPart" boolean, status text, error text, "carrierCode" text, "carrierReason" text, charge jsonb)
       left join lateral (select version from carrier_accounts where id = g."accountId" limit 1) a on true
     ), found as (
       select coalesce(c.id, o.id) as id, o.id is not null and c.id is null as is_by_our_id, g.*,
         g.status = 'failed' and (g."isOfPart" is true or ${isOfPart}) as is_failed_part,
         g.status <> 'failed' and ${isOfPart} as is_silent
       from asked g
       left join lateral (select m.id from messages m join lines l on l.id = m.line_id
         where m.id = g."messageId" and m.direction = 'outbound' and coalesce(m.carrier, l.carrier) = g."carrierAccount" limit 1) o on true
       left join lateral (
         select k.message_id as id${isByNumber ? ', m.line_id, m.to_number, k.carrier_message_id = any (m.carrier_part_ids) as is_part' : ''} from (
           select k.carrier_message_id, k.message_id, k.created_at from carrier_message_ids k
           where k.carrier = g."carrierAccount" and k.carrier_message_id = any (g.ids) and not k.is_inbound
           union all
           select k.carrier_message_id, k.message_id, k.created_at from carrier_message_ids_again k
           where k.carrier = g."carrierAccount" and k.carrier_message_id = any (g.ids)
         ) k
         ${isByNumber ? AT_NUMBER : ''}
         where ${isByNumber ? IS_AT_NUMBER : IS_ID} and (g."isAnswer" is not true or k.message_id = o.id)
         order by (k.message_id = o.id) is true desc, k.carrier_message_id = g."carrierMessageId" desc, k.created_at desc, k.message_id desc limit 1
       ) c on true
       where not g.is_outdated ${isByNumber ? NOBODY_IS_SENDING : ''}
     ), given as (
       -- Of several for one message, the one that says most.
       select distinct on (id) * from found order by id, is_silent, status = 'sent', is_failed_part desc, n
     ), before as (
       select m.id, m.status from messages m
       where m.id = any (array(select id from given)) and m.direction = 'outbound' order by m.id for no key update
     ), ids as (
       insert into carrier_message_ids (carrier, carrier_message_id, message_id)
       select f."carrierAccount", f."carrierMessageId", b.id from found f join before b on b.id = f.id
       where f.is_by_our_id and f."carrierMessageId" is not null
       order by f."carrierAccount", f."carrierMessageId"
       on conflict do nothing
       returning carrier_message_id, message_id
     ), ids_again as (
       -- As note_carrier_ids does it; a function would be planned anew in every connection.
       insert into carrier_message_ids_again (carrier, carrier_message_id, message_id)
       select f."carrierAccount", f."carrierMessageId", b.id from found f join before b on b.id = f.id
       where f.is_by_our_id and f."carrierMessageId" is not null
         and (f."carrierMessageId", b.id) not in (select carrier_message_id, message_id from ids)
       order by f."carrierAccount", f."carrierMessageId"
       on conflict do nothing
     ), changed as (
       update messages m
       set status = g.status, error = g.error, carrier_code = g."carrierCode", carrier_reason = g."carrierReason", receipt_at = clock_timestamp(),
           carrier_message_id = coalesce(m.carrier_message_id, g."carrierMessageId"), lease_until = null,
           handed_over_at = coalesce(m.handed_over_at, clock_timestamp()),
           sent_at = case when g.status = 'failed' then m.sent_at else coalesce(m.sent_at, clock_timestamp()) end
       from given g join before b on b.id = g.id
       where m.id = any (array(select id from given)) and m.id = g.id and not g.is_silent
         and (b.status in ('sending', 'unknown') or (b.status = 'sent' and g.status <> 'sent')
           or (b.status = 'delivered' and g.is_failed_part and m.segment_count > 1)
           or (b.status = 'queued' and m.claim_id is not null))
       returning ${CHANGED}, m.carrier_reason, g.charge, b.status as status_before
     )`,
    [
      toJson(
        receipts.map(({ account, carrierMessageId, otherIds = [], numbers, ...receipt }, n) => ({
          ...receipt,
          n,
          carrierMessageId: carrierMessageId === '' ? null : indexable(carrierMessageId),
          ids: [carrierMessageId, ...otherIds].filter((id) => id !== '').map(indexable),
          numberEnds: endsOf(numbers),
          accountId: account?.id,
          accountVersion: account?.version,
        })),
      ),
    ],
    [
      `(select coalesce(json_agg(json_build_object('n', f.n, 'messageId', f.id, 'isGiven',
          exists (select from given g where g.n = f.n))), '[]') from found f where f.id is not null) as found`,
      `(select coalesce(json_agg(n), '[]') from asked where is_outdated) as outdated`,
    ],
  )
}
