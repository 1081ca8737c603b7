import { expect } from 'chai'
import { browserName } from '../../../../src/web/console/people/settings/browser-name.js'

const LIKE_GECKO = 'AppleWebKit/537.36 (KHTML, like Gecko)'

describe('the name of a browser', () => {
  for (const [name, userAgent] of [
    [
      'Chrome on Windows',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${LIKE_GECKO} Chrome/131.0.0.0 Safari/537.36`,
    ],
    [
      'Edge on Windows',
      `Mozilla/5.0 (Windows NT 10.0) ${LIKE_GECKO} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`,
    ],
    [
      'Opera on macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${LIKE_GECKO} Chrome/130.0 Safari/537.36 OPR/115.0`,
    ],
    [
      'Safari on macOS',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
    ],
    [
      'Safari on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1',
    ],
    [
      'Chrome on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) CriOS/131.0 Mobile/15E148 Safari/604.1',
    ],
    [
      'Samsung Internet on Android',
      `Mozilla/5.0 (Linux; Android 10; K) ${LIKE_GECKO} SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36`,
    ],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'],
    [
      'Chrome on Linux',
      `Mozilla/5.0 (X11; Linux x86_64) ${LIKE_GECKO} HeadlessChrome/131.0.0.0 Safari/537.36`,
    ],
    ['Windows', 'SomeApp/1.0 (Windows NT 10.0)'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['Unknown', ''],
  ] as const) {
    it(`is ${name}`, () => {
      expect(browserName(userAgent)).to.equal(name)
    })
  }
})
