/** The tokens of `tokens.css` that are derived from the accent colour. */
export interface Accent {
  /** Links and other text in the colour, and the lines around chosen items. */
  '--accent': string
  /** The background of the page's primary button, which is the colour as the operator gave it. */
  '--accent-fill': string
  /** The line around that background. */
  '--accent-edge': string
  /** Text on that background. */
  '--on-accent': string
  /** The colour that the background is mixed with on hover, away from its text. */
  '--accent-shade': string
  /** A background for chosen items, with text in ink or in the accent on it. */
  '--accent-soft': string
}

/**
 * The backgrounds of `tokens.css` that carry text in the accent, and the way in which it is changed until it can be
 * read.
 */
export const GROUNDS = {
  light: { grounds: ['#ffffff', '#f7f7fa'], move: darken, softShare: 0.1 },
  dark: { grounds: ['#121117', '#1a1920'], move: lighten, softShare: 0.16 },
}

/** WCAG 2.2 asks for this in 1.4.3 for text, and in 1.4.11 for the outline of a button. */
const TEXT_CONTRAST = 4.5
const EDGE_CONTRAST = 3

/** @param color a colour as #rrggbb */
export function accentOf(color: string, scheme: keyof typeof GROUNDS): Accent {
  const { grounds, move, softShare } = GROUNDS[scheme]
  const [ground = color] = grounds
  const onAccent = contrast(color, '#ffffff') >= TEXT_CONTRAST ? '#ffffff' : '#000000'
  let accent = color
  let soft = color
  for (let step = 0; step <= 100; step += 1) {
    accent = move(color, step / 100)
    soft = mix(ground, accent, softShare)
    if ([...grounds, soft].every((each) => contrast(accent, each) >= TEXT_CONTRAST)) break
  }
  return {
    '--accent': accent,
    '--accent-fill': color,
    '--accent-edge': contrast(color, ground) >= EDGE_CONTRAST ? color : accent,
    '--on-accent': onAccent,
    '--accent-shade': onAccent === '#ffffff' ? '#000000' : '#ffffff',
    '--accent-soft': soft,
  }
}

/** The rules that follow `tokens.css`. */
export function accentRules(color: string): string {
  const rule = (scheme: keyof typeof GROUNDS) =>
    `:root{${Object.entries(accentOf(color, scheme))
      .map(([name, value]) => `${name}:${value}`)
      .join(';')}}`
  return `${rule('light')}@media (prefers-color-scheme:dark){${rule('dark')}}`
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The relative luminance of WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function darken(color: string, share: number): string {
  return mix(color, '#000000', share)
}

/** Changes only the lightness (CSS Color 4 §7, HSL): mixed with white, a dark blue would become grey. */
function lighten(color: string, share: number): string {
  if (share === 0) return color
  const parts = channels(color).map((channel) => channel / 255)
  const [high, low] = [Math.max(...parts), Math.min(...parts)]
  const lightness = (high + low) / 2
  const colorfulness = high === low ? 0 : (high - low) / (1 - Math.abs(2 * lightness - 1))
  const wanted = lightness + (1 - lightness) * share
  const spread = Math.min(colorfulness, 0.85) * (1 - Math.abs(2 * wanted - 1))
  const place = (part: number) => (high === low ? 0 : (part - low) / (high - low) - 0.5)
  return hexOf(parts.map((part) => 255 * (wanted + place(part) * spread)))
}

function mix(from: string, to: string, share: number): string {
  const target = channels(to)
  return hexOf(channels(from).map((channel, n) => channel + ((target[n] ?? 0) - channel) * share))
}

function hexOf(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))
}
