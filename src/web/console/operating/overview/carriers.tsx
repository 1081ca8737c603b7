import { CARRIER_REASONS, type CarrierReason } from '../../../../carrier-reasons.js'
import type { CarrierView } from '../../../../domain/operating/overview/carriers.js'
import { countOf, describeCount } from '../../../../domain/operating/overview/figures.js'
import { carrierPath } from '../../carriers/carrier/page-model.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { percent } from '../../parts/figures.js'
import { Table } from '../../parts/table.js'
import { Words } from '../../parts/words.js'

export function Carriers({ carriers }: { carriers: readonly CarrierView[] }) {
  return (
    <Table
      rows={carriers}
      columns={{
        Account: ({ id, name, title }) => (
          <span>
            <a href={carrierPath(id)}>{name}</a> <span class="muted">{title}</span>
          </span>
        ),
        State: ({ mood, state, faults, sessions }) => (
          <span>
            <span class={`badge ${mood}`}>{state}</span> <Words>{faults.join(' ')}</Words>
            {sessions?.isWhole === true && `Sessions: ${sessions.words}.`}
          </span>
        ),
        Lines: ({ lineCount }) => describeCount(lineCount),
        'Last 15 minutes': describeRecent,
        'Last error, 24\u00a0h': (carrier) => <LastError carrier={carrier} />,
      }}
      looks={{ Lines: 'r' }}
    />
  )
}

function describeRecent({ handedOverCount, failedCount, unknownCount }: CarrierView): string {
  if (handedOverCount === 0) return 'No messages'
  const share = (count: number) => percent(count / handedOverCount)
  const unknown = unknownCount === 0 ? '' : `, ${share(unknownCount)} unknown`
  return `${countOf(handedOverCount, 'message')}, ${share(failedCount)} failed${unknown}`
}

/** Shows the newer one of the messages' errors and the sessions'. */
function LastError({
  carrier: { lastError, lastErrorCode, lastErrorReason, lastErrorAt, sessions },
}: {
  carrier: CarrierView
}) {
  const ofSessions = sessions?.lastError
  if (ofSessions !== undefined && (lastErrorAt === null || ofSessions.at > lastErrorAt)) {
    return (
      <span>
        {ofSessions.text}{' '}
        <span class="muted">
          <Time at={ofSessions.at} />
        </span>
      </span>
    )
  }
  if (lastErrorAt === null) return <span class="muted">None</span>
  return (
    <span>
      {lastError === null ? 'No reason given.' : explainFailure(lastError)}
      {lastErrorCode !== null && ` (${lastErrorCode}${inWords(lastErrorReason)})`}{' '}
      <span class="muted">
        <Time at={lastErrorAt} />
      </span>
    </span>
  )
}

function inWords(reason: CarrierReason | null): string {
  return reason === null ? '' : `: ${CARRIER_REASONS[reason].label}`
}
