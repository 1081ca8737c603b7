import type { Middleware } from 'koa'
import { findGone } from '../../../database/operating/notices.js'
import { storable } from '../../../database/text.js'
import { isId } from '../../../ids.js'
import { getReading, listNotices, markRead, type Notice } from '../../../domain/operating/notices.js'
import { listLineHealth } from '../../../database/lines/line-health.js'
import type { Context } from '../../../domain/context.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { causesOfLine, groupCauses, type Cause } from '../../../domain/operating/causes.js'
import type { Need } from '../../../domain/operating/overview/needs.js'
import { overviewReaderOf } from '../../../domain/operating/overview/overview.js'
import type { Session } from '../../../domain/people/sessions.js'
import { kindsOfMood, describeNotice } from '../../../domain/operating/notices/describe.js'
import { actAt } from '../act.js'
import { Attention } from '../attention.js'
import { cursorOf, fieldOf } from '../form-values.js'
import { ActButton, Empty, Time } from '../form.js'
import { Layout } from '../layout.js'
import { CureLink } from './overview/cure-link.js'
import { Words } from '../parts/words.js'
import { ListControls, searchOf } from '../listing.js'
import { answerPage, pageOf } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { sessionOf } from '../people/session.js'
import { MAILS } from '../people/settings/path.js'
import { filterPath, writtenParameters } from '../time-filter.js'
import { UserText } from '../user-text.js'
import { OlderPages } from '../parts/older-pages.js'

const NOTICES = '/console/notices'

const PAGE_SIZE = 15
const BADGES = { bad: 'critical', waiting: 'warning', good: 'resolved' }
const MOODS = [
  { value: '', label: 'All' },
  { value: 'bad', label: 'Critical' },
  { value: 'waiting', label: 'Warning' },
  { value: 'good', label: 'Resolved' },
]

/** Lists the notifications: users see those about their own data, operators all. */
export function showNotices(context: Context): Middleware {
  return async (ctx) => {
    const session = sessionOf(ctx)
    const page = pageOf(ctx, context)
    const asked = writtenParameters(ctx, ['q', 'state'])
    const before = cursorOf(ctx)
    const mood = (['bad', 'waiting', 'good'] as const).find((each) => each === asked.state)
    const found = await listNotices(
      context,
      session,
      { limit: PAGE_SIZE + 1, before },
      {
        kinds: mood && kindsOfMood(mood),
        words: asked.q === undefined ? undefined : storable(asked.q.trim().slice(0, 100)),
      },
    )
    const notices = found.slice(0, PAGE_SIZE)
    const gone = await findGone(context.db, notices.flatMap(removableOf))
    const { readId } = await getReading(context, session.userId)
    const [first, last] = [notices[0], notices.at(-1)]
    const isFiltered = Object.keys(asked).length > 0
    const isNewest = before === undefined && !isFiltered
    const needs = isNewest ? await needsOf(context, session) : []
    answerPage(
      ctx,
      <Layout page={page} title="Notifications">
        <PageHead
          title="Notifications"
          acts={
            isNewest &&
            first !== undefined &&
            page.unreadCount > 0 && (
              <ActButton
                page={page}
                action={`${NOTICES}/read`}
                label="Mark all as read"
                look="secondary"
                fields={{ noticeId: first.id }}
              />
            )
          }
        />
        <p>
          Problems with{' '}
          {session.role === 'operator'
            ? "the service and all users' lines and applications"
            : 'your lines and applications'}
          , and their recovery. The same problem is reported at most once an hour.{' '}
          {page.hasMail && (
            <>
              <a href={MAILS}>Choose</a> which ones you get by email.
            </>
          )}
        </p>
        {needs.length > 0 && (
          <section aria-labelledby="needs">
            <h2 id="needs">Needs attention</h2>
            <Attention {...{ page, needs }} userId={session.userId} back={NOTICES} />
          </section>
        )}
        {needs.length > 0 && last !== undefined && <h2>All notifications</h2>}
        <ListControls
          label="Notifications"
          listing={searchOf(NOTICES, asked.q ?? '', {
            count: before === undefined ? notices.length : PAGE_SIZE,
            state: mood ?? '',
            states: MOODS,
          })}
        />
        {last === undefined ? (
          <Empty>
            {isFiltered
              ? 'No notifications match this filter.'
              : isNewest
                ? 'No notifications yet.'
                : 'No older notifications.'}
          </Empty>
        ) : (
          <>
            <ul class="needs">
              {notices.map((notice) => (
                <Item
                  key={notice.id}
                  notice={notice}
                  readerId={session.userId}
                  isGone={removableOf(notice).some((id) => gone.has(id))}
                  isNew={readId === null || notice.id > readId}
                />
              ))}
            </ul>
            <OlderPages
              newest={before === undefined ? undefined : filterPath(NOTICES, asked)}
              older={found.length > PAGE_SIZE ? filterPath(NOTICES, asked, last.id) : undefined}
            />
          </>
        )}
      </Layout>,
    )
  }
}

/** Finds the current needs: for operators the installation's, for users those of their lines. */
async function needsOf(context: Context, { userId, role }: Session): Promise<(Cause | Need)[]> {
  if (role === 'operator') return (await overviewReaderOf(context).read('1h')).needs
  const [lines, health] = await Promise.all([
    listOwnLines(context, userId),
    listLineHealth(context.db, userId),
  ])
  const healthOf = new Map(health.map((each) => [each.lineId, each]))
  return groupCauses(lines.flatMap((line) => causesOfLine(line, healthOf.get(line.id))))
}

/** The id of what a notification leads to, if that may have been deleted since. */
function removableOf(notice: Notice): string[] {
  const { cure } = describeNotice(notice)
  const id = cure?.at === 'endpoint' ? cure.endpointId : cure?.at === 'carrier' ? cure.id : undefined
  return isId(id) ? [id] : []
}

/** @param props.isGone true if what it is about was deleted */
function Item(props: { notice: Notice; readerId: string; isNew: boolean; isGone: boolean }) {
  const { notice, readerId, isNew, isGone } = props
  const { mood, title, text, cure } = describeNotice(notice)
  return (
    <li id={notice.id} class={mood}>
      <span class={`badge ${mood}`}>{BADGES[mood]}</span>
      <span>
        <strong>
          <Title>{title}</Title>
        </strong>{' '}
        {isNew && <span class="badge new">new</span>}
        <br />
        <Words>{text}</Words>
        <br />
        <small>
          <Time at={notice.at} />
        </small>
      </span>
      {isGone ? (
        <span class="muted">Deleted</span>
      ) : (
        cure !== undefined && <CureLink cure={cure} userId={readerId} />
      )}
    </li>
  )
}

/** The text between the marks is a name that a user typed. */
function Title({ children }: { children: string }) {
  const pieces = children.split(/\u2068([^\u2068\u2069]*)\u2069/)
  return <>{pieces.map((piece, n) => (n % 2 === 1 ? <UserText key={n}>{piece}</UserText> : piece))}</>
}

export const postNoticesRead = actAt(NOTICES, 'notices-read', (context, userId, ctx) =>
  markRead(context, userId, fieldOf(ctx, 'noticeId')),
)
