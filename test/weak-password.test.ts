import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { isWeakPassword } from '../src/weak-password.js'

describe('a weak password', () => {
  for (const weak of [
    'aaaaaaaaaaaa',
    'ababababababab',
    'abcabcabcabc',
    '123456789012',
    '098765432109',
    '112233445566',
    'abcdefghijklmnop',
    'qwertyuiop12',
    'asdfghjkl;1234',
    'passwordpassword',
    'Password1234',
    'P@ssw0rd1234!',
    'linehook2026',
    'Linehook-Queues-2026',
    'operator-queues',
    'changeme1234',
    'letmeinletmein',
    'adminadminadmin',
    'secretsecret',
    'testtesttest1',
  ]) {
    it(`is ${weak}`, () => {
      expect(isWeakPassword(weak)).to.be.true
    })
  }

  for (const good of ['correct horse battery', 'a-long-password', 'Tr0ub4dor&3xyz', 'grüne Äpfel im Mai']) {
    it(`is not ${good}`, () => {
      expect(isWeakPassword(good)).to.be.false
    })
  }

  it('is none that `npm start` makes by chance', () => {
    for (let n = 0; n < 2000; n += 1) {
      const made = randomBytes(12).toString('base64url')
      expect(isWeakPassword(made), made).to.be.false
    }
  })
})
