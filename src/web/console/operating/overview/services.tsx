import type { Overview } from '../../../../domain/operating/overview/overview.js'
import type { Part } from '../../../../domain/operating/overview/part.js'
import type { ServiceView } from '../../../../domain/operating/overview/service.js'
import { Fact } from '../../parts/facts.js'
import { Words } from '../../parts/words.js'

const WORDS = { good: 'Healthy', waiting: 'Warning', bad: 'Critical' }

/** Shows the services that everything depends on. */
export function Services({ overview: { postgres, redis, storage } }: { overview: Overview }) {
  return (
    <div class="services">
      <Service id="postgres" title="Postgres" part={postgres} />
      <Service id="redis" title="Redis" part={redis} />
      <Service id="storage" title="Storage" part={storage} />
    </div>
  )
}

function Service({ id, title, part }: { id: string; title: string; part: Part<ServiceView> }) {
  const mood = part.isKnown ? part.value.mood : 'bad'
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} <span class={`badge ${mood}`}>{WORDS[mood]}</span>
      </h2>
      {part.isKnown ? (
        <>
          {part.value.faults.map(({ text }) => (
            <p key={text} class="fault">
              <Words>{text}</Words>
            </p>
          ))}
          <dl class="pairs">
            {part.value.facts.map(([label, figure]) => (
              <Fact key={label} label={label}>
                {figure}
              </Fact>
            ))}
          </dl>
        </>
      ) : (
        <p class="fault">{part.fault}.</p>
      )}
    </section>
  )
}
