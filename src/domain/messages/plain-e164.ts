import { phoneLibrary, phoneMetadata } from '../../kit/text/phone-library.js'

/** The library's data about a country's numbers, which its types leave out. */
interface Plan {
  possibleLengths(): number[]
  nationalPrefixForParsing(): string | undefined
  type(name: 'PREMIUM_RATE' | 'PERSONAL_NUMBER'): { pattern(): string } | undefined
}

/** The rule for a calling code's numbers, without the code. */
interface Rule {
  /** The lengths that are possible in each of its countries. */
  lengths: readonly number[]
  /**
   * Matches numbers that need a closer look: the library may read them differently from how they are written, or they
   * may be expensive.
   */
  special: RegExp
}

/** They are made for the first number. */
let rules: ReadonlyMap<string, Rule> | undefined
/** Calling codes have one to three digits, and none is a prefix of another. */
const CODE_LENGTHS = [1, 2, 3]

/**
 * True if the library would read a number in E.164 just as it is written, consider it possible, and not at a premium
 * rate. It decides this for most numbers at a tenth of the library's cost; the others need the library.
 * `plain-e164.test.ts` compares both for every calling code.
 */
export function isPlainE164(written: string): boolean {
  if (!/^\+[1-9]\d{5,14}$/.test(written)) return false
  rules ??= new Map(plansByCode().map(([code, plans]) => [code, ruleOf(code, plans)]))
  for (const length of CODE_LENGTHS) {
    const rule = rules.get(written.slice(1, 1 + length))
    if (rule === undefined) continue
    const national = written.slice(1 + length)
    return rule.lengths.includes(national.length) && !rule.special.test(national)
  }
  return false
}

/** Codes without a country, such as +800 and +870, are not among them. */
function plansByCode(): [code: string, plans: Plan[]][] {
  const { getCountries, getCountryCallingCode } = phoneLibrary()
  const plans = new Map<string, Plan[]>()
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country)
    const metadata = phoneMetadata()
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
    // This is a premium rate that no country uses yet.
    ...(code === '1' ? ['^900'] : []),
  ]
  return {
    lengths: (first ?? []).filter((length) => others.every((lengths) => lengths.includes(length))),
    special: new RegExp(special.length > 0 ? [...new Set(special)].join('|') : '(?!)'),
  }
}
