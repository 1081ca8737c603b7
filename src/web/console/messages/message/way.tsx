import { contactNumberOf } from '../../../../database/messages/message.js'
import { Head, MessageFacts, Said } from './head.js'
import { InboundWay } from './inbound.js'
import { Obstacles } from './obstacles.js'
import { OptInEventsWay } from './opt-in-events.js'
import { OutboundWay } from './outbound.js'
import type { MessageView } from './page-model.js'

export function Way(view: MessageView) {
  return (
    <>
      <Head {...view} />
      <div class="with-facts">
        <div class="stack">
          <Obstacles number={contactNumberOf(view.message)} obstacles={view.obstacles} />
          <Said {...view} />
          {view.message.direction === 'outbound' ? <OutboundWay {...view} /> : <InboundWay {...view} />}
          <OptInEventsWay {...view} />
        </div>
        <aside>
          <MessageFacts {...view} />
        </aside>
      </div>
    </>
  )
}
