import { disableConnection, disconnect, enableConnection } from '../../../../domain/lines/connections.js'
import { ActButton, Confirm } from '../../form.js'
import { lineAct } from './act.js'
import { Section, tabPath, type LineView } from './section.js'

/** The connection is about webhooks only, so switching it off does not stop other ways to send. */
const UNAFFECTED = 'API tokens and authorized applications can still send from this line.'

/** Shows the forms to enable the connection, and to switch it off without deleting anything. */
export function Connection({ view }: { view: LineView }) {
  const { enabled } = view.connection
  const action = `${view.path}/connection/${enabled ? 'disable' : 'enable'}`
  return (
    <Section view={view} id="connection" title="Developer connection" offers={[action]}>
      {enabled ? <Enabled view={view} action={action} /> : <Off view={view} action={action} />}
    </Section>
  )
}

function Enabled({ view: { page, line }, action }: { view: LineView; action: string }) {
  return (
    <>
      <p>
        <span class="badge good">on</span>{' '}
        {line.status === 'active'
          ? 'Your programs can send through the incoming webhook, and incoming messages go to your server.'
          : 'It takes effect when the line itself is enabled again.'}
      </p>
      <ActButton page={page} action={action} label="Disable" look="secondary" />
    </>
  )
}

/** Shows the connection's section on the tab for acts that cannot be undone. */
export function Disconnect({ view }: { view: LineView }) {
  const { page, connection, path } = view
  const action = `${path}/connection/disconnect`
  return (
    <Section
      view={view}
      id="connection"
      title="Developer connection"
      offers={connection.enabled ? [action] : []}
    >
      {connection.enabled ? (
        <>
          <p class="muted">
            Disconnecting stops the incoming webhook and the events to your endpoints. {UNAFFECTED} To pause
            both for a while, disable the connection under{' '}
            <a href={tabPath(view.line.id, 'access')}>Access</a> instead.
          </p>
          <Confirm
            page={page}
            action={action}
            label="Disconnect"
            consequence={
              "This disables the connection and deletes the incoming webhook and all endpoints except the outgoing webhook. The incoming webhook's URL returns 404 from now on and never works " +
              'again. The outgoing webhook URL and its signing secret are kept.'
            }
            button="Disconnect"
          />
        </>
      ) : (
        <p class="empty">The developer connection is off.</p>
      )}
    </Section>
  )
}

function Off({ view: { page, connection }, action }: { view: LineView; action: string }) {
  const isResting = connection.incomingWebhook !== null || connection.outgoingWebhookUrl !== null
  return (
    <>
      <p>
        <span class="badge">off</span>{' '}
        {isResting
          ? `The incoming webhook does not accept messages, and your endpoints get no events. ${UNAFFECTED} Your settings on the other tabs are kept.`
          : 'Turn it on to let your programs send and receive messages on this line through webhooks.'}
      </p>
      <ActButton page={page} action={action} label="Enable" />
    </>
  )
}

/** This also enables an endpoint again that was disabled for failing. */
export const postEnable = lineAct('enabled', enableConnection)
export const postDisable = lineAct('disabled', disableConnection)
export const postDisconnect = lineAct('disconnected', disconnect)
