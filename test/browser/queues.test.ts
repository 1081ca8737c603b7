import { Worker, type Job } from 'bullmq'
import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { newId } from '../../src/ids.js'
import { QUEUE_PREFIX } from '../../src/queues/queues.js'
import { createPerson } from '../domain/people/people.js'
import { until } from '../helpers/until.js'
import { axeFaults } from '../helpers/web/axe.js'
import { describeWeb } from '../helpers/web/web.js'
import { browserForSuite } from './support.js'

const LOOKS: readonly (readonly [look: string, options: BrowserContextOptions])[] = [
  ['on a desk', {}],
  ['in the dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 844 } }],
]

const OPTIONS = { environment: { QUEUES_WRITABLE: 'true' } }

/** `/queues` comes from a package; `board.js` adds what this leaves out. */
describeWeb('the dashboard in a browser', OPTIONS, function ({ context, web }) {
  this.timeout(300_000)

  const browser = browserForSuite()

  before(async () => {
    // One job of each kind that has buttons of its own.
    const { sendMessage, deliverEvent } = context.queues
    await sendMessage.add('send-message', { v: 1, id: newId() }, { delay: 3_600_000 })
    await deliverEvent.add('deliver-event', { v: 1, id: newId(), endpointId: newId() }, { delay: 3_600_000 })
  })

  async function visit(options: BrowserContextOptions) {
    const { id } = await createPerson(context, { role: 'operator' })
    return browser.openSignedIn({ context, url: web.url, userId: id }, options)
  }

  /** As soon as the page is repaired: what a package has just drawn is looked at in the next frame. */
  async function expectNoFaults(page: Page, what: string): Promise<void> {
    let faults: string[] = []
    await until(
      `${what} has nothing that keeps anybody out`,
      async () => (faults = await axeFaults(page)).length === 0,
    ).catch(() => expect(faults.join('\n'), what).to.equal(''))
  }

  /** @returns the id of a job that failed */
  async function failJob(): Promise<string> {
    const { sendMessage } = context.queues
    await sendMessage.add('send-message', { v: 1, id: newId() })
    const connection = { url: context.config.redisUrl }
    const worker = new Worker('send-message', null, { connection, prefix: QUEUE_PREFIX })
    const job = (await worker.getNextJob('token')) as Job & { id: string }
    await job.moveToFailed(new Error('no reason'), 'token')
    await worker.close()
    return job.id
  }

  for (const [look, options] of LOOKS) {
    it(`/queues has no accessibility violations in axe, and a job can be retried by its button’s name (${look})`, async () => {
      const jobId = await failJob()
      const { page, complaints, ...shots } = await visit(options)
      await page.goto('/queues')
      expect(await page.locator('meta[name=description]').getAttribute('content')).to.match(/^The queues: /)
      await page.getByRole('button', { name: 'More actions' }).first().waitFor()
      await expectNoFaults(page, 'the overview')
      await shots.screenshot(`queues-${look.replaceAll(' ', '-')}`)
      await page.getByRole('button', { name: 'Links' }).click()
      await page.getByText('Back to the console').waitFor()
      await expectNoFaults(page, 'the menu')
      await page.getByText('Back to the console').click()
      await page.waitForURL('**/console')
      for (const path of ['send-message?status=delayed', 'send-message?status=failed', 'deliver-event']) {
        await page.goto(`/queues/queue/${path}`)
        // The name of the dashboard is the heading of a page until the page has its own, if it has one in this look.
        await until('there is one heading', async () => {
          return (await page.getByRole('heading', { level: 1 }).count()) === 1
        })
        await expectNoFaults(page, path)
      }
      await page.goto(`/queues/queue/send-message/${jobId}?status=failed`)
      await page.getByRole('button', { name: 'Retry' }).waitFor()
      await expectNoFaults(page, 'a job')
      await page.getByRole('button', { name: 'Retry' }).click()
      const question = page.getByRole('alertdialog')
      await question.waitFor()
      await expectNoFaults(page, 'the question')
      await question.getByRole('button', { name: 'Confirm' }).click()
      await until('the job waits again', async () => {
        return (await context.queues.sendMessage.getJobState(jobId)) === 'waiting'
      })
      expect(complaints.filter((complaint) => !complaint.includes('preload'))).to.deep.equal([])
      await context.queues.sendMessage.remove(jobId)
    })
  }
})
