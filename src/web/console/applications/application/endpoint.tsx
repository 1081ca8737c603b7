import type { Application } from '../../../../domain/applications/applications.js'
import {
  enableApplicationEndpoint,
  rotateApplicationSigningSecret,
  sendApplicationTestEvent,
  sendHeldApplicationEvents,
} from '../../../../domain/applications/endpoint.js'
import type { Context } from '../../../../domain/context.js'
import { RELEASE_BATCH } from '../../../../domain/endpoints/deliveries/held-events.js'
import type { Missed } from '../../../../domain/endpoints/deliveries/replay.js'
import { tryApplicationEventsNow } from '../../../../domain/endpoints/deliveries/try-now.js'
import type { ShownPolicy } from '../../../../domain/endpoints/endpoint-policies.js'
import {
  pauseApplicationEndpoint,
  resumeApplicationEndpoint,
} from '../../../../domain/endpoints/endpoint-pauses.js'
import type { EndpointWork } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import type { TestEventResult } from '../../../../domain/endpoints/test-event.js'
import { Health } from '../../endpoints/health.js'
import { Policy, type ShownPreview } from '../../endpoints/policy.js'
import { PauseEvents, type EndpointPause } from '../../endpoints/pause.js'
import { Replay, type CountedReplay } from '../../endpoints/replay.js'
import { EndpointSecret, SIGNING_SECRET, WhatItIsFor } from '../../endpoints/signing-secret.js'
import { TestEvent, TestEventOutcome } from '../../endpoints/test-event.js'
import { idOf } from '../../form-values.js'
import { Form } from '../../form.js'
import { withNotice, type Notice } from '../../notices.js'
import { answerFragment, type Act } from '../../page.js'
import { sessionOf } from '../../people/session.js'
import { WORKS } from '../../operating/works.js'
import { applicationPath, type ApplicationView } from './page-model.js'

const ID = 'webhook'

/** @param props.signingSecret only when it was asked for */
export function ApplicationEndpoint(props: {
  view: ApplicationView
  signingSecret: string | undefined
  testEvent: TestEventResult | undefined
  /** undefined: it has no webhook URL. */
  work: EndpointWork | undefined
  policy: ShownPolicy | undefined
  policyPreview: ShownPreview | undefined
  missed: Missed | undefined
  replayCount: CountedReplay | undefined
}) {
  const { view, testEvent, work, policy } = props
  const { page, application, path } = view
  const { webhookUrl } = application
  return (
    <section id={ID} aria-labelledby={`${ID}-title`}>
      <h2 id={`${ID}-title`}>Events</h2>
      {webhookUrl === null || work === undefined || policy === undefined ? (
        <p class="empty">It gets no events: it has no webhook URL. Give it one under Edit.</p>
      ) : (
        <>
          <p>
            What connected lines receive is posted to <code>{webhookUrl}</code>, signed.
          </p>
          <Policy page={page} action={`${path}/${ID}/policy`} policy={policy} preview={props.policyPreview} />
          <TestEvent page={page} action={`${path}/${ID}/test-event`} result={testEvent} />
          <Health
            page={page}
            endpoint={{
              failingSince: application.endpointFailingSince,
              consecutiveFailureCount: application.endpointFailureCount ?? 0,
              disabledAt: application.endpointDisabledAt,
              disabledReason: application.endpointDisabledReason,
              ...work,
            }}
            enableAction={`${path}/${ID}/enable`}
            activityPath="#deliveries"
            tryAction={`${path}/${ID}/try-events-now`}
          />
          <PauseEvents page={page} endpoint={pauseOfEndpoint(application)} action={`${path}/${ID}`} />
          {work.heldCount > 0 && application.endpointDisabledAt === null && (
            <Form page={page} action={`${path}/${ID}/send-held-events`} class="inline">
              <button type="submit">Send the held events</button>
            </Form>
          )}
          <h3>Replay</h3>
          <Replay
            page={page}
            action={`${path}/${ID}/replay`}
            missed={props.missed}
            counted={props.replayCount}
          />
          <h3 id={SIGNING_SECRET}>Signing secret</h3>
          <WhatItIsFor />
          <EndpointSecret
            page={page}
            path={path}
            secret={props.signingSecret}
            previousUntil={application.previousSecretUntil}
            rotateAction={`${path}/${ID}/rotate-secret`}
          />
        </>
      )}
    </section>
  )
}

/** Only its owner pauses it. */
export function pauseOfEndpoint({ endpointPausedAt }: Application): EndpointPause {
  return { pausedAt: endpointPausedAt, pausedBy: endpointPausedAt === null ? null : 'owner' }
}

/** Needs the password (route table): rotating without seeing the new secret would lock the owner's server out. */
export function postSigningSecret(context: Context): Act {
  return async (ctx) => {
    const id = idOf(ctx, 'applicationId')
    await rotateApplicationSigningSecret(context, sessionOf(ctx).userId, id)
    return `${withNotice(`${applicationPath(id)}?show=secret`, 'application-secret-rotated')}#${SIGNING_SECRET}`
  }
}

export const postEnableEndpoint = (context: Context) =>
  change(context, enableApplicationEndpoint, 'application-enabled')
export const postTryApplicationEventsNow = (context: Context) =>
  change(context, tryApplicationEventsNow, 'events-tried-now')
export const postPauseApplicationEvents = (context: Context) =>
  change(context, pauseApplicationEndpoint, 'events-paused')
export const postResumeApplicationEvents = (context: Context) =>
  change(context, resumeApplicationEndpoint, 'events-resumed')
export function postHeldApplicationEvents(context: Context): Act {
  return async (ctx) => {
    const id = idOf(ctx, 'applicationId')
    const count = await sendHeldApplicationEvents(context, sessionOf(ctx).userId, id)
    return withNotice(count > RELEASE_BATCH ? WORKS : applicationPath(id), 'held-sent')
  }
}

function change(
  context: Context,
  doChange: (context: Context, userId: string, id: string) => Promise<unknown>,
  notice: Notice,
): Act {
  return async (ctx) => {
    const id = idOf(ctx, 'applicationId')
    await doChange(context, sessionOf(ctx).userId, id)
    return withNotice(applicationPath(id), notice)
  }
}

/** For htmx the result alone; else the page with the result in it. */
export function postApplicationTestEvent(context: Context): Act {
  return async (ctx) => {
    const applicationId = idOf(ctx, 'applicationId')
    const testEvent = await sendApplicationTestEvent(context, sessionOf(ctx).userId, applicationId)
    if (ctx.get('HX-Request') !== 'true') return { shown: { testEvent } }
    answerFragment(ctx, <TestEventOutcome result={testEvent} />)
    return undefined
  }
}
