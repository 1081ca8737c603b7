import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { accentOf, contrast, GROUNDS } from '../../src/web/accent.js'

const SCHEMES = ['light', 'dark'] as const
const STEPS = ['00', '33', '66', '80', '99', 'cc', 'ff']
const COLORS = STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue) => `#${red}${green}${blue}`)))

describe('the accent of a brand', () => {
  it('is readable on every background, whatever the colour', () => {
    for (const scheme of SCHEMES) {
      for (const color of COLORS) {
        const { grounds } = GROUNDS[scheme]
        const accent = accentOf(color, scheme)
        for (const ground of [...grounds, accent['--accent-soft']]) {
          expect(contrast(accent['--accent'], ground), `${color} on ${ground}`).to.be.at.least(4.5)
        }
        expect(contrast(accent['--on-accent'], color), `text on ${color}`).to.be.at.least(4.5)
        expect(contrast(accent['--accent-edge'], grounds[0] ?? ''), `edge of ${color}`).to.be.at.least(3)
        expect(accent['--accent-fill']).to.equal(color)
      }
    }
  })

  it('leaves a readable colour unchanged', () => {
    expect(accentOf('#5b40c9', 'light')).to.include({ '--accent': '#5b40c9', '--accent-edge': '#5b40c9' })
  })

  it('knows the grounds of the style sheet', () => {
    const css = readFileSync('src/web/assets/styles/tokens.css', 'utf8')
    for (const [n, scheme] of SCHEMES.entries()) {
      const named = ['ground', 'sunken'].map((name) =>
        [...css.matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))][n]?.[1]?.replace(/^#fff$/, '#ffffff'),
      )
      expect(named).to.deep.equal(GROUNDS[scheme].grounds)
    }
  })

  it('the line around a field is seen (WCAG 2.2, 1.4.11)', () => {
    const css = readFileSync('src/web/assets/styles/tokens.css', 'utf8')
    for (const [n, scheme] of SCHEMES.entries()) {
      const field = [...css.matchAll(/--field: (#\w+);/g)][n]?.[1] ?? ''
      for (const ground of GROUNDS[scheme].grounds)
        expect(contrast(field, ground), `${field} on ${ground}`).to.be.at.least(3)
    }
  })
})
