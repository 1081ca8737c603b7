import type { Need } from '../../../../domain/operating/overview/needs.js'
import { CureLink } from './cure-link.js'
import { Words } from './words.js'

const WORDS = { bad: 'broken', waiting: 'look' }

export function Needs({ needs, userId }: { needs: readonly Need[]; userId: string }) {
  return (
    <section id="needs" aria-labelledby="needs-title">
      <h2 id="needs-title">What needs a person</h2>
      {needs.length === 0 ? (
        <p class="empty">
          <span class="badge good">all well</span> Nothing does.
        </p>
      ) : (
        <ul class="needs">
          {needs.map((need) => (
            <li key={need.text} class={need.mood}>
              <span class={`badge ${need.mood}`}>{WORDS[need.mood]}</span>
              <span>
                <Words>{need.text}</Words>
              </span>
              <CureLink cure={need.cure} userId={userId} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
