import type { OwnLine } from '../../../database/lines.js'
import type { Message } from '../../../database/messages/message.js'
import type { SendingPause } from '../../../database/pauses.js'
import type { EventWithDeliveries } from '../../../domain/deliveries/delivery-history.js'
import type { findObstacles } from '../../../domain/opt-out/contacts.js'
import type { Page } from '../page.js'

/** What the parts of a message's page may show. */
export interface MessageView {
  page: Page
  message: Message
  line: OwnLine
  /** Of a received message. */
  event: EventWithDeliveries | undefined
  /** Only for endpoints that asked for them. */
  optInEvents: EventWithDeliveries[]
  /** Between the line and the number at the other end. */
  obstacles: Awaited<ReturnType<typeof findObstacles>>
  /** What keeps the message from being sent, nearest first. */
  pauses: SendingPause[]
  /** Of one wish to send it again: the same for as long as the page is open. */
  key: string
}
