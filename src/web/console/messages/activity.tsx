import type { Context as KoaContext, Middleware } from 'koa'
import type { OwnLine } from '../../../database/lines/lines.js'
import {
  countActivities,
  MAX_COUNTED,
  type ActivityCount,
  type ActivityFilter,
} from '../../../domain/messages/activity.js'
import type { Context } from '../../../domain/context.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { refusalOf, UserError } from '../../../errors.js'
import { EmptyList } from './activity/empty-list.js'
import { FilterForm } from './activity/filter-form.js'
import { readFilter, writtenFilter, type WrittenFilter } from './activity/filter.js'
import { ActivityList } from './activity/list.js'
import { readActivityPage, type ShownActivity } from './activity/page-model.js'
import { Layout } from '../layout.js'
import { live } from '../live.js'
import { ActButton } from '../form.js'
import { withNotice } from '../notices.js'
import { TASKS } from '../operating/tasks.js'
import { MAX_RETRIED, mayRetry, startRetry } from '../../../domain/endpoints/deliveries/retry-filtered.js'
import { answerPage, pageOf, type Act, type Page } from '../page.js'
import { reachedOf } from '../portal/gate.js'
import { sessionOf } from '../people/session.js'
import { filterPath, zoneOf } from '../time-filter.js'
import { LivePiece } from '../parts/live-piece.js'
import { OlderPages } from '../parts/older-pages.js'

const PATH = '/console/activity'
const RETRY = `${PATH}/retry`
/** This is about two screens on a desktop, and four on a phone. */
const PAGE_SIZE = 25

/** Shows messages and deliveries of all lines, newest first; the first page keeps itself up to date. */
export function showActivity(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const lines = reachedOf(ctx, await listOwnLines(context, userId), ({ id }) => id)
    const written = writtenFilter(ctx)
    const asked = await readFilter(ctx, context).catch(refusalOf)
    const fault = asked instanceof UserError ? asked.message : undefined
    const found = asked instanceof UserError ? undefined : await look(context, userId, asked)
    if (asked instanceof UserError) ctx.status = asked.status
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <Layout page={page} title="Activity" zone={zoneOf(written)}>
        <h1>Activity</h1>
        <FilterForm path={PATH} isPortal={page.isPortal} {...{ lines, written, fault }} />
        {found !== undefined && (
          <LivePiece at={found.before === undefined ? filterPath(`${PATH}/live`, written) : undefined}>
            <Found {...{ page, lines, written, found }} />
          </LivePiece>
        )}
      </Layout>,
    )
  }
}

export function liveActivity(context: Context): Middleware {
  const render = async (ctx: KoaContext) => {
    const { userId } = sessionOf(ctx)
    const [own, { filter }] = await Promise.all([listOwnLines(context, userId), readFilter(ctx, context)])
    const lines = reachedOf(ctx, own, ({ id }) => id)
    const found = await look(context, userId, { filter, before: undefined })
    const page = pageOf(ctx, context)
    return <Found {...{ page, lines, written: writtenFilter(ctx), found }} />
  }
  return live(context, render, (ctx) => readFilter(ctx, context))
}

/** Its filter is in the address, like that of the page. */
export function postRetry(context: Context): Act {
  return async (ctx) => {
    const { filter } = await readFilter(ctx, context)
    const { isLookedThroughInPart, isFull } = await startRetry(context, sessionOf(ctx).userId, filter)
    if (isFull) return withNotice(TASKS, 'retry-started-full')
    return withNotice(TASKS, isLookedThroughInPart ? 'retry-started-in-part' : 'retry-started')
  }
}

interface FoundActivity extends ShownActivity {
  /** The cursor of the page; undefined for the first. */
  before: string | undefined
  total: ActivityCount
}

async function look(
  context: Context,
  userId: string,
  { filter, before }: { filter: ActivityFilter; before: string | undefined },
): Promise<FoundActivity> {
  const page = { limit: PAGE_SIZE, before }
  const found = await readActivityPage(context, userId, filter, page)
  const isAll = before === undefined && found.older === null
  const total = isAll
    ? { count: found.activities.length, isInPart: false }
    : await countActivities(context, userId, filter)
  return { ...found, total, before }
}

function Found(props: {
  page: Page
  lines: readonly OwnLine[]
  written: WrittenFilter
  found: FoundActivity
}) {
  const { page, lines, written, found } = props
  const hasUndelivered = found.activities.some(({ deliveries }) => deliveries.some(mayRetry))
  const { activities, older, before, isLookedThroughInPart } = found
  const isFirst = before === undefined
  if (activities.length === 0 && older === null) {
    return <EmptyList {...{ page, lines, written, isFirst }} />
  }
  return (
    <>
      <div class="facts">
        <p>
          <Total {...found.total} /> <a href={filterPath(`${PATH}.csv`, written)}>Export CSV</a>
        </p>
        {hasUndelivered && !page.isPortal && (
          <ActButton
            page={page}
            action={filterPath(RETRY, written)}
            label={
              found.total.count > MAX_COUNTED
                ? `Retry up to ${MAX_RETRIED.toLocaleString('en')} of the newest undelivered events in this view`
                : 'Retry all undelivered events in this view'
            }
            look="secondary"
          />
        )}
      </div>
      <ActivityList
        acts={{ page, back: filterPath(PATH, written, before) }}
        activities={activities}
        contacts={found.contacts}
        zone={zoneOf(written)}
        lineNames={new Map(lines.map(({ id, name }) => [id, name]))}
      />
      {isLookedThroughInPart && (
        <p class="empty">Only the newest messages have been searched so far. Continue with older ones.</p>
      )}
      <OlderPages
        newest={isFirst ? undefined : filterPath(PATH, written)}
        older={older === null ? undefined : filterPath(PATH, written, older)}
      />
    </>
  )
}

function Total({ count, isInPart }: ActivityCount) {
  if (count > MAX_COUNTED) return <>{`More than ${MAX_COUNTED.toLocaleString('en')} messages.`}</>
  const what = count === 1 ? 'message' : 'messages'
  return <>{`${count} ${what}${isInPart ? ' among the newest messages searched' : ''}.`}</>
}
