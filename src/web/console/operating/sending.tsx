import type { Middleware } from 'koa'
import { countQueued } from '../../../database/messages/queueing.js'
import {
  findAllSending,
  listPaused,
  type AllSending,
  type PausedThing,
} from '../../../database/operating/pauses.js'
import type { Context } from '../../../domain/context.js'
import { pauseAllSending, resumeAllSending } from '../../../domain/operating/pauses.js'
import { countOf, describeCount } from '../../../domain/operating/overview/figures.js'
import { actAt } from '../act.js'
import { carrierPath } from '../carriers/carrier/page-model.js'
import { ActButton, Time } from '../form.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { PauseSending } from '../parts/pause-sending.js'
import { Table } from '../parts/table.js'
import { userPath } from '../people/user/path.js'
import { pauserOf } from './pauser.js'
import { UserText } from '../user-text.js'

const SENDING = '/console/sending'

const MAX_SHOWN = 200
const MAX_COUNTED = 100_000

/** Shows operators the switch for all sending, and everything else that is paused. */
export function showSending(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const [all, paused, waitingCount] = await Promise.all([
      findAllSending(context.db),
      listPaused(context.db, MAX_SHOWN + 1),
      countQueued(context.db, MAX_COUNTED),
    ])
    answerPage(
      ctx,
      <Layout page={page} title="Sending">
        <h1>Sending</h1>
        <p>
          {waitingCount === MAX_COUNTED
            ? `${describeCount(MAX_COUNTED)} or more messages`
            : waitingCount === 0
              ? 'No messages'
              : countOf(waitingCount, 'message')}{' '}
          {waitingCount === 1 ? 'is' : 'are'} waiting.
        </p>
        <All page={page} all={all} />
        <h2>Paused lines and carrier accounts</h2>
        <PausedTable paused={paused} />
      </Layout>,
    )
  }
}

function All({ page, all: { pausedAt, pausedBy } }: { page: Page; all: AllSending }) {
  if (pausedAt === null) return <PauseSending page={page} action={`${SENDING}/pause`} what="all sending" />
  return (
    <>
      <p class="fault">
        All sending has been paused since <Time at={pausedAt} />
        {pausedBy !== null && ` by ${pausedBy}`}.
      </p>
      <ActButton page={page} action={`${SENDING}/resume`} label="Resume all sending" />
    </>
  )
}

function PausedTable({ paused }: { paused: PausedThing[] }) {
  if (paused.length === 0) return <p class="empty">Nothing is paused.</p>
  return (
    <>
      <Table
        rows={paused.slice(0, MAX_SHOWN)}
        columns={{
          Paused: ({ kind, id, name, userId }) => (
            <>
              {kind === 'account' ? 'Carrier account ' : 'Line '}
              <a href={kind === 'account' ? carrierPath(id) : userPath(userId ?? '')}>
                <UserText>{name}</UserText>
              </a>
            </>
          ),
          Since: ({ pausedAt }) => <Time at={pausedAt} />,
          By: ({ pausedBy }) => pausedBy ?? <span class="muted">The command line</span>,
        }}
      />
      {paused.length > MAX_SHOWN && <p class="muted">Only the first {MAX_SHOWN} are shown.</p>}
    </>
  )
}

export const postPauseAll = actAt(SENDING, 'sending-paused', (context, _userId, ctx) =>
  pauseAllSending(context, pauserOf(ctx)),
)

export const postResumeAll = actAt(SENDING, 'sending-resumed', (context, _userId, ctx) =>
  resumeAllSending(context, pauserOf(ctx)),
)
