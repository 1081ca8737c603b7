import type { Brand } from '../config/groups.js'
import { accentOf, accentRules } from './accent.js'
import { addAsset, assetPath, assetText } from './assets.js'

/** The parts of the operator's brand that pages show. */
export interface Branding {
  /** The service's name. */
  name: string
  isOwnName: boolean
  supportUrl: string | undefined
  /** The paths of the files. */
  logo: string
  stylesheet: string
  /** The width of the logo in the head of a page, in pixels. */
  logoWidth: number
}

const LOGO_HEIGHT = 24
const MAX_LOGO_WIDTH = 160

const brandings = new WeakMap<Brand, Branding>()

/** Makes the files once. */
export function brandingOf({ brand }: { brand: Brand }): Branding {
  let look = brandings.get(brand)
  if (look === undefined) brandings.set(brand, (look = createBranding(brand)))
  return look
}

function createBranding({ name, isOwnName, logo, color, supportUrl }: Brand): Branding {
  return {
    ...{ name, isOwnName, supportUrl },
    logo: logo === undefined ? iconIn(color) : addAsset(`logo.${logo.type}`, logo.bytes),
    logoWidth: Math.min(MAX_LOGO_WIDTH, Math.max(1, Math.round(LOGO_HEIGHT * (logo?.ratio ?? 1)))),
    stylesheet:
      color === undefined
        ? assetPath('console.css')
        : addAsset('console.css', Buffer.from(`${assetText('console.css')}\n${accentRules(color)}\n`)),
  }
}

/** Makes our own icon in the operator's colour. */
function iconIn(color: string | undefined): string {
  if (color === undefined) return assetPath('icon.svg')
  const drawn = assetText('icon.svg')
    .replaceAll('#fff', accentOf(color, 'light')['--on-accent'])
    .replaceAll('#5f43c9', color)
  return addAsset('icon.svg', Buffer.from(drawn))
}
