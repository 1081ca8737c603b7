import type { Middleware } from 'koa'
import { listAccountOverviews, type ListedCarrierAccount } from '../../../domain/carriers/carrier-accounts.js'
import { listCarrierKinds } from '../../../domain/carriers/accounts/kinds.js'
import type { Context } from '../../../domain/context.js'
import { carrierPath, CARRIERS, describePace } from './carrier/page-model.js'
import { Connection } from './carrier/sessions.js'
import { LastTest } from './carrier/test.js'
import { Empty } from '../form.js'
import { Layout } from '../layout.js'
import { live } from '../live.js'
import { answerPage, pageOf } from '../page.js'
import { LivePiece } from '../parts/live-piece.js'
import { Table } from '../parts/table.js'

/** Shows operators the accounts at carriers, which lines belong to. */
export function showCarriers(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const accounts = await listAccountOverviews(context)
    const hasOwn = accounts.some(({ kind }) => kind !== 'simulator')
    answerPage(
      ctx,
      <Layout page={page} title="Carriers">
        <h1>Carriers</h1>
        {!hasOwn && (
          <Empty>
            <p>
              No carrier accounts yet, so messages cannot reach real phones. Add one below, then import its
              numbers as lines.
            </p>
          </Empty>
        )}
        <LivePiece at={`${CARRIERS}/live`}>
          <AccountTable accounts={accounts} />
        </LivePiece>
        <h2>Add an account</h2>
        <KindLinks context={context} />
      </Layout>,
    )
  }
}

export function liveCarriers(context: Context): Middleware {
  return live(context, async () => <AccountTable accounts={await listAccountOverviews(context)} />)
}

export function KindLinks({ context }: { context: Context }) {
  const kinds = listCarrierKinds(context)
  if (kinds.length === 0) return <p>This version supports only the simulator.</p>
  return (
    <>
      <KindCards kinds={kinds.filter(([kind]) => !GENERIC.has(kind))} />
      <h2>Protocols and your own phones</h2>
      <KindCards kinds={kinds.filter(([kind]) => GENERIC.has(kind))} />
    </>
  )
}

/** These are listed below the providers that people know by name. */
const GENERIC: ReadonlySet<string> = new Set(['http', 'smpp', 'kannel', 'smsgate', 'httpsms', 'modem'])

function KindCards({ kinds }: { kinds: ReturnType<typeof listCarrierKinds> }) {
  return (
    <ul class="cards">
      {kinds.map(([kind, { title }]) => (
        <li key={kind}>
          <a href={`${CARRIERS}/new?kind=${encodeURIComponent(kind)}`}>{title}</a>
        </li>
      ))}
    </ul>
  )
}

function AccountTable({ accounts }: { accounts: ListedCarrierAccount[] }) {
  return (
    <Table
      rows={accounts}
      columns={{
        Name: ({ id, name, pausedAt }) => (
          <>
            <a href={carrierPath(id)}>{name}</a>{' '}
            {pausedAt !== null && <span class="badge bad">sending paused</span>}
          </>
        ),
        Kind: ({ title }) => title,
        Lines: ({ lineCount }) => lineCount,
        Pace: describePace,
        Connection: (account) => <Connection account={account} />,
        'Last test': (account) => <LastTest account={account} />,
      }}
    />
  )
}
