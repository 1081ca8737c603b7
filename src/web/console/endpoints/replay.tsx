import { EVENT_TYPES, ALL_EVENT_TYPES, type EventType } from '../../../event-types.js'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../../../domain/context.js'
import {
  countReplay,
  DEFAULT_RATE,
  MAX_RATE,
  REPLAY_OUTCOMES,
  startReplay,
  type Missed,
  type ReplayCount,
  type ReplayOf,
  type ReplayRequest,
} from '../../../domain/endpoints/deliveries/replay.js'
import { countOf, describeCount } from '../../../domain/operating/overview/figures.js'
import { UserError } from '../../../errors.js'
import { isId, newId } from '../../../ids.js'
import { parseMoment, withinSpan } from '../../../kit/text/moments.js'
import { sha256 } from '../../../secrets.js'
import type { NeedsFresh } from '../people/confirm-first.js'
import { fieldOf } from '../form-values.js'
import { Field, Form, Select, Time } from '../form.js'
import { withNotice } from '../notices.js'
import type { Act, Page } from '../page.js'
import { readLocalField } from '../messages/send-time.js'
import { ZoneSelect } from '../time-filter-fields.js'
import { sessionOf } from '../people/session.js'
import { askedEndpoint } from './acts.js'
import { TASKS } from '../operating/tasks.js'

const OUTCOME_WORDS: Record<(typeof REPLAY_OUTCOMES)[number], string> = {
  undelivered: 'Undelivered',
  delivered: 'Delivered',
  any: 'All',
}

const FIELDS = ['from', 'until', 'zone', 'outcome', 'type', 'perSecond', 'url'] as const

/** The number of events that the replay would send, with the typed fields. */
export interface CountedReplay extends ReplayCount {
  fields: Partial<Record<(typeof FIELDS)[number], string>>
}

/**
 * Shows the form that sends the events of a time range again, below the one for the events that the endpoint missed.
 *
 * @param props.missed undefined if there are none, or nothing can be sent now
 */
export function Replay(props: {
  page: Page
  action: string
  /** The types of the events that the endpoint may get. */
  types: readonly EventType[]
  missed: Missed | undefined
  counted: CountedReplay | undefined
}) {
  const { page, action, types, missed, counted } = props
  // The first form has no fields, so its fault is shown at the second one.
  const isOpen = page.fault?.action === action || counted !== undefined
  return (
    <>
      {missed !== undefined && (
        <Form page={{ ...page, fault: undefined }} action={action} class="inline">
          <p>
            {eventWords(missed, 'undelivered event')} since <Time at={missed.since} />.
          </p>
          <input type="hidden" name="since" value={missed.since.toISOString()} />
          <input type="hidden" name="outcome" value="undelivered" />
          <Key />
          <button type="submit">Retry</button>
        </Form>
      )}
      <details open={isOpen}>
        <summary>Replay events from a time range</summary>
        <ReplayForm {...{ page, action, types, counted }} />
      </details>
    </>
  )
}

function ReplayForm(props: Omit<Parameters<typeof Replay>[0], 'missed'>) {
  const { page, action, types, counted } = props
  const valueOf = (name: (typeof FIELDS)[number], otherwise = '') => counted?.fields[name] ?? otherwise
  const moment = (name: 'from' | 'until') => ({ name, type: 'datetime-local', value: valueOf(name) }) as const
  return (
    <Form page={page} action={action}>
      <p>
        Replayed events keep their <code>webhook-id</code> and carry the header{' '}
        <code>webhook-replay: true</code>.
      </p>
      <div class="grid">
        <Field {...moment('from')} label="From" required />
        <Field {...moment('until')} label="Until" hint="Leave empty to replay up to now." />
        <ZoneSelect zone={valueOf('zone')} />
        <Select
          name="outcome"
          label="Which events"
          options={Object.entries(OUTCOME_WORDS)}
          value={valueOf('outcome', 'undelivered')}
        />
        <Select
          name="type"
          label="Type"
          options={[['', 'All types'], ...types.map((type) => [type, EVENT_TYPES[type].label] as const)]}
          value={valueOf('type')}
        />
        <Field
          name="perSecond"
          label="Maximum events per second"
          type="number"
          value={valueOf('perSecond', String(DEFAULT_RATE))}
          more={{ min: 1, max: MAX_RATE }}
        />
      </div>
      <Field
        name="url"
        label="Another URL (optional)"
        hint="For example a staging server. It gets the events instead, signed with the same secret. Existing deliveries do not change."
        type="url"
        value={valueOf('url')}
        autocomplete="off"
      />
      {counted !== undefined && (
        <p role="status" class="notice" tabIndex={-1} autofocus>
          {counted.count === 0
            ? 'No events match.'
            : `${eventWords(counted)} ${isOne(counted) ? 'matches' : 'match'}.`}
        </p>
      )}
      <Key />
      <button type="submit">Replay</button>{' '}
      <button type="submit" class="secondary" name="do" value="count">
        Count first
      </button>
    </Form>
  )
}

/** Makes the id of the task (`taskIdOf`). */
function Key() {
  return <input type="hidden" name="key" value={newId()} />
}

function eventWords({ count, isMore }: ReplayCount, noun = 'event'): string {
  return isMore ? `More than ${describeCount(count)} ${noun}s` : countOf(count, noun)
}

function isOne({ count, isMore }: ReplayCount): boolean {
  return count === 1 && !isMore
}

/** The line's events would go to a server that is not one of its endpoints. */
export const isReplayElsewhere: NeedsFresh = (ctx) =>
  fieldOf(ctx, 'url').trim() !== '' && fieldOf(ctx, 'do') !== 'count'

/** Starts it and goes to the page that shows it; or counts the matching events. */
export function postReplay(context: Context): Act {
  return async (ctx) => {
    const { caller, id: endpointId } = askedEndpoint(ctx)
    const whose: ReplayOf = { of: 'endpoint', caller, endpointId, userId: sessionOf(ctx).userId }
    const request = readReplay(ctx)
    if (fieldOf(ctx, 'do') === 'count') {
      const fields = Object.fromEntries(FIELDS.map((name) => [name, fieldOf(ctx, name)]))
      const replayCount: CountedReplay = { ...(await countReplay(context, whose, request)), fields }
      return { shown: { replayCount } }
    }
    await startReplay(context, whose, request, taskIdOf(ctx))
    return withNotice(TASKS, 'replay-started')
  }
}

/**
 * Returns the id of the task: a second press of the form's button finds the task that the first one made. Whoever goes
 * back and changes a field asks for another replay, so the fields are part of the id.
 */
function taskIdOf(ctx: KoaContext): string | undefined {
  const key = fieldOf(ctx, 'key').toLowerCase()
  if (!isId(key)) return undefined
  const fields = ['since', ...FIELDS].map((name) => fieldOf(ctx, name))
  return key.slice(0, -12) + sha256(JSON.stringify(fields)).toString('hex', 0, 6)
}

function readReplay(ctx: KoaContext): ReplayRequest {
  const since = new Date(withinSpan(parseMoment(fieldOf(ctx, 'since'))))
  const from = Number.isNaN(since.getTime()) ? readLocalField(ctx, 'from', 'From') : since
  if (from === undefined) throw new UserError('From must be a date and time')
  const [outcome, type] = [chosen(ctx, 'outcome', REPLAY_OUTCOMES), chosen(ctx, 'type', ALL_EVENT_TYPES)]
  const url = fieldOf(ctx, 'url').trim()
  const perSecond = fieldOf(ctx, 'perSecond')
  return {
    from,
    until: readLocalField(ctx, 'until', 'Until'),
    outcome,
    types: type === undefined ? undefined : [type],
    perSecond: perSecond === '' ? undefined : Number(perSecond),
    url: url === '' ? undefined : url,
  }
}

/** @throws UserError for anything else, because without a choice more events are replayed */
function chosen<Choice extends string>(
  ctx: KoaContext,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const written = fieldOf(ctx, name)
  const choice = choices.find((each) => each === written)
  if (choice === undefined && written !== '')
    throw new UserError(`${name} must be one of ${choices.join(', ')}`)
  return choice
}
