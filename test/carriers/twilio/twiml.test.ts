import { expect } from 'chai'
import { escapeXml, greetAndRecord } from '../../../src/carriers/twilio/twiml.js'

describe('TwiML', () => {
  it('greets, records and hangs up, with every text escaped', () => {
    const xml = greetAndRecord({
      greeting: 'Ann & Ben\'s "shop" <closed>',
      endUrl: 'https://a.example.com/voice?ended=1',
      recordingUrl: 'https://a.example.com/recording?from=%2B1&to=%2B2',
    })
    expect(xml).to.equal(
      '<?xml version="1.0" encoding="UTF-8"?><Response>' +
        '<Say>Ann &amp; Ben&apos;s &quot;shop&quot; &lt;closed&gt;</Say>' +
        '<Record maxLength="180" playBeep="true" action="https://a.example.com/voice?ended=1" method="POST" ' +
        'recordingStatusCallback="https://a.example.com/recording?from=%2B1&amp;to=%2B2" ' +
        'recordingStatusCallbackMethod="POST" recordingStatusCallbackEvent="completed"/><Hangup/></Response>',
    )
  })

  it('says nothing where the greeting is empty', () => {
    expect(greetAndRecord({ greeting: '', endUrl: '', recordingUrl: '' })).not.to.contain('<Say')
  })

  it('leaves out what XML cannot hold', () => {
    expect(escapeXml('a\0b\u0008c\uFFFEd\uD800e🙂\n')).to.equal('abcd\uFFFDe🙂\n')
  })
})
