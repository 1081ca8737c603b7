import type { Context as KoaContext, Middleware } from 'koa'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { TaskKind } from '../../../database/operating/tasks.js'
import type { Context } from '../../../domain/context.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { listTasks } from '../../../database/operating/tasks.js'
import { stopTask, type Task } from '../../../domain/operating/tasks.js'
import { applicationPath } from '../applications/application/page-model.js'
import { explainFailure } from '../endpoints/failures.js'
import { cursorOf, idOf } from '../form-values.js'
import { Empty, Form, Time } from '../form.js'
import { Layout } from '../layout.js'
import { linePath } from '../lines/line/section.js'
import { live } from '../live.js'
import { withNotice } from '../notices.js'
import { answerPage, pageOf, type Act, type Page } from '../page.js'
import { LivePiece } from '../parts/live-piece.js'
import { OlderPages } from '../parts/older-pages.js'
import { Table } from '../parts/table.js'
import { sessionOf } from '../people/session.js'
import { filterPath } from '../time-filter.js'
import { UserText } from '../user-text.js'

export const TASKS = '/console/tasks'

/** They are kept for 30 days, and users hardly start more than this in that time. */
const PAGE_SIZE = 30

const KIND_WORDS: Record<TaskKind, string> = {
  replay: 'Event replay',
  held_events: 'Held events',
  retry: 'Retry of undelivered events',
  import: 'Number import',
  text_list: 'Texts to a list',
}

const MOODS: Record<Task['status'], 'good' | 'waiting' | 'bad'> = {
  waiting: 'waiting',
  running: 'waiting',
  done: 'good',
  stopped: 'bad',
  failed: 'bad',
}

interface TasksView {
  page: Page
  tasks: readonly Task[]
  /** The cursor of this page; undefined for the newest, which keeps itself up to date. */
  before: string | undefined
  /** The cursor of the next page; undefined if there is none. */
  older: string | undefined
  lines: ReadonlyMap<string, OwnLine>
}

/**
 * Shows replays, large releases of held events, and imports, each with a progress bar. They continue without the page.
 */
export function showTasks(context: Context): Middleware {
  return async (ctx) => {
    const view = await viewOf(context, ctx)
    const { fault } = view.page
    // With a form's fault on it the page is not live, so that the fault stays until the reader continues.
    const isLive = fault === undefined && view.before === undefined
    answerPage(
      ctx,
      <Layout page={view.page} title="Background tasks">
        <h1>Background tasks</h1>
        <p>Tasks continue when you close this page. They are listed here for 30 days.</p>
        <LivePiece at={isLive ? `${TASKS}/live` : undefined}>
          <Tasks {...view} />
        </LivePiece>
      </Layout>,
    )
  }
}

export function liveTasks(context: Context): Middleware {
  return live(context, async (ctx) => <Tasks {...await viewOf(context, ctx)} />)
}

export function postStopTask(context: Context): Act {
  return async (ctx) => {
    await stopTask(context, sessionOf(ctx).userId, idOf(ctx, 'taskId'))
    return withNotice(filterPath(TASKS, {}, cursorOf(ctx)), 'task-stopping')
  }
}

async function viewOf(context: Context, ctx: KoaContext): Promise<TasksView> {
  const { userId } = sessionOf(ctx)
  const before = cursorOf(ctx)
  const [found, lines] = await Promise.all([
    listTasks(context.db, userId, { limit: PAGE_SIZE + 1, before }),
    listOwnLines(context, userId),
  ])
  const tasks = found.slice(0, PAGE_SIZE)
  return {
    page: pageOf(ctx, context),
    tasks,
    before,
    older: found.length > PAGE_SIZE ? tasks.at(-1)?.id : undefined,
    lines: new Map(lines.map((line) => [line.id, line])),
  }
}

function Tasks(view: TasksView) {
  const { before, older } = view
  return (
    <>
      <TaskTable {...view} />
      <OlderPages
        newest={before === undefined ? undefined : TASKS}
        older={older === undefined ? undefined : filterPath(TASKS, {}, older)}
      />
    </>
  )
}

function TaskTable({ page, tasks, before, lines }: TasksView) {
  if (tasks.length === 0 && before !== undefined) return <Empty>No older background tasks.</Empty>
  if (tasks.length === 0) {
    return (
      <Empty>
        No background tasks. They appear here when you replay events or import numbers, for example.
      </Empty>
    )
  }
  return (
    <Table
      rows={tasks}
      columns={{
        Task: (task) => <What task={task} lines={lines} />,
        Progress: (task) => <Bar task={task} />,
        State: (task) => (
          <State page={page} task={task} before={before} line={lines.get(task.lineId ?? '')} />
        ),
        Started: ({ createdAt }) => <Time at={createdAt} />,
      }}
    />
  )
}

function What({ task, lines }: { task: Task; lines: TasksView['lines'] }) {
  const { kind, lineId, applicationId, url } = task
  return (
    <>
      {KIND_WORDS[kind]}
      {lineId !== null && (
        <>
          {kind === 'text_list' ? ' from ' : ' for '}
          <a href={linePath(lineId)}>
            <UserText>{lines.get(lineId)?.name ?? 'a line'}</UserText>
          </a>
        </>
      )}
      {applicationId !== null &&
        (lineId === null ? (
          <>
            {' for '}
            <a href={applicationPath(applicationId)}>an application</a>
          </>
        ) : (
          ' requested by an application'
        ))}
      {url !== null && (
        <>
          {' to '}
          <code>{url}</code>
        </>
      )}
      {kind === 'text_list' && (
        <p>
          <a href={`${TASKS}/${task.id}/results.csv`} download>
            Results (CSV)
          </a>
        </p>
      )}
    </>
  )
}

/** While they are counted, the bar only shows that work continues. */
function Bar({ task }: { task: Task }) {
  const { kind, doneCount, failedCount, totalCount, endedAt, lastFailure } = task
  const count = doneCount + failedCount
  const total = totalCount?.toLocaleString('en') ?? 'a large number'
  // A list is done when its messages are queued: they are sent at the line's limit.
  const words =
    kind === 'text_list'
      ? `${doneCount.toLocaleString('en')} of ${total} queued`
      : `${count.toLocaleString('en')} of ${total}`
  const isCounting = totalCount === null && endedAt === null
  return (
    <>
      <progress
        aria-label={words}
        {...(isCounting ? {} : { value: count, max: Math.max(totalCount ?? count, 1) })}
      />
      {words}
      {failedCount > 0 && (
        <p class="why">
          {failedCount.toLocaleString('en')} failed.{' '}
          {lastFailure !== null &&
            (kind === 'import' || kind === 'text_list' ? lastFailure : explainFailure(lastFailure))}
        </p>
      )}
    </>
  )
}

function State(props: { page: Page; task: Task; before: string | undefined; line: OwnLine | undefined }) {
  const { page, task, before, line } = props
  const { id, kind, status, error, endedAt, stopAskedAt } = task
  return (
    <>
      <div class="acts first">
        <span class={`badge ${MOODS[status]}`}>
          {kind === 'text_list' && status === 'done' ? 'queued' : status}
        </span>{' '}
        {endedAt === null && stopAskedAt === null && (
          <Form page={page} action={`${TASKS}/${id}/stop`} class="inline">
            {before !== undefined && <input type="hidden" name="before" value={before} />}
            <button type="submit" class="secondary">
              Stop
            </button>
          </Form>
        )}
        {endedAt === null && stopAskedAt !== null && <span class="muted">Stopping…</span>}
      </div>
      {error !== null && <p class="why">{error}</p>}
      {kind === 'text_list' && endedAt === null && line?.pausedAt != null && (
        <p class="why">Waiting until sending from the line resumes.</p>
      )}
    </>
  )
}
