import { expect } from 'chai'
import { getConnection } from '../../src/domain/lines/connection-overview.js'
import { addLine } from '../../src/domain/lines/lines.js'
import { createLine } from '../helpers/factories.js'
import { describeCommands } from './linehook.js'

const URL = 'http://127.0.0.1:9/events'
const SECRET = 'whsec_[A-Za-z0-9+/]{43}='

/** What they change is in `test/domain/lines`, and that all fronts do the same in `test/journeys/three-fronts.test.ts`. */
describeCommands(
  'linehook connection and linehook webhook',
  { PUBLIC_URL: 'https://linehook.example' },
  ({ context, run, json, refuse }) => {
    /** A line without a connection. */
    const addBareLine = async (number: string) => {
      const { userId } = await createLine(context)
      return addLine(context, { userId, number, carrierAccount: 'simulator' })
    }

    it('say in a line each what they did', async () => {
      const { id, number } = await addBareLine('+15551240001')
      const webhook = `https://linehook\\.example/webhooks/lineId/${id}\\?token=[\\w-]{43}`
      for (const [command, said] of [
        ['connection enable', 'developer connection enabled'],
        [`connection set-url ${URL}`, `outgoing webhook URL set; signing secret: ${SECRET}`],
        [
          'connection set-events messageStatus,optOut',
          'events in addition to received messages: messageStatus, optOut',
        ],
        ['connection set-url ', 'outgoing webhook URL removed'],
        ['webhook create', webhook],
        ['webhook regenerate', webhook],
        ['webhook delete', `incoming webhook of \\${number} deleted`],
        ['connection disable', 'developer connection disabled'],
        ['connection enable', 'developer connection enabled'],
        ['connection disconnect', 'developer connection disabled, incoming webhook deleted'],
      ] as const) {
        const [group = '', verb = '', ...more] = command.split(' ')
        const lines = await run(group, verb, number, ...more)
        expect(lines, command).to.have.length(1)
        expect(lines[0], command).to.match(new RegExp(`^${said}$`))
      }
    })

    it('say it as JSON', async () => {
      const { id: lineId } = await addBareLine('+15551240002')
      const none = { enabled: true, outgoingWebhookUrl: null, hasIncomingWebhook: false }
      expect(await json('connection', 'enable', lineId)).to.include(none)
      const set = await json('connection', 'set-url', lineId, URL)
      expect(set).to.include({ lineId, enabled: true, outgoingWebhookUrl: URL })
      expect(set.signingSecret).to.match(new RegExp(`^${SECRET}$`))
      expect(await json('connection', 'set-events', lineId, '')).to.deep.include({ optInEvents: [] })
      expect(await json('connection', 'set-url', lineId, '')).to.not.have.property('signingSecret')

      const { url, token } = await json('webhook', 'create', lineId)
      expect(url).to.equal(`https://linehook.example/webhooks/lineId/${lineId}?token=${String(token)}`)
      expect(await json('webhook', 'delete', lineId)).to.deep.equal({ id: lineId, deleted: true })
    })

    it('webhook regenerate --overlap lets the old token work on for so long', async () => {
      const line = await createLine(context)
      await run('webhook', 'regenerate', line.number, '--overlap', '3600')
      const { incomingWebhook } = await getConnection(context, line.userId, line.lineId)
      const leftMs = incomingWebhook!.previousTokenUntil!.getTime() - Date.now()
      expect(leftMs).to.be.within(3_500_000, 3_600_000)
    })

    it('refuse in one line what they cannot do', async () => {
      await addBareLine('+15551240003')
      const { number } = await createLine(context)
      for (const [args, sentence] of [
        [
          ['webhook', 'delete', '+15559999999'],
          'No line has the ID or number +15559999999. See `linehook line list`',
        ],
        [['connection', 'disconnect', '+15551240003'], 'This line has no developer connection'],
        [
          ['connection', 'set-url', number, 'ftp://example.com'],
          'url: The URL starts with ftp:, which is not supported. Use https://.',
        ],
        [
          ['webhook', 'create', number],
          'This line already has an incoming webhook. Regenerate its token or delete it',
        ],
        [
          ['webhook', 'regenerate', number, '--overlap', '86401'],
          '--overlap must be a whole number from 0 to 86400',
        ],
      ] as const) {
        expect(await refuse(...args)).to.equal(sentence)
      }
    })
  },
)
