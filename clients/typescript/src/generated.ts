// The operations and types of /openapi.json. Made by `npm run client`; a test compares it.
import { segment, type CallOptions, type IdempotentOptions } from './exchange.js'

export interface Parts {
  query?: object | undefined
  body?: unknown
}

export abstract class Operations {
  protected abstract call<T>(
    method: string,
    path: string,
    parts: Parts,
    options?: IdempotentOptions,
  ): Promise<T>
  protected abstract iterate<T>(
    path: string,
    query: object | undefined,
    options?: CallOptions,
  ): AsyncGenerator<T, void, undefined>

  /** List your lines. Oldest first. An application sees those that are connected to it, or all of them with `lines:read`. */
  async listLines(query?: ListLinesQuery, options?: CallOptions): Promise<Line[]> {
    return this.call('GET', `/v1/lines`, { query }, options)
  }

  /** Get a line. An application can get only lines it can see. */
  async getLine(lineId: string, options?: CallOptions): Promise<Line> {
    return this.call('GET', `/v1/lines/${segment(lineId)}`, {}, options)
  }

  /** Rename a line. The name can be in the body or, for compatibility, in the query. If both have one, the body is used. Other parameters, such as `ringer`, are ignored. An application must be able to see the line and have `lines:write`. */
  async renameLine(lineId: string, body?: RenameLineBody, options?: CallOptions): Promise<Line | Line[]> {
    return this.call('PUT', `/v1/lines/${segment(lineId)}`, { body }, options)
  }

  /** Pause sending on a line. Messages are accepted and wait. Those that wait too long expire, as usual. The service's replies to STOP, START and HELP are still sent, and the line still receives messages. */
  async pauseSending(lineId: string, options?: CallOptions): Promise<Line> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/pause-sending`, {}, options)
  }

  /** Resume sending on a line. Waiting messages go out shortly, in order and within the limits. Answers 403 if an operator paused it. */
  async resumeSending(lineId: string, options?: CallOptions): Promise<Line> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/resume-sending`, {}, options)
  }

  /** Retry all waiting messages now. Limits, pauses and the order of messages to the same number still apply. */
  async tryLineMessagesNow(
    lineId: string,
    options?: CallOptions,
  ): Promise<{
    count: number
  }> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/try-messages-now`, {}, options)
  }

  /** List the numbers that have opted out of a line. Sorted by number. These people texted STOP and get no more messages. Only they can undo this, by texting START. */
  async listOptOuts(lineId: string, query?: ListOptOutsQuery, options?: CallOptions): Promise<OptOut[]> {
    return this.call('GET', `/v1/lines/${segment(lineId)}/opt-outs`, { query }, options)
  }

  /** List the numbers that have opted out of a line. All of them, read page by page. */
  iterateOptOuts(
    lineId: string,
    query?: ListOptOutsQuery,
    options?: CallOptions,
  ): AsyncGenerator<OptOut, void, undefined> {
    return this.iterate(`/v1/lines/${segment(lineId)}/opt-outs`, query, options)
  }

  /** Get the usage of the incoming webhook's rate limits. Counts the messages accepted in the last 60 s. */
  async getLimits(lineId: string, options?: CallOptions): Promise<Limits> {
    return this.call('GET', `/v1/lines/${segment(lineId)}/limits`, {}, options)
  }

  /** Get a line's developer connection. All fields are empty if the line was never connected. */
  async getConnection(lineId: string, options?: CallOptions): Promise<Connection> {
    return this.call('GET', `/v1/lines/${segment(lineId)}/connection`, {}, options)
  }

  /** Enable or disable the connection, and set its URL. Give at least one field. Omitted fields stay unchanged. `enabled: true` also enables an endpoint that was disabled. A URL can be set only while the connection is enabled. */
  async changeConnection(
    lineId: string,
    body: ChangeConnectionBody,
    options?: CallOptions,
  ): Promise<Connection> {
    return this.call('PUT', `/v1/lines/${segment(lineId)}/connection`, { body }, options)
  }

  /** Disconnect, and delete the incoming webhook. The incoming webhook then answers 404, and no events are sent. All other endpoints are deleted. */
  async disconnectLine(lineId: string, options?: CallOptions): Promise<Connection> {
    return this.call('DELETE', `/v1/lines/${segment(lineId)}/connection`, {}, options)
  }

  /** Send an example event to the line's outgoing webhook and listeners. The event is sent immediately, and only once. The response is 200 even if that fails, and contains the result. Without an outgoing webhook, only listeners get it (`failure` is `no_url`), at most 100 times an hour. */
  async triggerEvent(
    lineId: string,
    body?: TriggerEventBody,
    options?: CallOptions,
  ): Promise<TestEventResult> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/events/trigger`, { body }, options)
  }

  /** Get the URL with its token. Anyone who has the URL can send. If it may have leaked, regenerate its token. */
  async getIncomingWebhook(
    lineId: string,
    options?: CallOptions,
  ): Promise<{
    url: string
    token: string
  }> {
    return this.call('GET', `/v1/lines/${segment(lineId)}/incoming-webhook`, {}, options)
  }

  /** Create the incoming webhook. The developer connection must be enabled. */
  async createIncomingWebhook(
    lineId: string,
    options?: CallOptions,
  ): Promise<{
    url: string
    token: string
  }> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/incoming-webhook`, {}, options)
  }

  /** Delete the webhook; its URL then answers 404. You can create a new one with a different token. */
  async deleteIncomingWebhook(lineId: string, options?: CallOptions): Promise<Connection> {
    return this.call('DELETE', `/v1/lines/${segment(lineId)}/incoming-webhook`, {}, options)
  }

  /** Regenerate the token. The old token stops working immediately, or after `overlapSeconds`. */
  async regenerateToken(
    lineId: string,
    body?: RegenerateTokenBody,
    options?: CallOptions,
  ): Promise<{
    url: string
    token: string
  }> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/incoming-webhook/regenerate`, { body }, options)
  }

  /** List the endpoints of your lines, your applications and your account. A line's outgoing webhook comes first. An application sees its own endpoint. */
  async listEndpoints(query?: ListEndpointsQuery, options?: CallOptions): Promise<Endpoint[]> {
    return this.call('GET', `/v1/endpoints`, { query }, options)
  }

  /** Add an endpoint to a line, an application that has none, or your account. It gets every new event, signed with its own secret. In addition to its outgoing webhook, a line can have 10, and its developer connection must be enabled. Without lineId and applicationId it is an operational webhook of your account, which gets your notifications. */
  async addEndpoint(body: AddEndpointBody, options?: CallOptions): Promise<NewEndpoint> {
    return this.call('POST', `/v1/endpoints`, { body }, options)
  }

  /** Get an endpoint. Includes its health. */
  async getEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('GET', `/v1/endpoints/${segment(endpointId)}`, {}, options)
  }

  /** Change an endpoint. Give at least one field. Omitted fields stay unchanged. A new URL keeps the secret and gets the held events. */
  async changeEndpoint(
    endpointId: string,
    body: ChangeEndpointBody,
    options?: CallOptions,
  ): Promise<Endpoint> {
    return this.call('PATCH', `/v1/endpoints/${segment(endpointId)}`, { body }, options)
  }

  /** Delete an endpoint. It gets no more events, and its waiting events become `exhausted`. */
  async deleteEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('DELETE', `/v1/endpoints/${segment(endpointId)}`, {}, options)
  }

  /** Send a test event to an endpoint. The event is sent immediately, and only once. The response is 200 even if that fails, and contains the result. The payload is an example of the type. Without a type, the first type that the endpoint gets is used. */
  async sendTestEvent(
    endpointId: string,
    body?: SendTestEventBody,
    options?: CallOptions,
  ): Promise<TestEventResult> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/test-event`, { body }, options)
  }

  /** Enable an endpoint again. For endpoints that were disabled after failing. Held events stay held until you send them. */
  async enableEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/enable`, {}, options)
  }

  /** Pause an endpoint's events. Events wait without using up attempts. Test events are still sent. */
  async pauseEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/pause`, {}, options)
  }

  /** Resume an endpoint's events. Waiting events are sent shortly, in order. Answers 403 if an operator paused them. */
  async resumeEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/resume`, {}, options)
  }

  /** Retry all waiting events now. Use this when your server works again. Refused while events are paused. */
  async tryEndpointNow(
    endpointId: string,
    options?: CallOptions,
  ): Promise<{
    count: number
  }> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/try-now`, {}, options)
  }

  /** Send the events that were held while the endpoint was disabled. Sent oldest first. Refused while the endpoint is still disabled. */
  async sendHeldEvents(
    endpointId: string,
    options?: CallOptions,
  ): Promise<{
    count: number
  }> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/send-held-events`, {}, options)
  }

  /** Get the secret that signs events. Your server verifies events with it (Standard Webhooks). */
  async getSigningSecret(endpointId: string, options?: CallOptions): Promise<SigningSecret> {
    return this.call('GET', `/v1/endpoints/${segment(endpointId)}/signing-secret`, {}, options)
  }

  /** Create a new signing secret. The old secret also signs for 24 hours. */
  async rotateSecret(endpointId: string, options?: CallOptions): Promise<SigningSecret> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/rotate-secret`, {}, options)
  }

  /** List the deliveries to an endpoint. Newest first. An application's deliveries do not include the content of messages. */
  async listDeliveriesOfEndpoint(
    endpointId: string,
    query?: ListDeliveriesOfEndpointQuery,
    options?: CallOptions,
  ): Promise<(Delivery | ApplicationDelivery)[]> {
    return this.call('GET', `/v1/endpoints/${segment(endpointId)}/deliveries`, { query }, options)
  }

  /** List the deliveries to an endpoint. All of them, read page by page. */
  iterateDeliveriesOfEndpoint(
    endpointId: string,
    query?: ListDeliveriesOfEndpointQuery,
    options?: CallOptions,
  ): AsyncGenerator<Delivery | ApplicationDelivery, void, undefined> {
    return this.iterate(`/v1/endpoints/${segment(endpointId)}/deliveries`, query, options)
  }

  /** Get an endpoint's policy. Changing the URL does not affect the policy. */
  async getEndpointPolicy(endpointId: string, options?: CallOptions): Promise<EndpointPolicy> {
    return this.call('GET', `/v1/endpoints/${segment(endpointId)}/policy`, {}, options)
  }

  /** Change an endpoint's policy. Give at least one field (RFC 7396): omitted fields stay unchanged, and null restores the default. It applies from the next attempt on. */
  async changeEndpointPolicy(
    endpointId: string,
    body: ChangeEndpointPolicyBody,
    options?: CallOptions,
  ): Promise<EndpointPolicy> {
    return this.call('PATCH', `/v1/endpoints/${segment(endpointId)}/policy`, { body }, options)
  }

  /** Preview the last event with changed settings. Nothing is saved or sent. */
  async previewEndpointPolicy(
    endpointId: string,
    body?: PreviewEndpointPolicyBody,
    options?: CallOptions,
  ): Promise<{
    contentType: string
    body: string
    /** Whether an example event was used because there is no event yet. */ isSample: boolean
  }> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/policy/preview`, { body }, options)
  }

  /** List the messages of your lines. Newest first. An application sees the messages of connected lines. With only `messages:write`, it sees the messages it sent. */
  async listMessages(query?: ListMessagesQuery, options?: CallOptions): Promise<Message[]> {
    return this.call('GET', `/v1/messages`, { query }, options)
  }

  /** List the messages of your lines. All of them, read page by page. */
  iterateMessages(
    query?: ListMessagesQuery,
    options?: CallOptions,
  ): AsyncGenerator<Message, void, undefined> {
    return this.iterate(`/v1/messages`, query, options)
  }

  /** Send a message. The message is sent from one of your lines, or, for an application, from a connected line. It is accepted immediately, and a worker sends it. */
  async sendMessage(body: SendMessageBody, options?: IdempotentOptions): Promise<Message> {
    return this.call('POST', `/v1/messages`, { body }, options)
  }

  /** Count the segments of a text before sending it. Nothing is sent or kept. */
  async countSegments(body: CountSegmentsBody, options?: CallOptions): Promise<Segments> {
    return this.call('POST', `/v1/segments`, { body }, options)
  }

  /** Send up to 500 messages. Each is accepted or refused individually. An error in one does not affect the others. The response has one outcome for each, in order. Limits and caps count every message. The body can have up to 4 MiB. */
  async sendMessages(body: SendMessagesBody, options?: CallOptions): Promise<BatchOutcome[]> {
    return this.call('POST', `/v1/messages/batch`, { body }, options)
  }

  /** Get a message. The response includes its status, the carrier's answer and its media. */
  async getMessage(messageId: string, options?: CallOptions): Promise<Message> {
    return this.call('GET', `/v1/messages/${segment(messageId)}`, {}, options)
  }

  /** Change when a message is sent. Possible while it is `scheduled`, or `queued` and not yet handed to a carrier. A time in the past sends immediately. An application can change only its own messages. */
  async rescheduleMessage(
    messageId: string,
    body: RescheduleMessageBody,
    options?: CallOptions,
  ): Promise<Message> {
    return this.call('PATCH', `/v1/messages/${segment(messageId)}`, { body }, options)
  }

  /** Cancel a waiting message. A message that is `scheduled` or `queued` becomes `failed` with the error `cancelled`. Repeating the request changes nothing. An application can cancel only its own messages. */
  async cancelMessage(messageId: string, options?: CallOptions): Promise<Message> {
    return this.call('POST', `/v1/messages/${segment(messageId)}/cancel`, {}, options)
  }

  /** Retry a waiting message now. Rate limits, pauses and the order of messages to the same number still apply. Refused if the message is not waiting for its next attempt. */
  async tryMessageNow(messageId: string, options?: CallOptions): Promise<Message> {
    return this.call('POST', `/v1/messages/${segment(messageId)}/try-now`, {}, options)
  }

  /** Resend a failed or unknown message. Creates a new message. Without an `Idempotency-Key`, each request creates another one. */
  async sendMessageAgain(messageId: string, options?: IdempotentOptions): Promise<Message> {
    return this.call('POST', `/v1/messages/${segment(messageId)}/send-again`, {}, options)
  }

  /** Get what your lines sent and what it cost, by month. Newest month first. A line that sent nothing in a month has no entry for it. The CSV has one row per currency. */
  async listUsage(query?: ListUsageQuery, options?: CallOptions): Promise<Usage[]> {
    return this.call('GET', `/v1/usage`, { query }, options)
  }

  /** List your contacts. Oldest first. */
  async listContacts(query?: ListContactsQuery, options?: CallOptions): Promise<Contact[]> {
    return this.call('GET', `/v1/contacts`, { query }, options)
  }

  /** List your contacts. All of them, read page by page. */
  iterateContacts(
    query?: ListContactsQuery,
    options?: CallOptions,
  ): AsyncGenerator<Contact, void, undefined> {
    return this.iterate(`/v1/contacts`, query, options)
  }

  /** Name or block a number. If the number is already a contact, that contact is updated. Fields can be in the body (JSON or a form) or, for compatibility, in the query. The body takes precedence. Other fields are ignored. A contact applies to all lines, regardless of `lineIds`. */
  async saveContact(body?: SaveContactBody, options?: CallOptions): Promise<Contact> {
    return this.call('POST', `/v1/contacts`, { body }, options)
  }

  /** Change a contact. Omitted fields stay unchanged. Answers 409 if another contact has the number. Fields can be in the body (JSON or a form) or, for compatibility, in the query. The body takes precedence. Other fields are ignored. A contact applies to all lines, regardless of `lineIds`. */
  async changeContact(contactId: string, body?: ChangeContactBody, options?: CallOptions): Promise<Contact> {
    return this.call('PUT', `/v1/contacts/${segment(contactId)}`, { body }, options)
  }

  /** List the deliveries of your lines' events. Newest first. */
  async listDeliveries(query?: ListDeliveriesQuery, options?: CallOptions): Promise<Delivery[]> {
    return this.call('GET', `/v1/deliveries`, { query }, options)
  }

  /** List the deliveries of your lines' events. All of them, read page by page. */
  iterateDeliveries(
    query?: ListDeliveriesQuery,
    options?: CallOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return this.iterate(`/v1/deliveries`, query, options)
  }

  /** Get a delivery with its attempts. Each attempt has its status, its duration and timing, the request and response headers, and the beginning of the response. */
  async getDelivery(deliveryId: string, options?: CallOptions): Promise<DeliveryWithAttempts> {
    return this.call('GET', `/v1/deliveries/${segment(deliveryId)}`, {}, options)
  }

  /** Retry a waiting event now. Uses one of the delivery's remaining attempts. Refused if the delivery is not waiting for an attempt, or while its endpoint is paused. */
  async tryDeliveryNow(deliveryId: string, options?: CallOptions): Promise<DeliveryWithAttempts> {
    return this.call('POST', `/v1/deliveries/${segment(deliveryId)}/try-now`, {}, options)
  }

  /** Retry an event, with the same `webhook-id`. Refused while automatic attempts are in progress. */
  async sendDeliveryAgain(deliveryId: string, options?: CallOptions): Promise<DeliveryWithAttempts> {
    return this.call('POST', `/v1/deliveries/${segment(deliveryId)}/send-again`, {}, options)
  }

  /** Replay the events of a time range to the endpoint or another URL. Oldest first, with the original `webhook-id` and the header `webhook-replay: true`. Refused while the endpoint is disabled, unless another URL is given. An application can replay only the events of one line, and cannot give another URL. */
  async replayEvents(endpointId: string, body: ReplayEventsBody, options?: CallOptions): Promise<Task> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/replay`, { body }, options)
  }

  /** Count the events a replay would send. Counted up to 10,000. `isMore` is true if there are more. */
  async previewReplay(
    endpointId: string,
    body: PreviewReplayBody,
    options?: CallOptions,
  ): Promise<{
    count: number
    isMore: boolean
  }> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/replay/preview`, { body }, options)
  }

  /** List your background tasks. Newest first. Kept for 30 days. */
  async listTasks(query?: ListTasksQuery, options?: CallOptions): Promise<Task[]> {
    return this.call('GET', `/v1/tasks`, { query }, options)
  }

  /** List your background tasks. All of them, read page by page. */
  iterateTasks(query?: ListTasksQuery, options?: CallOptions): AsyncGenerator<Task, void, undefined> {
    return this.iterate(`/v1/tasks`, query, options)
  }

  /** Get a background task and its progress. It runs in the background until `endedAt` is set. */
  async getTask(taskId: string, options?: CallOptions): Promise<Task> {
    return this.call('GET', `/v1/tasks/${segment(taskId)}`, {}, options)
  }

  /** Stop a background task. What is already done is kept. Refused if the task has ended. */
  async stopTask(taskId: string, options?: CallOptions): Promise<Task> {
    return this.call('POST', `/v1/tasks/${segment(taskId)}/stop`, {}, options)
  }

  /** Record a listener's response. Used by `linehook listen`. It is shown on the message's page and does not affect the delivery or the endpoint. An attempt for the same event with the same `startedAt` is recorded once, and at most 100 per event. */
  async recordListenerAttempts(
    lineId: string,
    body: RecordListenerAttemptsBody,
    options?: CallOptions,
  ): Promise<{
    recorded: number
  }> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/events/attempts`, { body }, options)
  }

  /** List the applications that you registered. Oldest first, without their secrets. */
  async listApplications(options?: CallOptions): Promise<Application[]> {
    return this.call('GET', `/v1/applications`, {}, options)
  }

  /** Register an application. Other users can then authorize it for their lines through OAuth 2.0. You can have up to 50. */
  async registerApplication(
    body: RegisterApplicationBody,
    options?: CallOptions,
  ): Promise<RegisteredApplication> {
    return this.call('POST', `/v1/applications`, { body }, options)
  }

  /** Get an application. Without its secrets. */
  async getApplication(applicationId: string, options?: CallOptions): Promise<Application> {
    return this.call('GET', `/v1/applications/${segment(applicationId)}`, {}, options)
  }

  /** Change an application. Give at least one field. Omitted fields stay unchanged. Giving `webhookUrl` enables an endpoint that was disabled. */
  async changeApplication(
    applicationId: string,
    body: ChangeApplicationBody,
    options?: CallOptions,
  ): Promise<Application> {
    return this.call('PUT', `/v1/applications/${segment(applicationId)}`, { body }, options)
  }

  /** Delete an application. Its tokens stop working, and it gets no more events. */
  async deleteApplication(applicationId: string, options?: CallOptions): Promise<Application> {
    return this.call('DELETE', `/v1/applications/${segment(applicationId)}`, {}, options)
  }

  /** Create a new client secret. The old secret stops working immediately. */
  async rotateClientSecret(
    applicationId: string,
    options?: CallOptions,
  ): Promise<{
    clientSecret: string
  }> {
    return this.call('POST', `/v1/applications/${segment(applicationId)}/rotate-secret`, {}, options)
  }

  /** List the applications that can use your lines. Shows what each can do, and when it last sent or received. */
  async listAuthorizedApplications(options?: CallOptions): Promise<AuthorizedApplication[]> {
    return this.call('GET', `/v1/authorized-applications`, {}, options)
  }

  /** Disconnect an application. It can no longer use any of your lines, and its tokens are refused. */
  async disconnectApplication(
    applicationId: string,
    options?: CallOptions,
  ): Promise<AuthorizedApplication[]> {
    return this.call('DELETE', `/v1/authorized-applications/${segment(applicationId)}`, {}, options)
  }

  /** Disconnect one line from an application. Its tokens stop working when it has no lines left. */
  async disconnectLineFromApplication(
    applicationId: string,
    lineId: string,
    options?: CallOptions,
  ): Promise<AuthorizedApplication[]> {
    return this.call(
      'DELETE',
      `/v1/authorized-applications/${segment(applicationId)}/lines/${segment(lineId)}`,
      {},
      options,
    )
  }

  /** Create a link that opens the pages of a user's lines once, without a password. Your own app sends the user to the link, which opens only the pages of these lines in the console. Only operators can create links, with their own API token, and not for other operators (409). */
  async createPortalLink(
    userId: string,
    body?: CreatePortalLinkBody,
    options?: CallOptions,
  ): Promise<PortalLink> {
    return this.call('POST', `/v1/users/${segment(userId)}/portal-links`, { body }, options)
  }

  /** Get the keys that verify `v1a` signatures. The current key comes first. For 24 hours after a rotation, the previous key is included. */
  async getPublicKeys(
    endpointId: string,
    options?: CallOptions,
  ): Promise<{
    keys: string[]
  }> {
    return this.call('GET', `/.well-known/webhook-keys/${segment(endpointId)}`, {}, options)
  }
}

/** What is posted to the outgoing webhook URL; `type` says which. */
export type WebhookEvent =
  | InboundTextEvent
  | InboundMediaEvent
  | VoiceMailEvent
  | MessageStatusEvent
  | OptOutEvent
  | MissedCallEvent
  | LineDisconnectedEvent

/** What is posted to an operational webhook. */
export type OperationalEvent =
  | EndpointFailingEvent
  | EndpointDisabledEvent
  | EndpointRecoveredEvent
  | MessagesUnknownEvent
  | CapNearEvent
  | MonthlyCapNearEvent
  | CountryPausedEvent
  | CarrierDownEvent
  | CarrierRecoveredEvent
  | PhoneAwayEvent
  | PhoneBackEvent
  | QueueStuckEvent
  | QueueRecoveredEvent
  | SecondFactorRemovalAskedEvent
  | SecondFactorRemovedEvent

export const EVENT_FIELDS = ['type', 'payload', 'fromNumber', 'toNumber', 'userId', 'lineId'] as const

export interface ListLinesQuery {
  /** Only the line with this ID. */ id?: string | undefined
  /** The same as `id`. */ lineId?: string | undefined
  /** Only the line with this number. */ phoneNumber?: string | undefined
  /** Only lines with exactly this name. */ name?: string | undefined
}

export interface RenameLineBody {
  name?: string | undefined
}

export interface ListOptOutsQuery {
  /** Only numbers after this one: the last one on the previous page. */ after?: string | undefined
  /** The maximum number of entries per page. */ limit?: number | undefined
}

export interface ChangeConnectionBody {
  enabled?: boolean | undefined
  outgoingWebhookUrl?: string | null | undefined
  /** The events it gets in addition to received messages. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall')[] | undefined
}

export interface TriggerEventBody {
  type?:
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'messageStatus'
    | 'optOut'
    | 'missedCall'
    | 'lineDisconnected'
    | undefined
}

export interface RegenerateTokenBody {
  /** How long the old token keeps working. */ overlapSeconds?: number | undefined
}

export interface ListEndpointsQuery {
  /** Only endpoints of this line. */ lineId?: string | undefined
  /** Only the endpoint of this application. */ applicationId?: string | undefined
  /** Only endpoints in this state. */ state?:
    'disabled' | 'failing' | 'paused' | 'new' | 'working' | undefined
}

export interface AddEndpointBody {
  /** The line from which it gets events. */ lineId?: string | undefined
  /** The application that the webhook belongs to. */ applicationId?: string | undefined
  name?: string | null | undefined
  url: string
  /** The events it gets in addition to received messages. `lineDisconnected` is for applications only. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected')[] | undefined
}

export interface ChangeEndpointBody {
  name?: string | null | undefined
  url?: string | undefined
  /** The events it gets in addition to received messages. `lineDisconnected` is for applications only. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected')[] | undefined
}

export interface SendTestEventBody {
  type?:
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'messageStatus'
    | 'optOut'
    | 'missedCall'
    | 'lineDisconnected'
    | 'endpoint.failing'
    | 'endpoint.disabled'
    | 'endpoint.recovered'
    | 'messages.unknown'
    | 'cap.near'
    | 'monthly_cap.near'
    | 'country.paused'
    | 'carrier.down'
    | 'carrier.recovered'
    | 'phone.away'
    | 'phone.back'
    | 'queue.stuck'
    | 'queue.recovered'
    | 'second_factor.removal_asked'
    | 'second_factor.removed'
    | undefined
}

export interface ListDeliveriesOfEndpointQuery {
  /** Only entries older than this ID. Give the last ID of the previous page. */ before?: string | undefined
  /** The maximum number of entries per page. */ limit?: number | undefined
}

export interface ChangeEndpointPolicyBody {
  retrySchedule?: 'default' | 'short' | 'long' | number[] | null | undefined
  retryOnTimeout?: boolean | null | undefined
  timeoutSeconds?: number | null | undefined
  requestsAtOnce?: number | null | undefined
  ordered?: boolean | null | undefined
  declinedEvents?:
    | (
        | 'inboundText'
        | 'inboundMedia'
        | 'voiceMail'
        | 'endpoint.failing'
        | 'endpoint.disabled'
        | 'endpoint.recovered'
        | 'messages.unknown'
        | 'cap.near'
        | 'monthly_cap.near'
        | 'country.paused'
        | 'carrier.down'
        | 'carrier.recovered'
        | 'phone.away'
        | 'phone.back'
        | 'queue.stuck'
        | 'queue.recovered'
        | 'second_factor.removal_asked'
        | 'second_factor.removed'
      )[]
    | null
    | undefined
  shape?:
    | 'linehook'
    | 'cloudevents'
    | 'cloudevents-binary'
    | 'slack'
    | 'discord'
    | 'ifttt'
    | 'template'
    | null
    | undefined
  template?: string | null | undefined
  templateContentType?: string | null | undefined
  signature?: 'v1' | 'v1a' | null | undefined
  /** Headers to add to each request or to replace. Null removes a header. They are stored encrypted. */ headers?:
    Record<string, string | null> | undefined
}

export interface PreviewEndpointPolicyBody {
  retrySchedule?: 'default' | 'short' | 'long' | number[] | null | undefined
  retryOnTimeout?: boolean | null | undefined
  timeoutSeconds?: number | null | undefined
  requestsAtOnce?: number | null | undefined
  ordered?: boolean | null | undefined
  declinedEvents?:
    | (
        | 'inboundText'
        | 'inboundMedia'
        | 'voiceMail'
        | 'endpoint.failing'
        | 'endpoint.disabled'
        | 'endpoint.recovered'
        | 'messages.unknown'
        | 'cap.near'
        | 'monthly_cap.near'
        | 'country.paused'
        | 'carrier.down'
        | 'carrier.recovered'
        | 'phone.away'
        | 'phone.back'
        | 'queue.stuck'
        | 'queue.recovered'
        | 'second_factor.removal_asked'
        | 'second_factor.removed'
      )[]
    | null
    | undefined
  shape?:
    | 'linehook'
    | 'cloudevents'
    | 'cloudevents-binary'
    | 'slack'
    | 'discord'
    | 'ifttt'
    | 'template'
    | null
    | undefined
  template?: string | null | undefined
  templateContentType?: string | null | undefined
  signature?: 'v1' | 'v1a' | null | undefined
}

export interface ListMessagesQuery {
  /** Only entries of this line. */ lineId?: string | undefined
  /** Only with this direction. */ direction?: 'outbound' | 'inbound' | undefined
  /** Only with this type. */ type?: 'text' | 'media' | 'voicemail' | undefined
  /** Only with this status. */ status?:
    'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'received' | undefined
  /** Only with this clientRef. */ clientRef?: string | undefined
  /** Only with this outside number. */ number?: string | undefined
  /** Only from this time on. */ from?: string | undefined
  /** Only before this time. */ until?: string | undefined
  /** Only entries older than this ID. Give the last ID of the previous page. */ before?: string | undefined
  /** The maximum number of entries per page. */ limit?: number | undefined
}

export interface SendMessageBody {
  lineId: string
  /** E.164 is best. The national format of the sender's own country is accepted too. */ toNumber: string
  text?: string | undefined
  /** The URL of a png, jpg, gif or mpg file under 5 MB. An empty string means no media. */ mediaUrl?:
    string | undefined
  /** Several files, sent in order in one message, instead of `mediaUrl`. The maximum number and total size depend on the carrier. */ mediaUrls?:
    string[] | undefined
  /** When to send it, 30 days ahead at most. A time in the past sends immediately. */ sendAt?:
    string | null | undefined
  /** If it has not been handed to the carrier by then, it fails as `expired`. */ expiresAt?:
    string | null | undefined
  /** Your own reference. It is included in responses and `messageStatus` events, and messages can be searched by it. */ clientRef?:
    string | null | undefined
  /** Extra parameters for the carrier. Names that the line's carrier account does not know are ignored. For example `{"templateId": "1007…"}` for DLT in India. */ carrierOptions?:
    Record<string, string> | null | undefined
}

export interface CountSegmentsBody {
  text: string
  /** The line that would send it. Without it, national tables of its carrier account do not count. */ lineId?:
    string | undefined
}

export interface SendMessagesBody {
  /** Each has the fields of `POST /v1/messages`, and can have an `idempotencyKey` instead of the header. */ messages: object[]
}

export interface RescheduleMessageBody {
  /** The new time, as in `POST /v1/messages`. */ sendAt: string
}

export interface ListUsageQuery {
  /** Only of this line. */ lineId?: string | undefined
  /** The first month. Defaults to two months before the last. */ from?: string | undefined
  /** The last month, inclusive. Defaults to the current month. */ until?: string | undefined
}

export interface ListContactsQuery {
  /** Only blocked or only unblocked contacts. */ blocked?: boolean | undefined
  /** The maximum number of entries per page. */ pageSize?: number | undefined
  /** The page number. */ page?: number | undefined
}

export interface SaveContactBody {
  /** Your name for the number. An empty name removes it. */ name?: string | undefined
  /** E.164 is best. Can also be the short code or name of a sender. */ phoneNumber?: string | undefined
  /** If true, messages from the number create no events. */ blocked?: boolean | undefined
}

export interface ChangeContactBody {
  /** Your name for the number. An empty name removes it. */ name?: string | undefined
  /** E.164 is best. Can also be the short code or name of a sender. */ phoneNumber?: string | undefined
  /** If true, messages from the number create no events. */ blocked?: boolean | undefined
}

export interface ListDeliveriesQuery {
  /** Only entries of this line. */ lineId?: string | undefined
  /** Only with this type. */ type?:
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'messageStatus'
    | 'optOut'
    | 'missedCall'
    | 'lineDisconnected'
    | undefined
  /** Only with this status. */ status?:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held' | undefined
  /** Only with this outside number. */ number?: string | undefined
  /** Only from this time on. */ from?: string | undefined
  /** Only before this time. */ until?: string | undefined
  /** Only entries older than this ID. Give the last ID of the previous page. */ before?: string | undefined
  /** The maximum number of entries per page. */ limit?: number | undefined
}

export interface ReplayEventsBody {
  /** Events from this time on. */ from: string
  /** Events before this time. Defaults to now. */ until?: string | undefined
  /** Only events of these types. Defaults to all types. */ types?:
    | (
        | 'inboundText'
        | 'inboundMedia'
        | 'voiceMail'
        | 'messageStatus'
        | 'optOut'
        | 'missedCall'
        | 'lineDisconnected'
        | 'endpoint.failing'
        | 'endpoint.disabled'
        | 'endpoint.recovered'
        | 'messages.unknown'
        | 'cap.near'
        | 'monthly_cap.near'
        | 'country.paused'
        | 'carrier.down'
        | 'carrier.recovered'
        | 'phone.away'
        | 'phone.back'
        | 'queue.stuck'
        | 'queue.recovered'
        | 'second_factor.removal_asked'
        | 'second_factor.removed'
      )[]
    | undefined
  /** `undelivered`: events that were not delivered, including those waiting for a retry. */ outcome?:
    'any' | 'undelivered' | 'delivered' | undefined
  /** The maximum number of events per second. */ perSecond?: number | undefined
  /** Only events of this line. Required for an application. */ lineId?: string | undefined
  /** A URL that gets the events instead, such as a staging server. Each is tried three times and signed with the same secret. Existing deliveries do not change. */ url?:
    string | undefined
}

export interface PreviewReplayBody {
  /** Events from this time on. */ from: string
  /** Events before this time. Defaults to now. */ until?: string | undefined
  /** Only events of these types. Defaults to all types. */ types?:
    | (
        | 'inboundText'
        | 'inboundMedia'
        | 'voiceMail'
        | 'messageStatus'
        | 'optOut'
        | 'missedCall'
        | 'lineDisconnected'
        | 'endpoint.failing'
        | 'endpoint.disabled'
        | 'endpoint.recovered'
        | 'messages.unknown'
        | 'cap.near'
        | 'monthly_cap.near'
        | 'country.paused'
        | 'carrier.down'
        | 'carrier.recovered'
        | 'phone.away'
        | 'phone.back'
        | 'queue.stuck'
        | 'queue.recovered'
        | 'second_factor.removal_asked'
        | 'second_factor.removed'
      )[]
    | undefined
  /** `undelivered`: events that were not delivered, including those waiting for a retry. */ outcome?:
    'any' | 'undelivered' | 'delivered' | undefined
  /** The maximum number of events per second. */ perSecond?: number | undefined
  /** Only events of this line. Required for an application. */ lineId?: string | undefined
  /** A URL that gets the events instead, such as a staging server. Each is tried three times and signed with the same secret. Existing deliveries do not change. */ url?:
    string | undefined
}

export interface ListTasksQuery {
  /** Only entries older than this ID. Give the last ID of the previous page. */ before?: string | undefined
  /** The maximum number of entries per page. */ limit?: number | undefined
}

export interface RecordListenerAttemptsBody {
  attempts: {
    eventId: string
    startedAt: string
    durationMs: number
    responseStatus?: number | null | undefined
    /** Why there was no response, such as `ECONNREFUSED`. */ failure?: string | null | undefined
  }[]
}

export interface RegisterApplicationBody {
  /** Shown to users when they authorize the application. */ name: string
  /** Must match exactly. Allowed are https, an app's own scheme, and http for the local machine, with any port. */ redirectUris: string[]
  /** The events it gets in addition to received messages. `lineDisconnected` is sent when a user disconnects a line. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected')[] | undefined
  description?: string | null | undefined
  website?: string | null | undefined
  /** The URL that receives its events. Null stops them. */ webhookUrl?: string | null | undefined
  /** `confidential`: has a server that can keep a secret. `public`: has no secret and must use PKCE. */ kind?:
    'confidential' | 'public' | undefined
}

export interface ChangeApplicationBody {
  /** Shown to users when they authorize the application. */ name?: string | undefined
  /** Must match exactly. Allowed are https, an app's own scheme, and http for the local machine, with any port. */ redirectUris?:
    string[] | undefined
  /** The events it gets in addition to received messages. `lineDisconnected` is sent when a user disconnects a line. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected')[] | undefined
  description?: string | null | undefined
  website?: string | null | undefined
  /** The URL that receives its events. Null stops them. */ webhookUrl?: string | null | undefined
}

export interface CreatePortalLinkBody {
  /** The lines to show. Defaults to all the user's current lines. */ lineIds?: string[] | undefined
  /** How long the link is valid. */ expiresInSeconds?: number | undefined
  /** How long the session lasts after opening the link. */ sessionSeconds?: number | undefined
}

export interface InboundTextEvent {
  type: 'inboundText'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface InboundMediaEvent {
  type: 'inboundMedia'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface VoiceMailEvent {
  type: 'voiceMail'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface MessageStatusEvent {
  type: 'messageStatus'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface MessageStatusPayload {
  messageId: string
  status: 'sent' | 'delivered' | 'failed' | 'unknown'
  error: string | null
  carrierCode: string | null
  carrierReason:
    | 'invalid_number'
    | 'unreachable'
    | 'landline'
    | 'blocked_by_recipient'
    | 'blocked_by_carrier'
    | 'sender_not_registered'
    | 'sender_not_allowed'
    | 'country_not_enabled'
    | 'no_credit'
    | 'account_suspended'
    | 'too_fast'
    | 'too_long'
    | 'media_not_accepted'
    | 'expired'
    | 'carrier_fault'
    | 'unknown'
    | null
  clientRef: string | null
  /** The cost reported by the carrier so far, as a decimal. It can arrive later. */ price: string | null
  currency: string | null
}

export interface OptOutEvent {
  type: 'optOut'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload:
    'optedOut' | 'optedIn'
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface MissedCallEvent {
  type: 'missedCall'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface LineDisconnectedEvent {
  type: 'lineDisconnected'
  /** Depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: the time of the call in ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: ''
  /** The outside number in E.164 form, or a short code or a name. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface EndpointFailingEvent {
  type: 'endpoint.failing'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    endpointId: string
    host: string
    lineId: string | null
    lineName: string | null
    applicationId: string | null
    applicationName: string | null
    failureCount: number
    failingForMs: number | null
    lastFailure: string | null
    reason: 'gone' | 'failing' | null
  }
}

export interface EndpointDisabledEvent {
  type: 'endpoint.disabled'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    endpointId: string
    host: string
    lineId: string | null
    lineName: string | null
    applicationId: string | null
    applicationName: string | null
    failureCount: number
    failingForMs: number | null
    lastFailure: string | null
    reason: 'gone' | 'failing' | null
  }
}

export interface EndpointRecoveredEvent {
  type: 'endpoint.recovered'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    endpointId: string
    host: string
    lineId: string | null
    lineName: string | null
    applicationId: string | null
    applicationName: string | null
    failureCount: number
    failingForMs: number | null
    lastFailure: string | null
    reason: 'gone' | 'failing' | null
  }
}

export interface MessagesUnknownEvent {
  type: 'messages.unknown'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    count: number
  }
}

export interface CapNearEvent {
  type: 'cap.near'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    lineId: string | null
    lineName: string | null
    segmentsPerDay: number
    used: number
  }
}

export interface MonthlyCapNearEvent {
  type: 'monthly_cap.near'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    lineId: string | null
    lineName: string | null
    amount: string
    currency: string
    spent: string
  }
}

export interface CountryPausedEvent {
  type: 'country.paused'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    country: string
    accepted: number
    usual: number
  }
}

export interface CarrierDownEvent {
  type: 'carrier.down'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string | null
    accountId: string
    name: string
    state: string
  }
}

export interface CarrierRecoveredEvent {
  type: 'carrier.recovered'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string | null
    accountId: string
    name: string
    state: string
  }
}

export interface PhoneAwayEvent {
  type: 'phone.away'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string | null
    accountId: string
    name: string
    awayCount: number
    lastContactAt: string | null
  }
}

export interface PhoneBackEvent {
  type: 'phone.back'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string | null
    accountId: string
    name: string
    awayCount: number
    lastContactAt: string | null
  }
}

export interface QueueStuckEvent {
  type: 'queue.stuck'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string | null
    queue: string
    why: string
  }
}

export interface QueueRecoveredEvent {
  type: 'queue.recovered'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string | null
    queue: string
    why: string
  }
}

export interface SecondFactorRemovalAskedEvent {
  type: 'second_factor.removal_asked'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    email: string
    reason: string
  }
}

export interface SecondFactorRemovedEvent {
  type: 'second_factor.removed'
  timestamp: string
  data: {
    title: string
    text: string
    userId: string
    email: string
  }
}

export interface Application {
  id: string
  clientId: string
  /** `confidential`: has a server that can keep a secret. `public`: has no secret and must use PKCE. */ kind:
    'confidential' | 'public'
  /** Shown to users when they authorize the application. */ name: string
  description: string
  website: string | null
  /** Must match exactly. Allowed are https, an app's own scheme, and http for the local machine, with any port. */ redirectUris: string[]
  /** The URL that receives its events. Null if there is none. */ webhookUrl: string | null
  /** The events it gets in addition to received messages. `lineDisconnected` is sent when a user disconnects a line. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** The webhook URL's health; null without a URL. */ endpoint: EndpointHealth | null
  createdAt: string
}

export interface ApplicationDelivery {
  id: string
  /** Null if the event is a notification that is not about a line. */ lineId: string | null
  /** The `webhook-id` header of every attempt. */ eventId: string
  /** An endpoint gets the first three, and any others it asked for in `optInEvents`. `lineDisconnected` is for applications, and types with a dot are for operational webhooks. */ type:
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'messageStatus'
    | 'optOut'
    | 'missedCall'
    | 'lineDisconnected'
    | 'endpoint.failing'
    | 'endpoint.disabled'
    | 'endpoint.recovered'
    | 'messages.unknown'
    | 'cap.near'
    | 'monthly_cap.near'
    | 'country.paused'
    | 'carrier.down'
    | 'carrier.recovered'
    | 'phone.away'
    | 'phone.back'
    | 'queue.stuck'
    | 'queue.recovered'
    | 'second_factor.removal_asked'
    | 'second_factor.removed'
  /** `exhausted`: there are no attempts left, or the application was disconnected. `held`: the endpoint is disabled. */ status:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held'
  attemptCount: number
  /** The name of the last failure: `disconnected`, `forgotten`, `internal_error`, `earlier_event_waits`, `template_too_heavy`, `worker_lost`, `stopped_by_receiver`, `template_failed`, `media_…`, or the result of the request, such as `timeout` or `http_500`. */ lastFailure:
    string | null
  createdAt: string
  /** While it is pending, the time of the next attempt. */ dueAt: string
  /** Whether it was replayed. Its attempts since then have the header `webhook-replay: true`. */ isReplayed: boolean
  deliveredAt: string | null
}

export interface AuthorizedApplication {
  id: string
  name: string
  website: string | null
  /** The user who registered it. */ ownerName: string
  /** Your lines that it can use. */ connected_lines: {
    id: string
    name: string
    /** A phone number in E.164 form, a short code, a name or the SID of a Messaging Service (see `senderKind`). */ phoneNumber: string
    /** What it is allowed to do. */ scopes: string[]
    connectedAt: string
    lastSentAt: string | null
    /** Accurate to the minute. */ lastReceivedAt: string | null
  }[]
}

export interface Connection {
  lineId: string
  enabled: boolean
  /** The URL that receives events. */ outgoingWebhookUrl: string | null
  /** The events it gets in addition to received messages. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall'
  )[]
  /** The outgoing webhook's endpoint; null without a URL. */ endpoint: {
    /** The endpoint's ID, for `/v1/endpoints`. */ id: string
    /** When the current streak of failures began. */ failingSince: string | null
    consecutiveFailureCount: number
    /** When the endpoint was disabled. Events have been held since. Enable the connection to send events again. */ disabledAt:
      string | null
    /** `gone`: it answered 410. `failing`: every attempt failed for five days. `owner_disabled`: the owner's account was disabled. */ disabledReason:
      'gone' | 'failing' | 'owner_disabled' | null
    /** When events were paused. They wait. */ pausedAt: string | null
    /** Only operators can resume what an `operator` paused. */ pausedBy: 'owner' | 'operator' | null
    /** The previous signing secret also signs until then. */ previousSecretUntil: string | null
  } | null
  incomingWebhook: {
    createdAt: string
    regeneratedAt: string | null
    /** The previous token also works until then. */ previousTokenUntil: string | null
  } | null
}

export interface Contact {
  id: string
  name: string | null
  /** In E.164 form, or the short code or name of a sender. */ phoneNumber: string
  /** A contact applies to all lines of the user. These are the ones you can see. */ lineIds: string[]
  /** Messages from a blocked number are kept but create no events. */ blocked: boolean
  blockedAt: string | null
  createdAt: string
}

export interface Delivery {
  id: string
  /** Null if the event is a notification that is not about a line. */ lineId: string | null
  /** The `webhook-id` header of every attempt. */ eventId: string
  /** An endpoint gets the first three, and any others it asked for in `optInEvents`. `lineDisconnected` is for applications, and types with a dot are for operational webhooks. */ type:
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'messageStatus'
    | 'optOut'
    | 'missedCall'
    | 'lineDisconnected'
    | 'endpoint.failing'
    | 'endpoint.disabled'
    | 'endpoint.recovered'
    | 'messages.unknown'
    | 'cap.near'
    | 'monthly_cap.near'
    | 'country.paused'
    | 'carrier.down'
    | 'carrier.recovered'
    | 'phone.away'
    | 'phone.back'
    | 'queue.stuck'
    | 'queue.recovered'
    | 'second_factor.removal_asked'
    | 'second_factor.removed'
  /** `exhausted`: there are no attempts left, or the application was disconnected. `held`: the endpoint is disabled. */ status:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held'
  attemptCount: number
  /** The name of the last failure: `disconnected`, `forgotten`, `internal_error`, `earlier_event_waits`, `template_too_heavy`, `worker_lost`, `stopped_by_receiver`, `template_failed`, `media_…`, or the result of the request, such as `timeout` or `http_500`. */ lastFailure:
    string | null
  createdAt: string
  /** While it is pending, the time of the next attempt. */ dueAt: string
  /** Whether it was replayed. Its attempts since then have the header `webhook-replay: true`. */ isReplayed: boolean
  deliveredAt: string | null
  /** The message that was received. Null if the event is not about a message. */ messageId: string | null
  /** The endpoint that gets it, of the line or of an application. */ endpointId: string
  /** The application that gets it. Null for the line's own endpoints. */ applicationId: string | null
  /** The URL it is sent to. For another user's application, only the origin. */ url: string
  fromNumber: string | null
  toNumber: string | null
}

export interface DeliveryWithAttempts {
  id: string
  /** Null if the event is a notification that is not about a line. */ lineId: string | null
  /** The `webhook-id` header of every attempt. */ eventId: string
  /** An endpoint gets the first three, and any others it asked for in `optInEvents`. `lineDisconnected` is for applications, and types with a dot are for operational webhooks. */ type:
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'messageStatus'
    | 'optOut'
    | 'missedCall'
    | 'lineDisconnected'
    | 'endpoint.failing'
    | 'endpoint.disabled'
    | 'endpoint.recovered'
    | 'messages.unknown'
    | 'cap.near'
    | 'monthly_cap.near'
    | 'country.paused'
    | 'carrier.down'
    | 'carrier.recovered'
    | 'phone.away'
    | 'phone.back'
    | 'queue.stuck'
    | 'queue.recovered'
    | 'second_factor.removal_asked'
    | 'second_factor.removed'
  /** `exhausted`: there are no attempts left, or the application was disconnected. `held`: the endpoint is disabled. */ status:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held'
  attemptCount: number
  /** The name of the last failure: `disconnected`, `forgotten`, `internal_error`, `earlier_event_waits`, `template_too_heavy`, `worker_lost`, `stopped_by_receiver`, `template_failed`, `media_…`, or the result of the request, such as `timeout` or `http_500`. */ lastFailure:
    string | null
  createdAt: string
  /** While it is pending, the time of the next attempt. */ dueAt: string
  /** Whether it was replayed. Its attempts since then have the header `webhook-replay: true`. */ isReplayed: boolean
  deliveredAt: string | null
  /** The message that was received. Null if the event is not about a message. */ messageId: string | null
  /** The endpoint that gets it, of the line or of an application. */ endpointId: string
  /** The application that gets it. Null for the line's own endpoints. */ applicationId: string | null
  /** The URL it is sent to. For another user's application, only the origin. */ url: string
  fromNumber: string | null
  toNumber: string | null
  attempts: {
    attemptNumber: number
    startedAt: string
    /** The total time. Its parts are in the fields below. */ durationMs: number
    /** The DNS lookup. Like the next two, null if it did not happen or the connection was already open. */ dnsMs:
      number | null
    connectMs: number | null
    tlsMs: number | null
    /** The time from the request to the first byte of the response. */ firstByteMs: number | null
    /** The headers that were sent, without connection headers and the values of your custom headers. Null if nothing was sent. */ requestHeaders: Record<
      string,
      string
    > | null
    responseStatus: number | null
    /** The first 40 headers, up to 2,000 characters in total, without cookies and credentials. */ responseHeaders: Record<
      string,
      string
    > | null
    responseExcerpt: string | null
    /** The name of the failure. Null if it succeeded. */ failure: string | null
    nextAttemptAt: string | null
  }[]
}

export interface Endpoint {
  id: string
  /** The line from which it gets events. Null if it belongs to an application or your account. */ lineId:
    string | null
  /** The application that the webhook belongs to. If both are null, it is an operational webhook of your account. */ applicationId:
    string | null
  /** Whether it is the outgoing webhook of its line. */ isOutgoingWebhook: boolean
  /** Your name for it. Null if it has none. */ name: string | null
  /** The URL that receives its events. */ url: string
  /** The events it gets in addition to received messages. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** Every attempt since this time has failed. */ failingSince: string | null
  consecutiveFailureCount: number
  /** When it was disabled. Events have been held since. */ disabledAt: string | null
  /** `gone`: it answered 410. `failing`: every attempt failed for five days. `owner_disabled`: the owner's account was disabled. */ disabledReason:
    'gone' | 'failing' | 'owner_disabled' | null
  /** When events were paused. They wait. */ pausedAt: string | null
  /** Only operators can resume what an `operator` paused. */ pausedBy: 'owner' | 'operator' | null
  /** The previous signing secret also signs until then. */ previousSecretUntil: string | null
  createdAt: string
}

export interface EndpointHealth {
  /** The endpoint's ID, for `/v1/endpoints`. */ id: string
  /** When the current streak of failures began. */ failingSince: string | null
  consecutiveFailureCount: number
  /** When the endpoint was disabled. Events have been held since. Set `webhookUrl` again to enable it. */ disabledAt:
    string | null
  disabledReason: 'gone' | 'failing' | 'owner_disabled' | null
  /** The previous signing secret also signs until then. */ previousSecretUntil: string | null
  /** When events were paused. They wait. */ pausedAt: string | null
}

export interface EndpointPolicy {
  /** When failed events are retried. `default`: 10 attempts within three days. `short`: 5 within 15 minutes. `long`: 17 within about a week. Or a list of the delays between attempts, in seconds. An empty list means no retries. */ retrySchedule:
    'default' | 'short' | 'long' | number[]
  /** If false, an event whose request timed out is not retried automatically. */ retryOnTimeout: boolean
  /** How long the endpoint can take to respond. Null uses this installation's limit. */ timeoutSeconds:
    number | null
  /** The maximum number of simultaneous requests. Null adapts to the endpoint. */ requestsAtOnce:
    number | null
  /** If true, an event waits until the previous one from the same number has been delivered or given up. It does not delay events from other numbers. It applies to new events. */ ordered: boolean
  /** Message events that the endpoint does not get. Other events are sent only if `optInEvents` names them. */ declinedEvents: (
    | 'inboundText'
    | 'inboundMedia'
    | 'voiceMail'
    | 'endpoint.failing'
    | 'endpoint.disabled'
    | 'endpoint.recovered'
    | 'messages.unknown'
    | 'cap.near'
    | 'monthly_cap.near'
    | 'country.paused'
    | 'carrier.down'
    | 'carrier.recovered'
    | 'phone.away'
    | 'phone.back'
    | 'queue.stuck'
    | 'queue.recovered'
    | 'second_factor.removal_asked'
    | 'second_factor.removed'
  )[]
  /** The format of the request. `linehook`: the six fields. `cloudevents`: CloudEvents 1.0 in structured mode; `cloudevents-binary`: in binary mode. `slack`, `discord`: a text for an incoming webhook of Slack or Discord. `ifttt`: `value1` is the sender, `value2` the payload, `value3` the receiver. `template`: the output of `template`. */ shape:
    'linehook' | 'cloudevents' | 'cloudevents-binary' | 'slack' | 'discord' | 'ifttt' | 'template'
  /** A [Liquid](https://shopify.github.io/liquid/) template with the six fields, `id` and `time`, such as `{"text": {{ payload | json }}}`. Rendering can take up to half a second. */ template:
    string | null
  /** The Content-Type of the template's output. JSON output is validated. */ templateContentType: string
  /** The signature scheme of Standard Webhooks. `v1`: HMAC-SHA256 with the signing secret. `v1a`: Ed25519, verified with the key at `publicKeyUrl`. For 24 hours after a change, both are sent. */ signature:
    'v1' | 'v1a'
  /** Both kinds of signatures are sent until then. */ bothSignaturesUntil: string | null
  /** The public keys for `v1a` signatures. */ publicKeyUrl: string
  /** The names of your custom headers. Their values are not shown. */ headerNames: string[]
}

export interface Limits {
  line: {
    /** The number of messages accepted per 60 s. */ limit: number
    /** The number of messages accepted in the last 60 s. */ used: number
    /** Milliseconds until the window has room for one more message. 0 if it is empty. */ opensMs: number
  }
  /** The five numbers with the most messages in the last 60 s. */ numbers: {
    number: string
    /** The number of messages accepted per 60 s. */ limit: number
    /** The number of messages accepted in the last 60 s. */ used: number
    /** Milliseconds until the window has room for one more message. 0 if it is empty. */ opensMs: number
  }[]
  /** The daily caps, if operators have set any. */ caps: {
    /** `user`: all lines of the user combined. */ of: 'line' | 'user'
    /** The number of segments accepted per day (UTC). */ segmentsPerDay: number
    /** The number accepted today. */ used: number
    /** Whether at least 80 % are used. */ isNear: boolean
    /** When the next day begins. */ resetsAt: string
  }[]
  /** The monthly caps, if operators have set any. */ monthlyCaps: {
    /** `user`: all lines of the user combined. */ of: 'line' | 'user'
    /** The maximum cost of messages per month (UTC). */ amount: string
    /** ISO 4217. Only charges in this currency count. */ currency: string
    /** This month's cost, as reported by carriers. */ spent: string
    /** Whether at least 80 % are spent. */ isNear: boolean
    /** Whether the cap is reached, so that no more messages are accepted this month. */ isUsedUp: boolean
    /** When the next month begins. */ resetsAt: string
  }[]
}

export interface Line {
  id: string
  name: string
  /** A phone number in E.164 form, a short code, a name or the SID of a Messaging Service (see `senderKind`). */ phoneNumber: string
  /** The kind of `phoneNumber`. A `name` can only send; nobody can reply to it. */ senderKind:
    'number' | 'short_code' | 'name' | 'service'
  /** A disabled line does not send or deliver anything. */ status: 'active' | 'disabled'
  /** Whether the developer connection is enabled. */ isConnected: boolean
  /** The limit per outside number. */ messagesPerNumberPerMinute: number
  /** The limit in total. */ messagesPerMinute: number
  /** When sending was paused. Messages wait. */ pausedAt: string | null
  /** Only operators can resume what an `operator` paused. */ pausedBy: 'owner' | 'operator' | null
  /** ISO 3166 codes of countries to which messages are refused because their volume rose suddenly. Only an operator can resume them. */ pausedCountries: string[]
  /** When it last sent or received. */ lastActivityAt: string | null
}

export interface Media {
  /** A message is sent, or an event delivered, once its media are `stored`. */ status:
    'pending' | 'fetching' | 'stored' | 'failed'
  /** Why the media have not been copied, such as `media_http_404`. */ failure: string | null
  /** The type detected from the file's content. */ contentType: string | null
  byteCount: number | null
  width: number | null
  height: number | null
  /** The URL of our copy. Null until the copy is stored, and again after it expires. */ url: string | null
}

export interface Message {
  id: string
  lineId: string
  direction: 'outbound' | 'inbound'
  /** How it was created: `carrier` if it was received, `service` if it is a reply to STOP, START or HELP. */ source:
    'webhook' | 'application' | 'api' | 'console' | 'carrier' | 'service'
  /** The application that sent it. */ applicationId: string | null
  type: 'text' | 'media' | 'voicemail'
  fromNumber: string
  toNumber: string
  text: string | null
  /** The encoding of the text. Null without a text. */ encoding: 'GSM-7' | 'UCS-2' | null
  /** The number of segments that are sent and charged for. Null without a text. */ segmentCount:
    number | null
  /** The number of segments counted by the carrier. Null if it did not report one. */ carrierSegmentCount:
    number | null
  /** The exact cost reported by the carrier, in `currency`. It can arrive hours after the message was sent. Null if none was reported. */ price:
    string | null
  /** ISO 4217, such as `USD`. */ currency: string | null
  /** The first of `mediaUrls`. Null if the message has no media. */ mediaUrl: string | null
  /** In order: the URLs that were given or, for a received message, those of our copies, each of which appears once it is stored. */ mediaUrls: string[]
  /** Our copies, in the order of `mediaUrls`. */ media: Media[]
  /** Outbound: `scheduled` for later, then `queued → sending → sent → delivered`, or `failed`, or `unknown` if the carrier may have accepted it. */ status:
    'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'received'
  /** Why it failed, is unknown or has not been sent yet: `cancelled`, `disconnected`, `expired`, `forgotten`, `line_disabled`, `opted_out`, `internal_error`, `throttled`, `carrier_unavailable`, `carrier_missing`, `carrier_outcome_unknown`, `worker_lost`, `restored`, `carrier_has_no_record`, `media_…`, or the carrier's words. */ error:
    string | null
  /** The carrier's own error code, such as Twilio's `30003`. */ carrierCode: string | null
  /** What that code means and what to do. Null if there is no code or it is not known. */ carrierCodeMeaning: {
    reason:
      | 'invalid_number'
      | 'unreachable'
      | 'landline'
      | 'blocked_by_recipient'
      | 'blocked_by_carrier'
      | 'sender_not_registered'
      | 'sender_not_allowed'
      | 'country_not_enabled'
      | 'no_credit'
      | 'account_suspended'
      | 'too_fast'
      | 'too_long'
      | 'media_not_accepted'
      | 'expired'
      | 'carrier_fault'
      | 'unknown'
    text: string
  }
  attemptCount: number
  carrierMessageId: string | null
  /** The carrier account it was handed to. Null if there is none yet or the message was received. */ carrierAccount:
    string | null
  /** The carrier accounts that were tried before and definitely did not accept it, each with the reason. */ passedOver: Record<
    string,
    string
  > | null
  /** The message that this one resends. */ againOf: string | null
  /** The sender's own reference. */ clientRef: string | null
  /** When to send it. Until then it is `scheduled`. Null means immediately. */ sendAt: string | null
  /** If it has not been handed to the carrier by then, it fails as `expired`. */ expiresAt: string | null
  /** Extra parameters for the carrier, under names that the carrier account knows. */ carrierOptions: Record<
    string,
    string
  > | null
  /** When it was accepted or received. */ createdAt: string
  sentAt: string | null
  /** When the carrier's receipt arrived. */ receiptAt: string | null
}

export interface NewEndpoint {
  id: string
  /** The line from which it gets events. Null if it belongs to an application or your account. */ lineId:
    string | null
  /** The application that the webhook belongs to. If both are null, it is an operational webhook of your account. */ applicationId:
    string | null
  /** Whether it is the outgoing webhook of its line. */ isOutgoingWebhook: boolean
  /** Your name for it. Null if it has none. */ name: string | null
  /** The URL that receives its events. */ url: string
  /** The events it gets in addition to received messages. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** Every attempt since this time has failed. */ failingSince: string | null
  consecutiveFailureCount: number
  /** When it was disabled. Events have been held since. */ disabledAt: string | null
  /** `gone`: it answered 410. `failing`: every attempt failed for five days. `owner_disabled`: the owner's account was disabled. */ disabledReason:
    'gone' | 'failing' | 'owner_disabled' | null
  /** When events were paused. They wait. */ pausedAt: string | null
  /** Only operators can resume what an `operator` paused. */ pausedBy: 'owner' | 'operator' | null
  /** The previous signing secret also signs until then. */ previousSecretUntil: string | null
  createdAt: string
  /** The secret that signs the events. */ signingSecret: string
}

export interface OptOut {
  number: string
  optedOutAt: string
}

export interface PortalLink {
  /** The link to open. It is returned only once. */ url: string
  expiresAt: string
}

export interface RegisteredApplication {
  id: string
  clientId: string
  /** `confidential`: has a server that can keep a secret. `public`: has no secret and must use PKCE. */ kind:
    'confidential' | 'public'
  /** Shown to users when they authorize the application. */ name: string
  description: string
  website: string | null
  /** Must match exactly. Allowed are https, an app's own scheme, and http for the local machine, with any port. */ redirectUris: string[]
  /** The URL that receives its events. Null if there is none. */ webhookUrl: string | null
  /** The events it gets in addition to received messages. `lineDisconnected` is sent when a user disconnects a line. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** The webhook URL's health; null without a URL. */ endpoint: EndpointHealth | null
  createdAt: string
  /** Shown only in this response. Null for a public application. */ clientSecret: string | null
  /** Signs the events. Null without a webhook URL. */ signingSecret: string | null
}

export interface Segments {
  /** UCS-2 if any character is not in GSM-7. */ encoding: 'GSM-7' | 'UCS-2'
  /** Carriers charge for each segment. */ segmentCount: number
  /** A GSM-7 unit has 7 bits: a single segment holds 160, each of several holds 153. A UCS-2 unit has 16 bits: a single segment holds 70, each of several holds 67. */ unitCount: number
  characterCount: number
  /** The language of the national table that it is sent with. Null if it needs none. */ language:
    'turkish' | 'spanish' | 'portuguese' | null
  /** The units that a single segment holds, and each of several. A national table leaves less. */ room: {
    single: number
    part: number
  }
}

export interface SigningSecret {
  signingSecret: string
}

export interface Task {
  id: string
  kind: 'replay' | 'held_events' | 'retry' | 'import' | 'text_list'
  /** `stopped`: someone stopped it, or its owner was disabled. `failed`: see `error`. */ status:
    'waiting' | 'running' | 'done' | 'stopped' | 'failed'
  /** The line that the events or texts belong to. Null if there are several. */ lineId: string | null
  /** The application that the events belong to. */ applicationId: string | null
  /** The URL, if the replay goes to another URL. */ url: string | null
  /** Null while they are still being counted. */ totalCount: number | null
  doneCount: number
  /** The number that another URL rejected or that were refused. */ failedCount: number
  /** The name of the last failure, such as `http_500`. */ lastFailure: string | null
  /** Why it ended early. */ error: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
}

export interface TestEventResult {
  delivered: boolean
  responseStatus: number | null
  /** The name of the failure, such as `timeout` or `http_500`. */ failure: string | null
  durationMs: number
  responseExcerpt: string | null
}

export interface Usage {
  /** The month (UTC) in which the messages were handed to the carrier. */ month: string
  lineId: string
  /** The number of messages accepted by carriers. Messages deleted because of their age no longer count. */ messageCount: number
  /** The number of segments, as counted by the carrier if it reports them, or else by Linehook. */ segmentCount: number
  /** The number of these segments that were counted by carriers. */ carrierSegmentCount: number
  /** The cost reported by carriers. Some report it hours later, some never. */ prices: {
    /** ISO 4217. */ currency: string
    /** Exact, in whole units of the currency. */ amount: string
    /** The number of messages this price covers. */ messageCount: number
  }[]
}

export type BatchOutcome =
  | {
      status: 200
      /** The ID of the accepted message. */ id: string
    }
  | {
      /** The status that a single request would get. */ status: number
      /** Why it was refused, with the field and the fix. */ detail: string
    }
