import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { createSetUpLink } from '../../../src/domain/people/set-up-links.js'
import { createPerson } from '../../domain/people/people.js'
import { browse } from '../../helpers/web/browser-session.js'
import { describeContext } from '../../helpers/context.js'
import { memoryLog } from '../../helpers/process/log.js'
import { serveApp } from '../../helpers/web/web.js'
import { consoleRoutes, createOwner, submitAndSee } from './support.js'

/** As pino writes them. */
const [DEBUG, INFO] = [20, 30]

describeContext('the log of the console', (context) => {
  it('names the user who is signed in, and whose token it was, and nobody else', async () => {
    const { log, lines } = memoryLog()
    const web = await serveApp({ ...context, log })
    const person = await createPerson(context)
    try {
      const { token } = await createApiToken(context, person.id, 'a program')
      await (await browse(context, web, person.id)).get('/console')
      await web.request('/v1/lines', { headers: { Authorization: `Bearer ${token}` } })
      await web.request('/v1/lines')
      await web.request('/console/sign-in')
    } finally {
      await web.close()
    }
    const handled = lines.filter(({ msg }) => msg === 'request.handled')
    expect(handled.map(({ path, userId }) => [path, userId])).to.deep.equal([
      ['/console', person.id],
      ['/v1/lines', person.id],
      ['/v1/lines', undefined],
      ['/console/sign-in', undefined],
    ])
  })

  it('has no password, token, cookie or form token, whatever works and whatever fails', async () => {
    const { log, lines } = memoryLog()
    const web = await serveApp({ ...context, log })
    const secrets = ['a phrase of hers alone', 'another phrase of hers', 'a wrong phrase of hers']
    const keep = <Value extends string>(value: Value) => {
      secrets.push(value)
      return value
    }
    try {
      const { person, line, fill } = await createOwner(context)
      secrets.push(line.token, line.signingSecret, (await createApiToken(context, person.id, 'log')).token)

      const invited = await createPerson(context, { password: null })
      const link = new URL((await createSetUpLink(context, invited.id)).url)
      const token = keep(link.searchParams.get('token')!)
      const visitor = await browse(context, web)
      keep(visitor.cookie().split('=')[1]!)
      await visitor.get(link.pathname + link.search)
      await visitor.get(`${link.pathname}%3Ftoken=${token}`)
      await visitor.submit('/console/set-up', { token, password: 'short' })
      await visitor.submit('/console/set-up', { token, password: 'a phrase of hers alone' })
      keep(visitor.cookie().split('=')[1]!)
      await visitor.submit('/console/settings/password', {
        currentPassword: 'a phrase of hers alone',
        newPassword: 'another phrase of hers',
      })
      await visitor.submit('/console/sign-out')
      await visitor.submit('/console/sign-in', { email: invited.email, password: 'a wrong phrase of hers' })
      await visitor.submit('/console/sign-in', { email: invited.email, password: 'another phrase of hers' })
      keep(visitor.cookie().split('=')[1]!)

      const browser = await browse(context, web, person.id)
      keep(browser.cookie().split('=')[1]!)
      keep(/name="csrf" value="([\w-]+)"/.exec((await browser.get('/console/settings')).text)![1]!)
      await browser.get(`/console/lines/${line.lineId}/receive?show=secret`)
      await browser.get(`/console/lines/${line.lineId}/send?show=webhook`)
      const created = await submitAndSee(browser, '/console/settings/api-tokens', { name: 'a program' })
      keep(/lhp_[\w-]{43}/.exec(created.text)![0])
      const added = await submitAndSee(browser, '/console/users', { email: 'eve@example.com' })
      keep(/token=([\w-]{43})/.exec(added.text)![1]!)

      // What fails in the middle of its work, and then before it has begun.
      const again = keep(new URL((await createSetUpLink(context, invited.id)).url).searchParams.get('token')!)
      await context.db.raw('alter table users rename column password_hash to password_hash_away')
      const secret = 'another phrase of hers'
      for (const { status } of [
        await visitor.submit('/console/settings/password', { currentPassword: secret, newPassword: secret }),
        await visitor.submit('/console/confirm', { password: secret }),
        await visitor.submit('/console/set-up', { token: again, password: secret }),
        await visitor.submit('/console/sign-in', { email: invited.email, password: secret }),
      ]) {
        expect(status).to.equal(500)
      }
      await context.db.raw('alter table sessions rename column confirmed_at to confirmed_at_away')
      for (const { method, path } of consoleRoutes(context)) {
        if (method === 'GET') await browser.get(`${fill(path)}?token=${token}`)
        else await browser.post(fill(path), `csrf=x&token=${token}&password=a+secret+password`)
      }
      await browser.post('/console/sign-in', 'password=a+secret+password', { 'Content-Type': 'text/plain' })

      const handled = lines.filter(({ msg }) => msg === 'request.handled')
      for (const { status, level } of handled as { status: number; level: number }[]) {
        expect(level, String(status)).to.equal(status < 500 ? DEBUG : INFO)
      }
      const logged = JSON.stringify(lines)
      expect(lines.length).to.be.above(50)
      expect(lines.some(({ msg }) => msg === 'request.failed')).to.equal(true)
      for (const secret of secrets) {
        expect(secret.length).to.be.above(10)
        for (const form of [secret, encodeURIComponent(secret), secret.replaceAll(' ', '+')]) {
          expect(logged).not.to.include(form)
        }
      }
      expect(logged).not.to.match(/token=|csrf=|linehook=|password=/)
    } finally {
      await web.close()
    }
  })
})
