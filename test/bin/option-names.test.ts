import { expect } from 'chai'
import { addUser } from '../../src/domain/people/users.js'
import { createLine } from '../helpers/factories.js'
import { describeCommands } from './linehook.js'

describeCommands('a refusal of the command line', ({ context, refuse }) => {
  it('names the option that a person gave, or the command that lists what there is', async () => {
    const { number, endpointId } = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/hook' })
    const { number: unset } = await createLine(context)
    const { number: name } = await createLine(context, { number: 'Acme' })
    const { email } = await addUser(context, { email: 'ada@example.com' })
    const send = ['message', 'send', '--line', number, '--to', '+15005550199']
    for (const [args, sentence] of [
      [['line', 'change', number, '--countries', 'XX'], /^--countries must be two-letter ISO 3166 codes/],
      [['line', 'change', number, '--per-number', '0'], /^--per-number must be a whole number from 1/],
      [['line', 'change', number, '--per-minute', '0'], /^--per-minute must be a whole number from 1/],
      [['connection', 'set-events', number, 'foo'], /^types can contain only messageStatus/],
      [
        ['connection', 'set-events', unset, 'optOut'],
        /^The line has no outgoing webhook URL\. Set one first, /,
      ],
      [['endpoint', 'change', endpointId], /^Give at least one of --name, --url and --events$/],
      [
        ['endpoint', 'set-policy', endpointId],
        /^Give at least one --set, such as --set retrySchedule=short$/,
      ],
      [['event', 'replay', '--endpoint', 'x', '--since', '3h'], /See `linehook endpoint list`$/],
      [['task', 'show', 'x'], /See `linehook task list`$/],
      [send, /^Give --text, --media-url or both$/],
      [[...send, '--text', 'Hi', '--send-at', '40d'], /^--send-at can be at most 30 days ahead$/],
      [[...send, '--media-url', 'x'], /^--media-url must be an http:\/\/ or https:\/\/ URL/],
      [[...send.with(-1, 'abc'), '--text', 'Hi'], /^The phone number in --to cannot be parsed$/],
      [
        [...send.with(3, name), '--text', 'Hi'],
        /^The country of the number in --to does not allow names as senders\./,
      ],
      [[...send, '--text', 'Hi', '--client-ref', 'x'.repeat(201)], /^--client-ref must have 1 to 200/],
      [
        [...send, '--text', 'Hi', '--send-at', '3h', '--expires-at', '2h'],
        /^--expires-at must be later than --send-at$/,
      ],
      [
        ['endpoint', 'add', email, 'http://127.0.0.1:9/alerts', '--events', 'optOut'],
        /^An operational webhook takes no --events\./,
      ],
    ] as const) {
      expect(await refuse(...args)).to.match(sentence)
    }
  })

  it('leaves the name of a field as it is where it names something else', async () => {
    const { endpointId } = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/hook' })
    const http = ['--kind', 'http', '--set', 'url=https://sms.example.com/messages']
    for (const [args, sentence] of [
      [
        ['carrier', 'add', 'mine', ...http, '--set', 'body={"to":"{{number}}"}'],
        /Use only \{\{from\}\}, \{\{to\}\}, \{\{text\}\}, \{\{mediaUrl\}\}/,
      ],
      [
        ['endpoint', 'set-policy', endpointId, '--set', 'declinedEvents=foo'],
        /other events are sent only if optInEvents lists them$/,
      ],
    ] as const) {
      expect(await refuse(...args)).to.match(sentence)
    }
  })
})
