import { contactNumberOf } from '../../../../database/messages/message.js'
import { Head, MessageFacts, Said } from './head.js'
import { InboundHistory } from './inbound.js'
import { Obstacles } from './obstacles.js'
import { OptInEventsHistory } from './opt-in-events.js'
import { Outcome, OutboundHistory } from './outbound.js'
import type { MessageView } from './page-model.js'

export function MessageBody(view: MessageView) {
  return (
    <>
      <Head {...view} />
      <div class="with-facts">
        <div class="stack">
          <Obstacles number={contactNumberOf(view.message)} obstacles={view.obstacles} />
          <Outcome {...view} />
          <Said {...view} />
          {view.message.direction === 'outbound' ? (
            <OutboundHistory {...view} />
          ) : (
            <InboundHistory {...view} />
          )}
          <OptInEventsHistory {...view} />
        </div>
        <aside>
          <MessageFacts {...view} />
        </aside>
      </div>
    </>
  )
}
