import type { CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import { listCallbackUrls, type CallbackUrl } from '../../../../domain/carriers/callback-urls.js'
import { SettingsUnreadable } from '../../../../domain/carriers/carrier-settings.js'
import { listUnclearCallbacks, type UnclearCallback } from '../../../../domain/carriers/unclear-callbacks.js'
import type { Context } from '../../../../domain/context.js'
import { Time } from '../../form.js'
import { formatByteCount } from '../../messages/message/labels.js'
import { Copyable, Masked } from '../../secret.js'

export interface CallbacksView {
  urls: CallbackUrl[]
  unclear: UnclearCallback[]
}

/** This many unclear callbacks are shown, the newest first. */
const SHOWN = 20
/** More of a body does not help to understand it. */
const MAX_BYTES = 4000

export async function loadCallbacks(context: Context, account: CarrierAccount): Promise<CallbacksView> {
  const [urls, unclear] = await Promise.all([
    listCallbackUrls(context, account).catch(noneIfUnreadable),
    listUnclearCallbacks(context, account),
  ])
  return { urls, unclear }
}

/** The page says elsewhere that the settings cannot be opened. */
function noneIfUnreadable(error: unknown): [] {
  if (error instanceof SettingsUnreadable) return []
  throw error
}

/**
 * Shows the URLs at which the carrier reaches us, and its requests that were not understood.
 *
 * @param isShown true to show the secrets in the URLs
 */
export function Callbacks({
  account,
  path,
  isShown,
  urls,
  unclear,
}: CallbacksView & { account: { title: string }; path: string; isShown: boolean }) {
  if (urls.length === 0 && unclear.length === 0) return null
  return (
    <section id="callbacks" aria-labelledby="callbacks-title">
      <h2 id="callbacks-title">Callbacks</h2>
      {urls.length > 0 && <p>Enter these URLs at {account.title}, unless you set them up from this page.</p>}
      {urls.map(({ name, label, url, maskedUrl }) => (
        <div key={name}>
          <p>{label}</p>
          {maskedUrl === undefined || isShown ? (
            <Copyable id={`callback-${name}`} text={url} what="the URL" />
          ) : (
            <Masked path={path} section="callbacks" text={maskedUrl} show="callbacks" button="Show URL" />
          )}
        </div>
      ))}
      {unclear.length > 0 && <Unclear title={account.title} unclear={unclear} />}
    </section>
  )
}

function Unclear({ title, unclear }: { title: string; unclear: UnclearCallback[] }) {
  return (
    <>
      <h3 id="not-understood">Not understood ({unclear.length})</h3>
      <p>
        {title} sent these, but Linehook could not read them or found no line for them. They are kept for two
        weeks.{unclear.length > SHOWN && ` Only the newest ${SHOWN} are shown.`}
      </p>
      {unclear.slice(0, SHOWN).map(({ id, name, why, method, query, contentType, body, count, lastAt }) => (
        <details key={id}>
          <summary>
            <Time at={lastAt} /> {why}
            {count > 1 && ` (${count} times)`}
          </summary>
          <p>
            {method} {name}
            {query !== '' && `?${query}`} {contentType}, {formatByteCount(body.length)}
          </p>
          <pre tabIndex={0} dir="auto">
            {body.subarray(0, MAX_BYTES).toString()}
          </pre>
        </details>
      ))}
    </>
  )
}
