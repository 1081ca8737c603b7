import type { EventType } from '../../../event-types.js'
import type { Context as KoaContext } from 'koa'
import { SHAPES, type Shape } from '../../../database/endpoints/policy.js'
import type { Context } from '../../../domain/context.js'
import {
  changePolicy,
  previewPolicy,
  type EndpointPolicy,
  type Preview,
  type ShownPolicy,
} from '../../../domain/endpoints/policies.js'
import { MAX_TEMPLATE_LENGTH } from '../../../domain/endpoints/deliveries/template.js'
import { DEFAULT_RETRY_WORDS } from '../../../domain/endpoints/deliveries/retry-schedule.js'
import { MAX_TIMEOUT_SECONDS } from '../../../domain/endpoints/policy-fields.js'
import { parsePolicyText } from '../../../domain/endpoints/policy-text.js'
import { UserError } from '../../../errors.js'
import { fieldOf, valuesOf } from '../form-values.js'
import { CheckBox, CheckBoxes, Field, Form, Select, TextArea } from '../form.js'
import { askedEndpoint } from './acts.js'
import { eventOption } from './opt-in-events.js'
import { endpointWithNotice } from './path.js'
import type { Act, Page } from '../page.js'
import { answerPiece, resultIn } from '../parts/piece.js'

export const SHAPE_WORDS: Record<Shape, string> = {
  linehook: 'Default (JSON)',
  cloudevents: 'CloudEvents, structured',
  'cloudevents-binary': 'CloudEvents, binary',
  slack: 'Slack message',
  discord: 'Discord message',
  ifttt: 'value1 to value3, for IFTTT',
  template: 'Custom template',
}

const TEMPLATE_HINT =
  'Liquid, with type, payload, fromNumber, toNumber, userId, lineId, id and time. For example ' +
  '{"text": {{ payload | json }}}'

const PREVIEW_ID = 'policy-preview'

/** A preview and the typed fields, for readers without a script. */
export interface ShownPreview {
  fields: Partial<EndpointPolicy>
  result: Preview
  /** True if headers were typed, which are not kept. */
  hasHeaders: boolean
  removedHeaders: readonly string[]
}

/**
 * Shows the form for an endpoint's policy.
 *
 * @param props.types the types that it gets without asking
 */
export function Policy(props: {
  page: Page
  action: string
  policy: ShownPolicy
  types: readonly EventType[]
  preview: ShownPreview | undefined
}) {
  const { action, types, preview } = props
  const page = withFaultOfPreview(props.page, action)
  const policy = { ...props.policy, ...preview?.fields }
  const declined: readonly EventType[] = policy.declinedEvents
  const field = (name: 'timeoutSeconds' | 'requestsAtOnce') => ({
    ...{ name, type: 'number' as const, value: String(policy[name] ?? '') },
    more: { min: 1, ...(name === 'timeoutSeconds' ? { max: MAX_TIMEOUT_SECONDS } : {}) },
  })
  return (
    <details open={page.fault?.action === action || preview !== undefined}>
      <summary>Delivery settings</summary>
      <Form page={page} action={action}>
        {/* Enter presses the first button of a form, which would be the preview's. */}
        <button type="submit" class="by-enter" tabIndex={-1} aria-hidden="true">
          Save
        </button>
        <Select
          name="shape"
          label="Payload format"
          options={SHAPES.map((shape) => [shape, SHAPE_WORDS[shape]])}
          value={policy.shape}
        />
        <TextArea
          name="template"
          label="Template"
          hint={TEMPLATE_HINT}
          value={policy.template ?? ''}
          rows={4}
          more={{ maxlength: MAX_TEMPLATE_LENGTH, spellcheck: 'false' }}
        />
        <Field
          name="templateContentType"
          label="Content-Type of the template's output"
          value={policy.templateContentType}
          autocomplete="off"
        />
        <button
          type="submit"
          class="secondary"
          formaction={`${action}/preview`}
          {...{ 'data-hx-post': `${action}/preview`, ...resultIn(PREVIEW_ID) }}
        >
          Preview with latest event
        </button>
        <div id={PREVIEW_ID} role="status">
          {preview !== undefined && <PolicyPreview preview={preview.result} />}
        </div>
        <Field
          name="retrySchedule"
          label="Retry schedule"
          hint={`default (${DEFAULT_RETRY_WORDS}), short (5 in 15 minutes), long (17 in a week), or your own delays in seconds, such as 5, 60, 3600.`}
          value={scheduleWords(policy)}
          autocomplete="off"
        />
        <CheckBox
          name="retryOnTimeout"
          label="Retry events that time out. If off, an event that times out is not sent again."
          isChecked={policy.retryOnTimeout}
        />
        <Field
          {...field('timeoutSeconds')}
          label="Timeout, in seconds"
          hint={`From 1 to ${MAX_TIMEOUT_SECONDS}. Leave empty for the default of this service.`}
        />
        <Field
          {...field('requestsAtOnce')}
          label="Maximum concurrent events"
          hint="Leave empty to adapt to your server."
        />
        <CheckBox
          name="ordered"
          label="Send events from the same number in order, one at a time."
          isChecked={policy.ordered}
        />
        <Select
          name="signature"
          label="Signature"
          hint={`The v1a keys are at ${policy.publicKeyUrl}. After a change, both signatures are sent for 24 hours.`}
          options={[
            ['v1', 'v1: HMAC-SHA256, with the signing secret'],
            ['v1a', 'v1a: Ed25519, verified with a public key'],
          ]}
          value={policy.signature}
        />
        <input type="hidden" name="offeredEvents" value={types.join(',')} />
        <CheckBoxes
          name="events"
          legend="Events to send"
          options={types.map(eventOption)}
          ticked={types.filter((type) => !declined.includes(type))}
        />
        <TextArea
          name="secretHeaders"
          label="Headers to add or replace"
          hint="One per line, such as Authorization: Bearer …. They are stored encrypted and never shown again."
          rows={2}
          isEmptied={preview?.hasHeaders === true}
          more={{ autocomplete: 'off', spellcheck: 'false' }}
        />
        {policy.headerNames.length > 0 && (
          <CheckBoxes
            name="removedHeaders"
            legend="Remove headers"
            options={policy.headerNames.map((name) => [name, <code>{name}</code>])}
            ticked={preview?.removedHeaders ?? []}
          />
        )}
        <button type="submit" class="secondary">
          Save
        </button>
      </Form>
    </details>
  )
}

function PolicyPreview({ preview: { contentType, body, isSample } }: { preview: Preview }) {
  return (
    <div class="notice">
      <p>
        {isSample ? 'There is no event yet, so this shows an example.' : 'This is the latest event.'} It is
        not sent or saved. <code>{contentType}</code>
      </p>
      <pre tabIndex={0} dir="auto">
        <code>{body}</code>
      </pre>
    </div>
  )
}

/** The fault of a refused preview is shown in the form that it is for. */
function withFaultOfPreview(page: Page, action: string): Page {
  const { fault } = page
  return fault?.action === `${action}/preview` ? { ...page, fault: { ...fault, action } } : page
}

export function scheduleWords({ retrySchedule }: ShownPolicy): string {
  return typeof retrySchedule === 'string' ? retrySchedule : retrySchedule.join(', ')
}

function removedHeaders(ctx: KoaContext): Record<string, null> {
  return Object.fromEntries(valuesOf(ctx, 'removedHeaders').map((name) => [name, null]))
}

/** @throws UserError 400, which does not repeat what was typed, because it may be a secret */
function typedHeaders(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([^:\s]+)\s*:(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) {
        throw new UserError('Write each header on its own line, such as X-Api-Key: value')
      }
      return [name, value]
    }),
  )
}

const TYPED = [
  'signature',
  'shape',
  'template',
  'templateContentType',
  'retrySchedule',
  'timeoutSeconds',
  'requestsAtOnce',
]

/** Returns all fields except the headers, as they were typed. */
function typedFields(ctx: KoaContext): Record<string, unknown> {
  const wanted = valuesOf(ctx, 'events')
  return {
    ...parsePolicyText(Object.fromEntries(TYPED.map((name) => [name, fieldOf(ctx, name)]))),
    retryOnTimeout: fieldOf(ctx, 'retryOnTimeout') === 'true',
    ordered: fieldOf(ctx, 'ordered') === 'true',
    declinedEvents: fieldOf(ctx, 'offeredEvents')
      .split(',')
      .filter((type) => type !== '' && !wanted.includes(type)),
  }
}

export function postPolicy(context: Context): Act {
  return async (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    await changePolicy(context, caller, id, {
      ...typedFields(ctx),
      headers: { ...removedHeaders(ctx), ...typedHeaders(fieldOf(ctx, 'secretHeaders')) },
    })
    return endpointWithNotice(id, 'policy-saved')
  }
}

export function postPolicyPreview(context: Context): Act {
  return async (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    const { fields, ...result } = await previewPolicy(context, caller, id, typedFields(ctx))
    const policyPreview: ShownPreview = {
      fields,
      result,
      hasHeaders: fieldOf(ctx, 'secretHeaders').trim() !== '',
      removedHeaders: valuesOf(ctx, 'removedHeaders'),
    }
    return answerPiece(ctx, { policyPreview }, <PolicyPreview preview={result} />)
  }
}
