import type { ComponentChildren } from 'preact'
import type { Overview } from '../../../../domain/operating/overview/overview.js'
import type { Part } from '../../../../domain/operating/overview/part.js'
import { Attention } from '../../attention.js'
import { OVERVIEW } from '../../home.js'
import type { Page } from '../../page.js'
import { Carriers } from './carriers.js'
import { Charts } from './charts.js'
import { Endpoints } from './endpoints.js'
import { BusiestOf } from './busiest.js'
import { Queues } from './queues.js'
import { Services } from './services.js'

/** Shows the part of the page that changes by itself. */
export function OverviewNow(props: { page: Page; overview: Overview; userId: string }) {
  const { page, overview, userId } = props
  const { needs, traffic, queues, carriers, endpoints, busiest } = overview
  return (
    <>
      <section id="needs" aria-labelledby="needs-title">
        <h2 id="needs-title">Needs attention</h2>
        {needs.length === 0 ? (
          <p>
            <span class="badge good">Everything is working.</span>
          </p>
        ) : (
          <Attention {...{ page, needs, userId }} back={OVERVIEW} />
        )}
      </section>
      <OverviewSection id="traffic" title="Traffic" part={traffic}>
        {(value) => <Charts traffic={value} countedAt="hand-over" />}
      </OverviewSection>
      <OverviewSection id="busiest" title="Busiest" part={busiest}>
        {(value) => <BusiestOf busiest={value} by={busiest.by} span={busiest.span} userId={userId} />}
      </OverviewSection>
      <OverviewSection id="queues" title="Queues" part={queues}>
        {(value) => <Queues queues={value} />}
      </OverviewSection>
      <OverviewSection id="carriers" title="Carriers" part={carriers}>
        {(value) => <Carriers carriers={value} />}
      </OverviewSection>
      <Services overview={overview} />
      <OverviewSection id="endpoints" title="Failing or slow endpoints" part={endpoints}>
        {(value) => <Endpoints troubles={value} userId={userId} />}
      </OverviewSection>
      <p class="muted">Updates automatically.</p>
    </>
  )
}

function OverviewSection<Value>(props: {
  id: string
  title: string
  part: Part<Value>
  children: (value: Value) => ComponentChildren
}) {
  const { id, title, part, children } = props
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {part.isKnown ? children(part.value) : <p class="fault">{part.fault}.</p>}
    </section>
  )
}
