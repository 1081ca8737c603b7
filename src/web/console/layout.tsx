import type { ComponentChildren } from 'preact'
import type { Session } from '../../domain/people/sessions.js'
import { assetPath } from '../assets.js'
import { CsrfField, Time } from './form.js'
import { homeOf, OVERVIEW } from './home.js'
import { LostInput } from './parts/lost-input.js'
import { HeadCount, LiveHeadCounts } from './parts/unread.js'
import { Words } from './parts/words.js'
import type { Page } from './page.js'

/**
 * Makes the frame of every page: head, navigation, notice, and content.
 *
 * @param props.zone the time zone of the page's times, if it is not the reader's
 * @param props.place the path of the page to which this one belongs in the navigation, if its own path does not say
 * @param props.about the sentence for search engines and lists of tabs
 */
export function Layout(props: {
  page: Page
  title: string
  zone?: string | undefined
  place?: string
  about?: string
  children: ComponentChildren
}) {
  const { page, title, zone, place = page.path, children } = props
  const { look } = page
  const { about = `The console of ${look.name}: phone lines, their messages and webhooks.` } = props
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${look.name}`}</title>
        <meta name="description" content={about} />
        {/* Without this the font is found only in the style sheet, and the text changes its look a moment later. */}
        <link
          rel="preload"
          href={assetPath('inter-latin.woff2')}
          as="font"
          type="font/woff2"
          crossOrigin="anonymous"
        />
        <link rel="icon" href={look.logo} />
        <link rel="stylesheet" href={look.stylesheet} />
        {STYLES.map(
          ([path, name]) =>
            page.path.startsWith(path) && <link key={name} rel="stylesheet" href={assetPath(name)} />,
        )}
        <meta name="htmx-config" content={HTMX_CONFIG} />
        {(['htmx.js', 'drawer.js', 'console.js'] as const).map((name) => (
          <script key={name} src={assetPath(name)} nonce={page.nonce} defer />
        ))}
        <script
          src={assetPath('live.js')}
          nonce={page.nonce}
          data-worker={assetPath('live-worker.js')}
          data-session={page.session?.id}
          defer
        />
      </head>
      <body {...(page.fault === undefined ? {} : { 'data-refused': '' })}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Header page={withPath(page, place)} />
        <main id="content" class="wrap">
          <AllSendingPaused page={page} />
          {page.notice !== undefined && (
            <p role="status" class="notice">
              {page.notice}
            </p>
          )}
          <StrayFault page={page} />
          {children}
        </main>
        <Foot page={page} zone={zone} />
        {hasNavigation(page) && <LiveHeadCounts />}
      </body>
    </html>
  )
}

/**
 * Makes a page of a few lines, such as that for signing in.
 *
 * @param props.heading the default is the title
 */
export function NarrowPage(props: {
  page: Page
  title: string
  heading?: string
  children: ComponentChildren
}) {
  const { page, title, heading = title, children } = props
  return (
    <Layout page={page} title={title}>
      <article class="narrow">
        <h1>{heading}</h1>
        {children}
      </article>
    </Layout>
  )
}

/** The style sheets that only some pages need. */
const STYLES = [
  ['/simulator', 'simulator.css'],
  ['/docs', 'reference.css'],
] as const

/**
 * htmx would put a style element into the page, which the Content-Security-Policy refuses. The history is the browser's
 * own, and `drawer.js` adds to it. What a person has opened stays open when a live piece changes. The attributes are
 * those that HTML allows: `data-hx-…`, without a colon.
 */
const HTMX_CONFIG = JSON.stringify({
  history: false,
  includeIndicatorCSS: false,
  metaCharacter: '-',
  morphIgnore: ['data-htmx-powered', 'open'],
  morphSkip: '[data-hx-morph-skip]',
})

/** Returns the page with another path. It copies no field, because reading the form token gives the browser a cookie. */
function withPath(page: Page, path: string): Page {
  return path === page.path ? page : (Object.create(page, { path: { value: path } }) as Page)
}

function hasNavigation({ session, isSettingUp, isPortal }: Page): boolean {
  return session !== undefined && !isSettingUp && !isPortal
}

function Header({ page }: { page: Page }) {
  const { session, look } = page
  return (
    <header class="top">
      <div class="wrap">
        <a class="brand" href={session === undefined ? '/console' : homeOf(session)} aria-label={look.name}>
          <img src={look.logo} alt="" width={look.logoWidth} height="24" /> <span>{look.name}</span>
        </a>
        {session !== undefined && page.isSettingUp && <SignOut page={page} email={session.email} />}
        {session !== undefined && page.isPortal && <PortalNavigation page={page} session={session} />}
        {session !== undefined && hasNavigation(page) && <Navigation page={page} session={session} />}
      </div>
    </header>
  )
}

/**
 * Shows the links side by side on a desktop, and on a phone behind a button, which works without a script.
 */
function Navigation({ page, session }: { page: Page; session: Session }) {
  return (
    <>
      <button type="button" class="menu-button" popovertarget="nav">
        Menu <HeadCount of="menu" unread={page} />
      </button>
      <nav id="nav" class="nav" popover="auto" aria-label="Main">
        <ul>
          <NavLinks page={page} places={PLACES} />
        </ul>
        {session.role === 'operator' && (
          <Menu label="Operate" page={page} places={PLACES_OF_OPERATORS}>
            <ul>
              <NavLinks page={page} places={PLACES_OF_OPERATORS} />
            </ul>
          </Menu>
        )}
        <form method="get" action="/console/search" role="search">
          <input type="search" name="q" placeholder="Search" aria-label="Search" maxLength={254} required />
        </form>
        <Menu label="Account" page={page} places={PLACES_OF_ACCOUNT}>
          <p>{session.email}</p>
          <ul>
            <NavLinks
              page={page}
              places={PLACES_OF_ACCOUNT.filter(({ href }) => page.hasSimulator || href !== SIMULATOR)}
            />
            <li>
              <SignOut page={page} email={session.email} />
            </li>
          </ul>
        </Menu>
      </nav>
    </>
  )
}

/** Shows links to the few pages that a portal session reaches. */
function PortalNavigation({ page, session }: { page: Page; session: Session }) {
  return (
    <>
      <button type="button" class="menu-button" popovertarget="nav">
        Menu
      </button>
      <nav id="nav" class="nav" popover="auto" aria-label="Main">
        <ul>
          <NavLinks page={page} places={PLACES_OF_PORTAL} />
        </ul>
        <SignOut page={page} email={session.email} />
      </nav>
    </>
  )
}

/** Shows a menu that opens without a script. Of menus with the same name a browser opens only one at a time. */
function Menu(props: { label: string; page: Page; places: readonly Place[]; children: ComponentChildren }) {
  const { label, page, places, children } = props
  const isHere = places.some(({ at }) => at.test(page.path))
  return (
    <details class="menu" name="menu">
      <summary class={isHere ? 'here' : ''}>{label}</summary>
      <div>{children}</div>
    </details>
  )
}

function SignOut({ page, email }: { page: Page; email: string }) {
  return (
    <form method="post" action="/console/sign-out" class="inline">
      <CsrfField page={page} />
      <button type="submit" title={`Signed in as ${email}`}>
        Sign out
      </button>
    </form>
  )
}

/**
 * Shows the version and some links. A visitor who has not signed in need not know what runs here; if the operator has
 * named the service, only operators see it.
 */
function Foot({ page, zone }: { page: Page; zone: string | undefined }) {
  const { look, session } = page
  return (
    <footer class="foot">
      <div class="wrap">
        {session !== undefined && (
          <>
            {look.isOwnName && <span>{look.name}</span>}
            {(!look.isOwnName || (session.role === 'operator' && !page.isPortal)) && (
              <span>Linehook {page.version}</span>
            )}
            {!page.isPortal && <a href="/docs">API</a>}
            {!page.isPortal && <a href="/console/events">Events</a>}
            {/* `console.js` shows it, and what it is. */}
            <button
              type="button"
              class="link"
              data-keys
              hidden
              title="j and k move through a list, and / jumps to the search"
            />
            {/* `console.js` shows the reader's zone, in which it shows the times. */}
            <span class="zone">Times in {zone ?? <span class="own-zone">UTC</span>}</span>
          </>
        )}
        {look.supportUrl !== undefined && <a href={look.supportUrl}>Support</a>}
      </div>
    </footer>
  )
}

/** Shows what was wrong with a form that the page no longer has. */
function StrayFault({ page: { fault } }: { page: Page }) {
  if (fault?.isStray !== true) return null
  return (
    <>
      <p role="alert" class="fault" tabIndex={-1} autofocus>
        <Words>{fault.message}</Words>
      </p>
      <LostInput fault={fault} />
    </>
  )
}

/** Reminds operators on every page that all sending is paused. */
function AllSendingPaused({ page: { allSendingPause, path } }: { page: Page }) {
  // These two pages show it in their content.
  if (allSendingPause?.pausedAt == null || path === '/console/sending' || path === OVERVIEW) return null
  const { pausedAt, pausedBy } = allSendingPause
  return (
    <p class="fault">
      All sending has been paused since <Time at={pausedAt} />
      {pausedBy !== null && ` by ${pausedBy}`}. Messages are waiting. <a href="/console/sending">Resume</a>
    </p>
  )
}

interface Place {
  href: string
  label: string
  /** The paths at which the link is shown as the current one. */
  at: RegExp
}

const SIMULATOR = '/simulator'
const NOTICES = '/console/notices'
const INBOX = '/console/inbox'

const PLACES: Place[] = [
  { href: '/console', label: 'Lines', at: /^\/console(\/lines.*)?$/ },
  { href: INBOX, label: 'Inbox', at: /^\/console\/inbox/ },
  { href: '/console/activity', label: 'Activity', at: /^\/console\/(activity|messages)/ },
  { href: '/console/applications', label: 'Applications', at: /^\/console\/applications/ },
  { href: NOTICES, label: 'Notifications', at: /^\/console\/notices/ },
]

const PLACES_OF_PORTAL: Place[] = [
  { href: '/console', label: 'Lines', at: /^\/console(\/lines.*)?$/ },
  { href: '/console/activity', label: 'Activity', at: /^\/console\/(activity|messages)/ },
  { href: '/console/usage', label: 'Usage', at: /^\/console\/usage/ },
]

const PLACES_OF_ACCOUNT: Place[] = [
  {
    href: '/console/authorized-applications',
    label: 'Authorized applications',
    at: /^\/console\/authorized-applications/,
  },
  { href: '/console/traffic', label: 'Traffic', at: /^\/console\/traffic/ },
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
          <a href={href} aria-current={at.test(page.path) ? 'page' : undefined}>
            {label}
            {href === NOTICES && <HeadCount of="notices" unread={page} />}
            {href === INBOX && <HeadCount of="inbox" unread={page} />}
          </a>
        </li>
      ))}
    </>
  )
}
