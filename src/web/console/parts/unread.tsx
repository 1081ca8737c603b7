import type { Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { MAX_UNREAD } from '../../../domain/operating/notices.js'
import { countUnreadOf, type Unread } from '../operating/unread-notices.js'
import { live } from '../live.js'
import { sessionOf } from '../people/session.js'

/** Shows nothing if nothing is unread. Problems are shown louder (`isHot`) than texts. */
export function UnreadCount(props: { count: number; max: number; isHot?: boolean }) {
  const { count, max, isHot = false } = props
  if (count === 0) return null
  return (
    <span class={isHot ? 'count hot' : 'count'}>
      {count < max ? count : `${max}+`}
      <span class="unseen"> unread</span>
    </span>
  )
}

/** The counts in the head of a page. */
const COUNTS = {
  notices: ({ unreadCount }: Unread) => <UnreadCount count={unreadCount} max={MAX_UNREAD} isHot />,
  inbox: ({ unreadConversationCount }: Unread) => (
    <UnreadCount count={unreadConversationCount} max={MAX_UNREAD} />
  ),
  /** The menu hides both, so its button shows their sum, loud if one of them is a problem. */
  menu: ({ unreadCount, unreadConversationCount }: Unread) => (
    <UnreadCount count={unreadCount + unreadConversationCount} max={MAX_UNREAD} isHot={unreadCount > 0} />
  ),
}

type Place = keyof typeof COUNTS

export function HeadCount(props: { of: Place; unread: Unread; more?: Record<string, string> }) {
  const { of, unread, more } = props
  return (
    <span id={`unread-${of}`} class="head-count" {...more}>
      {COUNTS[of](unread)}
    </span>
  )
}

/** Keeps the counts up to date on pages that are live themselves: `assets/live.js` opens no stream for them alone. */
export function LiveHeadCounts() {
  return <div hidden {...{ 'data-live': '/console/unread/live', 'data-hx-swap': 'none' }} />
}

export function liveHeadCounts(context: Context): Middleware {
  return live(context, async (ctx) => {
    const unread = await countUnreadOf(context, sessionOf(ctx))
    return (
      <>
        {(Object.keys(COUNTS) as Place[]).map((of) => (
          <HeadCount key={of} {...{ of, unread }} more={{ 'data-hx-swap-oob': 'innerMorph' }} />
        ))}
      </>
    )
  })
}
