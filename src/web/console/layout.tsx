import type { ComponentChildren } from 'preact'
import { MAX_UNREAD } from '../../domain/operating/notices.js'
import { assetPath } from '../assets.js'
import { CsrfField, Time } from './form.js'
import { homeOf, OVERVIEW } from './home.js'
import type { Page } from './page.js'

/** Every page: head, navigation, what was just done, and the content. */
export function Layout(props: { page: Page; title: string; children: ComponentChildren }) {
  const { page, title, children } = props
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Linehook`}</title>
        <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath('pico.css')} />
        <link rel="stylesheet" href={assetPath('console.css')} />
        {page.path.startsWith('/simulator') && <link rel="stylesheet" href={assetPath('simulator.css')} />}
        <meta name="htmx-config" content={HTMX_CONFIG} />
        {(['htmx.js', 'console.js'] as const).map((name) => (
          <script key={name} src={assetPath(name)} nonce={page.nonce} defer />
        ))}
        <script
          src={assetPath('live.js')}
          nonce={page.nonce}
          data-worker={assetPath('live-worker.js')}
          defer
        />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Header page={page} />
        <main id="content" class="container">
          <AllSendingPaused page={page} />
          {page.notice !== undefined && (
            <p role="status" class="notice">
              {page.notice}
            </p>
          )}
          {children}
        </main>
        {/* Who has not signed in need not know what runs here. */}
        {page.session !== undefined && (
          <footer class="container">
            <small class="muted">Linehook {page.version}</small>
          </footer>
        )}
      </body>
    </html>
  )
}

/**
 * htmx would put a style element into the page, which the Content-Security-Policy refuses. What a person has opened
 * stays open when a live piece changes.
 */
const HTMX_CONFIG = JSON.stringify({ includeIndicatorCSS: false, morphIgnore: ['data-htmx-powered', 'open'] })

function Header({ page }: { page: Page }) {
  const { session } = page
  const brand = (
    <a class="brand" href={session === undefined ? '/console' : homeOf(session)} aria-label="Linehook">
      <img src={assetPath('icon.svg')} alt="" width="24" height="24" /> <span>Linehook</span>
    </a>
  )
  if (session === undefined) return <header class="container top">{brand}</header>
  if (page.isSettingUp) {
    return (
      <header class="container top">
        {brand}
        <SignOut page={page} email={session.email} />
      </header>
    )
  }
  return (
    <header class="container top">
      {brand}
      <nav aria-label="Main">
        <ul>
          <NavLinks page={page} places={PLACES} />
        </ul>
      </nav>
      {session.role === 'operator' && (
        <Menu label="Operate" isHere={PLACES_OF_OPERATORS.some(({ at }) => at.test(page.path))}>
          <nav aria-label="Operators">
            <ul>
              <NavLinks page={page} places={PLACES_OF_OPERATORS} />
            </ul>
          </nav>
        </Menu>
      )}
      <Search />
      <Menu label="Account" isHere={PLACES_OF_ACCOUNT.some(({ at }) => at.test(page.path))}>
        <nav aria-label="Account">
          <p class="muted">{session.email}</p>
          <ul>
            <NavLinks
              page={page}
              places={PLACES_OF_ACCOUNT.filter(({ href }) => page.hasSimulator || href !== SIMULATOR)}
            />
            <li>
              <SignOut page={page} email={session.email} />
            </li>
          </ul>
        </nav>
      </Menu>
    </header>
  )
}

/** Opens without a script. Of those with one name a browser opens one at a time. */
function Menu(props: { label: string; isHere: boolean; children: ComponentChildren }) {
  return (
    <details class="menu" name="menu">
      <summary class={props.isHere ? 'here' : ''}>{props.label}</summary>
      {props.children}
    </details>
  )
}

function noticesLabel({ unreadCount }: Page): string {
  if (unreadCount === 0) return 'Notices'
  return `Notices (${unreadCount < MAX_UNREAD ? unreadCount : `${MAX_UNREAD}+`})`
}

function SignOut({ page, email }: { page: Page; email: string }) {
  return (
    <form method="post" action="/console/sign-out" class="inline">
      <CsrfField page={page} />
      <button type="submit" class="link" title={`Signed in as ${email}`}>
        Sign out
      </button>
    </form>
  )
}

function Search() {
  return (
    <div role="search">
      <form method="get" action="/console/search" class="inline">
        <input type="search" name="q" placeholder="Search" aria-label="Search" maxLength={254} required />
      </form>
    </div>
  )
}

/** Every page says it, so that nobody forgets. The page of sending does so itself. */
function AllSendingPaused({ page: { allSendingPause, path } }: { page: Page }) {
  // Those two say it themselves.
  if (allSendingPause?.pausedAt == null || path === '/console/sending' || path === OVERVIEW) return null
  const { pausedAt, pausedBy } = allSendingPause
  return (
    <p class="fault">
      All sending is paused since <Time at={pausedAt} />
      {pausedBy !== null && ` by ${pausedBy}`}: messages wait. <a href="/console/sending">Resume it</a>
    </p>
  )
}

interface Place {
  href: string
  label: string | ((page: Page) => string)
  /** Paths at which one is there. */
  at: RegExp
}

const SIMULATOR = '/simulator'

const PLACES: Place[] = [
  { href: '/console', label: 'Lines', at: /^\/console(\/lines.*)?$/ },
  { href: '/console/activity', label: 'Activity', at: /^\/console\/(activity|messages)/ },
  { href: '/console/applications', label: 'Applications', at: /^\/console\/applications/ },
  { href: '/console/notices', label: noticesLabel, at: /^\/console\/notices/ },
]

const PLACES_OF_ACCOUNT: Place[] = [
  // A phone has no room for the field.
  { href: '/console/search', label: 'Search', at: /^\/console\/search/ },
  {
    href: '/console/authorized-applications',
    label: 'Authorized applications',
    at: /^\/console\/authorized-applications/,
  },
  { href: '/console/usage', label: 'Usage', at: /^\/console\/usage/ },
  { href: SIMULATOR, label: 'Phone simulator', at: /^\/simulator/ },
  { href: '/console/tasks', label: 'Background tasks', at: /^\/console\/tasks/ },
  { href: '/console/endpoints', label: 'Endpoints', at: /^\/console\/endpoints/ },
  { href: '/console/events', label: 'Events', at: /^\/console\/events/ },
  { href: '/docs', label: 'API', at: /^\/docs/ },
  { href: '/console/settings', label: 'Settings', at: /^\/console\/settings/ },
]

const PLACES_OF_OPERATORS: Place[] = [
  { href: OVERVIEW, label: 'Overview', at: /^\/console\/overview/ },
  { href: '/console/users', label: 'Users', at: /^\/console\/users/ },
  { href: '/console/people', label: 'People', at: /^\/console\/people/ },
  { href: '/console/carriers', label: 'Carriers', at: /^\/console\/carriers/ },
  { href: '/console/sending', label: 'Sending', at: /^\/console\/sending/ },
  { href: '/queues', label: 'Queues', at: /^\/queues/ },
  { href: '/console/audit', label: 'Audit log', at: /^\/console\/audit/ },
]

function NavLinks({ page, places }: { page: Page; places: readonly Place[] }) {
  return (
    <>
      {places.map(({ href, label, at }) => (
        <li key={href}>
          <a href={href} {...(at.test(page.path) ? { 'aria-current': 'page' as const } : {})}>
            {typeof label === 'string' ? label : label(page)}
          </a>
        </li>
      ))}
    </>
  )
}
