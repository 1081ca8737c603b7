import { expect } from 'chai'
import { deleteOAuthRecords, type OAuthRecordKind } from '../../../src/database/applications/oauth-records.js'
import type { Context } from '../../../src/domain/context.js'
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { sha256 } from '../../../src/secrets.js'
import { freePort } from '../../../dev/services/free-port.js'
import { createTestContext } from '../../helpers/context.js'
import { createEnvironment } from '../../helpers/process/environment.js'
import { startWeb, stopProcesses, withoutAdvice } from '../../helpers/process/processes.js'
import { describeWith } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { requestAt, serveApp, type Answer } from '../../helpers/web/web.js'
import { openHolder } from '../../database/hold.js'
import { startProxy as startBreakingProxy, type Proxy } from '../../database/proxy.js'
import { countWaitingForLocks } from '../../domain/fixtures.js'
import { startProxy, through } from '../proxy.js'
import {
  asking,
  authorizePath,
  call,
  createApplication,
  createVisitor,
  exchange,
  expectOAuthError,
  getCode,
  getTokens,
  introspect,
  refresh,
  serveOAuth,
  type OAuthServer,
  type Tokens,
} from './support.js'

interface Exchange {
  /** The same database, not by way of the proxy. */
  direct: Context
  proxy: Proxy
  exchange: () => Promise<Answer>
}

/** Exchanges a code at a server whose statements may take only a moment. */
async function withShortTimeouts(run: (given: Exchange) => Promise<void>): Promise<void> {
  const environment = await createEnvironment({ PUBLIC_URL: 'http://127.0.0.1:1' })
  const direct = await createTestContext(environment)
  const proxy = await startBreakingProxy(environment.DATABASE_URL!)
  const limits = { statementTimeoutMs: 4000, acquireTimeoutMs: 4000 }
  const context = await createTestContext({ ...environment, DATABASE_URL: proxy.url }, limits)
  const web = await serveApp(context)
  const server = { context, web, close: () => web.close() }
  try {
    const application = await createApplication(server)
    const code = await getCode(await createVisitor(server), asking(application))
    await run({ direct, proxy, exchange: () => exchange(server, application, code) })
  } finally {
    proxy.goUp()
    await web.close()
    await context.close()
    await proxy.close()
    await direct.close()
  }
}

/** Somebody else holds the rows meanwhile. */
async function whileHeld<T>({ db }: Context, kind: OAuthRecordKind, run: () => Promise<T>): Promise<T> {
  const holder = await openHolder(db)
  await holder('oauth_records').where({ kind }).forUpdate().select('kind')
  try {
    return await run()
  } finally {
    await holder.rollback()
  }
}

describe('OAuth when not all is well', () => {
  it('returns its own 503 without Postgres, and redirects nobody', async () => {
    const environment = await createEnvironment()
    const direct = environment.DATABASE_URL!
    const proxy = await startProxy(direct)
    const server = await serveOAuth({ ...environment, DATABASE_URL: through(proxy, direct) })
    try {
      const application = await createApplication(server)
      const visitor = await createVisitor(server)
      const code = await getCode(visitor, asking(application))
      await proxy.cut('refuse')
      await exchange(server, application, code)
      const answer = await exchange(server, application, code)
      expect(answer.status, answer.text).to.equal(503)
      expect(answer.body).to.include({ error: 'temporarily_unavailable' })
      expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
      const page = await visitor.get(authorizePath(asking(application)))
      expect([page.status, page.headers.get('location')]).to.deep.equal([503, null])
      expect(page.text).to.match(/temporarily unavailable/i)
      await proxy.restore()
      await until('it works again', async () => (await exchange(server, application, code)).status === 200)
    } finally {
      await server.close()
      await proxy.close()
    }
  })

  describe('in the middle of an exchange', () => {
    it('says when to repeat it, if nothing was done', async () => {
      await withShortTimeouts(async ({ direct, exchange }) => {
        const answer = await whileHeld(direct, 'AuthorizationCode', exchange)
        expect(answer.status, answer.text).to.equal(503)
        expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
        expect((await exchange()).status).to.equal(200)
      })
    })

    it('does not say when to repeat it, if the code may be used up', async () => {
      await withShortTimeouts(async ({ direct, proxy, exchange }) => {
        await whileHeld(direct, 'AuthorizationCode', async () => {
          const answer = exchange()
          await until('it waits for the code', async () => (await countWaitingForLocks(direct)) > 0)
          proxy.goDown()
          expectUnknown(await answer)
        })
      })
    })

    it('does not say when to repeat it, if the code is used up and the tokens are not issued', async () => {
      await withShortTimeouts(async ({ direct, exchange }) => {
        expectUnknown(await whileHeld(direct, 'Grant', exchange))
      })
    })

    it('does not say when to repeat it, if the tokens are issued but nothing else can be read', async () => {
      await withShortTimeouts(async ({ direct, exchange }) => {
        const holder = await openHolder(direct.db)
        await holder.raw('lock table application_lines in access exclusive mode')
        expectUnknown(await exchange())
        await holder.rollback()
      })
    })

    const expectUnknown = ({ status, headers, text, body }: Answer) => {
      expect(status, text).to.equal(503)
      expect(headers.get('retry-after')).to.equal(null)
      expect(body).to.deep.equal({
        error: 'temporarily_unavailable',
        error_description:
          'It is unknown whether tokens were issued. Repeat the request after 15 seconds. If it is refused, authorize again',
      })
    }
  })

  it('needs no Redis', async () => {
    const server = await serveOAuth()
    try {
      const application = await createApplication(server)
      const tokens = await getTokens(server, await createVisitor(server), application)
      server.context.redis.disconnect()
      expect((await refresh(server, application, tokens.refresh_token)).status).to.equal(200)
    } finally {
      await server.close()
    }
  })

  it('limits token requests to 300 a minute per address', async () => {
    const server = await serveOAuth()
    try {
      const answers = await Promise.all(
        Array.from({ length: 301 }, () => server.web.request('/oauth/access', { method: 'POST' })),
      )
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).to.have.length(1)
      expect(refused[0]?.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
      expect(refused[0]?.body).to.have.property('error').that.is.a('string')
    } finally {
      await server.close()
    }
  })

  describeWith('afterwards', serveOAuth, (server) => {
    it('deletes expired records, and keeps valid ones', async () => {
      const { db } = server.context
      const application = await createApplication(server)
      const visitor = await createVisitor(server)
      const alive = await getTokens(server, visitor, application)
      const old = await createVisitor(server)
      await getTokens(server, old, application)
      await visitor.follow(authorizePath(asking(application)))
      const ofOld = db('oauth_records').where({ user_id: old.line.userId })
      await ofOld
        .clone()
        .whereNot({ kind: 'Grant' })
        .update({ expires_at: new Date(Date.now() - 25 * 3_600_000) })
      await db('oauth_records').update({ created_at: new Date(Date.now() - 2 * 3_600_000) })

      expect(await deleteOAuthRecords(db, 1000)).to.be.above(0)
      expect(await ofOld.clone()).to.deep.equal([])
      const kinds = await db('oauth_records').orderBy('kind').pluck<string[]>('kind')
      expect(kinds).to.include.members(['AccessToken', 'Grant', 'Interaction', 'RefreshToken'])
      expect((await call(server, alive.access_token, '/v1/lines')).status).to.equal(200)
    })

    for (const kind of ['AccessToken', 'RefreshToken']) {
      it(`lets a code and a refresh token be used again if Postgres failed before their ${kind} was made`, async () => {
        const { db } = server.context
        const application = await createApplication(server)
        const later = () =>
          db('oauth_records')
            .where({ application_id: application.id })
            .update(
              Object.fromEntries(
                ['created_at', 'consumed_at', 'consumed_again_at'].map((at) => [
                  at,
                  db.raw(`?? - interval '31 seconds'`, [at]),
                ]),
              ),
            )
        const losing = async (use: () => Promise<Answer>) => {
          await db.raw(`create function lose() returns trigger language plpgsql as $$
            begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(0.1); return new; end $$`)
          await db.raw(`create trigger lose before insert on oauth_records for each row
            when (new.kind = '${kind}') execute function lose()`)
          const lost = await use()
          expect([lost.status, lost.headers.get('retry-after')], lost.text).to.deep.equal([503, null])
          expect((await use()).status, 'a refresh token may be used twice').to.equal(503)
          await db.raw('drop function lose cascade')
          const early = await use()
          expect(early.status, early.text).to.equal(503)
          expect(Number(early.headers.get('retry-after'))).to.be.within(1, 15)
          await later()
          const answer = await use()
          expect(answer.status, answer.text).to.equal(200)
          await later()
          return answer.body as Tokens
        }
        const code = await getCode(await createVisitor(server), asking(application))
        const first = await losing(() => exchange(server, application, code))
        const again = () => refresh(server, application, first.refresh_token)
        const { access_token } = await losing(again)
        for (const token of [first.access_token, access_token]) {
          expect((await call(server, token, '/v1/lines')).status).to.equal(200)
        }
        // Tokens came of it this time.
        expectOAuthError(await again(), 400, 'invalid_grant')
        expect((await call(server, access_token, '/v1/lines')).status).to.equal(401)
      })
    }

    it('deletes what came out of a grant that has ended, in parts, long after nothing of it works', async () => {
      const { db } = server.context
      const application = await createApplication(server)
      const [visitor, other] = [await createVisitor(server), await createVisitor(server)]
      const alive = await getTokens(server, other, application)
      const { access_token, refresh_token } = await getTokens(server, visitor, application)
      const ofIt = () => db('oauth_records').where({ user_id: visitor.line.userId })
      const before = (await ofIt()).length
      await endAuthorizations(server.context, visitor.line.userId, application.id)
      expect(await ofIt(), 'only marked').to.have.length(before)
      expect((await call(server, access_token, '/v1/lines')).status).to.equal(401)
      expectOAuthError(await refresh(server, application, refresh_token), 400, 'invalid_grant')
      expect((await introspect(server, application, access_token)).body).to.deep.equal({ active: false })

      const counts: number[] = []
      while (counts.at(-1) !== 0) counts.push(await deleteOAuthRecords(db, 3))
      expect(Math.max(...counts)).to.equal(3)
      expect(await ofIt()).to.deep.equal([])
      expect((await call(server, alive.access_token, '/v1/lines')).status).to.equal(200)
    })

    it('refuses an application that refreshes one authorization without a pause', async () => {
      const { db, windows } = server.context
      const application = await createApplication(server)
      const tokens = await getTokens(server, await createVisitor(server), application)
      const again = () => refresh(server, application, tokens.refresh_token)
      const { grantId } = await db('oauth_records')
        .where({ kind: 'RefreshToken', application_id: application.id })
        .first<{ grantId: string }>(db.raw(`payload ->> 'grantId' as "grantId"`))
      const key = `refresh:{${sha256(grantId).toString('hex')}}`
      const places = Array.from({ length: 240 }, (_, n) => ({ member: `${n}`, agoMs: 60_000 }))
      await windows.fill({ key, limit: 240, lengthMs: 3_600_000 }, places)
      const refused = await again()
      expect(refused.status, refused.text).to.equal(429)
      expect(Number(refused.headers.get('retry-after'))).to.be.within(3400, 3600)
      await server.context.redis.del(key)
      expect((await again()).status).to.equal(200)
    })
  })

  it('no log line has a code, a token, a secret or a cookie in it, at any level', async () => {
    const port = await freePort()
    const environment = await createEnvironment({
      LOG_LEVEL: 'debug',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    })
    const context = await createTestContext({ ...environment, LOG_LEVEL: 'silent' })
    const process = await startWeb(environment)
    const local = await serveApp(context)
    // Same database, same secrets: what is asked of the process is answered by it alone.
    const web = { ...local, url: process.url, request: requestAt(process.url) }
    const server: OAuthServer = { context, web, close: () => local.close() }
    try {
      const application = await createApplication(server)
      const visitor = await createVisitor(server)
      const page = await visitor.follow(authorizePath(asking(application)))
      const uid = new URL(page.url).pathname.split('/').pop() ?? ''
      const code = await getCode(visitor, asking(application))
      const tokens = (await exchange(server, application, code)).body as Tokens
      await exchange(server, application, code)
      await call(server, tokens.access_token, '/v1/lines')
      await until('the last request is in the log', () =>
        process.log().some(({ msg, path }) => msg === 'request.handled' && path === '/v1/lines'),
      )
      const log = process.lines.join('\n')
      expect(log).to.include('/oauth/access').and.include('/oauth/consent/[cut]')
      const session = visitor.cookies.get('__Host-linehook')?.value ?? ''
      for (const secret of [
        uid,
        code,
        tokens.access_token,
        tokens.refresh_token,
        application.clientSecret,
        session,
      ]) {
        expect(secret).to.have.length.above(20)
        expect(log).not.to.include(secret)
      }
      expect(withoutAdvice(process.errorLines)).to.deep.equal([])
    } finally {
      await stopProcesses()
      await local.close()
      await context.close()
    }
  })
})
