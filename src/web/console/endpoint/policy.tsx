import type { Context as KoaContext } from 'koa'
import { SHAPES, type Shape } from '../../../database/endpoint-policy.js'
import { EVENT_TYPES, type MessageEventType } from '../../../database/events.js'
import type { Context } from '../../../domain/context.js'
import { changePolicy, type EndpointOwner, type ShownPolicy } from '../../../domain/endpoint-policies.js'
import { MAX_TIMEOUT_SECONDS } from '../../../domain/policy-fields.js'
import { parsePolicyText } from '../../../domain/policy-text.js'
import { UserError } from '../../../errors.js'
import { fieldOf, idOf, valuesOf } from '../form-values.js'
import { CheckBox, Field, Form, Select, TextArea, typedIn } from '../form.js'
import { applicationPath } from '../application/page-model.js'
import { lineWithNotice } from '../line/section.js'
import { withNotice } from '../notices.js'
import type { Act, Page } from '../page.js'
import { sessionOf } from '../session.js'

const WHEN: Record<MessageEventType, string> = {
  inboundText: 'when a text comes',
  inboundMedia: 'when a picture or a file comes',
  voiceMail: 'when there is a recording',
}

const SHAPE_WORDS: Record<Shape, string> = {
  linehook: 'The six fields, as JSON',
  cloudevents: 'CloudEvents, structured',
  'cloudevents-binary': 'CloudEvents, binary',
  slack: 'A text for Slack',
  discord: 'A text for Discord',
  ifttt: 'value1 to value3, for IFTTT',
}

/** How a line's or an application's endpoint wants its events. */
export function Policy(props: { page: Page; action: string; policy: ShownPolicy }) {
  const { page, action, policy } = props
  const field = (name: 'timeoutSeconds' | 'requestsAtOnce') => ({
    ...{ page, action, name, type: 'number' as const, value: String(policy[name] ?? '') },
    more: { min: 1, ...(name === 'timeoutSeconds' ? { max: MAX_TIMEOUT_SECONDS } : {}) },
  })
  return (
    <details open={page.fault?.action === action}>
      <summary>How events are posted</summary>
      <Form page={page} action={action}>
        <Select
          name="shape"
          label="What is posted"
          options={SHAPES.map((shape) => [shape, SHAPE_WORDS[shape]])}
          value={typedIn(page, action, 'shape') ?? policy.shape}
        />
        <Field
          {...{ page, action }}
          name="retrySchedule"
          label="When a failed event is sent again"
          hint="default (10 attempts in three days), short (5 in a quarter of an hour), long (17 in a week), or your own waits in seconds, such as 5, 60, 3600."
          value={scheduleWords(policy)}
          autocomplete="off"
        />
        <CheckBox
          {...{ page, action }}
          name="retryOnTimeout"
          label="Send an event again if no answer came in time. Without it, your server gets none twice because it was slow."
          isChecked={policy.retryOnTimeout}
        />
        <Field {...field('timeoutSeconds')} label="Seconds to wait for an answer" hint="Empty: as usual." />
        <Field
          {...field('requestsAtOnce')}
          label="Events at the same time, at most"
          hint="Empty: as many as your server takes."
        />
        <WantedEvents page={page} action={action} declined={policy.declinedEvents} />
        <TextArea
          {...{ page, action }}
          name="secretHeaders"
          label="Headers to add or replace"
          hint="One a line, such as Authorization: Bearer …. They are kept encrypted and not shown again."
          rows={2}
          more={{ autocomplete: 'off', spellcheck: 'false' }}
        />
        {policy.headerNames.length > 0 && <KnownHeaders names={policy.headerNames} />}
        <button type="submit" class="secondary">
          Save how events are posted
        </button>
      </Form>
    </details>
  )
}

function KnownHeaders({ names }: { names: readonly string[] }) {
  return (
    <fieldset>
      <legend>Take headers away</legend>
      {names.map((name) => (
        <label key={name}>
          <input type="checkbox" name="removedHeaders" value={name} />
          <code>{name}</code>
        </label>
      ))}
    </fieldset>
  )
}

function scheduleWords({ retrySchedule }: ShownPolicy): string {
  return typeof retrySchedule === 'string' ? retrySchedule : retrySchedule.join(', ')
}

function WantedEvents(props: { page: Page; action: string; declined: readonly MessageEventType[] }) {
  const { page, action, declined } = props
  const isRefused = page.fault?.action === action
  const typed = (typedIn(page, action, 'events') ?? '').split('\n')
  return (
    <fieldset>
      <legend>Post of what is received</legend>
      {EVENT_TYPES.map((type) => (
        <label key={type}>
          <input
            type="checkbox"
            name="events"
            value={type}
            checked={isRefused ? typed.includes(type) : !declined.includes(type)}
          />
          <code>{type}</code> {WHEN[type]}
        </label>
      ))}
    </fieldset>
  )
}

function removedHeaders(ctx: KoaContext): Record<string, null> {
  return Object.fromEntries(valuesOf(ctx, 'removedHeaders').map((name) => [name, null]))
}

/** @throws UserError 400, which does not repeat what was typed: it may be a secret */
function typedHeaders(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([^:\s]+)\s*:(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) {
        throw new UserError('each header must be a line such as X-Api-Key: value')
      }
      return [name, value]
    }),
  )
}

const TYPED = ['shape', 'retrySchedule', 'timeoutSeconds', 'requestsAtOnce']

/** @param doneAt where the page is that the form is on */
function postPolicy(of: EndpointOwner['of'], doneAt: (id: string) => string) {
  return (context: Context): Act =>
    async (ctx) => {
      const id = idOf(ctx, `${of}Id`)
      const wanted = valuesOf(ctx, 'events')
      await changePolicy(
        context,
        { of, id, userId: sessionOf(ctx).userId },
        {
          ...parsePolicyText(Object.fromEntries(TYPED.map((name) => [name, fieldOf(ctx, name)]))),
          headers: { ...removedHeaders(ctx), ...typedHeaders(fieldOf(ctx, 'secretHeaders')) },
          retryOnTimeout: fieldOf(ctx, 'retryOnTimeout') === 'true',
          declinedEvents: EVENT_TYPES.filter((type) => !wanted.includes(type)),
        },
      )
      return doneAt(id)
    }
}

export const postLinePolicy = postPolicy('line', (id) => lineWithNotice(id, 'policy-saved'))
export const postApplicationPolicy = postPolicy('application', (id) =>
  withNotice(applicationPath(id), 'policy-saved'),
)
