import { expect } from 'chai'
import { explainRedirectUri } from '../../../src/domain/applications/redirect-uris.js'

describe('a redirect URI', () => {
  for (const uri of [
    'https://example.com',
    'https://example.com/callback?from=linehook',
    'https://example.com:8443/a/../b',
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1:49152/',
    'http://[::1]:49152/',
    'com.example.app:/callback',
    'com.example.app://callback',
    'autoreply://callback',
  ]) {
    it(`may be ${uri}`, () => {
      expect(explainRedirectUri(uri)).to.equal(undefined)
    })
  }

  for (const [uri, fault] of [
    ['/callback', /is not a URI/],
    ['example.com/callback', /is not a URI/],
    ['https://', /is not a URI/],
    ['https:example.com', /write :\/\/ after https/],
    ['https:///example.com', /write :\/\/ after https/],
    ['https:\\\\example.com', /is not a URI/],
    ['https://example.com/a b', /is not a URI/],
    ['https://example.com/\n', /is not a URI/],
    ['https://exämple.com/', /is not a URI/],
    ['https://example.com/#', /fragment/],
    ['https://example.com/#part', /fragment/],
    ['https://user@example.com/', /user name or password/],
    ['https://user:password@example.com/', /user name or password/],
    ['http://example.com/', /http:\/\/, which is for this machine only/],
    ['http://localhost.example.com/', /this machine only/],
    ['http://127.0.0.1.example.com/', /this machine only/],
    ['http://192.168.0.1/', /this machine only/],
    ['javascript:alert(1)', /no app's own scheme/],
    ['JavaScript:alert(1)', /no app's own scheme/],
    ['data:text/html,x', /no app's own scheme/],
    ['file:///etc/passwd', /no app's own scheme/],
    ['vbscript:x', /no app's own scheme/],
    ['blob:https://example.com/x', /no app's own scheme/],
    ['view-source:https://example.com', /no app's own scheme/],
    ['mailto:ada@example.com', /no app's own scheme/],
    ['ws://example.com', /no app's own scheme/],
    ['chrome-extension://abc/', /no app's own scheme/],
    [`https://example.com/${'x'.repeat(2048)}`, /at most 2048 characters/],
  ] as const) {
    it(`may not be ${uri.slice(0, 60)}`, () => {
      expect(explainRedirectUri(uri)).to.match(fault)
    })
  }
})
