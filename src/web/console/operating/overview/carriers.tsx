import { CARRIER_REASONS, type CarrierReason } from '../../../../carrier-reasons.js'
import type { CarrierView } from '../../../../domain/operating/overview/carriers.js'
import { countOf, describeCount } from '../../../../domain/operating/overview/figures.js'
import { carrierPath } from '../../carriers/carrier/page-model.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { percent } from '../../parts/figures.js'
import { Words } from '../../parts/words.js'

export function Carriers({ carriers }: { carriers: readonly CarrierView[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Account</th>
          <th>State</th>
          <th class="r">Lines</th>
          <th>Last 15 minutes</th>
          <th>Last error, 24{'\u00a0'}h</th>
        </tr>
      </thead>
      <tbody>
        {carriers.map((carrier) => (
          <tr key={carrier.id}>
            <td data-label="Account">
              <span>
                <a href={carrierPath(carrier.id)}>{carrier.name}</a>{' '}
                <span class="muted">{carrier.title}</span>
              </span>
            </td>
            <td data-label="State">
              <span>
                <span class={`badge ${carrier.mood}`}>{carrier.state}</span>{' '}
                <Words>{carrier.faults.join(' ')}</Words>
                {carrier.sessions?.isWhole === true && `Sessions: ${carrier.sessions.words}.`}
              </span>
            </td>
            <td data-label="Lines" class="r">
              {describeCount(carrier.lineCount)}
            </td>
            <td data-label="Last 15 minutes">{describeRecent(carrier)}</td>
            <td data-label="Last error">
              <LastError carrier={carrier} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
