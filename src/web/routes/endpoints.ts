import { showEndpoints } from '../console/endpoints/all.js'
import {
  postDeleteEndpoint,
  postEnableEndpoint,
  postEndpointFields,
  postHeldEvents,
  postPauseEvents,
  postResumeEvents,
  postRotateSecret,
  postTestEvent,
  postTryEventsNow,
} from '../console/endpoints/acts.js'
import { liveEndpoint, showEndpoint } from '../console/endpoints/endpoint.js'
import { showEvents } from '../console/endpoints/events.js'
import { postPolicy, postPolicyPreview } from '../console/endpoints/policy.js'
import { isReplayElsewhere, postReplay } from '../console/endpoints/replay.js'
import { fresh } from '../console/people/confirm-first.js'
import type { Routes } from './kinds.js'

/** The pages of endpoints and events, and their forms. */
export function endpointPages({ page, form }: Routes): void {
  // oxfmt-ignore
  {
    page(         '/console/endpoints',                                               showEndpoints)
    page(         '/console/endpoints/:endpointId',                                   showEndpoint)
    page(         '/console/endpoints/:endpointId/live',                              liveEndpoint)
    form(         '/console/endpoints/:endpointId/fields',                            postEndpointFields, showEndpoint, fresh)
    form(         '/console/endpoints/:endpointId/policy',                            postPolicy, showEndpoint)
    form(         '/console/endpoints/:endpointId/policy/preview',                    postPolicyPreview, showEndpoint)
    form(         '/console/endpoints/:endpointId/test-event',                        postTestEvent, showEndpoint)
    form(         '/console/endpoints/:endpointId/enable',                            postEnableEndpoint, showEndpoint)
    form(         '/console/endpoints/:endpointId/pause',                             postPauseEvents, showEndpoint)
    form(         '/console/endpoints/:endpointId/resume',                            postResumeEvents, showEndpoint)
    form(         '/console/endpoints/:endpointId/try-now',                           postTryEventsNow, showEndpoint)
    form(         '/console/endpoints/:endpointId/send-held-events',                  postHeldEvents, showEndpoint)
    form(         '/console/endpoints/:endpointId/replay',                            postReplay, showEndpoint, isReplayElsewhere)
    form(         '/console/endpoints/:endpointId/rotate-secret',                     postRotateSecret, showEndpoint, fresh)
    form(         '/console/endpoints/:endpointId/delete',                            postDeleteEndpoint, showEndpoint)
    page(         '/console/events',                                                  showEvents)
  }
}
