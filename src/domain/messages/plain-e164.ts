import { getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/max'

/** What the library knows of a country's numbers, and its types leave out. */
interface Plan {
  possibleLengths(): number[]
  nationalPrefixForParsing(): string | undefined
  type(name: 'PREMIUM_RATE' | 'PERSONAL_NUMBER'): { pattern(): string } | undefined
}

/** A calling code's numbers, without the code. */
interface Rule {
  /** Those that are possible in each of its countries. */
  lengths: readonly number[]
  /** Numbers that need a closer look: the library may read them otherwise than they are written, or they may be expensive. */
  special: RegExp
}

const RULES = new Map(plansByCode().map(([code, plans]) => [code, ruleOf(code, plans)]))
/** Calling codes have one to three digits, and none begins as another one is. */
const CODE_LENGTHS = [1, 2, 3]

/**
 * Whether the library would read a number in E.164 just as it is written, take it for possible, and not for one at a premium
 * rate. It says so of most numbers at a tenth of the library's cost; of the others it says nothing, and the library has
 * to be asked. `plain-e164.test.ts` compares both for every calling code.
 */
export function isPlainE164(written: string): boolean {
  if (!/^\+[1-9]\d{5,14}$/.test(written)) return false
  for (const length of CODE_LENGTHS) {
    const rule = RULES.get(written.slice(1, 1 + length))
    if (rule === undefined) continue
    const national = written.slice(1 + length)
    return rule.lengths.includes(national.length) && !rule.special.test(national)
  }
  return false
}

/** Codes of no country, such as +800 and +870, are not among them. */
function plansByCode(): [code: string, plans: Plan[]][] {
  const plans = new Map<string, Plan[]>()
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country)
    const metadata = new Metadata()
    metadata.selectNumberingPlan(country)
    plans.set(code, [...(plans.get(code) ?? []), metadata.numberingPlan as unknown as Plan])
  }
  return [...plans]
}

function ruleOf(code: string, plans: readonly Plan[]): Rule {
  const [first, ...others] = plans.map((plan) => plan.possibleLengths())
  const prefixes = plans.flatMap((plan) => plan.nationalPrefixForParsing() ?? [])
  const expensive = plans.flatMap((plan) =>
    (['PREMIUM_RATE', 'PERSONAL_NUMBER'] as const).flatMap((name) => plan.type(name)?.pattern() ?? []),
  )
  const special = [
    ...prefixes.map((prefix) => `^(?:${prefix})`),
    ...expensive.map((pattern) => `^(?:${pattern})$`),
    // Premium rates of which no country has any yet.
    ...(code === '1' ? ['^900'] : []),
  ]
  return {
    lengths: (first ?? []).filter((length) => others.every((lengths) => lengths.includes(length))),
    special: new RegExp(special.length > 0 ? [...new Set(special)].join('|') : '(?!)'),
  }
}
