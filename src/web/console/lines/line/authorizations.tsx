import type { AuthorizedApplication } from '../../../../domain/applications/authorizations.js'

/** Lists the applications that may use the line; their rights are on a separate page. */
export function LineAuthorizations({ applications }: { applications: readonly AuthorizedApplication[] }) {
  return (
    <section id="applications" aria-labelledby="applications-title">
      <h2 id="applications-title">Applications</h2>
      {applications.length === 0 ? (
        <p class="empty">No application can use this line.</p>
      ) : (
        <>
          <ul>
            {applications.map(({ id, name }) => (
              <li key={id}>
                <a href={`/console/authorized-applications#${id}`} dir="auto">
                  {name}
                </a>
              </li>
            ))}
          </ul>
          <p>
            Review or disconnect them under{' '}
            <a href="/console/authorized-applications">Authorized applications</a>.
          </p>
        </>
      )}
    </section>
  )
}
