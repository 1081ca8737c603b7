import { expect } from 'chai'
import { explainFailure } from '../../../../src/web/console/endpoints/failures.js'

describe('failures in words', () => {
  it('explains every name that deliveries and messages keep', () => {
    const names = [
      ...['invalid_url', 'dns', 'blocked_address', 'connect', 'tls', 'timeout', 'aborted', 'reset'],
      ...['too_large', 'bad_response', 'network', 'redirect', 'worker_lost', 'internal_error'],
      ...['expired', 'opted_out', 'line_disabled', 'carrier_missing', 'throttled', 'carrier_unavailable'],
      ...['carrier_outcome_unknown', 'carrier_has_no_record', 'restored', 'tls_self_signed', 'tls_expired'],
      ...['tls_wrong_host', 'tls_untrusted', 'tls_not_spoken'],
    ]
    for (const name of names) {
      expect(explainFailure(name), name)
        .to.match(/^[A-Z].*\.$/)
        .and.not.include('rejected')
    }
    expect(new Set(names.map(explainFailure))).to.have.length(names.length)
    for (const name of names.filter((name) => name.startsWith('tls'))) {
      expect(explainFailure(`media_${name}`), name).to.not.include('could not be fetched')
    }
  })

  it('explains an HTTP status', () => {
    expect(explainFailure('http_404')).to.equal(
      'The server returned HTTP 404. Nothing was found at this path. Check the URL for typos.',
    )
    // Our samples return it if the signature does not match, so that is the likely cause.
    expect(explainFailure('http_401')).to.match(/^The server returned HTTP 401\. Check .* signing secret\./)
    // A test event is explained with the same words, and is never retried.
    expect(explainFailure('http_429')).to.not.include('is retried')
    expect(explainFailure('http_418')).to.equal(
      'The server returned HTTP 418. It rejected the event. It must return a 2xx status.',
    )
    expect(explainFailure('http_599')).to.equal("The server returned HTTP 599. Check your server's log.")
  })

  it('passes on the words of a carrier', () => {
    expect(explainFailure('no such number')).to.equal('The carrier rejected it: no such number')
    expect(explainFailure('constructor')).to.equal('The carrier rejected it: constructor')
    expect(explainFailure('http_4040')).to.equal('The carrier rejected it: http_4040')
  })
})
