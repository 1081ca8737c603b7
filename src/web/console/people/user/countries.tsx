import { countryName, resumeCountry, type CountryPause } from '../../../../domain/messages/country-guard.js'
import { fieldOf } from '../../form-values.js'
import { ActButton, Time } from '../../form.js'
import type { Page } from '../../page.js'
import { userAct } from './act.js'

/** Lists the countries to which the user's messages are refused since a sudden rise; nothing if there is none. */
export function PausedCountries(props: { page: Page; path: string; pauses: readonly CountryPause[] }) {
  const { page, path, pauses } = props
  if (pauses.length === 0) return null
  return (
    <section id="countries" aria-labelledby="countries-title">
      <h2 id="countries-title">Paused countries</h2>
      {pauses.map(({ country, pausedAt, accepted, usual }) => (
        <div key={country} class="fault">
          <p>
            Messages to {countryName(country)} have been refused since <Time at={pausedAt} />: {accepted} were
            accepted within an hour, compared with at most {usual} an hour in the month before. Ask the user
            whether these messages are theirs. If not, regenerate the incoming webhooks and revoke the tokens.
          </p>
          <ActButton
            page={page}
            action={`${path}/countries/resume`}
            label={`Resume messages to ${countryName(country)}`}
            fields={{ country }}
          />
        </div>
      ))}
    </section>
  )
}

export const postResumeCountry = userAct('country-resumed', (context, user, ctx) =>
  resumeCountry(context, user, fieldOf(ctx, 'country')),
)
