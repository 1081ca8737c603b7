import { expect } from 'chai'
import { createLine } from '../helpers/factories.js'
import { describeCommands } from './linehook.js'

describeCommands('a refusal of the command line', ({ context, refuse }) => {
  it('names the option that a person gave, or the command that lists what there is', async () => {
    const { number, endpointId } = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/hook' })
    const { number: unset } = await createLine(context)
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
      [[...send.with(-1, 'abc'), '--text', 'Hi'], /^Provided --to phone number cannot be parsed$/],
    ] as const) {
      expect(await refuse(...args)).to.match(sentence)
    }
  })
})
