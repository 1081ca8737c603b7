import type { createBullBoard } from '@bull-board/api'
import { accentOf } from './accent.js'
import { assetText } from './assets.js'

type UIConfig = NonNullable<NonNullable<Parameters<typeof createBullBoard>[0]['options']>['uiConfig']>
type UITheme = NonNullable<UIConfig['theme']>
type Scheme = 'light' | 'dark'

/** The tokens of our style sheet under the names of the queue dashboard, so that it looks like the console. */
export function boardTheme(color: string | undefined): UITheme {
  return { light: themeIn('light', color), dark: themeIn('dark', color) }
}

function themeIn(scheme: Scheme, color: string | undefined): NonNullable<UITheme[Scheme]> {
  const own = (name: string) => token(name, scheme)
  const accent = color === undefined ? own('accent') : accentOf(color, scheme)['--accent']
  return {
    ...{ 'font-sans': own('font'), 'font-mono': own('mono'), radius: own('radius') },
    ...{ background: own('ground'), foreground: own('ink'), border: own('hair'), input: own('edge') },
    ...{ card: own('ground'), popover: own('ground'), 'shadow-popover': own('lift') },
    // The accent has enough contrast as text on the ground, so the ground can be read on it.
    ...{ primary: accent, 'primary-foreground': own('ground') },
    ...{ secondary: own('sunken'), 'secondary-foreground': own('ink') },
    ...{ muted: own('sunken'), 'muted-foreground': own('ink2') },
    ...{ accent: own('sunken'), 'accent-foreground': own('ink') },
    ...{ destructive: own('bad'), 'destructive-foreground': own('ground') },
    ...{ sidebar: own('sunken'), 'sidebar-foreground': own('ink2'), 'sidebar-border': own('hair') },
    ...{ 'sidebar-accent': own('hair'), 'status-failed': own('bad'), 'status-completed': own('good') },
    // The badges of queues without a worker are text in this colour.
    'status-waiting': own('warn'),
  }
}

/** @throws Error if the style sheet does not have the token */
function token(name: string, scheme: Scheme): string {
  const [light, dark = light] = [...assetText('console.css').matchAll(new RegExp(`--${name}: ([^;]*);`, 'g'))]
  const value = (scheme === 'light' ? light : dark)?.[1]
  if (value === undefined) throw new Error(`tokens.css has no --${name}`)
  return value
}
