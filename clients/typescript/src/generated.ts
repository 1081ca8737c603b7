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

  /** List your lines. They come oldest first. An application sees those that are connected to it, or all of them with `lines:read`. */
  async listLines(query?: ListLinesQuery, options?: CallOptions): Promise<Line[]> {
    return this.call('GET', `/v1/lines`, { query }, options)
  }

  /** Get a line. An application gets only lines that it can see. */
  async getLine(lineId: string, options?: CallOptions): Promise<Line> {
    return this.call('GET', `/v1/lines/${segment(lineId)}`, {}, options)
  }

  /** Rename a line. The name is in the body, or in the query, as clients of the original send it. If both have one, the body counts. Other parameters, such as `ringer`, are ignored. An application must be able to see the line, and must have `lines:write`. */
  async renameLine(lineId: string, body?: RenameLineBody, options?: CallOptions): Promise<Line | Line[]> {
    return this.call('PUT', `/v1/lines/${segment(lineId)}`, { body }, options)
  }

  /** Pause what a line sends. Messages are accepted and wait. Those that wait too long expire, as usual. The service's replies to STOP, START and HELP goes out, and what the line receives goes on. */
  async pauseSending(lineId: string, options?: CallOptions): Promise<Line> {
    return this.call('POST', `/v1/lines/${segment(lineId)}/pause-sending`, {}, options)
  }

  /** Resume what a line sends. Waiting messages go out shortly, in order and within the limits. 403: an operator paused it. */
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

  /** List the numbers that have opted out of a line. They are sorted by number. These people texted STOP and are sent nothing more. Only they can undo this, by texting START. */
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

  /** Get a line's developer connection. All of it is empty if the line was never connected. */
  async getConnection(lineId: string, options?: CallOptions): Promise<Connection> {
    return this.call('GET', `/v1/lines/${segment(lineId)}/connection`, {}, options)
  }

  /** Enable or disable the connection, and set its URL. Give at least one of the fields. A field that is left out stays as it is. `enabled: true` also enables an endpoint that was disabled. A URL can be set only while the connection is enabled. */
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

  /** Send an example to the line's outgoing webhook, and to whoever listens. The event is sent at once, and only once. The answer is 200 even if that fails, and says what happened. Without an outgoing webhook only listeners get it (`failure` is `no_url`): at most 100 in an hour. */
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

  /** Add an endpoint to a line, an application that has none, or your account. It gets each event from then on, signed with a secret of its own. Beside its outgoing webhook a line may have 10, and its developer connection must be enabled. Without lineId and applicationId it is an operational webhook of your account, which gets your notifications. */
  async addEndpoint(body: AddEndpointBody, options?: CallOptions): Promise<NewEndpoint> {
    return this.call('POST', `/v1/endpoints`, { body }, options)
  }

  /** Get an endpoint. Its health is in it. */
  async getEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('GET', `/v1/endpoints/${segment(endpointId)}`, {}, options)
  }

  /** Change an endpoint. Give at least one of the fields. A field that is left out stays as it is. Another URL keeps the secret and gets what was held. */
  async changeEndpoint(
    endpointId: string,
    body: ChangeEndpointBody,
    options?: CallOptions,
  ): Promise<Endpoint> {
    return this.call('PATCH', `/v1/endpoints/${segment(endpointId)}`, { body }, options)
  }

  /** Delete an endpoint. It gets no more events, and its waiting ones end as `exhausted`. */
  async deleteEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('DELETE', `/v1/endpoints/${segment(endpointId)}`, {}, options)
  }

  /** Send a test event to an endpoint. The event is sent at once, and only once. The answer is 200 even if that fails, and says what happened. Its payload is an example of its type; without a type it is the first that the endpoint gets. */
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

  /** Resume an endpoint's events. Waiting events are sent shortly, in order. 403: an operator paused them. */
  async resumeEndpoint(endpointId: string, options?: CallOptions): Promise<Endpoint> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/resume`, {}, options)
  }

  /** Retry all waiting events now. For a server that works again. Refused while events are paused. */
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

  /** Make a new signing secret. The old secret also signs for 24 h. */
  async rotateSecret(endpointId: string, options?: CallOptions): Promise<SigningSecret> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/rotate-secret`, {}, options)
  }

  /** List the deliveries to an endpoint. They come newest first; those of an application without what was said on the line. */
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

  /** Preview the last event with other fields. Nothing is saved or sent. */
  async previewEndpointPolicy(
    endpointId: string,
    body?: PreviewEndpointPolicyBody,
    options?: CallOptions,
  ): Promise<{
    contentType: string
    body: string
    /** There is no event yet, so an example event was used. */ isSample: boolean
  }> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/policy/preview`, { body }, options)
  }

  /** List the messages of your lines. They come newest first. An application sees those of connected lines. With `messages:write` alone it sees those that it sent. */
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

  /** Send a message. You send from one of your lines. An application sends from one that is connected to it. The message is accepted at once, and a worker sends it. */
  async sendMessage(body: SendMessageBody, options?: IdempotentOptions): Promise<Message> {
    return this.call('POST', `/v1/messages`, { body }, options)
  }

  /** Count the segments of a text before sending it. Nothing is sent or kept. */
  async countSegments(body: CountSegmentsBody, options?: CallOptions): Promise<Segments> {
    return this.call('POST', `/v1/segments`, { body }, options)
  }

  /** Send up to 500 messages. Each is accepted or refused by itself: what is wrong with one does not keep the others. The answer has one outcome for each, in their order. Limits and caps count each message. The body may have 4 MiB. */
  async sendMessages(body: SendMessagesBody, options?: CallOptions): Promise<BatchOutcome[]> {
    return this.call('POST', `/v1/messages/batch`, { body }, options)
  }

  /** Get a message. The answer says what became of it: its state, the carrier’s answer, and its media. */
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

  /** Cancel a message that waits. A message that is `scheduled` or `queued` becomes `failed` with the error `cancelled`. Repeating the request changes nothing. An application can cancel only its own messages. */
  async cancelMessage(messageId: string, options?: CallOptions): Promise<Message> {
    return this.call('POST', `/v1/messages/${segment(messageId)}/cancel`, {}, options)
  }

  /** Retry a waiting message now. Rate limits, pauses and the order of messages to the same number still apply. Refused if the message is not waiting for a time. */
  async tryMessageNow(messageId: string, options?: CallOptions): Promise<Message> {
    return this.call('POST', `/v1/messages/${segment(messageId)}/try-now`, {}, options)
  }

  /** Resend a message that failed or is unknown. Creates a new message. Without an `Idempotency-Key`, each request creates another one. */
  async sendMessageAgain(messageId: string, options?: IdempotentOptions): Promise<Message> {
    return this.call('POST', `/v1/messages/${segment(messageId)}/send-again`, {}, options)
  }

  /** Count what your lines sent, and what it cost, by month. The newest month comes first. A line that sent nothing in a month has no entry for it. As CSV there is a row for each currency. */
  async listUsage(query?: ListUsageQuery, options?: CallOptions): Promise<Usage[]> {
    return this.call('GET', `/v1/usage`, { query }, options)
  }

  /** List your contacts. They come oldest first. */
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

  /** Name or block a number. If the number is already a contact, that contact is updated. Fields may be in the body, JSON or a form, or in the query, as clients of the original send them; the body counts more. Other fields are ignored: a contact counts for all lines, whatever `lineIds` says. */
  async saveContact(body?: SaveContactBody, options?: CallOptions): Promise<Contact> {
    return this.call('POST', `/v1/contacts`, { body }, options)
  }

  /** Change a contact. Omitted fields stay unchanged. 409: another contact has the number. Fields may be in the body, JSON or a form, or in the query, as clients of the original send them; the body counts more. Other fields are ignored: a contact counts for all lines, whatever `lineIds` says. */
  async changeContact(contactId: string, body?: ChangeContactBody, options?: CallOptions): Promise<Contact> {
    return this.call('PUT', `/v1/contacts/${segment(contactId)}`, { body }, options)
  }

  /** List the deliveries of your lines' events. They come newest first. */
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

  /** Replay the events of a time range to the endpoint or another URL. The oldest go first, with their `webhook-id` and the header `webhook-replay: true`. This is refused while the endpoint is disabled, unless another URL is given. An application replays what it got from one line, and gives no other URL. */
  async replayEvents(endpointId: string, body: ReplayEventsBody, options?: CallOptions): Promise<Task> {
    return this.call('POST', `/v1/endpoints/${segment(endpointId)}/replay`, { body }, options)
  }

  /** Count the events a replay would send. They are counted up to 10,000; `isMore`: there are more. */
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

  /** Stop a background task. Work already done is kept. Refused if the task has ended. */
  async stopTask(taskId: string, options?: CallOptions): Promise<Task> {
    return this.call('POST', `/v1/tasks/${segment(taskId)}/stop`, {}, options)
  }

  /** Record a listener's response. As `linehook listen` does. A message's page shows it; nothing of it counts for the delivery or the endpoint. An attempt at the same event and of the same `startedAt` is noted once, and at most 100 of an event. */
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

  /** Register an application. Other users can then authorize it for their lines by OAuth 2.0. You can have at most 50. */
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

  /** Change an application. Give at least one of the fields. A field that is left out stays as it is. Giving `webhookUrl` enables an endpoint that was disabled. */
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

  /** Make a new client secret. The old secret stops working immediately. */
  async rotateClientSecret(
    applicationId: string,
    options?: CallOptions,
  ): Promise<{
    clientSecret: string
  }> {
    return this.call('POST', `/v1/applications/${segment(applicationId)}/rotate-secret`, {}, options)
  }

  /** List the applications that may use your lines. Shows what each can do, and when it last sent or received. */
  async listAuthorizedApplications(options?: CallOptions): Promise<AuthorizedApplication[]> {
    return this.call('GET', `/v1/authorized-applications`, {}, options)
  }

  /** Disconnect an application. From then on it can use none of your lines, and its tokens are refused. */
  async disconnectApplication(
    applicationId: string,
    options?: CallOptions,
  ): Promise<AuthorizedApplication[]> {
    return this.call('DELETE', `/v1/authorized-applications/${segment(applicationId)}`, {}, options)
  }

  /** Disconnect one line from an application. Its tokens end when it has no line left. */
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

  /** Make a link that lets a user into the pages of their lines, once, without a password. For your own app: send the user to the link. It opens the console with the pages of these lines and nothing else. Operators alone make such links, with their own API token, and not for operators (409). */
  async createPortalLink(
    userId: string,
    body?: CreatePortalLinkBody,
    options?: CallOptions,
  ): Promise<PortalLink> {
    return this.call('POST', `/v1/users/${segment(userId)}/portal-links`, { body }, options)
  }

  /** The keys that verify `v1a` signatures. The current one comes first. For 24 h after a rotation the one before is there too. */
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
  /** Only the line with this id. */ id?: string | undefined
  /** The same as `id`. */ lineId?: string | undefined
  /** Only the line with this number. */ phoneNumber?: string | undefined
  /** Only lines with exactly this name. */ name?: string | undefined
}

export interface RenameLineBody {
  name?: string | undefined
}

export interface ListOptOutsQuery {
  /** Only numbers after this one: the last one on the previous page. */ after?: string | undefined
  /** The most that one page has. */ limit?: number | undefined
}

export interface ChangeConnectionBody {
  enabled?: boolean | undefined
  outgoingWebhookUrl?: string | null | undefined
  /** The events that it gets besides those of received messages. */ optInEvents?:
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
  /** Only those of this line. */ lineId?: string | undefined
  /** Only that of this application. */ applicationId?: string | undefined
  /** Only those that are so. */ state?: 'disabled' | 'failing' | 'paused' | 'new' | 'working' | undefined
}

export interface AddEndpointBody {
  /** The line whose events it gets. */ lineId?: string | undefined
  /** The application whose webhook it is. */ applicationId?: string | undefined
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
  /** Only what is older than the entry with this id. Give the last id of the page before. */ before?:
    string | undefined
  /** The most that one page has. */ limit?: number | undefined
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
  /** Headers to add to each request, or to replace. Null removes one. Stored encrypted. */ headers?:
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
  /** Only what belongs to this line. */ lineId?: string | undefined
  /** Only with this direction. */ direction?: 'outbound' | 'inbound' | undefined
  /** Only with this type. */ type?: 'text' | 'media' | 'voicemail' | undefined
  /** Only with this status. */ status?:
    'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'received' | undefined
  /** Only with this clientRef. */ clientRef?: string | undefined
  /** Only with this number at the other end. */ number?: string | undefined
  /** Only what is from this moment or later. */ from?: string | undefined
  /** Only what is from before this moment. */ until?: string | undefined
  /** Only what is older than the entry with this id. Give the last id of the page before. */ before?:
    string | undefined
  /** The most that one page has. */ limit?: number | undefined
}

export interface SendMessageBody {
  lineId: string
  /** E.164 is best. A number as people write it in the sender's own country is read too. */ toNumber: string
  text?: string | undefined
  /** The URL of a png, jpg, gif or mpg file under 5 MB. An empty string means no media. */ mediaUrl?:
    string | undefined
  /** In place of `mediaUrl`: several files, sent in order in one message. How many, and how large in all, depends on the carrier. */ mediaUrls?:
    string[] | undefined
  /** When to send it, 30 days ahead at most. A time in the past sends immediately. */ sendAt?:
    string | null | undefined
  /** If it has not been handed to the carrier by then, it fails as `expired`. */ expiresAt?:
    string | null | undefined
  /** Your own reference. It is included in responses and `messageStatus` events, and messages can be searched by it. */ clientRef?:
    string | null | undefined
  /** What the carrier is told besides, by names that the carrier account of the line knows; others say nothing. Such as `{"templateId": "1007…"}` for DLT in India. */ carrierOptions?:
    Record<string, string> | null | undefined
}

export interface CountSegmentsBody {
  text: string
}

export interface SendMessagesBody {
  /** Each has the fields of `POST /v1/messages`, and may have an `idempotencyKey` in place of the header. */ messages: object[]
}

export interface RescheduleMessageBody {
  /** As when it is sent. */ sendAt: string
}

export interface ListUsageQuery {
  /** Only of this line. */ lineId?: string | undefined
  /** The first month. Defaults to two months before the last. */ from?: string | undefined
  /** The last month, inclusive. Defaults to the current month. */ until?: string | undefined
}

export interface ListContactsQuery {
  /** Only blocked or only unblocked contacts. */ blocked?: boolean | undefined
  /** The most that one page has. */ pageSize?: number | undefined
  /** Which page. */ page?: number | undefined
}

export interface SaveContactBody {
  /** Your name for the number. An empty name removes it. */ name?: string | undefined
  /** E.164 is best. Can also be the short code or name of a sender. */ phoneNumber?: string | undefined
  /** Whether what the number sends to a line makes no events. */ blocked?: boolean | undefined
}

export interface ChangeContactBody {
  /** Your name for the number. An empty name removes it. */ name?: string | undefined
  /** E.164 is best. Can also be the short code or name of a sender. */ phoneNumber?: string | undefined
  /** Whether what the number sends to a line makes no events. */ blocked?: boolean | undefined
}

export interface ListDeliveriesQuery {
  /** Only what belongs to this line. */ lineId?: string | undefined
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
  /** Only with this number at the other end. */ number?: string | undefined
  /** Only what is from this moment or later. */ from?: string | undefined
  /** Only what is from before this moment. */ until?: string | undefined
  /** Only what is older than the entry with this id. Give the last id of the page before. */ before?:
    string | undefined
  /** The most that one page has. */ limit?: number | undefined
}

export interface ReplayEventsBody {
  /** Events from this moment or later. */ from: string
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
  /** How many events a second at most. */ perSecond?: number | undefined
  /** Only events of this line; an application must give it. */ lineId?: string | undefined
  /** A URL that gets the events instead, such as a staging server. Each is tried three times and signed with the same secret. Existing deliveries do not change. */ url?:
    string | undefined
}

export interface PreviewReplayBody {
  /** Events from this moment or later. */ from: string
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
  /** How many events a second at most. */ perSecond?: number | undefined
  /** Only events of this line; an application must give it. */ lineId?: string | undefined
  /** A URL that gets the events instead, such as a staging server. Each is tried three times and signed with the same secret. Existing deliveries do not change. */ url?:
    string | undefined
}

export interface ListTasksQuery {
  /** Only what is older than the entry with this id. Give the last id of the page before. */ before?:
    string | undefined
  /** The most that one page has. */ limit?: number | undefined
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
  /** Users read it when they authorize it. */ name: string
  /** Compared as whole strings. https, the scheme of an app, or http to the own machine only, with any port. */ redirectUris: string[]
  /** Events besides those of received messages that the webhook URL gets. `lineDisconnected`: a user took away what it names. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected')[] | undefined
  description?: string | null | undefined
  website?: string | null | undefined
  /** The URL that receives its events. Null stops events. */ webhookUrl?: string | null | undefined
  /** `confidential`: has a server that keeps its secret. `public`: has no secret and must use PKCE. */ kind?:
    'confidential' | 'public' | undefined
}

export interface ChangeApplicationBody {
  /** Users read it when they authorize it. */ name?: string | undefined
  /** Compared as whole strings. https, the scheme of an app, or http to the own machine only, with any port. */ redirectUris?:
    string[] | undefined
  /** Events besides those of received messages that the webhook URL gets. `lineDisconnected`: a user took away what it names. */ optInEvents?:
    ('messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected')[] | undefined
  description?: string | null | undefined
  website?: string | null | undefined
  /** The URL that receives its events. Null stops events. */ webhookUrl?: string | null | undefined
}

export interface CreatePortalLinkBody {
  /** Which lines of the user; all that the user has now when left out. */ lineIds?: string[] | undefined
  /** How long the link waits to be opened. */ expiresInSeconds?: number | undefined
  /** How long the session lasts that it opens. */ sessionSeconds?: number | undefined
}

export interface InboundTextEvent {
  type: 'inboundText'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface InboundMediaEvent {
  type: 'inboundMedia'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface VoiceMailEvent {
  type: 'voiceMail'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface MessageStatusEvent {
  type: 'messageStatus'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
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
  /** What the carrier has said so far that it costs, as a decimal; it may say so later. */ price:
    string | null
  currency: string | null
}

export interface OptOutEvent {
  type: 'optOut'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload:
    'optedOut' | 'optedIn'
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface MissedCallEvent {
  type: 'missedCall'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: string
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
  /** The line's number. */ toNumber: string
  userId: string
  lineId: string
}

export interface LineDisconnectedEvent {
  type: 'lineDisconnected'
  /** What it is depends on the type. `inboundText`: the text. `inboundMedia`: the URL of our copy. `voiceMail`: the URL of our copy. `messageStatus`: JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`. `optOut`: `optedOut` or `optedIn`. `missedCall`: when the call came, as ISO 8601. `lineDisconnected`: empty; both numbers are the same. */ payload: ''
  /** The other side's number, in E.164 form. It may be a short code or a name instead. */ fromNumber: string
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
  /** `confidential`: has a server that keeps its secret. `public`: has no secret and must use PKCE. */ kind:
    'confidential' | 'public'
  /** Users read it when they authorize it. */ name: string
  description: string
  website: string | null
  /** Compared as whole strings. https, the scheme of an app, or http to the own machine only, with any port. */ redirectUris: string[]
  /** Where its events are sent; null: it gets none. */ webhookUrl: string | null
  /** Events besides those of received messages that the webhook URL gets. `lineDisconnected`: a user took away what it names. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** The webhook URL's health; null without a URL. */ endpoint: EndpointHealth | null
  createdAt: string
}

export interface ApplicationDelivery {
  id: string
  /** null: the event is a notice, and not about a line. */ lineId: string | null
  /** The header `webhook-id` of every attempt. */ eventId: string
  /** Besides the first three an endpoint gets only what it asked for (`optInEvents`); `lineDisconnected` is for applications, and those with a dot are for operational webhooks. */ type:
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
  /** `exhausted`: its attempts are used up, or the application may have no more. `held`: its endpoint is disabled. */ status:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held'
  attemptCount: number
  /** The last failure's name: `disconnected`, `forgotten`, `internal_error`, `earlier_event_waits`, `template_too_heavy`, `worker_lost`, `stopped_by_receiver`, `template_failed`, `media_…`, or what came of the request, such as `timeout` or `http_500`. */ lastFailure:
    string | null
  createdAt: string
  /** While it is pending: when it is tried next. */ dueAt: string
  /** A replay has sent it again; its attempts have the header `webhook-replay: true` since then. */ isReplayed: boolean
  deliveredAt: string | null
}

export interface AuthorizedApplication {
  id: string
  name: string
  website: string | null
  /** The user who registered it. */ ownerName: string
  /** Your lines that it may use. */ connected_lines: {
    id: string
    name: string
    /** A phone number in E.164 form, a short code, a name, or the SID of a service (`senderKind`). */ phoneNumber: string
    /** What it may do. */ scopes: string[]
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
    /** `gone`: it answered 410. `failing`: every attempt of five days failed. `owner_disabled`: the account of its owner was disabled. */ disabledReason:
      'gone' | 'failing' | 'owner_disabled' | null
    /** Since when no events are sent: they wait. */ pausedAt: string | null
    /** What an `operator` paused only operators resume. */ pausedBy: 'owner' | 'operator' | null
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
  /** A contact counts for all lines of the user. These are the ones that you may see. */ lineIds: string[]
  /** What a blocked number sends to a line is kept and makes no events. */ blocked: boolean
  blockedAt: string | null
  createdAt: string
}

export interface Delivery {
  id: string
  /** null: the event is a notice, and not about a line. */ lineId: string | null
  /** The header `webhook-id` of every attempt. */ eventId: string
  /** Besides the first three an endpoint gets only what it asked for (`optInEvents`); `lineDisconnected` is for applications, and those with a dot are for operational webhooks. */ type:
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
  /** `exhausted`: its attempts are used up, or the application may have no more. `held`: its endpoint is disabled. */ status:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held'
  attemptCount: number
  /** The last failure's name: `disconnected`, `forgotten`, `internal_error`, `earlier_event_waits`, `template_too_heavy`, `worker_lost`, `stopped_by_receiver`, `template_failed`, `media_…`, or what came of the request, such as `timeout` or `http_500`. */ lastFailure:
    string | null
  createdAt: string
  /** While it is pending: when it is tried next. */ dueAt: string
  /** A replay has sent it again; its attempts have the header `webhook-replay: true` since then. */ isReplayed: boolean
  deliveredAt: string | null
  /** The message that was received; null: the event tells of none. */ messageId: string | null
  /** Which endpoint gets it: one of the line, or an application's. */ endpointId: string
  /** The application that gets it; null: a server of the line's own. */ applicationId: string | null
  /** Where it goes; of another user's application only the origin. */ url: string
  fromNumber: string | null
  toNumber: string | null
}

export interface DeliveryWithAttempts {
  id: string
  /** null: the event is a notice, and not about a line. */ lineId: string | null
  /** The header `webhook-id` of every attempt. */ eventId: string
  /** Besides the first three an endpoint gets only what it asked for (`optInEvents`); `lineDisconnected` is for applications, and those with a dot are for operational webhooks. */ type:
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
  /** `exhausted`: its attempts are used up, or the application may have no more. `held`: its endpoint is disabled. */ status:
    'pending' | 'delivering' | 'delivered' | 'exhausted' | 'held'
  attemptCount: number
  /** The last failure's name: `disconnected`, `forgotten`, `internal_error`, `earlier_event_waits`, `template_too_heavy`, `worker_lost`, `stopped_by_receiver`, `template_failed`, `media_…`, or what came of the request, such as `timeout` or `http_500`. */ lastFailure:
    string | null
  createdAt: string
  /** While it is pending: when it is tried next. */ dueAt: string
  /** A replay has sent it again; its attempts have the header `webhook-replay: true` since then. */ isReplayed: boolean
  deliveredAt: string | null
  /** The message that was received; null: the event tells of none. */ messageId: string | null
  /** Which endpoint gets it: one of the line, or an application's. */ endpointId: string
  /** The application that gets it; null: a server of the line's own. */ applicationId: string | null
  /** Where it goes; of another user's application only the origin. */ url: string
  fromNumber: string | null
  toNumber: string | null
  attempts: {
    attemptNumber: number
    startedAt: string
    /** The whole of it; its parts are beside it. */ durationMs: number
    /** The look-up of the name; null, as in the next two: there was none, or the connection was open already. */ dnsMs:
      number | null
    connectMs: number | null
    tlsMs: number | null
    /** From the request to the head of its answer. */ firstByteMs: number | null
    /** As they were sent, but for those of the connection and the values of headers that you added; null: nothing was sent. */ requestHeaders: Record<
      string,
      string
    > | null
    responseStatus: number | null
    /** The first 40 and 2,000 characters of them, without cookies and credentials. */ responseHeaders: Record<
      string,
      string
    > | null
    responseExcerpt: string | null
    /** The failure's name; null when it succeeded. */ failure: string | null
    nextAttemptAt: string | null
  }[]
}

export interface Endpoint {
  id: string
  /** The line whose events it gets; null: it belongs to an application, or to your account. */ lineId:
    string | null
  /** The application whose webhook it is. If both are null, it is an operational webhook of your account. */ applicationId:
    string | null
  /** Whether the developer connection of its line names it as the outgoing webhook. */ isOutgoingWebhook: boolean
  /** What you call it; null: it has no name. */ name: string | null
  /** Where its events are sent. */ url: string
  /** The events that it gets besides those of received messages. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** Every attempt since this moment has failed. */ failingSince: string | null
  consecutiveFailureCount: number
  /** Events are held since this moment. */ disabledAt: string | null
  /** `gone`: it answered 410. `failing`: every attempt of five days failed. `owner_disabled`: the account of its owner was disabled. */ disabledReason:
    'gone' | 'failing' | 'owner_disabled' | null
  /** Since when no events are sent: they wait. */ pausedAt: string | null
  /** What an `operator` paused only operators resume. */ pausedBy: 'owner' | 'operator' | null
  /** Until this moment the previous signing secret signs too. */ previousSecretUntil: string | null
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
  /** Since when no events are sent: they wait. */ pausedAt: string | null
}

export interface EndpointPolicy {
  /** When failed events are retried. `default`: 10 attempts within three days. `short`: 5 within a quarter of an hour. `long`: 17 within about a week. Or the waits between attempts, in seconds; an empty list: never. */ retrySchedule:
    'default' | 'short' | 'long' | number[]
  /** false: an event that was sent, and not answered in time, is not sent again by itself. */ retryOnTimeout: boolean
  /** How long the endpoint can take to respond. Null uses this installation's limit. */ timeoutSeconds:
    number | null
  /** The maximum number of simultaneous requests. Null adapts to the endpoint. */ requestsAtOnce:
    number | null
  /** true: an event waits until the one before it from the same number is taken, or is not tried again. It does not hold up events from others. It counts for events from then on. */ ordered: boolean
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
  /** The format of the request. `linehook`: the six fields. `cloudevents`: CloudEvents 1.0 in structured mode; `cloudevents-binary`: in binary mode. `slack`, `discord`: a text for an incoming webhook of theirs. `ifttt`: `value1` is the sender, `value2` the payload, `value3` the receiver. `template`: what `template` makes. */ shape:
    'linehook' | 'cloudevents' | 'cloudevents-binary' | 'slack' | 'discord' | 'ifttt' | 'template'
  /** In the [Liquid](https://shopify.github.io/liquid/) language, with the six fields, `id` and `time`: `{"text": {{ payload | json }}}`. Filling it may take half a second. */ template:
    string | null
  /** The Content-Type of the template's output. JSON output is validated. */ templateContentType: string
  /** Of Standard Webhooks. `v1`: HMAC-SHA256 by the signing secret. `v1a`: Ed25519, verified with the key at `publicKeyUrl`. For 24 h after a change, both are sent. */ signature:
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
    /** `user`: of all lines of the user together. */ of: 'line' | 'user'
    /** The number of segments accepted per day (UTC). */ segmentsPerDay: number
    /** How many were accepted today. */ used: number
    /** 80 % are used, or more. */ isNear: boolean
    /** When the next day begins. */ resetsAt: string
  }[]
  /** The monthly caps, if operators have set any. */ monthlyCaps: {
    /** `user`: of all lines of the user together. */ of: 'line' | 'user'
    /** The maximum cost of messages per month (UTC). */ amount: string
    /** ISO 4217. Only charges in this currency count. */ currency: string
    /** This month's cost, as reported by carriers. */ spent: string
    /** 80 % are spent, or more. */ isNear: boolean
    /** No more messages are accepted this month. */ isUsedUp: boolean
    /** When the next month begins. */ resetsAt: string
  }[]
}

export interface Line {
  id: string
  name: string
  /** A phone number in E.164 form, a short code, a name, or the SID of a service (`senderKind`). */ phoneNumber: string
  /** What `phoneNumber` is. A `name` only sends: nobody can write to it. */ senderKind:
    'number' | 'short_code' | 'name' | 'service'
  /** A disabled line sends and delivers nothing. */ status: 'active' | 'disabled'
  /** Whether the developer connection is enabled. */ isConnected: boolean
  /** The limit to one number. */ messagesPerNumberPerMinute: number
  /** The limit in all. */ messagesPerMinute: number
  /** Since when what the line sends is paused: messages wait. */ pausedAt: string | null
  /** What an `operator` paused only operators resume. */ pausedBy: 'owner' | 'operator' | null
  /** ISO 3166 codes of countries to which messages are refused because their volume rose suddenly. Only an operator can resume them. */ pausedCountries: string[]
  /** When it last sent or received. */ lastActivityAt: string | null
}

export interface Media {
  /** A message is sent, or an event delivered, once its media are `stored`. */ status:
    'pending' | 'fetching' | 'stored' | 'failed'
  /** Why the media have not been copied, such as `media_http_404`. */ failure: string | null
  /** The type that its bytes show. */ contentType: string | null
  byteCount: number | null
  width: number | null
  height: number | null
  /** The URL of our copy. Null until the copy is stored, and again after it expires. */ url: string | null
}

export interface Message {
  id: string
  lineId: string
  direction: 'outbound' | 'inbound'
  /** What it came by; `carrier` when it was received, `service` when it answers STOP, START or HELP. */ source:
    'webhook' | 'application' | 'api' | 'console' | 'carrier' | 'service'
  /** The application that sent it. */ applicationId: string | null
  type: 'text' | 'media' | 'voicemail'
  fromNumber: string
  toNumber: string
  text: string | null
  /** Of the text; null without one. */ encoding: 'GSM-7' | 'UCS-2' | null
  /** How many pieces the text is sent in, and charged for; null without one. */ segmentCount: number | null
  /** How many pieces its carrier has counted; null: it has not said. */ carrierSegmentCount: number | null
  /** What its carrier says that it costs, exact, in `currency`; null: it has not said. It may come hours after the message was sent. */ price:
    string | null
  /** ISO 4217, such as `USD`. */ currency: string | null
  /** The first of `mediaUrls`; null: the message has no media. */ mediaUrl: string | null
  /** In order: what was given, or of a received message our copies, each of which is there once it is stored. */ mediaUrls: string[]
  /** Our copies, in the order of `mediaUrls`. */ media: Media[]
  /** Outbound: `scheduled` for later, then `queued → sending → sent → delivered`, or `failed`, or `unknown`: the carrier may have taken it. */ status:
    'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'received'
  /** Why it failed, is unknown, or was not sent yet: `cancelled`, `disconnected`, `expired`, `forgotten`, `line_disabled`, `opted_out`, `internal_error`, `throttled`, `carrier_unavailable`, `carrier_missing`, `carrier_outcome_unknown`, `worker_lost`, `restored`, `carrier_has_no_record`, `media_…`, or the carrier's words. */ error:
    string | null
  /** The carrier's own code beside the error, such as Twilio's `30003`. */ carrierCode: string | null
  /** What that code means and what to do, in a sentence; null: no code, or one that is not known here. */ carrierCodeMeaning: {
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
  /** The carrier account that it was handed to; null: none yet, or it was received. */ carrierAccount:
    string | null
  /** The accounts of routes before that one, which certainly did not take it, each with the reason. */ passedOver: Record<
    string,
    string
  > | null
  /** The message that was sent again with this one. */ againOf: string | null
  /** What whoever sent it calls it. */ clientRef: string | null
  /** When it was, or is, to be sent; null: at once. Until then it is `scheduled`. */ sendAt: string | null
  /** If the carrier was not asked to send it by then, it fails as `expired`. */ expiresAt: string | null
  /** What its sender says to the carrier besides, by names that the carrier account knows. */ carrierOptions: Record<
    string,
    string
  > | null
  /** When it was accepted, or the line received it. */ createdAt: string
  sentAt: string | null
  /** When the carrier's report on it came. */ receiptAt: string | null
}

export interface NewEndpoint {
  id: string
  /** The line whose events it gets; null: it belongs to an application, or to your account. */ lineId:
    string | null
  /** The application whose webhook it is. If both are null, it is an operational webhook of your account. */ applicationId:
    string | null
  /** Whether the developer connection of its line names it as the outgoing webhook. */ isOutgoingWebhook: boolean
  /** What you call it; null: it has no name. */ name: string | null
  /** Where its events are sent. */ url: string
  /** The events that it gets besides those of received messages. */ optInEvents: (
    'messageStatus' | 'optOut' | 'missedCall' | 'lineDisconnected'
  )[]
  /** Every attempt since this moment has failed. */ failingSince: string | null
  consecutiveFailureCount: number
  /** Events are held since this moment. */ disabledAt: string | null
  /** `gone`: it answered 410. `failing`: every attempt of five days failed. `owner_disabled`: the account of its owner was disabled. */ disabledReason:
    'gone' | 'failing' | 'owner_disabled' | null
  /** Since when no events are sent: they wait. */ pausedAt: string | null
  /** What an `operator` paused only operators resume. */ pausedBy: 'owner' | 'operator' | null
  /** Until this moment the previous signing secret signs too. */ previousSecretUntil: string | null
  createdAt: string
  /** It signs the events. */ signingSecret: string
}

export interface OptOut {
  number: string
  optedOutAt: string
}

export interface PortalLink {
  /** Where the user opens it. It is told this once. */ url: string
  expiresAt: string
}

export interface RegisteredApplication {
  id: string
  clientId: string
  /** `confidential`: has a server that keeps its secret. `public`: has no secret and must use PKCE. */ kind:
    'confidential' | 'public'
  /** Users read it when they authorize it. */ name: string
  description: string
  website: string | null
  /** Compared as whole strings. https, the scheme of an app, or http to the own machine only, with any port. */ redirectUris: string[]
  /** Where its events are sent; null: it gets none. */ webhookUrl: string | null
  /** Events besides those of received messages that the webhook URL gets. `lineDisconnected`: a user took away what it names. */ optInEvents: (
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
  /** A unit of GSM-7 has 7 bits: a single segment has 160, each of several has 153. A unit of UCS-2 has 16 bits: a single segment has 70, each of several has 67. */ unitCount: number
  characterCount: number
}

export interface SigningSecret {
  signingSecret: string
}

export interface Task {
  id: string
  kind: 'replay' | 'held_events' | 'retry' | 'import' | 'text_list'
  /** `stopped`: a person stopped it, or its owner was disabled. `failed`: `error` says why. */ status:
    'waiting' | 'running' | 'done' | 'stopped' | 'failed'
  /** The line whose events or texts they are; null: not of one only. */ lineId: string | null
  /** The application whose events they are. */ applicationId: string | null
  /** Of a replay to another URL: which one. */ url: string | null
  /** null: there are so many that they are still counted. */ totalCount: number | null
  doneCount: number
  /** How many of them another URL did not take, or were refused. */ failedCount: number
  /** The last failure's name, such as `http_500`. */ lastFailure: string | null
  /** Why it ended before it was done. */ error: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
}

export interface TestEventResult {
  delivered: boolean
  responseStatus: number | null
  /** The failure's name, such as `timeout` or `http_500`. */ failure: string | null
  durationMs: number
  responseExcerpt: string | null
}

export interface Usage {
  /** The month (UTC) in which the messages were handed to the carrier. */ month: string
  lineId: string
  /** The number of messages accepted by carriers. Messages deleted because of their age no longer count. */ messageCount: number
  /** How many segments they had: as their carrier counts where it says so, or else as we do. */ segmentCount: number
  /** How many of these segments were counted by carriers. */ carrierSegmentCount: number
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
